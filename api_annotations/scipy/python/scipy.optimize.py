# `scipy.optimize`: what minimises, fits and solves. Functions of the program are called once, to look at them.
import numpy as np
import harp_library as _harp
from scipy._numbers import Result as _Result, number as _number, numbers as _numbers


def linear_sum_assignment(cost_matrix, maximize=False):
    rows, columns = np.shape(cost_matrix)
    return np.zeros(min(rows, columns), dtype=np.int64), np.zeros(min(rows, columns), dtype=np.int64)


class OptimizeResult(dict):
    fun = success = message = nit = nfev = njev = status = jac = hess_inv = _harp.outside("what an optimisation found")

    def __getattr__(self, name):
        return self[name] if name in self else _harp.outside("what an optimisation found")

    def __missing__(self, name):
        return _harp.outside("what an optimisation found")


def _point(x0):
    return np.zeros(np.size(x0)) if isinstance(x0, (np.ndarray, list, tuple, int, float)) else _harp.outside("a point")


def minimize(fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(), tol=None, callback=None, options=None):
    if isinstance(x0, np.ndarray):
        _harp.judge(x0.ndim <= 1, "'x0' must only have one dimension.")
    x = _point(x0)
    fun(x, *args if isinstance(args, tuple) else (args,))
    return OptimizeResult(x=x)


def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    return OptimizeResult(x=_number(), fun=_number())


def _found(*arguments, **options):
    return OptimizeResult()


least_squares = root = root_scalar = differential_evolution = basinhopping = dual_annealing = shgo = linprog = milp = lsq_linear = brute = _found
direct = quadratic_assignment = isotonic_regression = _found


def curve_fit(f, xdata, ydata, p0=None, *arguments, full_output=False, **options):
    if full_output:
        return _harp.outside("a fit")
    count = len(p0) if isinstance(p0, (list, tuple)) else _harp.free_size("parameters", 1)
    return np.zeros(count), np.zeros((count, count))


brentq = brenth = ridder = bisect = newton = toms748 = fminbound = golden = brent = bracket = _numbers
fsolve = fmin = fmin_powell = fmin_cg = fmin_bfgs = fmin_l_bfgs_b = fmin_tnc = fmin_cobyla = fmin_slsqp = leastsq = approx_fprime = _numbers
check_grad = fixed_point = broyden1 = anderson = newton_krylov = _numbers


class Bounds:
    def __init__(self, *arguments, **options):
        pass


LinearConstraint = NonlinearConstraint = BFGS = SR1 = Bounds


def nnls(A, b, *arguments, **options):
    return np.zeros(np.shape(A)[1]), _number()
