import torch
from torch import nn


class ConvEncoder(nn.Module):
    def __init__(self, image, channels, features):
        super().__init__()
        c, h, w = image
        layers = []
        for out in channels:
            layers += [nn.Conv2d(c, out, 3, stride=2, padding=1), nn.ELU()]
            c = out
        self.net = nn.Sequential(*layers)
        with torch.no_grad():
            flat = self.net(torch.zeros(1, *image)).numel()
        self.fc = nn.Linear(flat, features)

    def forward(self, x):
        return self.fc(self.net(x).flatten(start_dim=1))


class MLPEncoder(nn.Module):
    def __init__(self, image, features, **_):
        super().__init__()
        self.fc = nn.Linear(image[0] * image[1] * image[2], features)

    def forward(self, x):
        return self.fc(x.view(x.size(0), -1))
