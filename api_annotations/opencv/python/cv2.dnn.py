# `cv2.dnn`: networks that OpenCV runs.
import numpy as np
import harp_library as _harp

DNN_BACKEND_DEFAULT = 0
DNN_BACKEND_OPENCV = 3
DNN_BACKEND_CUDA = 5
DNN_TARGET_CPU = 0
DNN_TARGET_OPENCL = 1
DNN_TARGET_OPENCL_FP16 = 2
DNN_TARGET_CUDA = 6
DNN_TARGET_CUDA_FP16 = 7


def _known(*arguments, **options):
    return _harp.outside("a network")


class Net:
    def forward(self, *arguments, **options):
        return _harp.outside("what a network gives")

    def __getattr__(self, name):
        return _known


def readNet(*arguments, **options):
    return Net()


readNetFromDarknet = readNetFromCaffe = readNetFromONNX = readNetFromTensorflow = readNetFromTorch = readNetFromModelOptimizer = readNet


def blobFromImage(image, scalefactor=1.0, size=(0, 0), mean=None, swapRB=False, crop=False, ddepth=5):
    if not isinstance(image, np.ndarray) or image.ndim not in (2, 3):
        return _harp.array(None, np.float32)
    channels = 1 if image.ndim == 2 else image.shape[2]
    if not isinstance(size, (tuple, list)) or not _harp.is_known(size[0]):
        return _harp.array((1, channels, _harp.free_size("height", 1), _harp.free_size("width", 1)), np.float32)
    if size[0] == 0:
        return _harp.array((1, channels, image.shape[0], image.shape[1]), np.float32)
    return _harp.array((1, channels, size[1], size[0]), np.float32)


def blobFromImages(images, *arguments, **options):
    return _harp.array((len(images), _harp.free_size("channels", 1), _harp.free_size("height", 1), _harp.free_size("width", 1)), np.float32)


def NMSBoxes(bboxes, scores, score_threshold, nms_threshold, eta=1.0, top_k=0):
    return _harp.array((_harp.free_size("boxes", 0),), np.int32)
