"""The handwritten digits and their mini-batches."""

from torch.utils.data import DataLoader
from torchvision import datasets, transforms

BATCH_SIZE = 64

normalise = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize((0.1307,), (0.3081,)),
])


def training_batches(root):
    digits = datasets.MNIST(root, train=True, download=True, transform=normalise)
    return DataLoader(digits, batch_size=BATCH_SIZE, shuffle=True)


def test_batches(root):
    digits = datasets.MNIST(root, train=False, transform=normalise)
    return DataLoader(digits, batch_size=BATCH_SIZE, drop_last=True)
