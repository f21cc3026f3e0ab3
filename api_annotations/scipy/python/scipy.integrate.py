# `scipy.integrate`: areas, and equations of motion.
import numpy as np
import harp_library as _harp
from scipy._numbers import Result as _Result, number as _number, numbers as _numbers


def quad(func, a, b, args=(), full_output=0, *arguments, **options):
    return _numbers() if full_output else (_number(), _number())


dblquad = tplquad = nquad = quad


def odeint(func, y0, t, args=(), *arguments, full_output=0, **options):
    times = np.size(t)
    states = np.zeros((times, np.size(y0))) if isinstance(y0, (np.ndarray, list, tuple)) else np.zeros((times, 1))
    return (states, _numbers()) if full_output else states


def solve_ivp(fun, t_span, y0, method="RK45", t_eval=None, *arguments, **options):
    times = _harp.free_size("times", 1) if t_eval is None else np.size(t_eval)
    return _Result(t=np.zeros(times), y=_harp.array((np.size(y0), times)), success=bool(_numbers()), status=_numbers(), message=str(_numbers()))


def _along(y, x=None, dx=1.0, axis=-1, **options):
    shape = list(np.shape(y))
    if len(shape) == 1:
        return _number()
    return _harp.array(np.zeros(shape).sum(axis=axis).shape)


trapezoid = simpson = trapz = simps = romb = _along


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    shape = list(np.shape(y))
    if initial is None:
        shape[axis] = shape[axis] - 1
    return _harp.array(shape)


cumtrapz = cumulative_simpson = cumulative_trapezoid
romberg = fixed_quad = quadrature = quad_vec = newton_cotes = ode = RK45 = solve_bvp = complex_ode = _numbers
