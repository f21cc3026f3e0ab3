# OpenCV's transformations of points, and what it finds out about cameras.
import numpy as np
import harp_library as _harp


def _matrix(rows, columns):
    return _harp.array((rows, columns), np.float64)


def _found():
    return bool(_harp.outside("whether it was found"))


def getRotationMatrix2D(center, angle, scale):
    return _matrix(2, 3)


def getAffineTransform(src, dst):
    return _matrix(2, 3)


def invertAffineTransform(M, iM=None):
    return _harp.array((2, 3))


def getPerspectiveTransform(src, dst, solveMethod=0):
    return _matrix(3, 3)


def _and_inliers(matrix, points):
    count = points.shape[0] if isinstance(points, np.ndarray) and points.ndim > 0 else _harp.free_size("points", 0)
    return matrix, _harp.array((count, 1), np.uint8)


def findHomography(srcPoints, dstPoints, method=0, ransacReprojThreshold=3, mask=None, maxIters=2000, confidence=0.995):
    return _and_inliers(_matrix(3, 3), srcPoints)


def findFundamentalMat(points1, points2, *arguments, **options):
    return _harp.array(None, np.float64), _harp.array(None, np.uint8)


findEssentialMat = findFundamentalMat


def estimateAffine2D(from_, to, inliers=None, *arguments, **options):
    return _and_inliers(_matrix(2, 3), from_)


estimateAffinePartial2D = estimateAffine2D


def perspectiveTransform(src, m, dst=None):
    return _harp.array(src.shape, src.dtype) if isinstance(src, np.ndarray) and src.ndim == 3 else _harp.array(None)


def transform(src, m, dst=None):
    if isinstance(src, np.ndarray) and src.ndim == 3 and isinstance(m, np.ndarray) and m.ndim == 2 and _harp.is_known(m.shape[0]):
        rows = m.shape[0]
        return _harp.array(src.shape[:2] if rows == 1 else src.shape[:2] + (rows,), src.dtype)
    return _harp.array(None)


def convertPointsToHomogeneous(src, dst=None):
    return _harp.array(None)


convertPointsFromHomogeneous = convertPointsToHomogeneous


def invert(src, dst=None, flags=0):
    result = _harp.array((src.shape[1], src.shape[0]), src.dtype) if isinstance(src, np.ndarray) and src.ndim == 2 else _harp.array(None)
    return float(_harp.outside("a number of a matrix")), result


def Rodrigues(src, dst=None, jacobian=None):
    if isinstance(src, np.ndarray) and src.ndim == 2 and _harp.is_known(src.shape[0]) and src.shape[0] == 3:
        return _harp.array((3, 1)), _harp.array((3, 9))
    if isinstance(src, np.ndarray) and src.ndim == 1:
        return _harp.array((3, 3)), _harp.array((9, 3))
    return _harp.array(None), _harp.array(None)


def solvePnP(objectPoints, imagePoints, cameraMatrix, distCoeffs, rvec=None, tvec=None, *arguments, **options):
    return _found(), _matrix(3, 1), _matrix(3, 1)


def solvePnPRansac(objectPoints, imagePoints, cameraMatrix, distCoeffs, rvec=None, tvec=None, *arguments, **options):
    return _found(), _matrix(3, 1), _matrix(3, 1), _harp.array((_harp.free_size("inliers", 0), 1), np.int32)


def projectPoints(objectPoints, rvec, tvec, cameraMatrix, distCoeffs, imagePoints=None, jacobian=None, aspectRatio=0):
    count = objectPoints.shape[0] if isinstance(objectPoints, np.ndarray) and objectPoints.ndim > 1 else _harp.free_size("points", 1)
    return _harp.array((count, 1, 2)), _harp.array(None, np.float64)


def undistortPoints(src, cameraMatrix, distCoeffs, dst=None, R=None, P=None, *arguments):
    return _harp.array(None)


def triangulatePoints(projMatr1, projMatr2, projPoints1, projPoints2, points4D=None):
    return _harp.array((4, _harp.free_size("points", 0)))


def getOptimalNewCameraMatrix(cameraMatrix, distCoeffs, imageSize, alpha, newImgSize=None, centerPrincipalPoint=False):
    return _matrix(3, 3), tuple([_harp.free_size("place", 0) for place in range(4)])


def initUndistortRectifyMap(cameraMatrix, distCoeffs, R, newCameraMatrix, size, m1type, map1=None, map2=None):
    return _harp.array(None), _harp.array(None)


def findChessboardCorners(image, patternSize, corners=None, flags=3):
    return _found(), _harp.array(None, np.float32)


def calibrateCamera(objectPoints, imagePoints, imageSize, cameraMatrix, distCoeffs, *arguments, **options):
    vectors = _harp.some_of([_matrix(3, 1)])
    return float(_harp.outside("an error")), _matrix(3, 3), _harp.array(None, np.float64), vectors, vectors


def decomposeProjectionMatrix(projMatrix, *arguments, **options):
    return (_matrix(3, 3), _matrix(3, 3), _matrix(4, 1), _matrix(3, 3), _matrix(3, 3), _matrix(3, 3), _matrix(3, 1))


def RQDecomp3x3(src, *arguments, **options):
    return tuple([_harp.outside("an angle") for axis in range(3)]), _matrix(3, 3), _matrix(3, 3), _matrix(3, 3), _matrix(3, 3), _matrix(3, 3)
