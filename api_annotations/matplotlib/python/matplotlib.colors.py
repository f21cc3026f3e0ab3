# `matplotlib.colors`: numbers become colours of four parts.
import numpy as np
import torch
import harp_library as _harp


class Colormap:
    def __init__(self, name="viridis", N=256):
        self.name, self.N = name, N

    def __call__(self, X, alpha=None, bytes=False):
        if isinstance(X, (np.ndarray, list, tuple, torch.Tensor)):
            return np.zeros(tuple(np.shape(X)) + (4,), dtype=np.uint8 if bytes else np.float64)
        if isinstance(X, (int, float)):
            return tuple(_harp.outside("a part of a colour") for part in range(4))
        return _harp.outside("a colour")

    def copy(self):
        return self

    def resampled(self, lutsize):
        return self

    def reversed(self, name=None):
        return self

    def set_bad(self, *arguments, **options):
        return None

    set_under = set_over = set_extremes = set_bad

    def __getattr__(self, name):
        return _harp.outside("a part of a colour map")


class LinearSegmentedColormap(Colormap):
    def __init__(self, name, segmentdata, N=256, gamma=1.0, **options):
        self.name, self.N = name, N

    @classmethod
    def from_list(cls, name, colors, N=256, gamma=1.0, **options):
        return Colormap(name, N)


class ListedColormap(Colormap):
    def __init__(self, colors, name="unnamed", N=None, **options):
        self.name, self.colors, self.N = name, colors, _harp.outside("a number of colours") if N is None else N


def colormap(name=None, lut=None):
    return name if isinstance(name, Colormap) else Colormap()


class Normalize:
    def __init__(self, vmin=None, vmax=None, clip=False, **options):
        self.vmin, self.vmax, self.clip = vmin, vmax, clip

    def __call__(self, value, clip=None):
        if isinstance(value, np.ndarray):
            return _harp.array(value.shape)
        return _harp.outside("a number of a plot")

    def __getattr__(self, name):
        return _harp.outside("a part of a scale")


class LogNorm(Normalize):
    pass


class SymLogNorm(Normalize):
    pass


class PowerNorm(Normalize):
    def __init__(self, gamma, vmin=None, vmax=None, clip=False):
        self.vmin, self.vmax = vmin, vmax


class TwoSlopeNorm(Normalize):
    def __init__(self, vcenter, vmin=None, vmax=None):
        self.vmin, self.vmax = vmin, vmax


class BoundaryNorm(Normalize):
    def __init__(self, boundaries, ncolors, clip=False, *, extend="neither"):
        self.vmin = self.vmax = None


def to_rgb(c):
    return tuple(_harp.outside("a part of a colour") for part in range(3))


def to_rgba(c, alpha=None):
    return tuple(_harp.outside("a part of a colour") for part in range(4))


def to_hex(c, keep_alpha=False):
    return str(_harp.outside("a colour"))


rgb2hex = to_hex


def to_rgba_array(c, alpha=None):
    return np.zeros((_harp.free_size("colours", 0), 4))


def hsv_to_rgb(hsv):
    return np.zeros(np.shape(hsv))


rgb_to_hsv = hsv_to_rgb


def is_color_like(c):
    return bool(_harp.outside("whether it is a colour"))


TABLEAU_COLORS = CSS4_COLORS = XKCD_COLORS = BASE_COLORS = _harp.outside("colours by name")
