"""`torch.randn(64, 100).to("cuda")` against `torch.randn(64, 100, device="cuda")`: 100 iterations."""
import torch

CASES = {"100 of 64 × 100": (100, 64, 100)}
MEASURE = "moved bytes"


def setup(iterations, rows, columns):
    return iterations, rows, columns


def before(iterations, rows, columns):
    for i in range(iterations):
        noise = torch.randn(rows, columns).to("cuda")


def after(iterations, rows, columns):
    for i in range(iterations):
        noise = torch.randn(rows, columns, device="cuda")
