# Names of the package itself that its other sources do not define, and those that older releases had.
from jax.sharding import AbstractMesh as _AbstractMesh, Mesh as _Mesh, NamedSharding, PartitionSpec as P
from jax.tree_util import tree_all, tree_flatten, tree_leaves, tree_map, tree_reduce, tree_structure, tree_unflatten

tree_multimap = tree_map


def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):
    return _Mesh(devices, axis_names, axis_types)
