# A tree as one vector, and back.
import numpy as np
from harp_library import require, tensor, tree_leaves, tree_map


def _taken(leaf):
    return tensor(np.shape(leaf), getattr(leaf, "dtype", None), "jax.Array")


def ravel_pytree(pytree):
    leaves = tree_leaves(pytree)
    total = 0
    for leaf in leaves:
        total = total + np.size(leaf)
    dtype = leaves[0].dtype if len(leaves) > 0 and hasattr(leaves[0], "dtype") else None

    def unravel(flat):
        require(np.shape(flat) == (total,), "the vector has another length than the tree has elements")
        return tree_map(_taken, pytree)
    return tensor((total,), dtype, "jax.Array"), unravel
