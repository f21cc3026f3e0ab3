"""A loop of products of two stacks of matrices, against one product of the stacks."""
import torch

CASES = {
    "256 of 32 × 32": (256, 32, 32, 32), "256 of 8 × 8": (256, 8, 8, 8), "64 of 64 × 64": (64, 64, 64, 64), "64 of 128 × 128": (64, 128, 128, 128),
    "64 of 192 × 192": (64, 192, 192, 192), "32 of 256 × 256": (32, 256, 256, 256), "16 of 512 × 512": (16, 512, 512, 512), "256 of 32 × 1,024 by 1,024 × 32": (256, 32, 1024, 32),
}


def setup(stack, n, k, m):
    return torch.randn(stack, n, k), torch.randn(stack, k, m), torch.zeros(stack, n, m)


def before(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] @ b[i]
    return out


def after(a, b, out):
    n = len(a)
    out[:n] = a[:n] @ b[:n]
    return out
