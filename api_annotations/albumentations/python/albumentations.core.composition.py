# `albumentations.core.composition`.
from albumentations import Compose, OneOf, SomeOf, Sequential, BboxParams, KeypointParams
