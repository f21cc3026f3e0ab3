# Lifted transforms: classes and functions whose variables have an axis more, or that run as they are.
import functools

from flax.linen._scope import _Lift
from flax.linen.recurrent import _same_carry
from harp_library import is_known, judge, require, tensor, tree_leaves, tree_map, unknown


class _Broadcast:
    pass


broadcast = _Broadcast()


def _row(tree, axis):
    # What one step sees of a tree of arrays; `axis` may be a tree itself.
    if axis is None or axis is broadcast:
        return tree
    if isinstance(axis, int):
        return tree_map(lambda leaf: _leaf_row(leaf, axis), tree)
    if isinstance(axis, (list, tuple)):
        return type(tree)([_row(part, along) for part, along in zip(tree, axis)])
    if isinstance(axis, dict):
        return {key: _row(part, axis.get(key)) for key, part in tree.items()}
    return unknown("axes of a lifted transform")


def _leaf_row(leaf, axis):
    if not is_known(leaf.ndim):
        return leaf[0] if axis == 0 else unknown("a row of an array with an unknown number of axes")
    require(-leaf.ndim <= axis, f"an array of shape {leaf.shape} has no axis {axis} to map over")
    require(axis < leaf.ndim, f"an array of shape {leaf.shape} has no axis {axis} to map over")
    place = axis % leaf.ndim
    return tensor(tuple(leaf.shape[:place]) + tuple(leaf.shape[place + 1 :]), leaf.dtype, "jax.Array")


def _lengths(tree, axis):
    if axis is None or axis is broadcast:
        return []
    if isinstance(axis, int):
        return [leaf.shape[axis] for leaf in tree_leaves(tree) if hasattr(leaf, "shape") and is_known(leaf.ndim) and leaf.ndim > max(axis, -axis - 1)]
    if isinstance(axis, (list, tuple)):
        return [size for part, along in zip(tree, axis) for size in _lengths(part, along)]
    return []


def _common_length(trees, axes, length):
    found = [size for tree, axis in zip(trees, axes) for size in _lengths(tree, axis)]
    if length is None:
        length = found[0] if found else unknown("the length of a lifted transform")
    for size in found:
        require(size == length, f"the mapped axes have different sizes: {length} and {size}")
    return length


def _stacked(tree, axis, length):
    if axis is None or axis is broadcast:
        return tree
    if isinstance(axis, (list, tuple)):
        return type(tree)([_stacked(part, along, length) for part, along in zip(tree, axis)])
    return tree_map(lambda leaf: _with_axis(leaf, axis, length), tree)


def _with_axis(leaf, axis, length):
    if not hasattr(leaf, "shape"):
        return tensor((length,), None, "jax.Array")
    place = axis if axis >= 0 else leaf.ndim + 1 + axis
    return tensor(tuple(leaf.shape[:place]) + (length,) + tuple(leaf.shape[place:]), leaf.dtype, "jax.Array")


def _per_argument(axes, count):
    return tuple(axes) if isinstance(axes, (list, tuple)) else (axes,) * count


# A subclass of the module whose methods run in other ways, named as Flax names it. Of a function, what runs it.
def _lifted(prefix, target, methods, axes, wrap):
    if isinstance(target, functools.partial):
        return functools.partial(_lifted(prefix, target.func, methods, axes, wrap), *target.args, **target.keywords)
    if not isinstance(target, type):
        return wrap(target, None)
    names = ["__call__"] if methods is None else methods
    members = {name: wrap(getattr(target, name), len(target._lift_axes)) for name in names}
    members["_lift_axes"] = (axes,) + target._lift_axes
    return type(prefix + target.__name__, (target,), members)


def _within(self, depth, axes, length):
    # The lift that the variables of this module have while it runs.
    if depth is None:
        if self.scope is not None:
            object.__setattr__(self, "scope", self.scope.lifted(_Lift(axes, length)))
    elif self.scope is not None:
        self._lifts[-1 - depth].length = length


def vmap(
    target, variable_axes=None, split_rngs=None, in_axes=0, out_axes=0, axis_size=None, axis_name=None, spmd_axis_name=None, metadata_params=None,
    methods=None
):
    variable_axes = {} if variable_axes is None else variable_axes

    def wrap(function, depth):
        def run(self, *args, **kwargs):
            axes = _per_argument(in_axes, len(args))
            length = _common_length(args, axes, axis_size)
            rows = [_row(argument, axis) for argument, axis in zip(args, axes)]
            scope = self.scope
            _within(self, depth, variable_axes, length)
            try:
                return _stacked(function(self, *rows, **kwargs), out_axes, length)
            finally:
                object.__setattr__(self, "scope", scope)

        return run

    return _lifted("Vmap", target, methods, variable_axes, wrap)


def scan(
    target, variable_axes=None, variable_broadcast=False, variable_carry=False, split_rngs=None, in_axes=0, out_axes=0, length=None, reverse=False,
    unroll=1, data_transform=None, metadata_params=None, methods=None, _split_transpose=False, check_constancy_invariants=True
):
    variable_axes = {} if variable_axes is None else variable_axes

    def wrap(function, depth):
        def run(self, carry, *args, **kwargs):
            axes = _per_argument(in_axes, len(args))
            steps = _common_length(args, axes, length)
            rows = [_row(argument, axis) for argument, axis in zip(args, axes)]
            scope = self.scope
            _within(self, depth, variable_axes, steps)
            try:
                new, output = function(self, carry, *rows, **kwargs)
                _same_carry(carry, new)
                return new, _stacked(output, out_axes, steps)
            finally:
                object.__setattr__(self, "scope", scope)

        return run

    return _lifted("Scan", target, methods, variable_axes, wrap)


def remat_scan(target, lengths=(), policy=None, variable_broadcast=False, variable_carry=False, variable_axes=None, split_rngs=None):
    for length in reversed(lengths):
        target = _repeated(target, length, {True: 0} if variable_axes is None else variable_axes)
    return target


def _repeated(target, length, axes):
    def wrap(function, depth):
        def run(self, value):
            _within(self, depth, axes, length)
            new = function(self, value)
            _same_carry(value, new)
            return new

        return run

    return _lifted("", target, None, axes, wrap)


def _named(prefix, target):
    if isinstance(target, functools.partial):
        return functools.partial(_named(prefix, target.func), *target.args, **target.keywords)
    return type(prefix + target.__name__, (target,), {}) if isinstance(target, type) else target


def jit(target, variables=True, rngs=True, static_argnums=(), static_argnames=(), donate_argnums=(), device=None, backend=None, methods=None):
    return _named("Jit", target)


def remat(target, variables=True, rngs=True, concrete=False, prevent_cse=True, static_argnums=(), policy=None, methods=None):
    return _named("Checkpoint", target)


checkpoint = remat


def map_variables(
    target, mapped_collections=True, trans_in_fn=None, trans_out_fn=None, init=False, mutable=False, rngs=True, variables=True, methods=None
):
    return _named("Map_variables", target)


def add_metadata_axis(target, variable_axes=None, metadata_params=None):
    return target


def fold_rngs(target, variables=True, rngs=True):
    return target


def named_call(class_fn, force=True):
    return class_fn


def custom_vjp(fn, forward_fn, backward_fn, grad_vars="params", nondiff_argnums=()):
    return fn


def _same_result(first, second):
    def same(one, other):
        if hasattr(one, "shape") and hasattr(other, "shape") and is_known(one.ndim) and is_known(other.ndim):
            require(one.ndim == other.ndim, f"the branches give shapes {one.shape} and {other.shape}")
            for axis in range(one.ndim):
                require(one.shape[axis] == other.shape[axis], f"the branches give shapes {one.shape} and {other.shape}")
        return one

    return tree_map(same, first, second)


def cond(pred, true_fun, false_fun, mdl, *operands, variables=True, rngs=True):
    return _same_result(true_fun(mdl, *operands), false_fun(mdl, *operands))


def switch(index, branches, mdl, *operands, variables=True, rngs=True):
    result = branches[0](mdl, *operands)
    for branch in branches[1:]:
        _same_result(result, branch(mdl, *operands))
    return result


def while_loop(cond_fn, body_fn, mdl, init, carry_variables=False, broadcast_variables=True, split_rngs=None):
    cond_fn(mdl, init)
    new = body_fn(mdl, init)
    _same_carry(init, new)
    return new


def grad(fn, mdl, *primals, has_aux=False, reduce_axes=(), variables=True, rngs=True):
    value = fn(mdl, *primals)
    grads = (unknown("gradients of variables"), *[tree_map(lambda leaf: leaf, primal) for primal in primals])
    return (grads, value[1]) if has_aux else grads


def value_and_grad(fn, mdl, *primals, has_aux=False, reduce_axes=(), variables=True, rngs=True):
    value = fn(mdl, *primals)
    return value, (unknown("gradients of variables"), *[tree_map(lambda leaf: leaf, primal) for primal in primals])


def vjp(fn, mdl, *primals, has_aux=False, reduce_axes=(), vjp_variables="params", variables=True, rngs=True, multi_scope=False):
    value = fn(mdl, *primals)
    count = len(primals)

    def back(cotangents):
        return (unknown("gradients of variables"), *[tree_map(lambda leaf: leaf, primal) for primal in primals])

    return (value[0], back, value[1]) if has_aux else (value, back)


def jvp(fn, mdl, primals, tangents, variable_tangents, variables=True, rngs=True):
    value = fn(mdl, *primals)
    return value, tree_map(lambda leaf: leaf, value)
