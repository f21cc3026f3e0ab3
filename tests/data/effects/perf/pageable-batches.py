"""Batches moved by `x.cuda()`, against `non_blocking=True`: 100 batches."""
import torch

CASES = {"100 batches": (100,)}
MEASURE = "waits"
ON_DEVICE = True


def setup(batches):
    return [torch.rand(64, 10) for _ in range(batches)]


def before(batches):
    for x in batches:
        x.cuda()


def after(batches):
    for x in batches:
        x.cuda(non_blocking=True)
