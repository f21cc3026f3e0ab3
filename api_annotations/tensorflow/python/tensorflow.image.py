# Images: the last three axes are height, width and channels.
from typing import NamedTuple

from harp_library import free_size, is_known, require
from tensorflow._core import as_tensor, broadcast
from tensorflow._mode import judge_ranked
from tensorflow._shared import made, same_shape, surely
from tensorflow._windows import window_count


def _image(value):
    value = as_tensor(value)
    require(len(value.shape) >= 3, "an image has height, width and channels")
    require(len(value.shape) <= 4, "an image or a batch of images has three or four axes")
    return value


def _of_size(image, height, width, dtype=None):
    return made(image.shape[:-3] + (height, width) + image.shape[-1:], image.dtype if dtype is None else dtype)


# The numbers of a size: height and width.
def _sides(size):
    if surely(isinstance(size, int)):
        require(False, "a size is two numbers, height and width")
    if surely(isinstance(size, (list, tuple))):
        require(len(size) == 2, "a size is two numbers, height and width")
        return size[0], size[1]
    return free_size("height", 1), free_size("width", 1)


def resize(images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None):
    images = _image(images)
    height, width = _sides(size)
    if preserve_aspect_ratio:
        height, width = _within(images.shape[-3], images.shape[-2], height, width)
    if surely(method == "nearest"):
        return _of_size(images, height, width)
    if surely(method in ("bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")):
        return _of_size(images, height, width, "float32")
    return made(_of_size(images, height, width).shape)


class ResizeMethod:
    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"


# The largest size with the ratio of an image that fits.
def _within(own_height, own_width, height, width):
    if is_known(own_height) and is_known(own_width) and is_known(height) and is_known(width):
        scale = min(height / own_height, width / own_width)
        return int(round(scale * own_height)), int(round(scale * own_width))
    return free_size("height", 1), free_size("width", 1)


def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    return _of_size(_image(image), target_height, target_width, "float32")


def resize_with_crop_or_pad(image, target_height, target_width):
    return _of_size(_image(image), target_height, target_width)


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    image = _image(image)
    require(offset_height >= 0, "the offset must not be negative")
    require(offset_width >= 0, "the offset must not be negative")
    require(target_height >= 1, "the target must not be empty")
    require(target_width >= 1, "the target must not be empty")
    require(offset_height + target_height <= image.shape[-3], "the box is higher than the image")
    require(offset_width + target_width <= image.shape[-2], "the box is wider than the image")
    return _of_size(image, target_height, target_width)


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    image = _image(image)
    require(offset_height >= 0, "the offset must not be negative")
    require(offset_width >= 0, "the offset must not be negative")
    require(offset_height + image.shape[-3] <= target_height, "the image is higher than the box")
    require(offset_width + image.shape[-2] <= target_width, "the image is wider than the box")
    return _of_size(image, target_height, target_width)


def central_crop(image, central_fraction):
    image = _image(image)
    return _of_size(image, _cropped(image.shape[-3], central_fraction), _cropped(image.shape[-2], central_fraction))


def _cropped(size, fraction):
    if is_known(size) and is_known(fraction):
        return size - 2 * int((size - size * fraction) / 2)
    return free_size("cropped", 0)


def random_crop(value, size, seed=None, name=None):
    value = as_tensor(value)
    if surely(isinstance(size, (list, tuple))):
        require(len(size) == len(value.shape), "there must be a size for each axis")
        for own, wanted in zip(value.shape, size):
            require(wanted <= own, "the crop is larger than the tensor")
        return made(tuple(own if wanted == -1 else wanted for own, wanted in zip(value.shape, size)), value.dtype)
    return made(None, value.dtype)


def stateless_random_crop(value, size, seed, name=None):
    return random_crop(value, size)


def transpose(image, name=None):
    image = _image(image)
    return _of_size(image, image.shape[-2], image.shape[-3])


def rot90(image, k=1, name=None):
    image = _image(image)
    height, width = image.shape[-3], image.shape[-2]
    if k % 2 == 1:
        return _of_size(image, width, height)
    return _of_size(image, height, width)


def rgb_to_grayscale(images, name=None):
    images = as_tensor(images)
    require(len(images.shape) >= 1, "an image has an axis of channels")
    require(images.shape[-1] == 3, "the image must have three channels")
    return made(images.shape[:-1] + (1,), images.dtype)


def grayscale_to_rgb(images, name=None):
    images = as_tensor(images)
    require(len(images.shape) >= 2, "a grayscale image has at least two axes")
    require(images.shape[-1] == 1, "a grayscale image has one channel")
    return made(images.shape[:-1] + (3,), images.dtype)


def extract_patches(images, sizes, strides, rates, padding, name=None):
    images = as_tensor(images)
    require(len(images.shape) == 4, "the images must have four axes")
    height = window_count(images.shape[1], sizes[1], strides[1], rates[1], padding, None)
    width = window_count(images.shape[2], sizes[2], strides[2], rates[2], padding, None)
    return made((images.shape[0], height, width, sizes[1] * sizes[2] * images.shape[3]), images.dtype)


def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None):
    image, boxes, box_indices = as_tensor(image), as_tensor(boxes), as_tensor(box_indices)
    require(len(image.shape) == 4, "the images must have four axes")
    require(len(boxes.shape) == 2, "the boxes must be a matrix")
    require(boxes.shape[1] == 4, "a box is four numbers")
    require(len(box_indices.shape) == 1, "there must be an index for each box")
    require(box_indices.shape[0] == boxes.shape[0], "there must be an index for each box")
    height, width = _sides(crop_size)
    return made((boxes.shape[0], height, width, image.shape[3]), "float32")


def _scored(boxes, scores):
    boxes, scores = as_tensor(boxes), as_tensor(scores)
    require(len(boxes.shape) == 2, "the boxes must be a matrix")
    require(boxes.shape[1] == 4, "a box is four numbers")
    require(len(scores.shape) == 1, "the scores must be a vector")
    require(scores.shape[0] == boxes.shape[0], "there must be a score for each box")


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), name=None):
    _scored(boxes, scores)
    return made((free_size("selected", 0),), "int32")


def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), soft_nms_sigma=0.0, name=None):
    _scored(boxes, scores)
    count = free_size("selected", 0)
    return made((count,), "int32"), made((count,), "float32")


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf"), name=None):
    return made((free_size("selected", 0),), "int32")


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), pad_to_max_output_size=False, name=None,
                               sorted_input=False, canonicalized_coordinates=False, tile_size=512):
    count = max_output_size if pad_to_max_output_size else free_size("selected", 0)
    batch = as_tensor(boxes).shape[:-2]
    return made(batch + (count,), "int32"), made(batch, "int32")


class CombinedNonMaxSuppression(NamedTuple):
    nmsed_boxes: object
    nmsed_scores: object
    nmsed_classes: object
    valid_detections: object


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5, score_threshold=float("-inf"),
                                 pad_per_class=False, clip_boxes=True, name=None):
    boxes, scores = as_tensor(boxes), as_tensor(scores)
    require(len(boxes.shape) == 4, "the boxes must have four axes")
    require(len(scores.shape) == 3, "the scores must have three axes")
    require(boxes.shape[0] == scores.shape[0], "boxes and scores must have the same batch")
    require(boxes.shape[1] == scores.shape[1], "there must be scores for each box")
    require(boxes.shape[2] == 1 or boxes.shape[2] == scores.shape[2], "there must be a box for each class, or one for all")
    require(boxes.shape[3] == 4, "a box is four numbers")
    batch, count = boxes.shape[0], max_total_size
    if pad_per_class:
        count = min(max_total_size, max_output_size_per_class * scores.shape[2])
    return CombinedNonMaxSuppression(
        made((batch, count, 4), "float32"), made((batch, count), "float32"), made((batch, count), "float32"), made((batch,), "int32"))


def draw_bounding_boxes(images, boxes, colors, name=None):
    images, boxes = as_tensor(images), as_tensor(boxes)
    require(len(images.shape) == 4, "the images must have four axes")
    require(len(boxes.shape) == 3, "the boxes must have three axes")
    require(boxes.shape[2] == 4, "a box is four numbers")
    return made(images.shape, images.dtype)


class SampleDistortedBoundingBoxV2(NamedTuple):
    begin: object
    size: object
    bboxes: object


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=0, min_object_covered=0.1, aspect_ratio_range=None, area_range=None,
                                  max_attempts=None, use_image_if_no_bounding_boxes=None, name=None):
    return SampleDistortedBoundingBoxV2(made((3,), "int32"), made((3,), "int32"), made((1, 1, 4), "float32"))


def stateless_sample_distorted_bounding_box(image_size, bounding_boxes, seed, min_object_covered=0.1, aspect_ratio_range=None, area_range=None,
                                            max_attempts=None, use_image_if_no_bounding_boxes=None, name=None):
    return sample_distorted_bounding_box(image_size, bounding_boxes)


def _compared(one, other):
    one, other = as_tensor(one), as_tensor(other)
    require(len(one.shape) >= 3, "an image has height, width and channels")
    require(len(other.shape) >= 3, "an image has height, width and channels")
    same_shape(one.shape[-3:], other.shape[-3:], "the images must have the same size and channels")
    return made(broadcast(one, other, 0.0).shape[:-3], "float32")


def psnr(a, b, max_val, name=None):
    return _compared(a, b)


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    result = _compared(img1, img2)
    image = as_tensor(img1)
    require(image.shape[-3] >= filter_size, "the image is not as high as the filter")
    require(image.shape[-2] >= filter_size, "the image is not as wide as the filter")
    if return_index_map:
        return made(result.shape + (image.shape[-3] - filter_size + 1, image.shape[-2] - filter_size + 1), "float32")
    return result


def ssim_multiscale(img1, img2, max_val, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    return _compared(img1, img2)


def sobel_edges(image):
    image = as_tensor(image)
    require(len(image.shape) == 4, "the images must have four axes")
    return made(image.shape + (2,), image.dtype)


def image_gradients(image):
    image = as_tensor(image)
    require(len(image.shape) == 4, "the images must have four axes")
    return made(image.shape, image.dtype), made(image.shape, image.dtype)


def total_variation(images, name=None):
    judge_ranked(as_tensor(images), "the pictures")
    images = _image(images)
    return made(images.shape[:-3], images.dtype)
