"""From an image of a digit to a vector of features."""

from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    """Two convolutions, each followed by pooling."""

    def __init__(self, channels=32):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, kernel_size=3)
        self.conv2 = nn.Conv2d(channels, 2 * channels, kernel_size=3)
        self.dropout = nn.Dropout(0.25)

    def forward(self, images):
        x = F.max_pool2d(F.relu(self.conv1(images)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.dropout(x).flatten(1)
