# `torch_geometric.nn.models`.
from torch_geometric.nn import *
