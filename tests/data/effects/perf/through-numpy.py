"""The greatest of each row found on the host, against on the accelerator: 100 steps. (Arrays of NumPy stand for tensors on the host here.)"""
import torch

CASES = {"100 of 32 × 10": (100, 32, 10), "100 of 32 × 32,000": (100, 32, 32000)}
MEASURE = "moved bytes"


def setup(steps, rows, columns):
    return steps, torch.randn(rows, columns, device="cuda")


def before(steps, scores):
    for i in range(steps):
        best = torch.argmax(scores.cpu(), dim=1).to("cuda")


def after(steps, scores):
    for i in range(steps):
        best = torch.argmax(scores, dim=1)
