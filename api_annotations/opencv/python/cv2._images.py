# OpenCV's filters and changes of size. What has one channel comes back with two dimensions.
import numpy as np
import harp_library as _harp
from cv2._colors import conversion as _conversion

_TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.int32, np.float32, np.float64, np.float16)


def picture(height, width, channels, dtype):
    """A picture: where nobody knows whether it has one channel, nobody knows how many dimensions it has."""
    if not _harp.is_known(channels):
        return _harp.array(None, dtype)
    return _harp.array((height, width) if channels == 1 else (height, width, channels), dtype)


def of(src, dtype=None, height=None, width=None):
    """A picture like another, with another type or size."""
    if not isinstance(src, np.ndarray):
        return _harp.array(None, dtype)
    dtype = src.dtype if dtype is None else dtype
    if src.ndim == 2:
        return _harp.array((src.shape[0] if height is None else height, src.shape[1] if width is None else width), dtype)
    if src.ndim == 3:
        return picture(src.shape[0] if height is None else height, src.shape[1] if width is None else width, src.shape[2], dtype)
    return _harp.array(None, dtype)


def of_depth(src, ddepth):
    if _harp.is_known(ddepth) and isinstance(ddepth, int):
        return of(src) if ddepth < 0 else of(src, _TYPES[ddepth & 7])
    return _harp.array(None if not isinstance(src, np.ndarray) else of(src).shape)


def plane(src, dtype=None):
    """One channel of a picture."""
    if isinstance(src, np.ndarray) and (src.ndim == 2 or src.ndim == 3):
        return _harp.array(src.shape[:2], src.dtype if dtype is None else dtype)
    return _harp.array(None, dtype)


def GaussianBlur(src, ksize, sigmaX, dst=None, sigmaY=0, borderType=4, **options):
    return of(src)


def blur(src, ksize, dst=None, anchor=None, borderType=4):
    return of(src)


def medianBlur(src, ksize, dst=None):
    return of(src)


def bilateralFilter(src, d, sigmaColor, sigmaSpace, dst=None, borderType=4):
    return of(src)


def boxFilter(src, ddepth, ksize, dst=None, anchor=None, normalize=True, borderType=4):
    return of_depth(src, ddepth)


def sqrBoxFilter(src, ddepth, ksize, dst=None, anchor=None, normalize=True, borderType=4):
    return of_depth(src, ddepth)


def filter2D(src, ddepth, kernel, dst=None, anchor=None, delta=0, borderType=4):
    return of_depth(src, ddepth)


def sepFilter2D(src, ddepth, kernelX, kernelY, dst=None, anchor=None, delta=0, borderType=4):
    return of_depth(src, ddepth)


def Laplacian(src, ddepth, dst=None, ksize=1, scale=1, delta=0, borderType=4):
    return of_depth(src, ddepth)


def Sobel(src, ddepth, dx, dy, dst=None, ksize=3, scale=1, delta=0, borderType=4):
    return of_depth(src, ddepth)


def Scharr(src, ddepth, dx, dy, dst=None, scale=1, delta=0, borderType=4):
    return of_depth(src, ddepth)


def erode(src, kernel, dst=None, anchor=None, iterations=1, borderType=0, borderValue=None):
    return of(src)


def dilate(src, kernel, dst=None, anchor=None, iterations=1, borderType=0, borderValue=None):
    return of(src)


def morphologyEx(src, op, kernel, dst=None, anchor=None, iterations=1, borderType=0, borderValue=None):
    return of(src)


def fastNlMeansDenoising(src, *arguments, **options):
    return of(src)


def fastNlMeansDenoisingColored(src, *arguments, **options):
    return of(src)


def detailEnhance(src, dst=None, sigma_s=10, sigma_r=0.15):
    return of(src)


def edgePreservingFilter(src, dst=None, flags=1, sigma_s=60, sigma_r=0.4):
    return of(src)


def stylization(src, dst=None, sigma_s=60, sigma_r=0.45):
    return of(src)


def flip(src, flipCode, dst=None):
    return of(src)


def equalizeHist(src, dst=None):
    return of(src)


def bitwise_not(src, dst=None, mask=None):
    return of(src)


def inpaint(src, inpaintMask, inpaintRadius, flags, dst=None):
    return of(src)


def undistort(src, cameraMatrix, distCoeffs, dst=None, newCameraMatrix=None):
    return of(src)


def convertScaleAbs(src, dst=None, alpha=1, beta=0):
    return of(src, np.uint8)


def LUT(src, lut, dst=None):
    return of(src, lut.dtype if isinstance(lut, np.ndarray) else None)


def normalize(src, dst=None, alpha=1, beta=0, norm_type=4, dtype=-1, mask=None):
    return of_depth(src, dtype)


def applyColorMap(src, colormap, dst=None):
    if isinstance(src, np.ndarray) and (src.ndim == 2 or src.ndim == 3):
        return _harp.array((src.shape[0], src.shape[1], 3), np.uint8)
    return _harp.array(None, np.uint8)


def adaptiveThreshold(src, maxValue, adaptiveMethod, thresholdType, blockSize, C, dst=None):
    return plane(src, np.uint8)


def threshold(src, thresh, maxval, type, dst=None):
    return float(_harp.outside("a threshold")), of(src)


def Canny(image, threshold1=None, threshold2=None, edges=None, apertureSize=3, L2gradient=False, **options):
    return plane(image, np.uint8)


def cornerHarris(src, blockSize, ksize, k, dst=None, borderType=4):
    return plane(src, np.float32)


def distanceTransform(src, distanceType, maskSize, dst=None, dstType=5):
    return plane(src, np.float32 if dstType == 5 else np.uint8)


def integral(src, sum=None, sdepth=-1):
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return _harp.array(None)
    return _harp.array(of(src, None, src.shape[0] + 1, src.shape[1] + 1).shape)


def pyrDown(src, dst=None, dstsize=None, borderType=4):
    if dstsize is not None:
        return of(src, None, dstsize[1], dstsize[0])
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    return of(src, None, (src.shape[0] + 1) // 2, (src.shape[1] + 1) // 2)


def pyrUp(src, dst=None, dstsize=None, borderType=4):
    if dstsize is not None:
        return of(src, None, dstsize[1], dstsize[0])
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    return of(src, None, src.shape[0] * 2, src.shape[1] * 2)


def _sized(src, dsize, dtype=None):
    """A picture of the size `(width, height)`."""
    if isinstance(dsize, (tuple, list)) and len(dsize) == 2:
        return of(src, dtype, dsize[1], dsize[0])
    if isinstance(dsize, np.ndarray):
        return of(src, dtype, _harp.free_size("height", 1), _harp.free_size("width", 1))
    if dsize is None:
        return of(src, dtype)
    return of(src, dtype, _harp.free_size("height", 1), _harp.free_size("width", 1))


def _is_empty(dsize):
    if dsize is None:
        return True
    return isinstance(dsize, (tuple, list)) and len(dsize) == 2 and _harp.is_known(dsize[0]) and dsize[0] == 0


def resize(src, dsize=None, dst=None, fx=0, fy=0, interpolation=1):
    if not _is_empty(dsize):
        return _sized(src, dsize)
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    if not (_harp.is_known(fx) and _harp.is_known(fy)):
        return of(src, None, _harp.free_size("height", 1), _harp.free_size("width", 1))
    return of(src, None, round(src.shape[0] * fy), round(src.shape[1] * fx))


def warpAffine(src, M, dsize, dst=None, flags=1, borderMode=0, borderValue=None):
    return of(src) if _is_empty(dsize) else _sized(src, dsize)


def warpPerspective(src, M, dsize, dst=None, flags=1, borderMode=0, borderValue=None):
    return of(src) if _is_empty(dsize) else _sized(src, dsize)


def warpPolar(src, dsize, center, maxRadius, flags, dst=None):
    return _sized(src, dsize) if _harp.is_known(dsize[0]) and dsize[0] > 0 else of(src, None, _harp.free_size("height", 1), _harp.free_size("width", 1))


def linearPolar(src, center, maxRadius, flags, dst=None):
    return of(src)


logPolar = linearPolar


def remap(src, map1, map2, interpolation, dst=None, borderMode=0, borderValue=None, **options):
    if isinstance(map1, np.ndarray) and map1.ndim >= 2:
        return of(src, None, map1.shape[0], map1.shape[1])
    return of(src, None, _harp.free_size("height", 1), _harp.free_size("width", 1))


def getRectSubPix(image, patchSize, center, patch=None, patchType=-1):
    return _sized(image, patchSize) if patchType == -1 else _harp.array(_sized(image, patchSize).shape)


def copyMakeBorder(src, top, bottom, left, right, borderType, dst=None, value=None):
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    return of(src, None, src.shape[0] + top + bottom, src.shape[1] + left + right)


def rotate(src, rotateCode, dst=None):
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    if not _harp.is_known(rotateCode):
        return of(src, None, _harp.free_size("height", 1), _harp.free_size("width", 1))
    return of(src) if rotateCode == 1 else of(src, None, src.shape[1], src.shape[0])


def transpose(src, dst=None):
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    return of(src, None, src.shape[1], src.shape[0])


def repeat(src, ny, nx, dst=None):
    if not isinstance(src, np.ndarray) or src.ndim not in (2, 3):
        return of(src)
    return of(src, None, src.shape[0] * ny, src.shape[1] * nx)


def cvtColor(src, code, dst=None, dstCn=0, **options):
    known = _conversion(code)
    if known is None or not isinstance(src, np.ndarray):
        return _harp.array(None, src.dtype if isinstance(src, np.ndarray) else None)
    takes, gives, height = known
    dtype = src.dtype
    if not _harp.is_known(src.ndim) or src.ndim not in (2, 3):
        rows, columns = _harp.free_size("height", 1), _harp.free_size("width", 1)
        return _harp.array((rows, columns) if gives == 1 else (rows, columns, gives), dtype)
    channels = 1 if src.ndim == 2 else src.shape[2]
    if _harp.is_known(channels):
        _harp.require(channels in takes, "the conversion of colours does not take a picture of so many channels")
    rows = src.shape[0]
    if height == "more":
        rows = rows * 3 // 2
    elif height == "less":
        rows = rows * 2 // 3
    return _harp.array((rows, src.shape[1]) if gives == 1 else (rows, src.shape[1], gives), dtype)


def _of_two(src1, src2, dst=None, mask=None, dtype=-1, **options):
    # Arrays of one shape, or an array and a number or four numbers for its channels.
    if isinstance(src1, np.ndarray) and isinstance(src2, np.ndarray) and src1.ndim > 1 and src2.ndim > 1:
        if src1.ndim == src2.ndim:
            _harp.judge(src1.shape[0] == src2.shape[0] and src1.shape[1] == src2.shape[1], "the pictures must have the same size")
        return of(src1) if dtype == -1 else of_depth(src1, dtype)
    if isinstance(src1, np.ndarray) and src1.ndim > 1 and not isinstance(src2, np.ndarray):
        return of(src1) if dtype == -1 else of_depth(src1, dtype)
    return _harp.array(None)


def add(src1, src2, dst=None, mask=None, dtype=-1):
    return _of_two(src1, src2, dst, mask, dtype)


def subtract(src1, src2, dst=None, mask=None, dtype=-1):
    return _of_two(src1, src2, dst, mask, dtype)


def multiply(src1, src2, dst=None, scale=1, dtype=-1):
    return _of_two(src1, src2, dst, None, dtype)


def divide(src1, src2, dst=None, scale=1, dtype=-1):
    return _of_two(src1, src2, dst, None, dtype)


def absdiff(src1, src2, dst=None):
    return _of_two(src1, src2)


def bitwise_and(src1, src2, dst=None, mask=None):
    return _of_two(src1, src2)


bitwise_or = bitwise_xor = bitwise_and


def max(src1, src2, dst=None):
    return _of_two(src1, src2)


min = max


def addWeighted(src1, alpha, src2, beta, gamma, dst=None, dtype=-1):
    return _of_two(src1, src2, dst, None, dtype)


def scaleAdd(src1, alpha, src2, dst=None):
    return _of_two(src1, src2)


def compare(src1, src2, cmpop, dst=None):
    result = _of_two(src1, src2)
    return _harp.array(result.shape, np.uint8)


def inRange(src, lowerb, upperb, dst=None):
    return plane(src, np.uint8)


def split(m, mv=None):
    if isinstance(m, np.ndarray) and m.ndim == 3 and _harp.is_known(m.shape[2]):
        return tuple([plane(m) for channel in range(m.shape[2])])
    if isinstance(m, np.ndarray) and m.ndim == 2:
        return (plane(m),)
    return _harp.some_of([plane(m)])


def merge(mv, dst=None):
    if isinstance(mv, (list, tuple)) and len(mv) > 0 and isinstance(mv[0], np.ndarray) and mv[0].ndim == 2:
        count = len(mv)
        return picture(mv[0].shape[0], mv[0].shape[1], count, mv[0].dtype)
    return _harp.array(None)


def extractChannel(src, coi, dst=None):
    return plane(src)


def hconcat(src, dst=None):
    if isinstance(src, (list, tuple)) and len(src) > 0 and isinstance(src[0], np.ndarray) and src[0].ndim in (2, 3):
        return of(src[0], None, None, sum(one.shape[1] for one in src))
    return _harp.array(None)


def vconcat(src, dst=None):
    if isinstance(src, (list, tuple)) and len(src) > 0 and isinstance(src[0], np.ndarray) and src[0].ndim in (2, 3):
        return of(src[0], None, sum(one.shape[0] for one in src))
    return _harp.array(None)


def seamlessClone(src, dst, mask, p, flags, blend=None):
    return of(dst)


def matchTemplate(image, templ, method, result=None, mask=None):
    if isinstance(image, np.ndarray) and isinstance(templ, np.ndarray) and image.ndim in (2, 3) and templ.ndim in (2, 3):
        return _harp.array((image.shape[0] - templ.shape[0] + 1, image.shape[1] - templ.shape[1] + 1), np.float32)
    return _harp.array(None, np.float32)


def phase(x, y, angle=None, angleInDegrees=False):
    return of(x)


def magnitude(x, y, magnitude=None):
    return of(x)


def cartToPolar(x, y, magnitude=None, angle=None, angleInDegrees=False):
    return of(x), of(x)


polarToCart = cartToPolar


def pow(src, power, dst=None):
    return of(src)


def sqrt(src, dst=None):
    return of(src)


exp = log = sqrt


def idft(src, dst=None, flags=0, nonzeroRows=0):
    return _harp.array(None, src.dtype if isinstance(src, np.ndarray) else None)


dft = idft


def dct(src, dst=None, flags=0):
    return of(src)


idct = dct


def calcOpticalFlowFarneback(prev, next, flow, pyr_scale, levels, winsize, iterations, poly_n, poly_sigma, flags):
    if isinstance(prev, np.ndarray) and prev.ndim in (2, 3):
        return _harp.array((prev.shape[0], prev.shape[1], 2), np.float32)
    return _harp.array(None, np.float32)


def imdecode(buf, flags, dst=None):
    if not _harp.is_known(flags) or flags not in (0, 1):
        return _harp.array(None, np.uint8)
    height, width = _harp.free_size("height", 1), _harp.free_size("width", 1)
    return _harp.array((height, width) if flags == 0 else (height, width, 3), np.uint8)


def imencode(ext, img, params=None):
    return bool(_harp.outside("whether the picture could be written")), _harp.array((_harp.free_size("bytes", 1),), np.uint8)
