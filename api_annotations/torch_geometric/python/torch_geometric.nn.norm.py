# `torch_geometric.nn.norm`.
from torch_geometric.nn import *
