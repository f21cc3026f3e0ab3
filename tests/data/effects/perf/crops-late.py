"""A picture converted whole and then cropped, against cropped first."""
import numpy as np
import torch
from PIL import Image
from torchvision import transforms

CASES = {"640 × 480, crop of 96": (640, 480, 96), "256 × 256, crop of 224": (256, 256, 224)}


def setup(width, height, crop):
    picture = Image.fromarray(np.random.randint(0, 255, (height, width, 3)).astype(np.uint8))
    late = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3), transforms.CenterCrop(crop)])
    early = transforms.Compose([transforms.CenterCrop(crop), transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)])
    return picture, late, early


def before(picture, late, early):
    return late(picture)


def after(picture, late, early):
    return early(picture)
