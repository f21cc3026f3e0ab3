# `torch_geometric.nn.aggr`.
from torch_geometric.nn import *
