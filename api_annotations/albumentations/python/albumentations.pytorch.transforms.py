# `albumentations.pytorch.transforms`.
from albumentations.pytorch import ToTensor, ToTensorV2
