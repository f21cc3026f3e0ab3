# Context managers of the library. The block of a `with` whose manager is a `_GeneratorContextManager` runs where the generator yields;
# Harp does that itself. Its methods stand for calls that a program makes without `with`.
import functools


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class ContextDecorator:
    def __call__(self, function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inner


class _GeneratorContextManager:
    def __init__(self, function, arguments, keywords):
        self.function = function
        self.arguments = arguments
        self.keywords = keywords

    def __enter__(self):
        self.generator = iter(self.function(*self.arguments, **self.keywords))
        return next(self.generator)

    def __exit__(self, kind, value, traceback):
        if kind is None:
            next(self.generator, None)
            return False
        try:
            self.generator.throw(value)
        except StopIteration:
            return True
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            with _GeneratorContextManager(self.function, self.arguments, self.keywords):
                return function(*args, **kwargs)

        return inner


def contextmanager(function):
    @functools.wraps(function)
    def helper(*args, **kwargs):
        return _GeneratorContextManager(function, args, kwargs)

    return helper


asynccontextmanager = contextmanager


class suppress:
    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self.exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, kind, value, traceback):
        return None


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, kind, value, traceback):
        self.thing.close()


class ExitStack:
    def __init__(self):
        self._exits = []

    def enter_context(self, manager):
        result = manager.__enter__()
        self._exits.append(lambda kind, value, traceback: manager.__exit__(kind, value, traceback))
        return result

    def push(self, exit):
        self._exits.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, function, /, *args, **kwargs):
        def call(kind, value, traceback):
            function(*args, **kwargs)

        self._exits.append(call)
        return function

    def pop_all(self):
        other = ExitStack()
        other._exits = self._exits
        self._exits = []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        is_taken = False
        exits = list(self._exits)
        self._exits = []
        for exit in reversed(exits):
            if exit(kind, value, traceback):
                is_taken = True
                kind, value, traceback = None, None, None
        return is_taken


class _Redirected:
    # What is printed is not followed to its end: the text that the target has then is not known.
    def __init__(self, new_target):
        self._target = new_target

    def __enter__(self):
        if hasattr(self._target, "write"):
            self._target.write(input())
        return self._target

    def __exit__(self, kind, value, traceback):
        return None


class redirect_stdout(_Redirected):
    pass


class redirect_stderr(_Redirected):
    pass
