# Assertions about values: an operation that fails in a run. Of shapes they say what static shapes tell.
from harp_library import judge
from tensorflow._v1graph import Operation


def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_less(x, y, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_positive(x, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_negative(x, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_integer(x, message=None, name=None):
    return Operation(name)


def assert_type(tensor, tf_type, message=None, name=None):
    return Operation(name)


def assert_scalar(tensor, name=None, message=None):
    judge(len(tensor.shape) == 0, "the tensor is no scalar")
    return tensor


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    import tensorflow as _tf
    x = _tf.convert_to_tensor(x)
    if isinstance(rank, int):
        judge(x.ndim == rank, "the tensor does not have the rank that is asserted")
    return Operation(name)


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    import tensorflow as _tf
    x = _tf.convert_to_tensor(x)
    if isinstance(rank, int):
        judge(x.ndim >= rank, "the tensor does not have the rank that is asserted")
    return Operation(name)


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    return Operation(name)


def assert_same_float_dtype(tensors=None, dtype=None):
    return dtype


def assert_proper_iterable(values):
    pass


def Assert(condition, data, summarize=None, name=None):
    return Operation(name)
