# `tempfile`: folders and files whose names the system chooses. What they are called matters to no program, but that they are the same wherever the name
# is used does.
_made = [0]


def _name(suffix, prefix, dir):
    _made[0] += 1
    return (dir or "/tmp") + "/" + (prefix or "tmp") + str(_made[0]) + (suffix or "")


def gettempdir():
    return "/tmp"


def mkdtemp(suffix=None, prefix=None, dir=None):
    return _name(suffix, prefix, dir)


def mktemp(suffix="", prefix="tmp", dir=None):
    return _name(suffix, prefix, dir)


def mkstemp(suffix=None, prefix=None, dir=None, text=False):
    return 3, _name(suffix, prefix, dir)


class TemporaryDirectory:
    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, delete=True):
        self.name = _name(suffix, prefix, dir)

    def __enter__(self):
        return self.name

    def __exit__(self, *problem):
        pass

    def cleanup(self):
        pass
