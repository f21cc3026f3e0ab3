# `scipy.interpolate`: functions between points.
import numpy as np
import harp_library as _harp
from scipy._numbers import floats_like as _floats_like, numbers as _numbers


class _Curve:
    """A function of one number, of which there may be several."""

    def __init__(self, x=None, y=None, *arguments, **options):
        self._is_plain = isinstance(y, (np.ndarray, list)) and np.ndim(y) == 1
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.ndim == 1 and y.ndim == 1:
            _harp.judge(x.shape[0] == y.shape[0], "x and y arrays must be equal in length")

    def __call__(self, x, *arguments, **options):
        if not self._is_plain or not isinstance(x, (np.ndarray, list)):
            return _harp.array(None)
        return np.zeros(np.shape(x))

    def __getattr__(self, name):
        return _numbers


class interp1d(_Curve):
    pass


CubicSpline = PchipInterpolator = Akima1DInterpolator = UnivariateSpline = InterpolatedUnivariateSpline = make_interp_spline = _Curve
LSQUnivariateSpline = BarycentricInterpolator = KroghInterpolator = _Curve


class _Surface:
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        return _harp.array(None)

    def __getattr__(self, name):
        return _numbers


interp2d = RectBivariateSpline = SmoothBivariateSpline = RegularGridInterpolator = LinearNDInterpolator = NearestNDInterpolator = _Surface
RBFInterpolator = Rbf = CloughTocher2DInterpolator = BSpline = PPoly = BPoly = CubicHermiteSpline = bisplrep = bisplev = _Surface


def griddata(points, values, xi, method="linear", fill_value=None, rescale=False):
    if isinstance(xi, tuple) and len(xi) > 0 and isinstance(values, np.ndarray) and values.ndim == 1:
        return _floats_like(*xi)
    return _harp.array(None)


interpn = splev = splrep = splprep = splint = sproot = spalde = pchip_interpolate = lagrange = krogh_interpolate = approximate_taylor_polynomial = _numbers
