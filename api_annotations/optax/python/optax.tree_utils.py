# Arithmetic on trees.
import numpy as np
from harp_library import is_known, outside, tensor, tree_leaves, tree_map, unknown


def _number(dtype=np.float32):
    return tensor((), dtype, "jax.Array")


def tree_add(tree_x, tree_y, *other_trees):
    total = tree_map(lambda one, other: one + other, tree_x, tree_y)
    for tree in other_trees:
        total = tree_map(lambda one, other: one + other, total, tree)
    return total


def tree_sub(tree_x, tree_y):
    return tree_map(lambda one, other: one - other, tree_x, tree_y)


def tree_mul(tree_x, tree_y):
    return tree_map(lambda one, other: one * other, tree_x, tree_y)


def tree_div(tree_x, tree_y):
    return tree_map(lambda one, other: one / other, tree_x, tree_y)


def tree_scale(scalar, tree):
    return tree_map(lambda leaf: scalar * leaf, tree)


def tree_add_scale(tree_x, scalar, tree_y):
    return tree_map(lambda one, other: one + scalar * other, tree_x, tree_y)


tree_scalar_mul, tree_add_scalar_mul = tree_scale, tree_add_scale


def tree_vdot(tree_x, tree_y):
    return _number()


def tree_sum(tree):
    return _number()


def tree_max(tree):
    return _number()


def tree_min(tree):
    return _number()


def tree_size(tree):
    total = 0
    for leaf in tree_leaves(tree):
        total = total + leaf.size
    return total


def tree_norm(tree, ord=None, squared=False):
    return _number()


def tree_l1_norm(tree):
    return _number()


def tree_l2_norm(tree, squared=False):
    return _number()


def tree_linf_norm(tree):
    return _number()


def tree_zeros_like(tree, dtype=None):
    return tree_map(lambda leaf: leaf, tree)


def tree_ones_like(tree, dtype=None):
    return tree_map(lambda leaf: leaf, tree)


def tree_full_like(tree, fill_value, dtype=None):
    return tree_map(lambda leaf: leaf, tree)


def tree_random_like(rng_key, target_tree, sampler=None, dtype=None):
    return tree_map(lambda leaf: leaf, target_tree)


def tree_conj(tree):
    return tree_map(lambda leaf: leaf, tree)


def tree_real(tree):
    return tree_map(lambda leaf: leaf.real, tree)


def tree_clip(tree, min_value=None, max_value=None):
    return tree_map(lambda leaf: leaf, tree)


def tree_cast(tree, dtype):
    return tree if dtype is None else tree_map(lambda leaf: leaf.astype(dtype), tree)


def tree_cast_like(tree, other_tree):
    return tree_map(lambda leaf, other: leaf.astype(other.dtype), tree, other_tree)


def tree_dtype(tree, mixed_dtype_handler=None):
    return tree_leaves(tree)[0].dtype


def tree_allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    return _number(np.bool_)


def tree_where(condition, tree_x, tree_y):
    return tree_map(lambda one, other: one + other, tree_x, tree_y)


def tree_bias_correction(moment, decay, count):
    return tree_map(lambda leaf: leaf, moment)


def tree_update_moment(updates, moments, decay, order):
    return tree_map(lambda update, moment: update + moment, updates, moments)


tree_update_moment_per_elem_norm = tree_update_infinity_moment = tree_update_moment


def tree_split_key_like(rng_key, target_tree):
    return tree_map(lambda leaf: rng_key, target_tree)


def tree_batch_shape(tree, shape=()):
    return tree_map(lambda leaf: tensor(tuple(shape) + tuple(leaf.shape), leaf.dtype, "jax.Array"), tree)


def tree_get(tree, key, default=None, filtering=None):
    return unknown("a part of an optimizer's state")


def tree_get_all_with_path(tree, key, filtering=None):
    return unknown("parts of an optimizer's state")


def tree_set(tree, filtering=None, **kwargs):
    return tree


def tree_map_params(initable, f, state, *rest, transform_non_params=None, is_leaf=None):
    return unknown("a mapped state of an optimizer")
