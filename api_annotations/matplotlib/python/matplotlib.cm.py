# `matplotlib.cm`: colour maps by name.
import numpy as np
import harp_library as _harp
from matplotlib.colors import Colormap, colormap as get_cmap

viridis = plasma = inferno = magma = cividis = Greys = Purples = Blues = Greens = Oranges = Reds = YlOrBr = YlOrRd = OrRd = PuRd = Colormap()
RdPu = BuPu = GnBu = PuBu = YlGnBu = PuBuGn = BuGn = YlGn = binary = gist_yarg = gist_gray = gray = bone = pink = spring = Colormap()
summer = autumn = winter = cool = Wistia = hot = afmhot = gist_heat = copper = PiYG = PRGn = BrBG = PuOr = RdGy = RdBu = Colormap()
RdYlBu = RdYlGn = Spectral = coolwarm = bwr = seismic = twilight = hsv = Pastel1 = Pastel2 = Paired = Accent = Dark2 = Set1 = Colormap()
Set2 = Set3 = tab10 = tab20 = tab20b = tab20c = flag = prism = ocean = gist_earth = terrain = gist_stern = gnuplot = gnuplot2 = Colormap()
CMRmap = cubehelix = brg = gist_rainbow = rainbow = jet = turbo = nipy_spectral = gist_ncar = Colormap()


class ScalarMappable:
    def __init__(self, norm=None, cmap=None, **options):
        self.norm, self.cmap = norm, cmap

    def to_rgba(self, x, alpha=None, bytes=False, norm=True):
        return Colormap()(x, bytes=bytes)

    def set_array(self, A):
        return None

    set_cmap = set_clim = set_norm = set_array

    def __getattr__(self, name):
        return _harp.outside("a part of a colour map")
