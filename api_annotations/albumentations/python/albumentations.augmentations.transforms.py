# `albumentations.augmentations.transforms`.
from albumentations import *
