"""A layer's result that nothing takes, against leaving the call out: a step that normalises twice."""
import torch
import torch.nn.functional as F

CASES = {"batch normalisation of 256 × 512": (256, 512)}


def setup(rows, columns):
    return torch.rand(rows, columns), torch.zeros(columns), torch.ones(columns)


def before(x, mean, variance):
    F.batch_norm(x, mean, variance, variance)
    return F.batch_norm(x, mean, variance)


def after(x, mean, variance):
    return F.batch_norm(x, mean, variance)
