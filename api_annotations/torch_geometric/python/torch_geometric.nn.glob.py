# `torch_geometric.nn.glob`.
from torch_geometric.nn import *
