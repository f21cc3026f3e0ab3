# What plots in a browser are made of: nothing of it decides the size of an array.
import harp_library as _harp


class Drawn:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return Drawn()

    def __call__(self, *arguments, **options):
        return Drawn()

    def __getitem__(self, key):
        return Drawn()

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(_harp.some_of([Drawn()]))
