# `mpl_toolkits.axes_grid1`: axes beside axes.
import harp_library as _harp
from matplotlib._drawn import Axes as _Axes, Drawn as _Drawn

make_axes_locatable = Divider = AxesDivider = Size = _Drawn


class ImageGrid:
    def __init__(self, fig, rect, nrows_ncols, **options):
        self.cbar_axes = _harp.some_of([_Axes()])
        self.axes_all = self.cbar_axes

    def __getitem__(self, place):
        return _Axes()

    def __iter__(self):
        return iter(_harp.some_of([_Axes()]))

    def __len__(self):
        return _harp.free_size("axes", 1)


AxesGrid = ImageGrid
