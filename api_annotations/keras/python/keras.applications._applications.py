# Models with known weights: what they take, and how large their features are.
import numpy as np
from harp_library import free_size, is_known, judge, outside, require
from keras._models import Model
from keras.applications._parts import _features_of, _Partly, _vgg
from keras._shapes import _free, _made, _with_batch


def _halved(size, times):
    """Filled up at the border, so that nothing is lost by halving."""
    for number in range(times):
        size = (size + 1) // 2
    return size


def _by_32(size):
    """For other sizes, how the border is filled up decides."""
    if is_known(size):
        return size // 32 if size % 32 == 0 else _free("features")
    return _free("features")


def _of_resnet(size):
    return _halved(size, 5)


def _of_xception(size):
    return _halved((size - 3) // 2 + 1 - 2, 4)


def _of_inception(size):
    size = (size - 3) // 2 + 1 - 2
    size = (size - 3) // 2 + 1 - 2
    size = (size - 3) // 2 + 1
    size = (size - 3) // 2 + 1
    return (size - 3) // 2 + 1


def _entry_of(default, include_top, weights, input_tensor, input_shape, classes, least):
    """What the model takes, as far as its arguments allow it."""
    if input_tensor is not None:
        entry = input_tensor
    elif input_shape is not None:
        entry = _made(_with_batch(input_shape))
    elif include_top:
        entry = _made(_with_batch((default, default, 3)))
    else:
        entry = _made(_with_batch((None, None, 3)))
    if input_shape is not None:
        require(len(input_shape) == 3, "the shape of a picture has three sizes")
        if weights == "imagenet":
            judge(input_shape[-1] == 3, "the weights are those of pictures with three channels")
            if include_top:
                judge(input_shape[0] == default, f"with these weights the last layers take pictures of {default} pixels")
                judge(input_shape[1] == default, f"with these weights the last layers take pictures of {default} pixels")
        for size in input_shape[:2]:
            if size is not None:
                judge(size >= least, f"the model takes pictures of at least {least} pixels")
    if include_top and weights == "imagenet":
        judge(classes == 1000, "the weights are those of 1000 classes")
    return entry


def _built(default, features, shrunk, include_top, weights, input_tensor, input_shape, pooling, classes, least=32, parts=None):
    entry = _entry_of(default, include_top, weights, input_tensor, input_shape, classes, least)
    batch = entry.shape[0]
    if include_top:
        return _Partly(entry, _made((batch, classes)), parts)
    if pooling is not None:
        return _Partly(entry, _made((batch, features)), parts)
    return _Partly(entry, _made((batch, shrunk(entry.shape[1]), shrunk(entry.shape[2]), features)), parts)


def _maker_of_vgg(convolutions):
    def make(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, *arguments, **options):
        entry = _entry_of(224, include_top, weights, input_tensor, input_shape, classes, 32)
        return _vgg(convolutions, entry, include_top, pooling, classes)

    return make


def _maker(default, features, shrunk, least=32, parts=None):
    def make(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, *arguments, **options):
        return _built(default, features, shrunk, include_top, weights, input_tensor, input_shape, pooling, classes, least, parts)

    return make


VGG16 = _maker_of_vgg([2, 2, 3, 3, 3])
VGG19 = _maker_of_vgg([2, 2, 4, 4, 4])
ResNet50 = _maker(224, 2048, _of_resnet, parts=_features_of("resnet"))
ResNet101 = _maker(224, 2048, _of_resnet, parts=_features_of("resnet"))
ResNet152 = _maker(224, 2048, _of_resnet, parts=_features_of("resnet"))
ResNet50V2 = _maker(224, 2048, _by_32)
ResNet101V2 = _maker(224, 2048, _by_32)
ResNet152V2 = _maker(224, 2048, _by_32)
InceptionV3 = _maker(299, 2048, _of_inception, 75)
InceptionResNetV2 = _maker(299, 1536, _of_inception, 75)
Xception = _maker(299, 2048, _of_xception, 71)
DenseNet121 = _maker(224, 1024, _by_32, parts=_features_of("densenet121"))
DenseNet169 = _maker(224, 1664, _by_32)
DenseNet201 = _maker(224, 1920, _by_32)
EfficientNetB0 = _maker(224, 1280, _of_resnet, parts=_features_of("efficientnet_b0"))
EfficientNetB1 = _maker(240, 1280, _of_resnet)
EfficientNetB2 = _maker(260, 1408, _of_resnet)
EfficientNetB3 = _maker(300, 1536, _of_resnet)
EfficientNetB4 = _maker(380, 1792, _of_resnet)
EfficientNetB5 = _maker(456, 2048, _of_resnet)
EfficientNetB6 = _maker(528, 2304, _of_resnet)
EfficientNetB7 = _maker(600, 2560, _of_resnet)
EfficientNetV2B0 = _maker(224, 1280, _by_32)
EfficientNetV2B1 = _maker(240, 1280, _by_32)
EfficientNetV2B2 = _maker(260, 1408, _by_32)
EfficientNetV2B3 = _maker(300, 1536, _by_32)
EfficientNetV2S = _maker(384, 1280, _by_32)
EfficientNetV2M = _maker(480, 1280, _by_32)
EfficientNetV2L = _maker(480, 1280, _by_32)


def _next(features):
    def make(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
             *arguments, **options):
        return _built(224, features, _by_32, include_top, weights, input_tensor, input_shape, pooling, classes)

    return make


ConvNeXtTiny, ConvNeXtSmall, ConvNeXtBase, ConvNeXtLarge, ConvNeXtXLarge = _next(768), _next(768), _next(1024), _next(1536), _next(2048)


def MobileNet(input_shape=None, alpha=1.0, depth_multiplier=1, dropout=0.001, include_top=True, weights="imagenet", input_tensor=None,
              pooling=None, classes=1000, *arguments, **options):
    parts = _features_of("mobilenet") if alpha == 1.0 else None
    return _built(224, int(1024 * alpha), _by_32, include_top, None, input_tensor, input_shape, pooling, classes, parts=parts)


def MobileNetV2(input_shape=None, alpha=1.0, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000, *arguments,
                **options):
    features = 1280 if alpha <= 1.0 else free_size("features", 1)
    parts = _features_of("mobilenet_v2") if alpha == 1.0 else None
    return _built(224, features, _of_resnet, include_top, None, input_tensor, input_shape, pooling, classes, parts=parts)


def MobileNetV3Small(input_shape=None, alpha=1.0, minimalistic=False, include_top=True, weights="imagenet", input_tensor=None, classes=1000,
                     pooling=None, *arguments, **options):
    return _built(224, 576 if alpha == 1.0 else free_size("features", 1), _by_32, include_top, None, input_tensor, input_shape, pooling, classes)


def MobileNetV3Large(input_shape=None, alpha=1.0, minimalistic=False, include_top=True, weights="imagenet", input_tensor=None, classes=1000,
                     pooling=None, *arguments, **options):
    return _built(224, 960 if alpha == 1.0 else free_size("features", 1), _by_32, include_top, None, input_tensor, input_shape, pooling, classes)


def NASNetMobile(input_shape=None, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000, *arguments, **options):
    return _built(224, 1056, _by_32, include_top, weights, input_tensor, input_shape, pooling, classes)


def NASNetLarge(input_shape=None, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000, *arguments, **options):
    return _built(331, 4032, _by_32, include_top, weights, input_tensor, input_shape, pooling, classes)


def preprocess_input(x, data_format=None, mode="caffe"):
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, np.float32)
    return _made(x.shape, np.float32)


def decode_predictions(preds, top=5, *arguments, **options):
    judge(preds.ndim == 2, "predictions have a batch and 1000 classes")
    judge(preds.shape[-1] == 1000, "predictions have a batch and 1000 classes")
    return outside("names of classes")
