# `albumentations.pytorch`: tensors of pictures, channels first.
import numpy as np
import torch
import harp_library as _harp
from albumentations import BasicTransform


class ToTensorV2(BasicTransform):
    def __init__(self, transpose_mask=False, *arguments, **options):
        self._turns_mask = transpose_mask

    def _changed(self, picture):
        if isinstance(picture, np.ndarray):
            if _harp.is_known(picture.ndim) and picture.ndim == 2:
                return torch.from_numpy(picture)[None]
            return torch.from_numpy(picture).permute(2, 0, 1)
        return _harp.tensor(None)

    def _mask(self, mask):
        if not isinstance(mask, np.ndarray):
            return _harp.tensor(None)
        return torch.from_numpy(mask).permute(2, 0, 1) if self._turns_mask and mask.ndim == 3 else torch.from_numpy(mask)


ToTensor = ToTensorV2
