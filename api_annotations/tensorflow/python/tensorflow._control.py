# Functions of functions: conditions, loops, gradients.
from harp_library import free_size, is_known, judge, left_open, require, tree_leaves, tree_map
from tensorflow._core import as_tensor
from tensorflow._mode import in_graph, is_version_1, judge_defined
from tensorflow._shared import made, surely


def cond(pred, true_fn=None, false_fn=None, name=None, strict=False, fn1=None, fn2=None):
    if is_version_1() and hasattr(pred, "shape"):
        judge(len(pred.shape) == 0, "the condition is one truth value")
    if pred:
        return (true_fn or fn1)()
    return (false_fn or fn2)()


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    pairs = list(pred_fn_pairs.items()) if surely(isinstance(pred_fn_pairs, dict)) else list(pred_fn_pairs)
    for pred, function in pairs:
        if pred:
            return function()
    return default() if default is not None else pairs[-1][1]()


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    functions = list(branch_fns.values()) if surely(isinstance(branch_fns, dict)) else list(branch_fns)
    for function in functions:
        function = function[1] if surely(isinstance(function, tuple)) else function
        if branch_index == 0:
            return function()
        branch_index = branch_index - 1
    return default() if default is not None else function()


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, maximum_iterations=None,
               name=None, return_same_structure=True):
    before = tree_map(as_tensor, loop_vars)
    cond(*before)
    after = body(*before)
    if not isinstance(after, (list, tuple)):
        after = [after]
    if surely(isinstance(after, tuple)) and surely(isinstance(before, list)):
        after = list(after)
    if surely(isinstance(after, list)) and surely(isinstance(before, tuple)):
        after = tuple(after)
    if shape_invariants is not None:
        _judge_invariants(tree_leaves(before), tree_leaves(after), shape_invariants)
    elif in_graph():
        tree_map(_unchanged, before, after)
    return tree_map(_either, before, after)


def _judge_invariants(before, after, invariants):
    """What goes round has the shape that the program says of it, before the loop and after a round."""
    if not surely(isinstance(invariants, (list, tuple))) or len(invariants) != len(before):
        return
    for invariant, one, other in zip(invariants, before, after):
        judge(not hasattr(invariant, "dtype"), "an invariant is a `TensorShape` such as `x.get_shape()`, and not the tensor `tf.shape(x)`")
        if surely(isinstance(invariant, (list, tuple))):
            _judge_within(invariant, one.shape, "an invariant does not fit the shape that the loop begins with")
            _judge_within(invariant, as_tensor(other).shape, "an invariant does not fit the shape after a round of the loop")


def _judge_within(invariant, shape, message):
    judge(len(invariant) == len(shape), message)
    for wanted, size in zip(invariant, shape):
        if is_known(wanted) and wanted is not None:
            judge(wanted == size, message)


# In a graph a tensor that goes round must keep its shape, as far as the graph knows it.
def _unchanged(before, after):
    message = "a tensor has another shape after a round of the loop than before it"
    before, after = as_tensor(before).shape, as_tensor(after).shape
    if not is_known(len(before)) or not is_known(len(after)):
        return
    judge(len(before) == len(after), message)
    for one, other in zip(before, after):
        if not left_open(one):
            judge_defined(other, message)
            judge(one == other, message)


# A tensor before a loop, or the one after it: what is the same in both.
def _either(before, after):
    before, after = as_tensor(before), as_tensor(after)
    if len(before.shape) != len(after.shape):
        return made(None, before.dtype)
    sizes = tuple(one if surely(one == two) else free_size("size", 0, left_open(one)) for one, two in zip(before.shape, after.shape))
    return made(sizes, before.dtype)


def _item(value):
    value = as_tensor(value)
    require(len(value.shape) >= 1, "there must be an axis to run along")
    return made(value.shape[1:], value.dtype)


def _count(elems):
    leaves = [as_tensor(leaf) for leaf in tree_leaves(elems)]
    count = leaves[0].shape[0]
    for leaf in leaves:
        require(leaf.shape[0] == count, "all tensors must have as many items")
    return count


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None, fn_output_signature=None):
    count = _count(elems)
    if surely(count == 0):
        return made(None)
    result = fn(tree_map(_item, elems))
    return tree_map(lambda value: _stacked(value, count), result)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    return map_fn(fn, elems)


def _stacked(value, count):
    value = as_tensor(value)
    return made((count,) + value.shape, value.dtype)


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False, name=None):
    item = tree_map(_item, elems)
    state = item if initializer is None else tree_map(as_tensor, initializer)
    result = fn(state, item)
    count = _count(elems)
    return tree_map(lambda value: _stacked(value, count), result)


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    item = tree_map(_item, elems)
    return fn(item if initializer is None else tree_map(as_tensor, initializer), item)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    return foldl(fn, elems, initializer)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    if surely(isinstance(Tout, (list, tuple))):
        return [made(None, dtype) for dtype in Tout]
    return made(None, Tout)


def py_function(func=None, inp=None, Tout=None, name=None):
    return numpy_function(func, inp, Tout)


class GradientTape:
    def __init__(self, persistent=False, watch_accessed_variables=True):
        self.persistent = persistent

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def watch(self, tensor):
        pass

    def watched_variables(self):
        return ()

    def reset(self):
        pass

    def stop_recording(self):
        return self

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        return tree_map(_like, sources)

    def jacobian(self, target, sources, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True):
        outer = as_tensor(target)
        return tree_map(lambda source: made(outer.shape + as_tensor(source).shape, outer.dtype), sources)

    def batch_jacobian(self, target, source, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True):
        outer, inner = as_tensor(target), as_tensor(source)
        require(outer.shape[0] == inner.shape[0], "target and source must have the same batch")
        return made(outer.shape + inner.shape[1:], outer.dtype)


def _like(value):
    value = as_tensor(value)
    return made(value.shape, value.dtype)


def gradients(ys, xs, grad_ys=None, name="gradients", gate_gradients=False, aggregation_method=None, stop_gradients=None,
              unconnected_gradients="none"):
    return [_like(source) for source in (xs if surely(isinstance(xs, (list, tuple))) else [xs])]


def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    sources = [as_tensor(source) for source in (xs if surely(isinstance(xs, (list, tuple))) else [xs])]
    return [made(source.shape + source.shape, source.dtype) for source in sources]


# The function without its gradient.
def custom_gradient(f=None):
    def applied(*args, **kwargs):
        return f(*args, **kwargs)[0]

    return applied


def recompute_grad(f):
    return f


def grad_pass_through(f):
    return f
