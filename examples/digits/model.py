"""Two networks over the features: one names the digit, one draws it again."""

import torch
from torch import nn
import torch.nn.functional as F

from data import BATCH_SIZE
from encoder import Encoder

FEATURES = 64 * 5 * 5


class Classifier(nn.Module):
    """Names the digit."""

    def __init__(self, classes=10):
        super().__init__()
        self.encoder = Encoder()
        self.hidden = nn.Linear(64 * 6 * 6, 128)
        self.output = nn.Linear(128, classes)

    def forward(self, images):
        x = F.relu(self.hidden(self.encoder(images)))
        return self.output(x)


class Painter(nn.Module):
    """Draws the digit again, with a little noise among its features."""

    def __init__(self, noise=8):
        super().__init__()
        self.encoder = Encoder()
        self.noise = noise
        self.decoder = nn.Sequential(
            nn.Linear(FEATURES + noise, 256),
            nn.ReLU(),
            nn.Linear(256, 28 * 28),
            nn.Sigmoid(),
        )

    def forward(self, images):
        features = self.encoder(images)
        noise = torch.randn(BATCH_SIZE, self.noise)
        drawn = self.decoder(torch.cat([features, noise], dim=1))
        return drawn.view(-1, 1, 28, 28)
