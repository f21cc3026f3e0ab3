# OpenCV draws into the picture that it is given, and gives it back; and it shows pictures in windows.
import numpy as np
import harp_library as _harp


def _drawn(img, *arguments, **options):
    return img


rectangle = circle = line = arrowedLine = ellipse = polylines = fillPoly = fillConvexPoly = putText = drawMarker = _drawn


def drawContours(image, contours, contourIdx, color, *arguments, **options):
    return image


def drawKeypoints(image, keypoints, outImage, color=None, flags=0):
    if isinstance(image, np.ndarray) and image.ndim in (2, 3):
        return _harp.array((image.shape[0], image.shape[1], 3), np.uint8)
    return _harp.array(None, np.uint8)


def drawMatches(*arguments, **options):
    return _harp.array((_harp.free_size("height", 1), _harp.free_size("width", 1), 3), np.uint8)


drawMatchesKnn = drawMatches


def drawFrameAxes(image, *arguments, **options):
    return image


def getTextSize(text, fontFace, fontScale, thickness):
    return (_harp.free_size("width", 0), _harp.free_size("height", 0)), _harp.free_size("baseline", 0)


def _shown(*arguments, **options):
    return None


namedWindow = destroyAllWindows = destroyWindow = moveWindow = resizeWindow = setWindowTitle = setWindowProperty = _shown
setMouseCallback = createTrackbar = setTrackbarPos = setTrackbarMin = setTrackbarMax = setNumThreads = setUseOptimized = setRNGSeed = _shown


def _key(*arguments, **options):
    return _harp.outside("a key")


waitKey = waitKeyEx = pollKey = getTrackbarPos = getWindowProperty = getWindowImageRect = _key


def selectROI(*arguments, **options):
    return tuple([_harp.free_size("place", 0) for place in range(4)])


def _of_system(*arguments, **options):
    return _harp.outside("the system")


getTickCount = getTickFrequency = getBuildInformation = getNumThreads = getNumberOfCPUs = useOptimized = haveImageReader = _of_system
getVersionString = checkHardwareSupport = cubeRoot = fastAtan2 = _of_system

__version__ = "4.10.0"
