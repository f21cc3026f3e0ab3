# Functions of several tensors.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import front_axis, made, same_shape


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    return list(t_list), made((), "float32")


def tensordot(a, b, axes, name=None):
    a, b = as_tensor(a), as_tensor(b)
    if isinstance(axes, int):
        left = [len(a.shape) - axes + index for index in range(axes)]
        right = [index for index in range(axes)]
        require(axes <= len(a.shape), "there are more axes to sum over than the first tensor has")
        require(axes <= len(b.shape), "there are more axes to sum over than the second tensor has")
    else:
        left, right = axes
        left = [left] if isinstance(left, int) else list(left)
        right = [right] if isinstance(right, int) else list(right)
        require(len(left) == len(right), "there must be as many axes of the first tensor as of the second")
    left = [front_axis(axis, len(a.shape), "the first tensor") for axis in left]
    right = [front_axis(axis, len(b.shape), "the second tensor") for axis in right]
    for one, other in zip(left, right):
        require(a.shape[one] == b.shape[other], "the axes that are summed over have different sizes")
    kept = [size for place, size in enumerate(a.shape) if place not in left]
    others = [size for place, size in enumerate(b.shape) if place not in right]
    return made(tuple(kept + others), a.dtype)


def add_n(inputs, name=None):
    tensors = [as_tensor(item) for item in inputs] if isinstance(inputs, (list, tuple)) else [as_tensor(inputs)]
    first = tensors[0]
    for item in tensors:
        same_shape(item.shape, first.shape, "all tensors must have the same shape")
    return made(first.shape, first.dtype)
