# What transformations of gradients share.
from typing import NamedTuple

import numpy as np
from harp_library import tensor, tree_map


class GradientTransformation(NamedTuple):
    init: object
    update: object


class GradientTransformationExtraArgs(GradientTransformation):
    pass


class EmptyState(NamedTuple):
    pass


ClipState = ClipByGlobalNormState = ScaleState = AddDecayedWeightsState = AdaptiveGradClipState = NonNegativeParamsState = EmptyState
ScaleByTrustRatioState = IdentityState = EmptyState


def _scalar(dtype=np.float32):
    return tensor((), dtype, "jax.Array")


def _zeros(tree):
    return tree_map(lambda leaf: leaf, tree)


def _joined(first, second):
    # What arithmetic makes of two trees, leaf by leaf.
    return tree_map(lambda one, other: one + other, first, second)


def _stateless(update):
    def init(params):
        return EmptyState()

    def run(updates, state, params=None, **extra):
        return update(updates, params), state

    return GradientTransformation(init, run)


def _unchanged(*arguments, **options):
    return _stateless(lambda updates, params: updates)


def identity():
    return _unchanged()


def set_to_zero():
    return _unchanged()


def init_empty_state(params):
    return EmptyState()


def with_extra_args_support(tx):
    return tx


def stateless(f):
    return _stateless(f)


def stateless_with_tree_map(f):
    def update(updates, params):
        if params is None:
            return tree_map(lambda leaf: f(leaf, None), updates)
        return tree_map(f, updates, params)

    return _stateless(update)
