"""A model that encodes the same prompts in each of 10 iterations, against once."""
import torch
from torch import nn

CASES = {"100 prompts of 512": (100, 512), "4 prompts of 16": (4, 16)}


def setup(prompts, width):
    model = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)).eval()
    return model, torch.randn(prompts, width), torch.randn(32, width)


@torch.no_grad()
def before(model, prompts, images):
    total = 0
    for step in range(10):
        text = model(prompts)
        total = total + (images @ text.t()).argmax(1)
    return total


@torch.no_grad()
def after(model, prompts, images):
    total = 0
    text = model(prompts)
    for step in range(10):
        total = total + (images @ text.t()).argmax(1)
    return total
