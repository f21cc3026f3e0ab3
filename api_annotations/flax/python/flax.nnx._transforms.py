# Transformed functions of modules: what they change in them they change in place.
from flax.linen.recurrent import _same_carry
from flax.linen.transforms import _same_result, broadcast
from flax.nnx._graph import Module, Pytree, Rngs, _copied, _is_node, _variables, state
from flax.nnx._variables import Param, State, Variable, _leaves, _matches, _raw
from harp_library import is_known, require, tensor, traced, tree_leaves, tree_map, unknown


class _Missing:
    pass


_missing = _Missing()


class Carry:
    pass


class StateAxes:
    def __init__(self, filter_axes):
        self.pairs = list(filter_axes.items()) if isinstance(filter_axes, dict) else list(filter_axes)


class StateSharding(StateAxes):
    pass


class DiffState:
    def __init__(self, argnum, filter):
        self.argnum, self.filter = argnum, filter


def jit(fun=_missing, **options):
    return (lambda f: traced(f, "jax.Array")) if fun is _missing else traced(fun, "jax.Array")


def jit_partial(fun, *partial_args, **options):
    return lambda *args, **kwargs: fun(*partial_args, *args, **kwargs)


def cached_partial(f, *cached_args, graph=None, graph_updates=None):
    return lambda *args, **kwargs: f(*cached_args, *args, **kwargs)


def remat(f=_missing, **options):
    return (lambda g: g) if f is _missing else f


def checkify(f, **options):
    return lambda *args, **kwargs: (unknown("an error"), f(*args, **kwargs))


def custom_vjp(fun=_missing, **options):
    return (lambda f: f) if fun is _missing else fun


def shard_map(f=_missing, **options):
    return (lambda g: g) if f is _missing else f


def eval_shape(f, *args, graph=None, graph_updates=None, **kwargs):
    return f(*args, **kwargs)


# Gradients

def _has_variables(value):
    return isinstance(value, Pytree)


def _gradient(value, only):
    if not is_known(isinstance(value, (Pytree, State))):
        return unknown("a gradient of an unknown value")
    if isinstance(value, Pytree):
        return state(value, only)
    return tree_map(lambda leaf: leaf, value)


def _gradients(argnums, args):
    if isinstance(argnums, (list, tuple)):
        return tuple([_gradients(one, args) for one in argnums])
    if isinstance(argnums, DiffState):
        return _gradient(args[argnums.argnum], argnums.filter)
    return _gradient(args[argnums], Param)


def _scalar(value):
    if hasattr(value, "shape") and is_known(value.ndim):
        require(value.ndim == 0, f"the gradient is that of a scalar, but the function gives shape {value.shape}")


def value_and_grad(f=_missing, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=(), graph=None, graph_updates=None):
    if f is _missing:
        return lambda g: value_and_grad(g, argnums, has_aux)

    def run(*args, **kwargs):
        value = f(*args, **kwargs)
        _scalar(value[0] if has_aux else value)
        return value, _gradients(argnums, args)

    return run


def grad(f=_missing, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=(), graph=None, graph_updates=None):
    if f is _missing:
        return lambda g: grad(g, argnums, has_aux)

    def run(*args, **kwargs):
        value = f(*args, **kwargs)
        _scalar(value[0] if has_aux else value)
        grads = _gradients(argnums, args)
        return (grads, value[1]) if has_aux else grads

    return run


def vjp(f=None, *primals, has_aux=False, reduce_axes=(), graph=None, graph_updates=None):
    if f is None:
        return unknown("a decorator")
    value = f(*primals)

    def back(cotangents):
        return tuple([_gradient(primal, Param) for primal in primals])

    return (value[0], back, value[1]) if has_aux else (value, back)


def jvp(f=None, primals=None, tangents=None, has_aux=False, graph=None, graph_updates=None):
    if f is None:
        return unknown("a decorator")
    value = f(*primals)
    return (value[0], tree_map(lambda leaf: leaf, value[0]), value[1]) if has_aux else (value, tree_map(lambda leaf: leaf, value))


# Maps and loops

def _axis_for(axis, path, variable):
    if isinstance(axis, StateAxes):
        for predicate, along in axis.pairs:
            if _matches(predicate, path, variable):
                return along
        return None
    return axis


def _row(value, axis):
    if axis is None or axis is Carry or axis is broadcast:
        return value
    if not is_known(isinstance(value, Pytree)):
        return unknown("a row of an unknown value")
    if isinstance(value, Rngs):
        return value
    if isinstance(value, Pytree):
        return _copied(value, lambda path, variable: type(variable)(_leaf_row(variable.raw_value, _axis_for(axis, path, variable))))
    if isinstance(axis, (list, tuple)):
        return type(value)([_row(part, along) for part, along in zip(value, axis)])
    if isinstance(axis, dict):
        return {key: _row(part, axis.get(key)) for key, part in value.items()}
    if isinstance(axis, StateAxes):
        return value
    return tree_map(lambda leaf: _leaf_row(leaf, axis), value)


def _leaf_row(leaf, axis):
    if axis is None or axis is Carry:
        return leaf
    if not hasattr(leaf, "shape"):
        return leaf
    if not is_known(leaf.ndim):
        return leaf[0] if axis == 0 else unknown("a row of an array with an unknown number of axes")
    require(-leaf.ndim <= axis, f"an array of shape {leaf.shape} has no axis {axis} to map over")
    require(axis < leaf.ndim, f"an array of shape {leaf.shape} has no axis {axis} to map over")
    place = axis % leaf.ndim
    return tensor(tuple(leaf.shape[:place]) + tuple(leaf.shape[place + 1 :]), leaf.dtype, "jax.Array")


def _lengths(value, axis):
    if axis is None or axis is Carry or axis is broadcast or not is_known(isinstance(value, Pytree)):
        return []
    if isinstance(value, Rngs):
        return [] if value._splits is None else [value._splits]
    if isinstance(value, Pytree):
        found = [(variable.raw_value, _axis_for(axis, path, variable)) for path, variable in _variables(value)]
        return [leaf.shape[along] for leaf, along in found if along is not None and is_known(leaf.ndim) and leaf.ndim > 0]
    if isinstance(axis, (list, tuple)):
        return [size for part, along in zip(value, axis) for size in _lengths(part, along)]
    if isinstance(axis, int):
        return [leaf.shape[axis] for leaf in tree_leaves(value) if hasattr(leaf, "shape") and is_known(leaf.ndim) and leaf.ndim > max(axis, -axis - 1)]
    return []


def _common_length(values, axes, length):
    found = [size for value, axis in zip(values, axes) for size in _lengths(value, axis)]
    if length is None:
        length = found[0] if found else unknown("the length of a mapped axis")
    for size in found:
        require(size == length, f"the mapped axes have different sizes: {length} and {size}")
    return length


def _stacked(value, axis, length):
    if axis is None or axis is Carry:
        return value
    if not is_known(isinstance(value, Pytree)):
        return unknown("what an unknown function gives")
    if isinstance(value, Pytree):
        return _copied(value, lambda path, variable: type(variable)(_with_axis(variable.raw_value, _axis_for(axis, path, variable), length)))
    if isinstance(axis, (list, tuple)):
        if not is_known(isinstance(value, (list, tuple))):
            return unknown("what an unknown function gives")
        require(isinstance(value, (list, tuple)), f"the function gives one value, and there are {len(axis)} axes for what it gives")
        return type(value)([_stacked(part, along, length) for part, along in zip(value, axis)])
    return tree_map(lambda leaf: _with_axis(leaf, axis, length), value)


def _with_axis(leaf, axis, length):
    if axis is None:
        return leaf
    if not hasattr(leaf, "shape"):
        return tensor((length,), None, "jax.Array")
    place = axis if axis >= 0 else leaf.ndim + 1 + axis
    return tensor(tuple(leaf.shape[:place]) + (length,) + tuple(leaf.shape[place:]), leaf.dtype, "jax.Array")


def _each_argument(axes, count):
    return tuple(axes) if isinstance(axes, (list, tuple)) else (axes,) * count


def vmap(
    f=_missing, *, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None, transform_metadata=None, graph=None,
    graph_updates=None
):
    if f is _missing:
        return lambda g: vmap(g, in_axes=in_axes, out_axes=out_axes, axis_size=axis_size)

    def run(*args):
        axes = _each_argument(in_axes, len(args))
        length = _common_length(args, axes, axis_size)
        return _stacked(f(*[_row(argument, axis) for argument, axis in zip(args, axes)]), out_axes, length)

    return run


def pmap(f=_missing, *, axis_name=None, in_axes=0, out_axes=0, axis_size=None, **options):
    return vmap(f, in_axes=in_axes, out_axes=out_axes, axis_size=axis_size)


def scan(
    f=_missing, *, length=None, reverse=False, unroll=1, _split_transpose=False, in_axes=(Carry, 0), out_axes=(Carry, 0), transform_metadata=None,
    graph=None, graph_updates=None
):
    if f is _missing:
        return lambda g: scan(g, length=length, in_axes=in_axes, out_axes=out_axes)

    def run(*args):
        axes = _each_argument(in_axes, len(args))
        steps = _common_length(args, axes, length)
        result = f(*[_row(argument, axis) for argument, axis in zip(args, axes)])
        for argument, axis in zip(args, axes):
            if axis is Carry:
                if out_axes is Carry:
                    _check_carry(argument, result)
                elif isinstance(out_axes, (list, tuple)):
                    for part, along in zip(result, out_axes):
                        if along is Carry:
                            _check_carry(argument, part)
        return _stacked(result, out_axes, steps)

    return run


def _check_carry(old, new):
    if not isinstance(old, Pytree):
        _same_carry(old, new)


def cond(pred, true_fun, false_fun, *operands, graph=None, graph_updates=None):
    return _same_result(true_fun(*operands), false_fun(*operands))


def switch(index, branches, *operands, graph=None, graph_updates=None):
    result = branches[0](*operands)
    for branch in branches[1:]:
        _same_result(result, branch(*operands))
    return result


def while_loop(cond_fun, body_fun, init_val, graph=None, graph_updates=None):
    cond_fun(init_val)
    return body_fun(init_val)


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None, graph=None, graph_updates=None):
    return body_fun(lower, init_val)


def split_rngs(node=_missing, *, splits, only=..., squeeze=False, graph=None, graph_updates=None):
    # Of a decorator: the streams that the function is given have as many keys.
    if node is _missing or (callable(node) and not isinstance(node, Pytree)):
        return (lambda f: _with_split_rngs(f, splits)) if node is _missing else _with_split_rngs(node, splits)
    return []


def _with_split_rngs(f, splits):
    def run(*args, **kwargs):
        return f(*[_split(argument, splits) for argument in args], **{name: _split(argument, splits) for name, argument in kwargs.items()})

    return run


def _split(argument, splits):
    if isinstance(argument, Rngs):
        new = Rngs(0)
        new._splits = splits
        return new
    return argument


def with_rngs(node=_missing, *, split=None, fork=None, broadcast=None, only=True, graph=None, graph_updates=None):
    return (lambda f: f) if node is _missing else node


def capture(fn, *var_types, init=None, method_outputs=None):
    return lambda *args, **kwargs: (fn(*args, **kwargs), unknown("captured values"))


def transform_metadata(f=_missing, **options):
    return (lambda g: g) if f is _missing else f
