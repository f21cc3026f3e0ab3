# Names of linen that nnx has, too, and what has to do with devices.
import dataclasses

import flax.linen.activation as _activation
import flax.linen.pooling as _pooling
from harp_library import outside, unknown

celu = _activation.celu
elu = _activation.elu
gelu = _activation.gelu
glu = _activation.glu
hard_sigmoid = _activation.hard_sigmoid
hard_silu = _activation.hard_silu
hard_swish = _activation.hard_swish
hard_tanh = _activation.hard_tanh
leaky_relu = _activation.leaky_relu
log_sigmoid = _activation.log_sigmoid
log_softmax = _activation.log_softmax
logsumexp = _activation.logsumexp
one_hot = _activation.one_hot
relu = _activation.relu
relu6 = _activation.relu6
selu = _activation.selu
sigmoid = _activation.sigmoid
silu = _activation.silu
soft_sign = _activation.soft_sign
softmax = _activation.softmax
softplus = _activation.softplus
standardize = _activation.standardize
swish = _activation.swish
tanh = _activation.tanh


def identity(x):
    return x


def with_partitioning(initializer, sharding, mesh=None, **metadata):
    return initializer


def with_metadata(initializer, **metadata):
    return initializer


def with_sharding_constraint(x, sharding, mesh=None):
    return x


def get_partition_spec(tree):
    return outside("shardings")


def get_named_sharding(tree, mesh):
    return outside("shardings")


def get_abstract_model(init_fn, mesh, graph=None):
    return outside("a graph"), outside("shardings")


def as_abstract(tree, graph=None):
    return tree


def abstract_with_sharding(tree, graph=None):
    return tree


class _Setting:
    def __init__(self, *values, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


logical_axis_rules = use_eager_sharding = set_graph_mode = set_graph_updates = var_defaults = _Setting


def using_eager_sharding():
    return outside("a setting")


def register_variable_name(name, typ=None, *, overwrite=False):
    return typ


def variable_name_from_type(typ, *, allow_register=False):
    return unknown("the name of a type of variables")


def variable_type_from_name(name, base=None, *, allow_register=False):
    return unknown("a type of variables")


def dataclass(cls=None, **options):
    if cls is None:
        return lambda made: dataclass(made)
    dataclasses.dataclass(cls)
    return cls
