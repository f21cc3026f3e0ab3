# Controls of a desktop application: a class of the program that is made from one has its members, too.
import harp_library as _harp
from streamlit._parts import Part


class Control:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return Part()


def slot(*types, **options):
    def decorated(function):
        return function

    return decorated
