# What is done with updates: they are added to parameters, or averaged.
import numpy as np
from harp_library import is_known, require, tensor, tree_map


def apply_updates(params, updates):
    return tree_map(_changed, params, updates)


def _changed(param, update):
    new = param + update
    return tensor(new.shape, param.dtype, "jax.Array") if hasattr(param, "dtype") and is_known(new.ndim) else new


def incremental_update(new_tensors, old_tensors, step_size):
    return tree_map(lambda new, old: new + old, new_tensors, old_tensors)


def periodic_update(new_tensors, old_tensors, steps, update_period):
    def chosen(new, old):
        if hasattr(new, "shape") and hasattr(old, "shape") and is_known(new.ndim) and is_known(old.ndim):
            require(new.ndim == old.ndim, f"new tensors have shape {new.shape}, and old ones {old.shape}")
            for axis in range(new.ndim):
                require(new.shape[axis] == old.shape[axis], f"new tensors have shape {new.shape}, and old ones {old.shape}")
        return old

    return tree_map(chosen, new_tensors, old_tensors)


def global_norm(updates):
    return tensor((), np.float32, "jax.Array")


def bias_correction(moment, decay, count):
    return tree_map(lambda leaf: leaf, moment)


def update_moment(updates, moments, decay, order):
    return tree_map(lambda update, moment: update + moment, updates, moments)


update_moment_per_elem_norm = update_infinity_moment = update_moment


def safe_increment(count):
    return count + 1


safe_int32_increment = safe_increment


def per_example_global_norm_clip(grads, l2_norm_clip):
    return tree_map(lambda leaf: leaf[0], grads), tensor((), np.int32, "jax.Array")


def per_example_layer_norm_clip(grads, global_l2_norm_clip, uniform=True):
    return tree_map(lambda leaf: leaf[0], grads), tree_map(lambda leaf: tensor((), np.int32, "jax.Array"), grads)
