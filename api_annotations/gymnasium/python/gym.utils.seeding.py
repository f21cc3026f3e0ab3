# `gym.utils.seeding`: seeds.
import numpy as np


def np_random(seed=None):
    return np.random.RandomState(), seed


def hash_seed(seed=None, max_bytes=8):
    return seed
