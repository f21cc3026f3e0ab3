# `asyncio`: a coroutine stands for what it returns, as everything that is awaited is run where it is called; a task holds that. Harp gives
# what `__await__` of a task returns where the task is awaited.
import asyncio


class Task:
    def __init__(self, result, is_done=True):
        self._result = result
        self._is_done = is_done

    def __await__(self):
        return self.result()

    def result(self, timeout=None):
        return self._result if self._is_done else asyncio.what_another_task_sets()

    def set_result(self, result):
        self._result = result
        self._is_done = True

    def set_exception(self, exception):
        self._is_done = True

    def exception(self, timeout=None):
        return None

    def done(self):
        return self._is_done

    def cancel(self, msg=None):
        return not self._is_done

    def cancelled(self):
        return False

    def add_done_callback(self, function, *, context=None):
        function(self)

    def remove_done_callback(self, function):
        return 0

    def get_name(self):
        return asyncio.name_of_a_task()

    def set_name(self, name):
        pass


class Future(Task):
    def __init__(self, *, loop=None):
        super().__init__(None, is_done=False)


def _value(awaitable):
    return awaitable.result() if isinstance(awaitable, Task) else awaitable


def run(main, **options):
    return _value(main)


def gather(*awaitables, return_exceptions=False):
    return [_value(awaitable) for awaitable in awaitables]


def create_task(coroutine, **options):
    return coroutine if isinstance(coroutine, Task) else Task(coroutine)


def ensure_future(awaitable, **options):
    return create_task(awaitable)


def wait_for(awaitable, timeout=None):
    return _value(awaitable)


def shield(awaitable):
    return _value(awaitable)


def wait(tasks, *, timeout=None, return_when="ALL_COMPLETED"):
    return set(tasks), set()


def as_completed(awaitables, *, timeout=None):
    return iter([_value(awaitable) for awaitable in awaitables])


def iscoroutine(value):
    return asyncio.is_a_coroutine(value)


def sleep(delay, result=None):
    return result


def to_thread(function, /, *args, **kwargs):
    return function(*args, **kwargs)


class TaskGroup:
    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        return None

    def create_task(self, coroutine, **options):
        return create_task(coroutine)


class _Loop:
    def run_until_complete(self, awaitable):
        return _value(awaitable)

    def run_in_executor(self, executor, function, *args):
        return Task(function(*args))

    def create_task(self, coroutine, **options):
        return create_task(coroutine)

    def create_future(self):
        return Future()

    def close(self):
        pass


def get_event_loop():
    return _Loop()


def new_event_loop():
    return _Loop()


def get_running_loop():
    return _Loop()


def set_event_loop(loop):
    pass


class Lock:
    async def __aenter__(self):
        return None

    async def __aexit__(self, kind, value, traceback):
        return None


class Semaphore(Lock):
    def __init__(self, value=1):
        self.value = value


class Queue:
    def __init__(self, maxsize=0):
        self._items = []

    def put(self, item):
        self._items.append(item)

    def put_nowait(self, item):
        self._items.append(item)

    def get(self):
        if self._items:
            return self._items.pop(0)
        return asyncio.what_another_task_puts()

    def get_nowait(self):
        return self.get()

    def qsize(self):
        return len(self._items)

    def empty(self):
        return not self._items

    def task_done(self):
        pass

    def join(self):
        pass
