# Transformations made of others.
import inspect
from typing import NamedTuple

import numpy as np
from harp_library import is_known, require, tree_map, unknown
from optax._base import GradientTransformation, _joined, _scalar, _zeros


class MaskedNode(NamedTuple):
    pass


class MaskedState(NamedTuple):
    inner_state: object


class PartitionState(NamedTuple):
    inner_states: object


MultiTransformState = PartitionState


class ApplyIfFiniteState(NamedTuple):
    notfinite_count: object
    last_finite: object
    total_notfinite: object
    inner_state: object


class ConditionallyTransformState(NamedTuple):
    inner_state: object
    step: object


ConditionallyMaskState = ConditionallyTransformState


class InjectHyperparamsState(NamedTuple):
    count: object
    hyperparams: object
    inner_state: object


class InjectStatefulHyperparamsState(NamedTuple):
    count: object
    hyperparams: object
    hyperparams_states: object
    inner_state: object


class MultiStepsState(NamedTuple):
    mini_step: object
    gradient_step: object
    inner_opt_state: object
    acc_grads: object
    skip_state: object = ()


class LookaheadState(NamedTuple):
    fast_state: object
    steps_since_sync: object


class LookaheadParams(NamedTuple):
    fast: object
    slow: object

    @classmethod
    def init_synced(cls, params):
        return cls(params, params)


def chain(*args):
    def init(params):
        return tuple([one.init(params) for one in args])

    def update(updates, state, params=None, **extra):
        require(len(state) == len(args), f"a chain of {len(args)} transformations, and a state of {len(state)}")
        new = []
        for one, part in zip(args, state):
            updates, changed = one.update(updates, part, params)
            new.append(changed)
        return updates, tuple(new)

    return GradientTransformation(init, update)


def named_chain(*args):
    def init(params):
        return {name: one.init(params) for name, one in args}

    def update(updates, state, params=None, **extra):
        new = {}
        for name, one in args:
            updates, new[name] = one.update(updates, state[name], params)
        return updates, new

    return GradientTransformation(init, update)


# What a mask leaves out keeps its shape, too.
def masked(inner, mask, *, mask_compatible_extra_args=False):
    def init(params):
        return MaskedState(inner.init(params))

    def update(updates, state, params=None, **extra):
        new, inner_state = inner.update(updates, state.inner_state, params)
        return new, MaskedState(inner_state)

    return GradientTransformation(init, update)


def partition(transforms, param_labels, *, mask_compatible_extra_args=False):
    def init(params):
        return PartitionState({label: MaskedState(inner.init(params)) for label, inner in transforms.items()})

    def update(updates, state, params=None, **extra):
        new = {}
        for label, inner in transforms.items():
            _, changed = inner.update(updates, state.inner_states[label].inner_state, params)
            new[label] = MaskedState(changed)
        return updates, PartitionState(new)

    return GradientTransformation(init, update)


multi_transform = partition


def freeze(mask):
    return masked(_zeroing(), mask)


def _zeroing():
    return GradientTransformation(lambda params: (), lambda updates, state, params=None, **extra: (updates, state))


def selective_transform(optimizer, *, freeze_mask):
    return masked(optimizer, freeze_mask)


def apply_if_finite(inner, max_consecutive_errors):
    def init(params):
        return ApplyIfFiniteState(_scalar(np.int32), _scalar(np.bool_), _scalar(np.int32), inner.init(params))

    def update(updates, state, params=None, **extra):
        new, inner_state = inner.update(updates, state.inner_state, params)
        return new, state._replace(inner_state=inner_state)

    return GradientTransformation(init, update)


def conditionally_transform(inner, should_transform_fn, forward_extra_args=False):
    def init(params):
        return ConditionallyTransformState(inner.init(params), _scalar(np.int32))

    def update(updates, state, params=None, **extra):
        new, inner_state = inner.update(updates, state.inner_state, params)
        return new, ConditionallyTransformState(inner_state, state.step + 1)

    return GradientTransformation(init, update)


conditionally_mask = conditionally_transform


def flatten(inner):
    def init(params):
        return unknown("a state of flattened parameters")

    def update(updates, state, params=None, **extra):
        return updates, state

    return GradientTransformation(init, update)


def lookahead(fast_optimizer, sync_period, slow_step_size, reset_state=False):
    def init(params):
        return LookaheadState(fast_optimizer.init(params.fast), _scalar(np.int32))

    def update(updates, state, params=None, **extra):
        new, fast_state = fast_optimizer.update(updates, state.fast_state, params.fast)
        return LookaheadParams(new, _zeros(params.slow)), LookaheadState(fast_state, state.steps_since_sync + 1)

    return GradientTransformation(init, update)


class MultiSteps:
    def __init__(self, opt, every_k_schedule, use_grad_mean=True, should_skip_update_fn=None, *, accumulator_dtype=None):
        self._opt = opt

    @property
    def inner_opt(self):
        return self._opt

    def init(self, params):
        return MultiStepsState(_scalar(np.int32), _scalar(np.int32), self._opt.init(params), _zeros(params))

    def update(self, updates, state, params=None, **extra):
        gathered = _joined(updates, state.acc_grads)
        new, inner_state = self._opt.update(gathered, state.inner_opt_state, params)
        return new, MultiStepsState(state.mini_step + 1, state.gradient_step + 1, inner_state, gathered, state.skip_state)

    def has_updated(self, state):
        return _scalar(np.bool_)

    def gradient_transformation(self):
        return GradientTransformation(self.init, self.update)


def inject_hyperparams(inner_factory, static_args=(), hyperparam_dtype=None):
    def make(*args, **kwargs):
        inner = inner_factory(*args, **kwargs)
        held = dict(kwargs)
        if args:
            held["learning_rate"] = args[0]

        def init(params):
            values = {name: _scalar() for name, value in held.items() if not isinstance(value, (bool, str)) and value is not None}
            return InjectHyperparamsState(_scalar(np.int32), values, inner.init(params))

        def update(updates, state, params=None, **extra):
            new, inner_state = inner.update(updates, state.inner_state, params)
            return new, state._replace(inner_state=inner_state)

        return GradientTransformation(init, update)

    return make


inject_stateful_hyperparams = inject_hyperparams
