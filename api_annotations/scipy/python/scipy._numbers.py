# What the parts of SciPy have in common.
import numpy as np
import harp_library as _harp


def number(*arguments, **options):
    return float(_harp.outside("a number of SciPy"))


def numbers(*arguments, **options):
    return _harp.outside("numbers of SciPy")


def is_array(value):
    return isinstance(value, (np.ndarray, list, tuple))


def floats_like(*values):
    """Floats of the shape to which the values are broadcast, or one number."""
    result = None
    for value in values:
        if is_array(value):
            array = np.zeros(np.shape(value))
            result = array if result is None else result + array
        elif not isinstance(value, (int, float)) and value is not None:
            return _harp.outside("numbers of SciPy")
    return number() if result is None else result


class Result:
    """Numbers that come back by name and by place."""

    correlation = df = success = message = status = nfev = njev = sol = t_events = expected_freq = intercept_stderr = (
        _harp.outside("a number of SciPy"))

    def __init__(self, **values):
        self._values = values
        for name, value in values.items():
            setattr(self, name, value)

    def __getitem__(self, key):
        return self._values[key] if isinstance(key, str) else list(self._values.values())[key]

    def __iter__(self):
        return iter(list(self._values.values()))

    def __len__(self):
        return len(self._values)

    def get(self, key, default=None):
        return self._values[key] if key in self._values else default
