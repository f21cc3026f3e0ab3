# `albumentations`: transforms of pictures `[height, width, channels]`, with their masks. Boxes and points are handed on, as many as remain.
import numpy as np
import torch
import harp_library as _harp


def _of_size(picture, height, width):
    if isinstance(picture, np.ndarray) and _harp.is_known(picture.ndim) and picture.ndim >= 2:
        return _harp.array((height, width) + tuple(picture.shape[2:]), picture.dtype)
    return _harp.array(None)


class BasicTransform:
    def __init__(self, *arguments, **options):
        pass

    def _changed(self, picture):
        return _harp.array(None)

    def _mask(self, mask):
        return self._changed(mask)

    def _applied(self, given):
        for name, value in given.items():
            if name == "image":
                given[name] = self._changed(value)
            elif name == "mask":
                given[name] = self._mask(value)
            elif name == "masks":
                given[name] = _harp.some_of([self._mask(value[0])])
            elif name in ("bboxes", "keypoints"):
                given[name] = _harp.outside("boxes and points that remain")
        return given

    def __call__(self, *arguments, force_apply=False, **given):
        return self._applied(dict(given))

    def __getattr__(self, name):
        return _harp.outside("a part of a transform")


ImageOnlyTransform = DualTransform = BasicTransform


class _Same(BasicTransform):
    """What leaves size and type as they are."""

    def _changed(self, picture):
        return _harp.array(picture.shape, picture.dtype) if isinstance(picture, np.ndarray) else _harp.array(None)

    def _mask(self, mask):
        return mask


HorizontalFlip = VerticalFlip = ShiftScaleRotate = Affine = ElasticTransform = GridDistortion = OpticalDistortion = Rotate = _Same
RandomBrightnessContrast = RandomBrightness = RandomContrast = HueSaturationValue = RGBShift = ChannelShuffle = ColorJitter = RandomGamma = _Same
CLAHE = Blur = MotionBlur = MedianBlur = GaussianBlur = GaussNoise = ISONoise = MultiplicativeNoise = ImageCompression = JpegCompression = _Same
Cutout = CoarseDropout = GridDropout = MaskDropout = ChannelDropout = Sharpen = Emboss = Posterize = Solarize = Equalize = InvertImg = _Same
RandomFog = RandomRain = RandomSnow = RandomShadow = RandomSunFlare = Downscale = FancyPCA = Perspective = NoOp = ToGray = ToSepia = _Same
PixelDropout = Superpixels = UnsharpMask = Defocus = GlassBlur = ZoomBlur = AdvancedBlur = RandomToneCurve = PiecewiseAffine = Flip = _Same
IAAAdditiveGaussianNoise = IAAPerspective = IAASharpen = IAAEmboss = IAAPiecewiseAffine = RandomGridShuffle = _Same


class Normalize(_Same):
    def _changed(self, picture):
        return _harp.array(picture.shape, np.float32) if isinstance(picture, np.ndarray) else _harp.array(None)


class ToFloat(Normalize):
    pass


class FromFloat(_Same):
    def _changed(self, picture):
        return _harp.array(picture.shape if isinstance(picture, np.ndarray) else None)


class _Sized(BasicTransform):
    def __init__(self, height, width=None, *arguments, **options):
        # Later versions take the size of a random crop as one argument.
        self._size = tuple(height) if isinstance(height, (tuple, list)) else (height, width)

    def _changed(self, picture):
        return _of_size(picture, self._size[0], self._size[1])


class Resize(_Sized):
    pass


class RandomCrop(_Sized):
    pass


class CenterCrop(_Sized):
    pass


class RandomResizedCrop(_Sized):
    def __init__(self, height=None, width=None, *arguments, size=None, **options):
        given = size if size is not None else height
        self._size = tuple(given) if isinstance(given, (tuple, list)) else (height, width)


class RandomSizedCrop(_Sized):
    def __init__(self, min_max_height, height=None, width=None, *arguments, size=None, **options):
        given = size if size is not None else height
        self._size = tuple(given) if isinstance(given, (tuple, list)) else (height, width)


class _AnySize(BasicTransform):
    def _changed(self, picture):
        return _of_size(picture, _harp.free_size("height", 1), _harp.free_size("width", 1))


SmallestMaxSize = LongestMaxSize = RandomScale = PadIfNeeded = Crop = CropNonEmptyMaskIfExists = RandomSizedBBoxSafeCrop = SafeRotate = _AnySize
BBoxSafeRandomCrop = CropAndPad = RandomCropFromBorders = RandomRotate90 = Transpose = AtLeastOneBBoxRandomCrop = Pad = D4 = _AnySize


class Lambda(BasicTransform):
    def _applied(self, given):
        return {name: _harp.outside("what a function makes") for name in given}


class Compose(BasicTransform):
    def __init__(self, transforms=(), *arguments, **options):
        self.transforms = transforms

    def _applied(self, given):
        if not isinstance(self.transforms, (list, tuple)):
            return {name: _harp.outside("what transforms make") for name in given}
        for transform in self.transforms:
            if transform is not None:
                given = transform(**given)
        return given

    def __getitem__(self, place):
        return self.transforms[place]

    def __len__(self):
        return len(self.transforms)


Sequential = ReplayCompose = Compose


class OneOf(BasicTransform):
    """One of several: what they have in common is the number of dimensions."""

    def __init__(self, transforms=(), *arguments, **options):
        self.transforms = transforms

    def _changed(self, picture):
        for transform in self.transforms:
            if not isinstance(transform, _Same):
                return _of_size(picture, _harp.free_size("height", 1), _harp.free_size("width", 1))
        return _harp.array(picture.shape, picture.dtype) if isinstance(picture, np.ndarray) else _harp.array(None)


SomeOf = OneOrOther = OneOf


class BboxParams:
    def __init__(self, *arguments, **options):
        pass


KeypointParams = BboxParams


def from_dict(transform_dict):
    return _harp.outside("transforms")


load = save = to_dict = from_dict
