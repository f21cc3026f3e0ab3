# The features of an example, with the names of input and target. Sizes that are `None` vary.
from harp_library import is_known

_TEXT, _NUMBER = ((), "string"), ((), "int64")


def _label(classes):
    return (), "int64", classes


def _pictures(shape, classes, **others):
    return {"image": (shape, "uint8"), "label": _label(classes), **others}, ("image", "label")


def _unlabelled(shape):
    return {"image": (shape, "uint8")}, None


_ANY = (None, None, 3)
_BOX, _MASK = ((4,), "float32"), ((None, None, 1), "uint8")
_KNOWN = {
    "mnist": _pictures((28, 28, 1), 10),
    "fashion_mnist": _pictures((28, 28, 1), 10),
    "kmnist": _pictures((28, 28, 1), 10),
    "emnist": ({"image": ((28, 28, 1), "uint8"), "label": _NUMBER}, ("image", "label")),
    "mnist_corrupted": _pictures((28, 28, 1), 10),
    "binarized_mnist": _unlabelled((28, 28, 1)),
    "moving_mnist": ({"image_sequence": ((20, 64, 64, 1), "uint8")}, None),
    "omniglot": _pictures((105, 105, 3), 1623, alphabet=_NUMBER, alphabet_char_id=_NUMBER),
    "cmaterdb": _pictures((32, 32, 3), 10),
    "cifar10": _pictures((32, 32, 3), 10, id=_TEXT),
    "cifar10_1": _pictures((32, 32, 3), 10),
    "cifar100": _pictures((32, 32, 3), 100, id=_TEXT, coarse_label=_label(20)),
    "svhn_cropped": _pictures((32, 32, 3), 10, id=_TEXT),
    "stl10": _pictures((96, 96, 3), 10),
    "imagenet2012": _pictures(_ANY, 1000, file_name=_TEXT),
    "imagenette": _pictures(_ANY, 10),
    "imagenet_resized/8x8": _pictures((8, 8, 3), 1000),
    "imagenet_resized/16x16": _pictures((16, 16, 3), 1000),
    "imagenet_resized/32x32": _pictures((32, 32, 3), 1000),
    "imagenet_resized/64x64": _pictures((64, 64, 3), 1000),
    "downsampled_imagenet": _unlabelled(_ANY),
    "cats_vs_dogs": _pictures(_ANY, 2, **{"image/filename": _TEXT}),
    "horses_or_humans": _pictures((300, 300, 3), 2),
    "rock_paper_scissors": _pictures((300, 300, 3), 3),
    "tf_flowers": _pictures(_ANY, 5),
    "oxford_flowers102": _pictures(_ANY, 102, file_name=_TEXT),
    "oxford_iiit_pet": _pictures(_ANY, 37, species=_label(2), file_name=_TEXT, segmentation_mask=_MASK, head_bbox=_BOX),
    "caltech101": _pictures(_ANY, 102, **{"image/file_name": _TEXT}),
    "caltech_birds2010": _pictures(_ANY, 200, **{"image/filename": _TEXT}, label_name=_TEXT, bbox=_BOX, segmentation_mask=_MASK),
    "caltech_birds2011": _pictures(_ANY, 200, **{"image/filename": _TEXT}, label_name=_TEXT, bbox=_BOX, segmentation_mask=_MASK),
    "cars196": _pictures(_ANY, 196, bbox=_BOX, id=_TEXT),
    "food101": _pictures(_ANY, 101),
    "places365_small": ({"image": ((256, 256, 3), "uint8"), "label": _label(365), "filename": _TEXT}, ("image", "label", "filename")),
    "plant_village": ({"image": (_ANY, "uint8"), "image/filename": _TEXT, "label": _NUMBER}, ("image", "label")),
    "deep_weeds": _pictures((256, 256, 3), 9),
    "beans": _pictures((500, 500, 3), 3),
    "eurosat": _pictures((64, 64, 3), 10, filename=_TEXT),
    "uc_merced": _pictures(_ANY, 21, filename=_TEXT),
    "malaria": _pictures(_ANY, 2),
    "patch_camelyon": _pictures((96, 96, 3), 2, id=_TEXT),
    "colorectal_histology": _pictures((150, 150, 3), 8, filename=_TEXT),
    "div2k": ({"lr": (_ANY, "uint8"), "hr": (_ANY, "uint8")}, ("lr", "hr")),
    "lsun": ({"id": _TEXT, "image": (_ANY, "uint8")}, None),
    "iris": ({"features": ((4,), "float32"), "label": _label(3)}, ("features", "label")),
    "penguins/processed": ({"species": _label(3), "features": ((4,), "float32")}, ("features", "species")),
    "imdb_reviews": ({"text": _TEXT, "label": _label(2)}, ("text", "label")),
    "yelp_polarity_reviews": ({"text": _TEXT, "label": _label(2)}, ("text", "label")),
    "ag_news_subset": ({"label": _label(4), "title": _TEXT, "description": _TEXT}, ("description", "label")),
    "lm1b": ({"text": _TEXT}, ("text", "text")),
    "tiny_shakespeare": ({"text": _TEXT}, None),
    "ted_hrlr_translate/pt_to_en": ({"pt": _TEXT, "en": _TEXT}, ("pt", "en")),
}
# Data sets whose settings change what an example is.
_VARY = ("imagenet_resized", "ted_hrlr_translate", "penguins", "imdb_reviews")


def examples(name):
    """Features and keys of a data set, or None of one that is not known."""
    if not is_known(name) or not isinstance(name, str):
        return None
    name = name.split(":")[0]
    if name in _KNOWN:
        return _KNOWN[name]
    first = name.split("/")[0]
    return None if first in _VARY else _KNOWN.get(first)
