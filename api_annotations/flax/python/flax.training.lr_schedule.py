# Learning rates by step.
import numpy as np
from harp_library import tensor


def _rate(step):
    return tensor((), np.float32, "jax.Array")


def create_constant_learning_rate_schedule(base_learning_rate, steps_per_epoch, warmup_length=0.0):
    return _rate


def create_stepped_learning_rate_schedule(base_learning_rate, steps_per_epoch, lr_sched_steps, warmup_length=0.0):
    return _rate


def create_cosine_learning_rate_schedule(base_learning_rate, steps_per_epoch, halfcos_epochs, warmup_length=0.0):
    return _rate
