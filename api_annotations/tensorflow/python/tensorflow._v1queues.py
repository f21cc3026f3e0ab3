# Queues, and batches that threads make of single examples.
from harp_library import free_size, judge, outside, tensor
from tensorflow._mode import enter_version_1, judge_defined
from tensorflow._v1graph import Operation


def _tensor(value):
    import tensorflow as _tf
    return _tf.convert_to_tensor(value)


def _batched(tensors, batch_size, enqueue_many, shapes, smaller, may_differ=False):
    size = free_size("batch", 1) if smaller else batch_size
    if isinstance(tensors, dict):
        return {key: _batch(value, size, enqueue_many, shapes, may_differ) for key, value in tensors.items()}
    if isinstance(tensors, (list, tuple)):
        made = [_batch(value, size, enqueue_many, shapes, may_differ) for value in tensors]
        return made[0] if len(made) == 1 else made
    return _batch(tensors, size, enqueue_many, shapes, may_differ)


def _batch(value, size, enqueue_many, shapes, may_differ):
    value = _tensor(value)
    shape = value.shape[1:] if enqueue_many else value.shape
    if shapes is None and not may_differ:
        for own in shape:
            judge_defined(own, "examples that are put into batches have sizes that the graph knows; here one is `None`")
    return tensor((size,) + shape, value.dtype, "tensorflow.Tensor")


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
          shared_name=None, name=None):
    return _batched(tensors, batch_size, enqueue_many, shapes, allow_smaller_final_batch, dynamic_pad)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    return _batched(tensors, batch_size, enqueue_many, shapes, allow_smaller_final_batch)


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
               shared_name=None, name=None):
    return _batched(tensors_list[0], batch_size, enqueue_many, shapes, allow_smaller_final_batch, dynamic_pad)


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    return _batched(tensors_list[0], batch_size, enqueue_many, shapes, allow_smaller_final_batch)


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    enter_version_1()
    return [_one(value) for value in tensor_list]


def _one(value):
    value = _tensor(value)
    return tensor(value.shape[1:], value.dtype, "tensorflow.Tensor")


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None, cancel_op=None):
    enter_version_1()
    return _Queue([tensor((), None, "tensorflow.Tensor")])


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, summary_name=None,
                   name=None, cancel_op=None):
    return _Queue([_one(input_tensor)])


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    import tensorflow as _tf
    return _Queue([tensor((), _tf.int32, "tensorflow.Tensor")])


def limit_epochs(tensor, num_epochs=None, name=None):
    return tensor


def match_filenames_once(pattern, name=None):
    return tensor((free_size("files", 0),), None, "tensorflow.Tensor")


class _Queue:
    def __init__(self, items):
        self._items = items
        self.name = "queue"
        self.queue_ref = outside("queue")

    def _given(self, lead):
        if self._items is None:
            return outside("elements of a queue")
        made = [tensor(lead + item.shape, item.dtype, "tensorflow.Tensor") for item in self._items]
        return made[0] if len(made) == 1 else made

    def dequeue(self, name=None):
        return self._given(())

    def dequeue_many(self, n, name=None):
        return self._given((n,))

    def dequeue_up_to(self, n, name=None):
        return self._given((free_size("batch", 0),))

    def enqueue(self, vals, name=None):
        self._judge(vals, 0)
        return Operation(name)

    def enqueue_many(self, vals, name=None):
        self._judge(vals, 1)
        return Operation(name)

    def _judge(self, vals, lead):
        """What is put into the queue has the shapes of its elements, behind `lead` axes of elements."""
        if self._items is None or isinstance(vals, dict):
            return
        given = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        if len(self._items) == 1 and len(given) != 1:
            given = [vals]
        for item, value in zip(self._items, given):
            shape = _tensor(value).shape
            judge(len(shape) == len(item.shape) + lead, "what is put into the queue does not have the shape of its elements")
            for own, size in zip(item.shape, shape[lead:]):
                judge(own == size, "what is put into the queue does not have the shape of its elements")

    def close(self, cancel_pending_enqueues=False, name=None):
        return Operation(name)

    def size(self, name=None):
        import tensorflow as _tf
        return tensor((), _tf.int32, "tensorflow.Tensor")
