# `tf.where` in version 1: both values have one shape, and the condition has it, too, or only that of the first axis.
from harp_library import free_size, is_known, judge, tensor
from tensorflow._core import as_tensor


def select(condition, x=None, y=None, name=None):
    condition = as_tensor(condition)
    if x is None:
        return tensor((free_size("true", 0), condition.ndim), "int64", "tensorflow.Tensor")
    x, y = as_tensor(x), as_tensor(y)
    judge(len(x.shape) == len(y.shape), "both values have the same shape")
    for own, size in zip(x.shape, y.shape):
        judge(own == size, "both values have the same shape")
    shape = x.shape if is_known(len(x.shape)) else y.shape
    if is_known(x.ndim) and is_known(y.ndim):
        shape = tuple([own if is_known(own) else size for own, size in zip(x.shape, y.shape)])
    judge((condition.ndim == len(shape)) or (condition.ndim <= 1), "the condition has the shape of the values, or one axis")
    judge(condition.ndim <= len(shape), "the condition has the shape of the values, or one axis")
    if is_known(condition.ndim) and condition.ndim > 0:
        for own, size in zip(condition.shape, shape):
            judge(own == size, "the condition has the shape of the values, or that of their first axis")
    return tensor(shape, x.dtype, "tensorflow.Tensor")
