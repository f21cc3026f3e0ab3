# `torch_geometric`.
from torch_geometric import data, datasets, loader, nn, transforms, utils


def seed_everything(seed):
    import torch

    torch.manual_seed(seed)


__version__ = "2.6.0"
