# What plots are made of: figures, axes, and what is drawn into them. None of it decides the size of an array but where data comes back.
import numpy as np
import torch
import harp_library as _harp


class Drawn:
    """An artist, a canvas or whatever else of a plot: what it is asked for is as little known, and nothing comes of it."""

    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return _asked if name.startswith("get_") else self

    def __call__(self, *arguments, **options):
        return self

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter(_harp.some_of([self]))

    def __len__(self):
        return _harp.free_size("artists", 0)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return None


def numbers(count):
    return tuple(_harp.outside("a number of a plot") for place in range(count))


def _ignored(*arguments, **options):
    return None


def _drawing(*arguments, **options):
    return Drawn()


def _asked(*arguments, **options):
    return _harp.outside("a part of a plot")


def _limits(*arguments, **options):
    return numbers(2)


def _pair(*arguments, **options):
    return Drawn(), Drawn()


def judge_image(X):
    """A picture has two dimensions, or a last one of one, three or four channels."""
    if isinstance(X, (np.ndarray, torch.Tensor)):
        _harp.judge(X.ndim == 2 or X.ndim == 3, "Invalid shape for image data: a picture has 2 or 3 dimensions")
        if X.ndim == 3:
            channels = X.shape[-1]
            _harp.judge(channels == 1 or channels == 3 or channels == 4, "Invalid shape for image data: the last dimension must have 1, 3 or 4 channels")


def _image(X, *arguments, **options):
    judge_image(X)
    return Drawn()


def bins_of(bins):
    if bins is None:
        return 10
    if isinstance(bins, int):
        return bins
    if isinstance(bins, (np.ndarray, list, tuple)):
        return len(bins) - 1
    return _harp.free_size("bins", 1)


def histogram(x, bins=None, *arguments, **options):
    count = bins_of(bins)
    several = isinstance(x, (list, tuple)) and not (len(x) > 0 and isinstance(x[0], (int, float)))
    heights = _harp.outside("heights of bars") if several or isinstance(x, np.ndarray) and x.ndim > 1 else np.zeros(count)
    return heights, np.zeros(count + 1), Drawn()


def histogram_of_two(x, y, bins=10, *arguments, **options):
    if isinstance(bins, (list, tuple)) and len(bins) == 2:
        rows, columns = bins_of(bins[0]), bins_of(bins[1])
    else:
        rows = columns = bins_of(bins)
    return np.zeros((rows, columns)), np.zeros(rows + 1), np.zeros(columns + 1), Drawn()


def _spectrum(*arguments, **options):
    bins = _harp.free_size("frequencies", 1)
    return np.zeros(bins), np.zeros(bins)


def _spectrogram(*arguments, **options):
    bins, times = _harp.free_size("frequencies", 1), _harp.free_size("times", 1)
    return np.zeros((bins, times)), np.zeros(bins), np.zeros(times), Drawn()


class Axes:
    """Where a plot is drawn."""

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, fig=None, *arguments, **options):
        self.figure = Drawn() if fig is None else fig

    def __getattr__(self, name):
        return _asked if name.startswith("get_") else Drawn()

    def _axes(self, *arguments, **options):
        return Axes()

    twinx = twiny = inset_axes = secondary_xaxis = secondary_yaxis = _axes

    def imshow(self, X, *arguments, **options):
        return _image(X)

    def matshow(self, Z, **options):
        return Drawn()

    def hist(self, x, bins=None, *arguments, **options):
        return histogram(x, bins)

    def hist2d(self, x, y, bins=10, *arguments, **options):
        return histogram_of_two(x, y, bins)

    def get_xlim(self):
        return numbers(2)

    def get_ylim(self):
        return numbers(2)

    def get_zlim(self):
        return numbers(2)

    def set_xlim(self, *arguments, **options):
        return numbers(2)

    def set_ylim(self, *arguments, **options):
        return numbers(2)

    def axis(self, *arguments, **options):
        return numbers(4)

    def psd(self, *arguments, **options):
        return _spectrum()

    def specgram(self, *arguments, **options):
        return _spectrogram()


class Grid(np.ndarray):
    """An array of axes."""

    def __init__(self, shape):
        self.shape = shape
        self.ndim = len(shape)
        self.size = shape[0] if len(shape) == 1 else shape[0] * shape[1]
        self._places = np.zeros(shape)

    def _of(self, places):
        return Grid(places.shape) if isinstance(places, np.ndarray) and places.ndim > 0 else Axes()

    def __getitem__(self, key):
        return self._of(self._places[key])

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        for place in range(self.shape[0]):
            yield Axes() if self.ndim == 1 else Grid(self.shape[1:])

    def ravel(self, order="C"):
        return Grid((self.size,))

    def flatten(self, order="C"):
        return Grid((self.size,))

    def reshape(self, *shape, **options):
        return self._of(self._places.reshape(*shape))

    def squeeze(self, axis=None):
        return self._of(self._places.squeeze(axis))

    def tolist(self):
        return [axes if self.ndim == 1 else axes.tolist() for axes in self]

    def item(self, *places):
        return Axes()

    @property
    def flat(self):
        return Grid((self.size,))

    @property
    def T(self):
        return self._of(self._places.T)


class AnyGrid(Axes):
    """Axes of which nobody knows whether they are one or an array of them."""

    def _all(self, *arguments, **options):
        return self

    ravel = flatten = reshape = squeeze = transpose = _all

    @property
    def flat(self):
        return self

    @property
    def T(self):
        return self

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter(_harp.some_of([self]))

    def __len__(self):
        return _harp.free_size("axes", 1)


def grid(nrows, ncols, squeeze):
    if not (_harp.is_known(nrows) and _harp.is_known(ncols) and isinstance(nrows, int) and isinstance(ncols, int)):
        return AnyGrid()
    if not squeeze:
        return Grid((nrows, ncols))
    if nrows == 1 and ncols == 1:
        return Axes()
    if nrows == 1:
        return Grid((ncols,))
    return Grid((nrows,)) if ncols == 1 else Grid((nrows, ncols))


class Mosaic(dict):
    """Axes by the names that a layout has."""

    def __missing__(self, name):
        return Axes()

    def __getitem__(self, name):
        return Axes()


class Canvas(Drawn):
    """What a figure is painted on: bytes and a width and height come back."""

    def get_width_height(self, **options):
        return _harp.free_size("width", 1), _harp.free_size("height", 1)

    def _bytes(self, *arguments, **options):
        return _harp.outside("the bytes of a plot")

    buffer_rgba = tostring_rgb = tostring_argb = print_to_buffer = _bytes


class Figure:
    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, *arguments, **options):
        self.canvas, self.number = Canvas(), _harp.outside("the number of a figure")

    def __getattr__(self, name):
        return _asked if name.startswith("get_") else Drawn()

    def _axes(self, *arguments, **options):
        return Axes(self)

    add_subplot = add_axes = gca = _axes

    @property
    def axes(self):
        return _harp.some_of([Axes(self)])

    def subplots(self, nrows=1, ncols=1, *, squeeze=True, **options):
        return grid(nrows, ncols, squeeze)

    def subplot_mosaic(self, mosaic, **options):
        return Mosaic()

    def subfigures(self, nrows=1, ncols=1, **options):
        return Drawn()

    def add_gridspec(self, nrows=1, ncols=1, **options):
        return Drawn()

    def get_axes(self):
        return self.axes

    def get_size_inches(self):
        return np.zeros(2)

    def savefig(self, fname, *arguments, **options):
        return None

    def show(self, warn=True):
        return None

    def tight_layout(self, *arguments, **options):
        return None
