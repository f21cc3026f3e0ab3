# OpenCV's shapes within pictures: contours, boxes, labels, and sums over pictures. How many there are, the picture tells.
import numpy as np
import harp_library as _harp
from cv2._images import plane as _plane


def _number():
    return _harp.outside("a number of a picture")


def _count(name, least=0):
    return _harp.free_size(name, least)


def findContours(image, mode, method, contours=None, hierarchy=None, offset=None):
    count = _count("contours")
    return _harp.some_of([_harp.array((_count("points", 1), 1, 2), np.int32)]), _harp.array((1, count, 4), np.int32)


def boundingRect(array):
    return tuple([_count("place") for place in range(4)])


def contourArea(contour, oriented=False):
    return float(_number())


def arcLength(curve, closed):
    return float(_number())


def isContourConvex(contour):
    return bool(_number())


def pointPolygonTest(contour, pt, measureDist):
    return float(_number())


def matchShapes(contour1, contour2, method, parameter):
    return float(_number())


def approxPolyDP(curve, epsilon, closed, approxCurve=None):
    return _harp.array((_count("points", 1), 1, 2), curve.dtype if isinstance(curve, np.ndarray) else None)


def convexHull(points, hull=None, clockwise=False, returnPoints=True):
    if not _harp.is_known(returnPoints):
        return _harp.array(None)
    count = _count("points", 1)
    return _harp.array((count, 1, 2), points.dtype if isinstance(points, np.ndarray) else None) if returnPoints else _harp.array((count, 1), np.int32)


def convexityDefects(contour, convexhull, convexityDefects=None):
    return _harp.array((_count("defects"), 1, 4), np.int32)


def minAreaRect(points):
    return (_number(), _number()), (_number(), _number()), _number()


fitEllipse = fitEllipseAMS = fitEllipseDirect = minAreaRect


def minEnclosingCircle(points):
    return (_number(), _number()), _number()


def boxPoints(box, points=None):
    return _harp.array((4, 2), np.float32)


def fitLine(points, distType, param, reps, aeps, line=None):
    return _harp.array(None, np.float32)


def moments(array, binaryImage=False):
    return _harp.outside("moments of a picture")


def HuMoments(m, hu=None):
    return _harp.array((7, 1), np.float64)


def connectedComponents(image, labels=None, connectivity=8, ltype=4):
    return _count("labels", 1), _plane(image, np.int32 if ltype == 4 else np.uint16)


def connectedComponentsWithStats(image, labels=None, stats=None, centroids=None, connectivity=8, ltype=4):
    count = _count("labels", 1)
    return count, _plane(image, np.int32 if ltype == 4 else np.uint16), _harp.array((count, 5), np.int32), _harp.array((count, 2), np.float64)


def watershed(image, markers):
    return markers


def grabCut(img, mask, rect, bgdModel, fgdModel, iterCount, mode=0):
    return mask, bgdModel, fgdModel


def floodFill(image, mask, seedPoint, newVal, loDiff=None, upDiff=None, flags=4):
    return _count("filled"), image, mask, tuple([_count("place") for place in range(4)])


def kmeans(data, K, bestLabels, criteria, attempts, flags, centers=None):
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return float(_number()), _harp.array((data.shape[0], 1), np.int32), _harp.array((K, data.shape[1]), np.float32)
    return float(_number()), _harp.array(None, np.int32), _harp.array(None, np.float32)


def goodFeaturesToTrack(image, maxCorners, qualityLevel, minDistance, corners=None, *arguments, **options):
    return _harp.array((_count("corners"), 1, 2), np.float32)


def cornerSubPix(image, corners, winSize, zeroZone, criteria):
    return corners


def calcOpticalFlowPyrLK(prevImg, nextImg, prevPts, nextPts, status=None, err=None, *arguments, **options):
    points = prevPts.shape if isinstance(prevPts, np.ndarray) else None
    return _harp.array(points, np.float32), _harp.array(None, np.uint8), _harp.array(None, np.float32)


def HoughLines(image, rho, theta, threshold, lines=None, *arguments, **options):
    return _harp.array((_count("lines"), 1, 2), np.float32)


def HoughLinesP(image, rho, theta, threshold, lines=None, minLineLength=0, maxLineGap=0):
    return _harp.array((_count("lines"), 1, 4), np.int32)


def HoughCircles(image, method, dp, minDist, circles=None, *arguments, **options):
    return _harp.array((1, _count("circles"), 3), np.float32)


def calcHist(images, channels, mask, histSize, ranges, hist=None, accumulate=False):
    if isinstance(histSize, (list, tuple)) and len(histSize) == 1:
        return _harp.array((histSize[0], 1), np.float32)
    return _harp.array(tuple(histSize), np.float32) if isinstance(histSize, (list, tuple)) else _harp.array(None, np.float32)


def calcBackProject(images, channels, hist, ranges, scale, dst=None):
    return _plane(images[0]) if isinstance(images, (list, tuple)) else _harp.array(None)


def compareHist(H1, H2, method):
    return float(_number())


def mean(src, mask=None):
    return tuple([_number() for channel in range(4)])


sumElems = mean


def meanStdDev(src, mean=None, stddev=None, mask=None):
    if isinstance(src, np.ndarray) and src.ndim in (2, 3):
        channels = 1 if src.ndim == 2 else src.shape[2]
        return _harp.array((channels, 1), np.float64), _harp.array((channels, 1), np.float64)
    return _harp.array(None, np.float64), _harp.array(None, np.float64)


def minMaxLoc(src, mask=None):
    return _number(), _number(), (_count("place"), _count("place")), (_count("place"), _count("place"))


def countNonZero(src):
    return _count("pixels")


def findNonZero(src, idx=None):
    return _harp.array((_count("pixels"), 1, 2), np.int32)


def norm(*arguments, **options):
    return float(_number())


PSNR = norm


def getStructuringElement(shape, ksize, anchor=None):
    return _harp.array((ksize[1], ksize[0]), np.uint8) if isinstance(ksize, (list, tuple)) else _harp.array((_count("height"), _count("width")), np.uint8)


def getGaussianKernel(ksize, sigma, ktype=6):
    return _harp.array((ksize, 1), np.float64 if ktype == 6 else np.float32)


def getGaborKernel(ksize, sigma, theta, lambd, gamma, psi=None, ktype=6):
    return _harp.array((ksize[1], ksize[0]), np.float64 if ktype == 6 else np.float32)


def groupRectangles(rectList, groupThreshold, eps=0.2):
    return _harp.array((_count("boxes"), 4), np.int32), _harp.array((_count("boxes"),), np.int32)
