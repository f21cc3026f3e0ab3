# `torch_geometric.nn.conv`.
from torch_geometric.nn import *
