# Functions of functions: conditions, loops, gradients, traced functions.
from harp_library import free_size, require, tree_map
from tensorflow._core import as_tensor
from tensorflow._shared import made, sizes_of


class GradientTape:
    def __init__(self, persistent=False, watch_accessed_variables=True):
        self.persistent = persistent

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def watch(self, tensor):
        pass

    def watched_variables(self):
        return ()

    def reset(self):
        pass

    def stop_recording(self):
        return self

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        return tree_map(_like, sources)


def _like(value):
    value = as_tensor(value)
    return made(value.shape, value.dtype)
