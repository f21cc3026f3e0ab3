# Inputs of estimators: batches of arrays.
from harp_library import free_size, tensor


def _batch(value, size):
    import tensorflow as _tf
    value = _tf.convert_to_tensor(value)
    return tensor((size,) + value.shape[1:], value.dtype, "tensorflow.Tensor")


def _batches(value, size):
    if isinstance(value, dict):
        return {key: _batch(item, size) for key, item in value.items()}
    return _batch(value, size)


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1):
    def input_fn():
        # The last batch of an epoch may be smaller.
        size = free_size("batch", 1)
        return _batches(x, size) if y is None else (_batches(x, size), _batches(y, size))
    return input_fn


def pandas_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1, target_column="target"):
    from harp_library import outside

    def input_fn():
        return outside("features"), outside("labels")
    return input_fn
