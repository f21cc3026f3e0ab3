# `sklearn.feature_extraction.image`: parts of pictures.
import numpy as np
import harp_library as _harp


def extract_patches_2d(image, patch_size, *, max_patches=None, random_state=None):
    height, width = patch_size
    if not isinstance(image, np.ndarray) or image.ndim not in (2, 3):
        return _harp.array(None)
    if max_patches is None:
        count = (image.shape[0] - height + 1) * (image.shape[1] - width + 1)
    else:
        count = _harp.free_size("patches", 1)
    return _harp.array((count, height, width) + tuple(image.shape[2:]), image.dtype)


def reconstruct_from_patches_2d(patches, image_size):
    return _harp.array(tuple(image_size))


def img_to_graph(img, **options):
    return _harp.outside("a graph of pixels")


grid_to_graph = img_to_graph
