# Functions of `keras.ops` that run windows over axes, and those of pictures.
import numpy as np
import keras.losses._losses as _losses
import keras.ops as _ops
from harp_library import is_known, judge, require
from keras._shapes import _is_first, _is_open, _made, _several, _tensor, _window
from keras.layers._convolution import _grown


def _space(shape, data_format):
    return shape[2:] if _is_first(data_format) else shape[1:-1]


def _as(shape, space, channels, data_format):
    return shape[:1] + (channels,) + space if _is_first(data_format) else shape[:1] + space + (channels,)


def _channels(shape, data_format):
    return shape[1] if _is_first(data_format) else shape[-1]


def _run(inputs, kernel, strides, padding, data_format, dilation_rate, channels):
    """How windows of a kernel run over the axes between batch and channels."""
    count = inputs.ndim - 2
    strides, dilation = _several(strides, count), _several(dilation_rate, count)
    space, found = _space(inputs.shape, data_format), []
    for place in range(count):
        reach = (kernel[place] - 1) * dilation[place] + 1
        if padding.lower() == "valid":
            require(space[place] >= reach, "the kernel is larger than the input")
        found.append(_window(space[place], kernel[place], strides[place], dilation[place], padding.lower()))
    return _made(_as(inputs.shape, tuple(found), channels, data_format))


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    inputs, kernel = _tensor(inputs), _tensor(kernel)
    if is_known(inputs.ndim) and is_known(kernel.ndim) and inputs.ndim != kernel.ndim:
        return _made(None)
    channels, taken = _channels(inputs.shape, data_format), kernel.shape[-2]
    if is_known(channels) and is_known(taken):
        require(channels % taken == 0, "the channels of the input are not those of the kernel")
    return _run(inputs, kernel.shape, strides, padding, data_format, dilation_rate, kernel.shape[-1])


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    inputs, kernel = _tensor(inputs), _tensor(kernel)
    require(inputs.ndim == kernel.ndim, "input and kernel must have the same number of axes")
    channels = _channels(inputs.shape, data_format)
    if not _is_open(channels):
        require(channels == kernel.shape[-2], "the channels of the input are not those of the kernel")
    return _run(inputs, kernel.shape, strides, padding, data_format, dilation_rate, kernel.shape[-2] * kernel.shape[-1])


def separable_conv(inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    inputs, kernel, points = _tensor(inputs), _tensor(depthwise_kernel), _tensor(pointwise_kernel)
    return _run(inputs, kernel.shape, strides, padding, data_format, dilation_rate, points.shape[-1])


def conv_transpose(inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1):
    inputs, kernel = _tensor(inputs), _tensor(kernel)
    require(inputs.ndim == kernel.ndim, "input and kernel must have the same number of axes")
    count = inputs.ndim - 2
    strides, dilation = _several(strides, count), _several(dilation_rate, count)
    extra = None if output_padding is None else _several(output_padding, count)
    space, found = _space(inputs.shape, data_format), []
    for place in range(count):
        found.append(_grown(space[place], kernel.shape[place], strides[place], dilation[place], padding.lower(),
                            None if extra is None else extra[place]))
    return _made(_as(inputs.shape, tuple(found), kernel.shape[-2], data_format))


def _pooled(inputs, pool_size, strides, padding, data_format):
    inputs = _tensor(inputs)
    count = inputs.ndim - 2
    size = _several(pool_size, count)
    strides = size if strides is None else _several(strides, count)
    space, found = _space(inputs.shape, data_format), []
    least = 1 if _is_open(inputs.shape[0]) else 0
    for place in range(count):
        places = _window(space[place], size[place], strides[place], 1, padding.lower())
        require(places >= least, "the window is larger than the input")
        found.append(places)
    return _made(_as(inputs.shape, tuple(found), _channels(inputs.shape, data_format), data_format), inputs.dtype)


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return _pooled(inputs, pool_size, strides, padding, data_format)


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return _pooled(inputs, pool_size, strides, padding, data_format)


def _of_size(images, height, width, data_format):
    images = _tensor(images)
    require(images.ndim >= 3, "a picture has three axes, and a batch of them four")
    require(images.ndim <= 4, "a picture has three axes, and a batch of them four")
    if _is_first(data_format):
        return _made(images.shape[:-2] + (height, width), images.dtype)
    return _made(images.shape[:-3] + (height, width) + images.shape[-1:], images.dtype)


def resize(images, size, interpolation="bilinear", antialias=False, crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
           fill_mode="constant", fill_value=0.0, data_format=None):
    return _of_size(images, size[0], size[1], data_format)


def rgb_to_grayscale(images, data_format=None):
    images = _tensor(images)
    if _is_first(data_format):
        return _made(images.shape[:-3] + (1,) + images.shape[-2:], images.dtype)
    return _made(images.shape[:-1] + (1,), images.dtype)


def extract_patches(images, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    images = _tensor(images)
    height, width = _several(size, 2)
    strides = (height, width) if strides is None else _several(strides, 2)
    batch = images if images.ndim == 4 else _made((1,) + images.shape, images.dtype)
    channels = height * width * _channels(batch.shape, data_format)
    result = _run(batch, (height, width), strides, padding, data_format, dilation_rate, channels)
    return result if images.ndim == 4 else _made(result.shape[1:], images.dtype)


def _sides(size, before, after, target, sign):
    """How long a side is with what is cut from both ends, or added to them."""
    if target is not None:
        return target
    return size + sign * ((0 if before is None else before) + (0 if after is None else after))


def crop_images(images, top_cropping=None, left_cropping=None, bottom_cropping=None, right_cropping=None, target_height=None,
                target_width=None, data_format=None):
    images = _tensor(images)
    height, width = images.shape[-3:-1] if not _is_first(data_format) else images.shape[-2:]
    return _of_size(images, _sides(height, top_cropping, bottom_cropping, target_height, -1),
                    _sides(width, left_cropping, right_cropping, target_width, -1), data_format)


def pad_images(images, top_padding=None, left_padding=None, bottom_padding=None, right_padding=None, target_height=None, target_width=None,
               data_format=None):
    images = _tensor(images)
    height, width = images.shape[-3:-1] if not _is_first(data_format) else images.shape[-2:]
    return _of_size(images, _sides(height, top_padding, bottom_padding, target_height, 1),
                    _sides(width, left_padding, right_padding, target_width, 1), data_format)


def binary_crossentropy(target, output, from_logits=False):
    target, output = _tensor(target), _tensor(output)
    _losses._same_shape(target, output)
    return _made(output.shape)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return _losses.categorical_crossentropy(target, output, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return _losses.sparse_categorical_crossentropy(target, output)
