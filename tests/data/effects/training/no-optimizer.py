"""A perceptual loss with a network that is not frozen, against a frozen one (`requires_grad_(False)`)."""
import torch
from torch import nn

CASES = {"convolutions 3-32-64, batch 2 of 64 × 64": (32, 64)}


def setup(width, size):
    features = nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.Conv2d(width, 2 * width, 3))
    picture = torch.rand(2, 3, size, size, requires_grad=True)
    return features, picture, torch.rand(2, 2 * width, size - 4, size - 4), torch.optim.Adam([picture], lr=0.01)


def steps(features, picture, target, optimizer):
    for step in range(2):
        optimizer.zero_grad()
        nn.functional.mse_loss(features(picture), target).backward()
        optimizer.step()


def before(features, picture, target, optimizer):
    steps(features, picture, target, optimizer)


def after(features, picture, target, optimizer):
    features.requires_grad_(False)
    steps(features, picture, target, optimizer)
