# `matplotlib` itself: settings and colour maps.
import harp_library as _harp
from matplotlib._drawn import Drawn, _ignored
from matplotlib.colors import Colormap as _Colormap

use = rc = rcdefaults = rc_file = set_loglevel = interactive = _ignored
rcParams = rcParamsDefault = style = font_manager = ticker = mlab = offsetbox = transforms = Drawn()
__version__ = "3.10.0"


class _Maps:
    def __getitem__(self, name):
        return _Colormap(name)

    def get_cmap(self, cmap=None):
        return _Colormap()

    def register(self, cmap, *, name=None, force=False):
        return None

    def __iter__(self):
        return iter(_harp.some_of([str(_harp.outside("the name of a colour map"))]))


colormaps = _Maps()


def rc_context(*arguments, **options):
    return Drawn()


def get_backend():
    return str(_harp.outside("the name of a backend"))
