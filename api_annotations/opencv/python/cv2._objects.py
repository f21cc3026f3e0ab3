# OpenCV's objects: videos, detectors, matchers.
import numpy as np
import harp_library as _harp


def _frame():
    return _harp.array((_harp.free_size("height", 1), _harp.free_size("width", 1), 3), np.uint8)


def _known(*arguments, **options):
    return _harp.outside("an object of OpenCV")


class VideoCapture:
    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, *arguments, **options):
        pass

    def read(self, image=None):
        return bool(_harp.outside("whether there is a frame")), _frame()

    retrieve = read

    def isOpened(self):
        return bool(_harp.outside("whether the video is open"))

    grab = set = open = isOpened

    def open(self, *arguments, **options):
        return bool(_harp.outside("whether the video is open"))

    def set(self, propId, value):
        return bool(_harp.outside("whether it could be set"))

    def get(self, propId):
        return float(_harp.outside("a property of a video"))

    def release(self):
        return None

    def getBackendName(self):
        return str(_harp.outside("a backend"))


class VideoWriter:
    def __init__(self, *arguments, **options):
        pass

    def write(self, image):
        return None

    def release(self):
        return None

    def isOpened(self):
        return bool(_harp.outside("whether the video is open"))

    @staticmethod
    def fourcc(c1, c2, c3, c4):
        return _harp.outside("a code")

    def __getattr__(self, name):
        return _known


def VideoWriter_fourcc(*letters):
    return _harp.outside("a code")


class CascadeClassifier:
    def __init__(self, filename=None):
        pass

    def detectMultiScale(self, image, *arguments, **options):
        return _harp.array((_harp.free_size("objects", 0), 4), np.int32)

    def load(self, filename):
        return bool(_harp.outside("whether it could be loaded"))

    def empty(self):
        return bool(_harp.outside("whether it could be loaded"))

    def __getattr__(self, name):
        return _known


class CLAHE:
    def apply(self, src, dst=None):
        return _harp.array(src.shape, src.dtype) if isinstance(src, np.ndarray) and src.ndim == 2 else _harp.array(None)

    def __getattr__(self, name):
        return _known


def createCLAHE(clipLimit=40.0, tileGridSize=(8, 8)):
    return CLAHE()


class KeyPoint:
    def __init__(self, x=0.0, y=0.0, size=1.0, angle=-1, response=0, octave=0, class_id=-1):
        self.pt = (_harp.outside("a place"), _harp.outside("a place"))
        self.size, self.angle, self.response, self.octave, self.class_id = size, angle, response, octave, class_id


class DMatch:
    def __init__(self, *arguments):
        self.queryIdx, self.trainIdx, self.imgIdx = [_harp.free_size("index", 0) for place in range(3)]
        self.distance = _harp.outside("a distance")


class _Features:
    def __init__(self, width, dtype):
        self._width, self._dtype = width, dtype

    def detect(self, image, mask=None):
        return _harp.some_of([KeyPoint()])

    def compute(self, image, keypoints, descriptors=None):
        return keypoints, self._descriptors()

    def detectAndCompute(self, image, mask, descriptors=None, useProvidedKeypoints=False):
        return _harp.some_of([KeyPoint()]), self._descriptors()

    def _descriptors(self):
        return _harp.array((_harp.free_size("keypoints", 0), _harp.free_size("width", 1) if self._width is None else self._width), self._dtype)

    def __getattr__(self, name):
        return _known


def _features_of(*arguments, **options):
    return _Features(None, None)


def SIFT_create(*arguments, **options):
    return _Features(128, np.float32)


def ORB_create(*arguments, **options):
    return _Features(32, np.uint8)


AKAZE_create = KAZE_create = BRISK_create = FastFeatureDetector_create = MSER_create = SimpleBlobDetector_create = _features_of
GFTTDetector_create = AgastFeatureDetector_create = _features_of


class _Matcher:
    def __init__(self, *arguments, **options):
        pass

    def match(self, queryDescriptors, trainDescriptors=None, mask=None):
        return _harp.some_of([DMatch()])

    def knnMatch(self, queryDescriptors, trainDescriptors=None, k=2, mask=None, compactResult=False):
        return _harp.some_of([tuple([DMatch() for place in range(k)])])

    def __getattr__(self, name):
        return _known


class BFMatcher(_Matcher):
    pass


class FlannBasedMatcher(_Matcher):
    pass


def _matcher(*arguments, **options):
    return _Matcher()


BFMatcher_create = FlannBasedMatcher_create = DescriptorMatcher_create = _matcher


class _Subtractor:
    def apply(self, image, fgmask=None, learningRate=-1):
        if isinstance(image, np.ndarray) and image.ndim in (2, 3):
            return _harp.array(image.shape[:2], np.uint8)
        return _harp.array(None, np.uint8)

    def getBackgroundImage(self, backgroundImage=None):
        return _harp.array(None, np.uint8)

    def __getattr__(self, name):
        return _known


def createBackgroundSubtractorMOG2(*arguments, **options):
    return _Subtractor()


createBackgroundSubtractorKNN = createBackgroundSubtractorMOG2


class _Object:
    """An object of which nothing but plain data comes."""

    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return _known


HOGDescriptor = QRCodeDetector = TrackerCSRT_create = TrackerKCF_create = TrackerMIL_create = TrackerGOTURN_create = KalmanFilter = _Object
FileStorage = TickMeter = FileNode = Subdiv2D = Stitcher_create = createStitcher = FaceDetectorYN_create = FaceRecognizerSF_create = _Object


class error(Exception):
    pass
