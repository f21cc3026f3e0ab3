# `torch_geometric.nn.pool`.
from torch_geometric.nn import *
