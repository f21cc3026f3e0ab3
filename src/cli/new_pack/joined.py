# What PACK does to sizes.
from harp_library import require, tensor


def joined(left, right):
    """Puts one tensor behind the other, along the first axis."""
    require(left.shape[1:] == right.shape[1:], "`left` and `right` differ behind the first axis")
    return tensor((left.shape[0] + right.shape[0],) + left.shape[1:], left.dtype)
