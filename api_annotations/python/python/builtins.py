# Built-in classes that are said more briefly in Python.


class BaseExceptionGroup(BaseException):
    def __init__(self, message, exceptions):
        self.message = message
        self.exceptions = tuple(exceptions)
        self.args = (message, exceptions)

    def __str__(self):
        count = len(self.exceptions)
        return f"{self.message} ({count} sub-exception{'' if count == 1 else 's'})"

    def derive(self, exceptions):
        return ExceptionGroup(self.message, exceptions)

    def split(self, condition):
        if isinstance(condition, (type, tuple)):
            def is_meant(exception):
                return isinstance(exception, condition)
        else:
            is_meant = condition
        if is_meant(self):
            return self, None
        taken, left = [], []
        for exception in self.exceptions:
            if isinstance(exception, BaseExceptionGroup):
                first, second = exception.split(condition)
                if first is not None:
                    taken.append(first)
                if second is not None:
                    left.append(second)
            elif is_meant(exception):
                taken.append(exception)
            else:
                left.append(exception)
        return self.derive(taken) if taken else None, self.derive(left) if left else None

    def subgroup(self, condition):
        return self.split(condition)[0]


class ExceptionGroup(BaseExceptionGroup, Exception):
    pass
