# Contributed optimizers.
from typing import NamedTuple

import numpy as np
from harp_library import tree_map, unknown
from optax._alias import adam, adamw, sgd
from optax._base import EmptyState, GradientTransformation, _joined, _scalar, _stateless, _unchanged, _zeros


class MuonDimensionNumbers(NamedTuple):
    reduction_axis: object = 0
    output_axis: object = 1


NormalizeState = DifferentiallyPrivateAggregateState = EmptyState


def muon(learning_rate, *args, **options):
    return adamw(learning_rate)


def scale_by_muon(*args, **options):
    return _unchanged()


def normalize():
    return _unchanged()


def sam(optimizer, adv_optimizer, sync_period=2, reset_state=True, opaque_mode=False, batch_axis_name=None):
    return optimizer


def reduce_on_plateau(*args, **options):
    return _unchanged()


def dpsgd(learning_rate, l2_norm_clip, noise_multiplier, key=None, momentum=None, nesterov=False, **options):
    return _stateless(lambda updates, params: tree_map(lambda leaf: leaf[0], updates))


def differentially_private_aggregate(l2_norm_clip, noise_multiplier, key=None, **options):
    return _stateless(lambda updates, params: tree_map(lambda leaf: leaf[0], updates))


def schedule_free_adamw(learning_rate=0.0025, *args, **options):
    return adamw(learning_rate)


def schedule_free_sgd(learning_rate=None, *args, **options):
    return sgd(learning_rate)


def schedule_free(base_optimizer, learning_rate, *args, **options):
    return base_optimizer


def ademamix(learning_rate, *args, **options):
    return adamw(learning_rate)


def prodigy(learning_rate=1.0, *args, **options):
    return adamw(learning_rate)


def sophia(learning_rate, *args, **options):
    return adamw(learning_rate)


def madgrad(learning_rate, *args, **options):
    return adam(learning_rate)


def mechanize(base_optimizer, *args, **options):
    return base_optimizer


def momo(learning_rate=1.0, *args, **options):
    return adam(learning_rate)


def momo_adam(learning_rate=1e-2, *args, **options):
    return adam(learning_rate)


def cocob(*args, **options):
    return adam(1.0)


def dowg(*args, **options):
    return _unchanged()


def dadapt_adamw(learning_rate=1.0, *args, **options):
    return adamw(learning_rate)


def split_real_and_imaginary(inner):
    return inner
