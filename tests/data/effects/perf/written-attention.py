"""Attention as two products with a softmax between, against `scaled_dot_product_attention`."""
import math

import torch
import torch.nn.functional as F

CASES = {"2 × 8 heads, length 512, width 64": (2, 8, 512, 64), "2 × 8 heads, length 128, width 64": (2, 8, 128, 64), "2 × 8 heads, length 32, width 64": (2, 8, 32, 64), "1 × 4 heads, length 16, width 16": (1, 4, 16, 16)}
MEASURE = ["time", "memory"]


def setup(batch, heads, length, width):
    return tuple(torch.randn(batch, heads, length, width) for _ in range(3))


@torch.no_grad()
def before(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return torch.softmax(scores, -1) @ v


@torch.no_grad()
def after(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)
