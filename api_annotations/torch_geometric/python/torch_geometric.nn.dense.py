# `torch_geometric.nn.dense`.
from torch_geometric.nn import *
