# What is kept for the way back.
from jax import checkpoint, checkpoint as remat


def checkpoint_name(x, name):
    return x
