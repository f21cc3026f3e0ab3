# Schedules: what they give has the shape of the count.
import numpy as np
from harp_library import tensor, unknown


def _rate(count):
    return tensor(count.shape if hasattr(count, "shape") else (), np.float32, "jax.Array")


def constant_schedule(value):
    return lambda count: value


def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
    return _rate


def linear_schedule(init_value, end_value, transition_steps, transition_begin=0):
    return _rate


def exponential_decay(init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None):
    return _rate


def cosine_decay_schedule(init_value, decay_steps, alpha=0.0, exponent=1.0):
    return _rate


def piecewise_constant_schedule(init_value, boundaries_and_scales=None):
    return _rate


def piecewise_interpolate_schedule(interpolate_type, init_value, boundaries_and_scales=None):
    return _rate


def linear_onecycle_schedule(transition_steps, peak_value, pct_start=0.3, pct_final=0.85, div_factor=25.0, final_div_factor=1e4):
    return _rate


def cosine_onecycle_schedule(transition_steps, peak_value, pct_start=0.3, div_factor=25.0, final_div_factor=1e4):
    return _rate


def warmup_constant_schedule(init_value, peak_value, warmup_steps):
    return _rate


def warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, exponent=1.0):
    return _rate


def warmup_exponential_decay_schedule(
    init_value, peak_value, warmup_steps, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None
):
    return _rate


def sgdr_schedule(cosine_kwargs):
    return _rate


def join_schedules(schedules, boundaries):
    return _rate
