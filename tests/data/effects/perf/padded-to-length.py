"""A batch of texts of up to 30 tokens padded to 512, against padded to the longest of them, in a layer of a transformer."""
import torch
from torch import nn

CASES = {"2 texts, width 128": (2, 128)}


def setup(texts, width):
    return nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True).eval(), torch.randn(texts, 512, width), torch.randn(texts, 30, width)


@torch.no_grad()
def before(layer, padded, short):
    layer(padded)


@torch.no_grad()
def after(layer, padded, short):
    layer(short)
