# Variables that each context has for itself: the analysed program runs in one.


class Token:
    MISSING = None

    def __init__(self, var, old_value):
        self.var, self.old_value = var, old_value


class ContextVar:
    def __init__(self, name, *, default=None):
        self.name = name
        self._value = default

    def get(self, *default):
        if self._value is None and default:
            return default[0]
        return self._value

    def set(self, value):
        token = Token(self, self._value)
        self._value = value
        return token

    def reset(self, token):
        self._value = token.old_value
