# Older names.
from tensorflow.random import Generator, fold_in as stateless_fold_in, get_global_generator, set_global_generator, split as stateless_split
from tensorflow.random import create_rng_state
from tensorflow._core import as_tensor
from tensorflow._shared import made


def stateless_shuffle(value, seed, alg="auto_select", name=None):
    value = as_tensor(value)
    return made(value.shape, value.dtype)
