# `IPython`: the shell of notebooks.
import IPython.display as _display
from IPython.display import DisplayObject as _Shell

display = _display


def get_ipython():
    return _Shell()


def embed(*arguments, **options):
    return None


start_ipython = embed
