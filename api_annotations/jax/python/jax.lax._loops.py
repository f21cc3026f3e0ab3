# Loops and branches: the body is called once, and its state must come out as it went in.
import numpy as np
import jax.numpy as jnp
from harp_library import free_size, judge, require, tensor, traced, tree_leaves, tree_map
from jax._leaves import as_before, same_sizes
from jax._steps import row, stacked

_CARRY = "the state of the loop must keep its shape from one round to the next"
_BRANCHES = "the branches must give the same shapes"


def _body(function):
    # What a loop or a branch calls is traced.
    return traced(function, "jax.Array")


def _number():
    return tensor((), np.int32, "jax.Array")


def _state(tree):
    return tree_map(jnp.asarray, tree)


def _first(leaf):
    judge(np.ndim(leaf) >= 1, "scan runs along the first axis, and a scalar has none")
    return row(leaf, 0)


def scan(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False):
    counts = [np.shape(leaf)[0] for leaf in tree_leaves(xs)]
    for count in counts[1:]:
        require(count == counts[0], "scan got arrays with different leading sizes")
    if length is None:
        require(len(counts) > 0, "scan needs something to run along, or `length`")
        count = counts[0]
    else:
        count = length
        for found in counts:
            require(found == length, "`length` is not the leading size of what scan runs along")
    init = _state(init)
    result = _body(f)(init, tree_map(_first, xs))
    judge(isinstance(result, (tuple, list)), "the body of scan must give a pair: the carry and an output")
    judge(len(result) == 2, "the body of scan must give a pair: the carry and an output")
    carry, y = result
    carry = as_before(init, carry, "the carry of scan must keep its shape")
    return carry, tree_map(lambda leaf: stacked(leaf, 0, count), y)


def map(f, xs, *, batch_size=None):
    counts = [np.shape(leaf)[0] for leaf in tree_leaves(xs)]
    for count in counts[1:]:
        require(count == counts[0], "map got arrays with different leading sizes")
    return tree_map(lambda leaf: stacked(leaf, 0, counts[0]), _body(f)(tree_map(_first, xs)))


def associative_scan(fn, elems, reverse=False, axis=0):
    for leaf in tree_leaves(elems):
        require(axis < np.ndim(leaf), "associative_scan has no such axis to run along")
        require(-axis <= np.ndim(leaf), "associative_scan has no such axis to run along")
    fn(elems, elems)
    return elems


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    init_val = _state(init_val)
    return as_before(init_val, _body(body_fun)(_number(), init_val), _CARRY)


def while_loop(cond_fun, body_fun, init_val):
    init_val = _state(init_val)
    judge(np.ndim(_body(cond_fun)(init_val)) == 0, "the condition of while_loop must be a scalar")
    return as_before(init_val, _body(body_fun)(init_val), _CARRY)


def cond(pred, true_fun, false_fun, *operands, operand=None, linear=None):
    judge(np.ndim(pred) == 0, "the condition of cond must be a scalar")
    given = operands if operand is None else (operand,)
    one = _body(true_fun)(*given)
    other = _body(false_fun)(*given)
    same_sizes(one, other, _BRANCHES)
    return one


def switch(index, branches, *operands, operand=None):
    judge(np.ndim(index) == 0, "the index of switch must be a scalar")
    given = operands if operand is None else (operand,)
    results = [_body(branch)(*given) for branch in branches]
    for result in results[1:]:
        same_sizes(results[0], result, _BRANCHES)
    return results[0]


def platform_dependent(*arguments, default=None, **per_platform):
    for branch in per_platform.values():
        result = branch(*arguments)
    return result if default is None else default(*arguments)


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    return solve(f, initial_guess)


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    return solve(matvec, b)


def stop_gradient(x):
    return tree_map(_kept, x)


def _kept(leaf):
    return leaf


def optimization_barrier(operand, /):
    return operand


def with_sharding_constraint(x, shardings):
    return x
