# Images of version 1: sizes that a program asks for.
from harp_library import free_size, is_known, judge, tensor


def _like(value, shape):
    return tensor(shape, value.dtype, "tensorflow.Tensor")


def _resized(images, size, rank_is_four):
    if rank_is_four:
        judge(images.ndim == 4, "images have an axis of batches, of rows, of columns, and of channels")
    if not is_known(images.ndim):
        return _like(images, None)
    size = _sizes_of(size)
    return _like(images, images.shape[:-3] + (size[0], size[1], images.shape[-1]))


def _sizes_of(size):
    if isinstance(size, (list, tuple)):
        return size
    return (free_size("rows"), free_size("columns"))


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    import tensorflow as _tf
    made = _resized(images, size, True)
    return tensor(made.shape, _tf.float32, "tensorflow.Tensor")


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return resize_bilinear(images, size)


def resize_area(images, size, align_corners=False, name=None):
    return resize_bilinear(images, size)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return _resized(images, size, True)


def resize_images(images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None):
    judge((images.ndim == 3) or (images.ndim == 4), "images have axes of rows, columns and channels, and may have one of batches")
    if preserve_aspect_ratio:
        return _like(images, None)
    if isinstance(size, int):
        # Before version 1.0 the height and the width were two arguments.
        return _like(images, None)
    return tensor(_resized(images, size, False).shape, None, "tensorflow.Tensor")


def resize_image_with_crop_or_pad(image, target_height, target_width):
    judge((image.ndim == 3) or (image.ndim == 4), "an image has axes of rows, columns and channels, and may have one of batches")
    if not is_known(image.ndim):
        return _like(image, None)
    return _like(image, image.shape[:-3] + (target_height, target_width, image.shape[-1]))


def resize_image_with_pad(image, target_height, target_width, method=0, align_corners=False):
    return resize_image_with_crop_or_pad(image, target_height, target_width)
