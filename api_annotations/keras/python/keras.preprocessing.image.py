# Pictures of files, and generators of batches of them.
import numpy as np
from harp_library import array, free_size, outside
from keras.utils._pictures import array_to_img, img_to_array, image_dataset_from_directory, load_img, save_img


class Iterator:
    """Batches of pictures, with their labels."""

    def __init__(self, pictures, labels, samples):
        self._pictures, self._labels = pictures, labels
        self.samples = self.n = samples
        self.class_indices, self.classes = outside("numbers of classes"), outside("classes of pictures")
        self.filenames = outside("names of files")
        self.image_shape = pictures.shape[1:]
        self.batch_size = pictures.shape[0]
        self.num_classes = free_size("classes", 1)

    def _batch_at(self, index):
        return self._pictures if self._labels is None else (self._pictures, self._labels)

    def __getitem__(self, index):
        return self._batch_at(index)

    def __len__(self):
        return free_size("batches", 1)

    def __iter__(self):
        return self

    def __next__(self):
        return self._batch_at(0)

    next = __next__

    def reset(self):
        pass


DirectoryIterator = NumpyArrayIterator = DataFrameIterator = Iterator


def _channels(color_mode):
    return 1 if color_mode == "grayscale" else 4 if color_mode == "rgba" else 3


def _labels_of(class_mode, batch, pictures, classes):
    if class_mode is None:
        return None
    if class_mode == "categorical":
        return array((batch, classes), np.float32)
    if class_mode == "input":
        return pictures
    if class_mode == "binary" or class_mode == "sparse":
        return array((batch,), np.float32)
    return outside("labels of pictures")


class ImageDataGenerator:
    def __init__(self, *arguments, rescale=None, validation_split=0.0, preprocessing_function=None, **options):
        self.rescale = rescale

    def fit(self, x, *arguments, **options):
        pass

    def flow(self, x, y=None, batch_size=32, shuffle=True, *arguments, **options):
        first = x[0] if isinstance(x, (list, tuple)) else x
        first = np.asarray(first)
        count = first.shape[0]
        size = min(batch_size, count)
        pictures = array((size,) + first.shape[1:], np.float32)
        if y is None:
            return Iterator(pictures, None, count)
        labels = np.asarray(y)
        return Iterator(pictures, array((size,) + labels.shape[1:], labels.dtype), count)

    def flow_from_directory(self, directory, target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical", batch_size=32,
                            *arguments, **options):
        kinds = len(classes) if isinstance(classes, (list, tuple)) else free_size("classes", 1)
        pictures = array((batch_size, target_size[0], target_size[1], _channels(color_mode)), np.float32)
        return Iterator(pictures, _labels_of(class_mode, batch_size, pictures, kinds), free_size("pictures", 1))

    def flow_from_dataframe(self, dataframe, directory=None, x_col="filename", y_col="class", weight_col=None, target_size=(256, 256),
                            color_mode="rgb", classes=None, class_mode="categorical", batch_size=32, *arguments, **options):
        return self.flow_from_directory(directory, target_size, color_mode, classes, class_mode, batch_size)

    def random_transform(self, x, seed=None):
        return array(x.shape, np.float32)

    def standardize(self, x):
        return x

    def apply_transform(self, x, transform_parameters):
        return array(x.shape, np.float32)

    def get_random_transform(self, *arguments, **options):
        return outside("parameters of a transform")


def random_rotation(x, *arguments, **options):
    return array(x.shape, np.float32)


random_shift = random_shear = random_zoom = random_brightness = random_channel_shift = apply_affine_transform = random_rotation


def smart_resize(x, size, interpolation="bilinear", *arguments, **options):
    return array(x.shape[:-3] + (size[0], size[1]) + x.shape[-1:], np.float32)
