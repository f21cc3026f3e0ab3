# Small helpers of training loops with several devices.
import numpy as np
from harp_library import is_known, require, tensor, tree_leaves, tree_map, unknown
from jax import local_device_count as _devices
from jax.nn import one_hot as _one_hot
from jax.numpy import mean as _mean, stack as _stack


def shard(xs):
    count = _devices()
    return tree_map(lambda leaf: leaf.reshape((count, -1) + tuple(leaf.shape[1:])), xs)


def shard_prng_key(prng_key):
    return tensor((_devices(),) + tuple(prng_key.shape), prng_key.dtype, "jax.Array")


def stack_forest(forest):
    return tree_map(lambda *leaves: _stack(leaves), forest[0], *forest[1:])


def get_metrics(device_metrics):
    return stack_forest([tree_map(lambda leaf: leaf[0], metrics) for metrics in device_metrics])


