# Transformations that keep averages of gradients, and those that only scale them.
from typing import NamedTuple

import numpy as np
from harp_library import tensor, tree_leaves, tree_map, unknown
from optax._base import EmptyState, GradientTransformation, _joined, _scalar, _stateless, _unchanged, _zeros


class ScaleByAdamState(NamedTuple):
    count: object
    mu: object
    nu: object


class ScaleByAmsgradState(NamedTuple):
    count: object
    mu: object
    nu: object
    nu_max: object


class ScaleByLionState(NamedTuple):
    count: object
    mu: object


class ScaleByRmsState(NamedTuple):
    nu: object


class ScaleByRmsWithCountState(NamedTuple):
    count: object
    nu: object


class ScaleByRStdDevState(NamedTuple):
    mu: object
    nu: object


class ScaleByRssState(NamedTuple):
    sum_of_squares: object


class ScaleByAdaDeltaState(NamedTuple):
    e_g: object
    e_x: object


class ScaleByScheduleState(NamedTuple):
    count: object


class ScaleBySM3State(NamedTuple):
    mu: object
    nu: object


class ScaleByRpropState(NamedTuple):
    step_sizes: object
    prev_updates: object


class TraceState(NamedTuple):
    trace: object


class EmaState(NamedTuple):
    count: object
    ema: object


class AddNoiseState(NamedTuple):
    count: object
    rng_key: object


class ZeroNansState(NamedTuple):
    found_nan: object


class FactoredState(NamedTuple):
    count: object
    v_row: object
    v_col: object
    v: object


class ApplyEvery(NamedTuple):
    count: object
    grad_acc: object


ScaleByBeliefState = ScaleByNovogradState = ScaleByAdamState


def scale_by_adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=False):
    def init(params):
        return ScaleByAdamState(_scalar(np.int32), _zeros(params), _zeros(params))

    def update(updates, state, params=None, **extra):
        mu = _joined(updates, state.mu)
        return mu, ScaleByAdamState(state.count + 1, mu, _joined(updates, state.nu))

    return GradientTransformation(init, update)


scale_by_adamax = scale_by_belief = scale_by_yogi = scale_by_radam = scale_by_novograd = scale_by_adam


def scale_by_amsgrad(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, bias_correction_mu=True, bias_correction_nu=True):
    def init(params):
        return ScaleByAmsgradState(_scalar(np.int32), _zeros(params), _zeros(params), _zeros(params))

    def update(updates, state, params=None, **extra):
        mu = _joined(updates, state.mu)
        return mu, ScaleByAmsgradState(state.count + 1, mu, _joined(updates, state.nu), _joined(updates, state.nu_max))

    return GradientTransformation(init, update)


def scale_by_lion(b1=0.9, b2=0.99, mu_dtype=None, mode="hard", smooth_beta=1.0):
    def init(params):
        return ScaleByLionState(_scalar(np.int32), _zeros(params))

    def update(updates, state, params=None, **extra):
        mu = _joined(updates, state.mu)
        return mu, ScaleByLionState(state.count + 1, mu)

    return GradientTransformation(init, update)


def scale_by_rms(decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, bias_correction=False):
    def init(params):
        if bias_correction:
            return ScaleByRmsWithCountState(_scalar(np.int32), _zeros(params))
        return ScaleByRmsState(_zeros(params))

    def update(updates, state, params=None, **extra):
        nu = _joined(updates, state.nu)
        return nu, state._replace(nu=nu)

    return GradientTransformation(init, update)


def scale_by_stddev(decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, bias_correction=False):
    def init(params):
        return ScaleByRStdDevState(_zeros(params), _zeros(params))

    def update(updates, state, params=None, **extra):
        mu = _joined(updates, state.mu)
        return mu, ScaleByRStdDevState(mu, _joined(updates, state.nu))

    return GradientTransformation(init, update)


def scale_by_rss(initial_accumulator_value=0.1, eps=1e-7):
    def init(params):
        return ScaleByRssState(_zeros(params))

    def update(updates, state, params=None, **extra):
        squares = _joined(updates, state.sum_of_squares)
        return squares, ScaleByRssState(squares)

    return GradientTransformation(init, update)


def scale_by_adadelta(rho=0.9, eps=1e-6):
    def init(params):
        return ScaleByAdaDeltaState(_zeros(params), _zeros(params))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.e_g)
        return new, ScaleByAdaDeltaState(new, _joined(new, state.e_x))

    return GradientTransformation(init, update)


def scale_by_rprop(learning_rate, eta_minus=0.5, eta_plus=1.2, min_step_size=1e-6, max_step_size=50.0):
    def init(params):
        return ScaleByRpropState(_zeros(params), _zeros(params))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.prev_updates)
        return new, ScaleByRpropState(_joined(updates, state.step_sizes), new)

    return GradientTransformation(init, update)


def scale_by_sm3(b1=0.9, b2=1.0, eps=1e-8):
    def init(params):
        return ScaleBySM3State(unknown("accumulators of SM3"), _zeros(params))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.nu)
        return new, ScaleBySM3State(state.mu, new)

    return GradientTransformation(init, update)


def trace(decay, nesterov=False, accumulator_dtype=None):
    def init(params):
        return TraceState(_zeros(params))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.trace)
        return new, TraceState(new)

    return GradientTransformation(init, update)


def ema(decay, debias=True, accumulator_dtype=None):
    def init(params):
        return EmaState(_scalar(np.int32), _zeros(params))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.ema)
        return new, EmaState(state.count + 1, new)

    return GradientTransformation(init, update)


def apply_every(k=1):
    def init(params):
        return ApplyEvery(_scalar(np.int32), _zeros(params))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.grad_acc)
        return new, ApplyEvery(state.count + 1, new)

    return GradientTransformation(init, update)


def scale_by_schedule(step_size_fn):
    def init(params):
        return ScaleByScheduleState(_scalar(np.int32))

    def update(updates, state, params=None, **extra):
        step = step_size_fn(state.count)
        return tree_map(lambda leaf: leaf * step, updates), ScaleByScheduleState(state.count + 1)

    return GradientTransformation(init, update)


def scale_by_learning_rate(learning_rate=None, *, flip_sign=True):
    if callable(learning_rate):
        return scale_by_schedule(learning_rate)
    return _scaled_by(learning_rate)


def scale(step_size):
    return _scaled_by(step_size)


def _scaled_by(factor):
    if factor is None or isinstance(factor, (int, float)):
        return _unchanged()
    return _stateless(lambda updates, params: tree_map(lambda leaf: leaf * factor, updates))


def add_decayed_weights(weight_decay=0.0, mask=None):
    def update(updates, params):
        return updates if params is None else _joined(updates, params)

    return _stateless(update)


def add_noise(eta, gamma, key=None, *, seed=None):
    def init(params):
        return AddNoiseState(_scalar(np.int32), key)

    def update(updates, state, params=None, **extra):
        return updates, state

    return GradientTransformation(init, update)


def zero_nans():
    def init(params):
        return ZeroNansState(tree_map(lambda leaf: _scalar(np.bool_), params))

    def update(updates, state, params=None, **extra):
        return updates, ZeroNansState(tree_map(lambda leaf: _scalar(np.bool_), updates))

    return GradientTransformation(init, update)


def scale_by_factored_rms(factored=True, decay_rate=0.8, step_offset=0, min_dim_size_to_factor=128, epsilon=1e-30, decay_rate_fn=None):
    def init(params):
        return FactoredState(_scalar(np.int32), unknown("factors"), unknown("factors"), unknown("factors"))

    def update(updates, state, params=None, **extra):
        return updates, state

    return GradientTransformation(init, update)


clip = clip_by_block_rms = clip_by_global_norm = adaptive_grad_clip = centralize = normalize_by_update_norm = _unchanged
scale_by_sign = scale_by_trust_ratio = scale_by_param_block_norm = scale_by_param_block_rms = keep_params_nonnegative = _unchanged
