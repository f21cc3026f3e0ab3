# Helpers: labels as rows, texts of one length, batches of a program's own, files.
import numpy as np
from harp_library import array, free_size, is_known, outside, require, some_of, unknown
from keras._shapes import _made, _tensor


def to_categorical(x=None, num_classes=None, dtype=None, *arguments, y=None, **options):
    x = np.asarray(y if x is None else x)
    shape = x.shape
    if is_known(x.ndim) and x.ndim > 1 and is_known(shape[-1]) and shape[-1] == 1:
        shape = shape[:-1]
    # Keras 2 made floats of 32 bits, Keras 3 those of 64.
    return array(shape + (free_size("classes", 1) if num_classes is None else num_classes,), dtype)


def normalize(x, axis=-1, order=2):
    x = np.asarray(x)
    return array(x.shape, x.dtype)


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    count = len(sequences) if hasattr(sequences, "__len__") else free_size("samples", 1)
    length = maxlen
    if maxlen is None:
        length = _longest(sequences)
    return array((count, length), np.int32 if dtype == "int32" else dtype)


def _longest(sequences):
    if is_known(sequences) and isinstance(sequences, (list, tuple)) and len(sequences) <= 64:
        return max([len(row) for row in sequences])
    return free_size("steps", 1)


class Sequence:
    """Batches of the program's own."""

    def __init__(self, workers=1, use_multiprocessing=False, max_queue_size=10):
        pass

    def _batch_at(self, index):
        return self[index]

    def on_epoch_end(self):
        pass

    on_epoch_begin = on_epoch_end

    @property
    def num_batches(self):
        return len(self)


PyDataset = Sequence


def get_file(*arguments, **options):
    return str(outside("path of a file"))


def set_random_seed(seed):
    pass


plot_model = model_to_dot = enable_interactive_logging = disable_interactive_logging = print_summary = disable_traceback_filtering = set_random_seed


class Progbar:
    def __init__(self, target=None, *arguments, **options):
        pass

    def update(self, *arguments, **options):
        pass

    add = update


def _decorator(package="Custom", name=None):
    return lambda kept: kept


def register_keras_serializable(package="Custom", name=None):
    return lambda kept: kept


def get_custom_objects():
    return {}


class CustomObjectScope:
    def __init__(self, *arguments, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


custom_object_scope = CustomObjectScope


def serialize_keras_object(instance):
    return {}


def deserialize_keras_object(*arguments, **options):
    return outside("object of a file")


def get_registered_name(kept):
    return str(outside("name"))


def get_registered_object(*arguments, **options):
    return outside("object of a name")


def pack_x_y_sample_weight(x, y=None, sample_weight=None):
    if y is None:
        return x if not isinstance(x, (list, tuple)) else (x,)
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def unpack_x_y_sample_weight(data):
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return (data, None, None)
    if len(data) == 1:
        return (data[0], None, None)
    if len(data) == 2:
        return (data[0], data[1], None)
    return (data[0], data[1], data[2])


def split_dataset(dataset, *arguments, **options):
    return dataset, dataset


def get_source_inputs(tensor, *arguments, **options):
    return [tensor]


def is_keras_tensor(x):
    return hasattr(x, "shape")


def convert_all_kernels_in_model(model):
    pass


def multi_gpu_model(model, *arguments, **options):
    return model


def bounding_box(*arguments, **options):
    return unknown("boxes")


class HDF5Matrix:
    def __init__(self, *arguments, **options):
        pass
