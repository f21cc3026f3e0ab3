# Pictures and texts of files.
import numpy as np
import tensorflow as tf
from harp_library import array, free_size, outside
from keras._shapes import _made


class _Picture:
    """A picture of Pillow, as far as its array goes."""

    def __init__(self, height, width, channels):
        self._sizes = (height, width) if channels is None else (height, width, channels)
        self._height, self._width, self._channels = height, width, channels

    @property
    def size(self):
        return (self._width, self._height)

    width = height = size

    @property
    def mode(self):
        return str(outside("mode of a picture"))

    def resize(self, size, *arguments, **options):
        return _Picture(size[1], size[0], self._channels)

    def convert(self, mode=None, *arguments, **options):
        return _Picture(self._height, self._width, {"L": None, "RGBA": 4, "1": None}.get(mode, 3))

    def crop(self, box):
        return _Picture(box[3] - box[1], box[2] - box[0], self._channels)

    def __array__(self, dtype=None, copy=None):
        return array(self._sizes, np.uint8)

    def save(self, *arguments, **options):
        pass

    show = close = save

    def copy(self):
        return self


def load_img(path, color_mode="rgb", target_size=None, interpolation="nearest", keep_aspect_ratio=False, *arguments, grayscale=False,
             **options):
    channels = None if grayscale or color_mode == "grayscale" else 4 if color_mode == "rgba" else 3
    height, width = (free_size("height", 1), free_size("width", 1)) if target_size is None else (target_size[0], target_size[1])
    return _Picture(height, width, channels)


def img_to_array(img, data_format=None, dtype=None):
    picture = np.asarray(img)
    sizes = picture.shape
    if len(sizes) == 2:
        sizes = sizes + (1,)
    if data_format == "channels_first":
        sizes = (sizes[2], sizes[0], sizes[1])
    return array(sizes, np.float32 if dtype is None else dtype)


def array_to_img(x, data_format=None, scale=True, dtype=None):
    sizes = x.shape
    return _Picture(sizes[0], sizes[1], sizes[2])


def save_img(path, x, *arguments, **options):
    pass


def _kinds(class_names):
    return len(class_names) if isinstance(class_names, (list, tuple)) else free_size("classes", 1)


def _labels(label_mode, batch, class_names):
    if label_mode == "categorical":
        return _made((batch, _kinds(class_names)))
    if label_mode == "binary":
        return _made((batch, 1))
    return _made((batch,), np.int32)


def _dataset(data, labels, subset, class_names):
    dataset = tf.data.Dataset.from_tensors(data if labels is None else (data, labels))
    return (dataset, dataset) if subset == "both" else dataset


def image_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, color_mode="rgb", batch_size=32,
                                 image_size=(256, 256), shuffle=True, seed=None, validation_split=None, subset=None, *arguments, **options):
    channels = 1 if color_mode == "grayscale" else 4 if color_mode == "rgba" else 3
    sizes = (image_size[0], image_size[1], channels)
    batch = None if batch_size is None else free_size("batch", 1)
    rows = () if batch is None else (batch,)
    pictures = _made(rows + sizes)
    if label_mode is None or labels is None:
        return _dataset(pictures, None, subset, class_names)
    if batch is None:
        return _dataset(pictures, outside("label of a picture"), subset, class_names)
    return _dataset(pictures, _labels(label_mode, batch, class_names), subset, class_names)


def text_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32, max_length=None,
                                shuffle=True, seed=None, validation_split=None, subset=None, *arguments, **options):
    batch = free_size("batch", 1)
    texts = _made((batch,), None)
    if label_mode is None or labels is None:
        return _dataset(texts, None, subset, class_names)
    return _dataset(texts, _labels(label_mode, batch, class_names), subset, class_names)


def audio_dataset_from_directory(directory, *arguments, **options):
    return outside("data set of a folder")


def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=1, sampling_rate=1, batch_size=128, *arguments, **options):
    batch = free_size("batch", 1)
    data = np.asarray(data)
    windows = _made((batch, sequence_length) + data.shape[1:], data.dtype)
    if targets is None:
        return _dataset(windows, None, None, None)
    targets = np.asarray(targets)
    return _dataset(windows, _made((batch,) + targets.shape[1:], targets.dtype), None, None)


timeseries_dataset = timeseries_dataset_from_array
