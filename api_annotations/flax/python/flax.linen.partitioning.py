# Parameters with names for their axes; the names play no part in shapes.
from flax.linen._scope import _context
from flax.linen.spmd import _Rules
from flax.linen.transforms import remat, scan as _scan, vmap as _vmap
from harp_library import outside


def axis_rules(rules):
    return _Rules()


def set_axis_rules(rules):
    pass


def get_axis_rules():
    return outside("rules of logical axes")


def param_with_axes(name, init_fn, *init_params, axes=None, module=None):
    module = _context.module if module is None else module
    return module.param(name, init_fn, *init_params)


def variable_with_axes(collection, name, init_fn, *init_args, axes=None, module=None, fallback=None):
    module = _context.module if module is None else module
    return module.variable(collection, name, init_fn, *init_args)


def with_sharding_constraint(x, logical_axis_resources, fallback=None):
    return x


def get_axis_names(axes_metadata):
    return outside("names of axes")


def logical_to_mesh_axes(array_dim_names, rules=None):
    return outside("axes of a mesh")


def scan_with_axes(
    target, variable_axes=None, variable_broadcast=False, variable_carry=False, split_rngs=None, in_axes=0, out_axes=0, length=None, reverse=False,
    unroll=1, axis_name="layers", axes_collections=(), data_transform=None, methods=None
):
    return _scan(target, variable_axes, variable_broadcast, variable_carry, split_rngs, in_axes, out_axes, length, reverse, unroll, methods=methods)


def vmap_with_axes(
    target, variable_axes=None, split_rngs=None, in_axes=0, out_axes=0, axis_size=None, axis_name=None, partitioning_axis_names=None,
    spmd_axis_name=None, methods=None
):
    return _vmap(target, variable_axes, split_rngs, in_axes, out_axes, axis_size, axis_name, methods=methods)


class AxisMetadata:
    def __init__(self, names):
        self.names = names
