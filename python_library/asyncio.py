# `asyncio`: a coroutine stands for what it returns, as everything that is awaited is run where it is called.
import asyncio


def run(main, **options):
    return main


def gather(*awaitables, return_exceptions=False):
    return list(awaitables)


def create_task(coroutine, **options):
    return coroutine


def ensure_future(awaitable, **options):
    return awaitable


def wait_for(awaitable, timeout):
    return awaitable


def shield(awaitable):
    return awaitable


def sleep(delay, result=None):
    return result


def to_thread(function, /, *args, **kwargs):
    return function(*args, **kwargs)


class _Loop:
    def run_until_complete(self, awaitable):
        return awaitable

    def run_in_executor(self, executor, function, *args):
        return function(*args)

    def create_task(self, coroutine, **options):
        return coroutine

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
