"""A chain of transforms made for each item, against once."""
import numpy as np
from PIL import Image
from torchvision import transforms

CASES = {"resize of 256 × 256 to 224": (256, 224), "resize of 28 × 28 to 32": (28, 32)}


def setup(size, wanted):
    return Image.fromarray(np.random.randint(0, 255, (size, size, 3)).astype(np.uint8)), wanted, transforms.Compose([transforms.Resize(wanted), transforms.ToTensor()])


def before(picture, wanted, convert):
    convert = transforms.Compose([transforms.Resize(wanted), transforms.ToTensor()])
    return convert(picture)


def after(picture, wanted, convert):
    return convert(picture)
