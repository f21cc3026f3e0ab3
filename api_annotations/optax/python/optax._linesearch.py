# Steps whose length a search decides.
from typing import NamedTuple

import numpy as np
from harp_library import tensor, tree_map, unknown
from jax import value_and_grad as _value_and_grad
from optax._base import GradientTransformation, _joined, _scalar, _zeros


class ScaleByBacktrackingLinesearchState(NamedTuple):
    learning_rate: object
    value: object
    grad: object
    info: object = None


class ZoomLinesearchInfo(NamedTuple):
    num_linesearch_steps: object
    decrease_error: object
    curvature_error: object


ScaleByZoomLinesearchState = ScaleByBacktrackingLinesearchState


class ScaleByLBFGSState(NamedTuple):
    count: object
    params: object
    updates: object
    diff_params_memory: object
    diff_updates_memory: object
    weights_memory: object


def _search():
    def init(params):
        return ScaleByBacktrackingLinesearchState(_scalar(), _scalar(), _zeros(params))

    def update(updates, state, params=None, **extra):
        return updates, state._replace(grad=_zeros(updates))

    return GradientTransformation(init, update)


def scale_by_backtracking_linesearch(max_backtracking_steps, slope_rtol=1e-4, decrease_factor=0.8, increase_factor=1.5, **options):
    return _search()


def scale_by_zoom_linesearch(max_linesearch_steps, max_learning_rate=None, tol=0.0, **options):
    return _search()


def scale_by_lbfgs(memory_size=10, scale_init_precond=True):
    def remembered(leaf):
        return tensor((memory_size,) + tuple(leaf.shape), leaf.dtype, "jax.Array")

    def init(params):
        memory = tree_map(remembered, params)
        return ScaleByLBFGSState(_scalar(np.int32), _zeros(params), _zeros(params), memory, memory, tensor((memory_size,), np.float32, "jax.Array"))

    def update(updates, state, params=None, **extra):
        new = _joined(updates, state.updates)
        return new, state._replace(count=state.count + 1, updates=new)

    return GradientTransformation(init, update)


def lbfgs(learning_rate=None, memory_size=10, scale_init_precond=True, linesearch=None):
    inner, search = scale_by_lbfgs(memory_size), _search() if linesearch is None else linesearch

    def init(params):
        return inner.init(params), search.init(params)

    def update(updates, state, params=None, **extra):
        first, second = state
        new, first = inner.update(updates, first, params)
        new, second = search.update(new, second, params)
        return new, (first, second)

    return GradientTransformation(init, update)


def value_and_grad_from_state(value_fn):
    both = _value_and_grad(value_fn)

    def run(params, *args, state=None, **kwargs):
        return both(params, *args, **kwargs)

    return run
