# Rows of an array that belong together are put into one; arrays with other items in some places.
import numpy as np
from harp_library import free_size, is_traced, judge, require, tensor


def segment_sum(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False, bucket_size=None, mode=None, out_sharding=None):
    rows, places = np.shape(data), np.shape(segment_ids)
    require(len(rows) >= len(places), "the data need at least the axes of the segments")
    require(rows[:len(places)] == places, "there must be a segment for each row of the data")
    if num_segments is None:
        judge(not is_traced(segment_ids), "while a function is traced, arrays have no values, and these decide how many segments there are: give `num_segments`")
    count = free_size("segments", 0) if num_segments is None else num_segments
    return tensor((count,) + rows[len(places):], data.dtype, "jax.Array")


segment_max = segment_min = segment_prod = segment_sum


# How arrays were written anew before they had `at`.
class _Index:
    def __getitem__(self, index):
        return index


index = _Index()


def index_update(x, idx, y, indices_are_sorted=False, unique_indices=False):
    return x.at[idx].set(y)


def index_add(x, idx, y, indices_are_sorted=False, unique_indices=False):
    return x.at[idx].add(y)


def index_mul(x, idx, y, indices_are_sorted=False, unique_indices=False):
    return x.at[idx].multiply(y)


def index_min(x, idx, y, indices_are_sorted=False, unique_indices=False):
    return x.at[idx].min(y)


def index_max(x, idx, y, indices_are_sorted=False, unique_indices=False):
    return x.at[idx].max(y)
