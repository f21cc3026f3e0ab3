# `albumentations.core.transforms_interface`.
from albumentations import BasicTransform, DualTransform, ImageOnlyTransform
