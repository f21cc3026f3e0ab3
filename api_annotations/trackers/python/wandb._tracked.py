# What a tracker of experiments keeps: nothing of it decides the size of an array.
import harp_library as _harp


class Tracked:
    """A run, a table, a picture that is kept: it answers whatever it is asked for."""

    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **options):
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(_harp.some_of([self]))

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return None


class Run(Tracked):
    def __init__(self, *arguments, **options):
        self.config, self.summary, self.history = _harp.outside("settings of a run"), Tracked(), Tracked()
        self.id = self.name = self.dir = self.project = self.path = self.url = str(_harp.outside("the name of a run"))
        self.step = _harp.outside("a step")


def told(*arguments, **options):
    return None


def kept(*arguments, **options):
    return Tracked()


def asked(*arguments, **options):
    return _harp.outside("what a tracker knows")
