"""`F.binary_cross_entropy(torch.sigmoid(x), y)` against `F.binary_cross_entropy_with_logits(x, y)`, with the backward pass."""
import torch
import torch.nn.functional as F

CASES = {"1,024 × 1,000": (1024, 1000), "64 × 1": (64, 1)}


def setup(rows, columns):
    return torch.randn(rows, columns, requires_grad=True), torch.rand(rows, columns)


def before(x, y):
    loss = F.binary_cross_entropy(torch.sigmoid(x), y)
    loss.backward()
    return loss


def after(x, y):
    loss = F.binary_cross_entropy_with_logits(x, y)
    loss.backward()
    return loss
