# Names that version 1 has in its first module, too.
from harp_library import outside, tensor
from tensorflow._v1queues import _Queue
from tensorflow.nn import depth_to_space, space_to_depth
from tensorflow._v1summary import Event, SessionLog, Summary
from tensorflow._v1summary import audio as _audio, histogram as _histogram, image as _image, merge as _merge, merge_all as _merge_all, scalar as _scalar


def scalar_summary(tags, values, collections=None, name=None):
    return _scalar(tags, values)


def histogram_summary(tag, values, collections=None, name=None):
    return _histogram(tag, values)


def image_summary(tag, tensor, max_images=3, collections=None, name=None):
    return _image(tag, tensor)


def audio_summary(tag, tensor, sample_rate, max_outputs=3, collections=None, name=None):
    return _audio(tag, tensor)


def merge_summary(inputs, collections=None, name=None):
    return _merge(inputs)


def merge_all_summaries(key="summaries"):
    return _merge_all(key)


def _items(dtypes, shapes):
    if shapes is None:
        return None
    if not isinstance(dtypes, (list, tuple)):
        dtypes, shapes = [dtypes], [shapes]
    if len(shapes) != len(dtypes):
        shapes = [shapes]
    return [tensor(() if shape == () else tuple(shape), dtype, "tensorflow.Tensor") for dtype, shape in zip(dtypes, shapes)]


class FIFOQueue(_Queue):
    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        super().__init__(_items(dtypes, shapes))


class PaddingFIFOQueue(_Queue):
    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        super().__init__(None)


class RandomShuffleQueue(_Queue):
    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None, name="random_shuffle_queue"):
        super().__init__(_items(dtypes, shapes))


class PriorityQueue(_Queue):
    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        super().__init__(None)


class _Reader:
    def __init__(self, *arguments, **options):
        pass

    def read(self, queue, name=None):
        return tensor((), None, "tensorflow.Tensor"), tensor((), None, "tensorflow.Tensor")

    def read_up_to(self, queue, num_records, name=None):
        return tensor(None, None, "tensorflow.Tensor"), tensor(None, None, "tensorflow.Tensor")

    def num_records_produced(self, name=None):
        return outside("number of records")


class TFRecordReader(_Reader):
    pass


class TextLineReader(_Reader):
    pass


class WholeFileReader(_Reader):
    pass


class FixedLengthRecordReader(_Reader):
    pass


class IdentityReader(_Reader):
    pass


class LMDBReader(_Reader):
    pass
