import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, in_features, out_features, hidden, dropout=0.0):
        super().__init__()
        sizes = [in_features, *hidden, out_features]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))  #! zip(sizes, sizes[1:]) => zip(sizes, sizes[2:])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        *body, last = self.layers
        for layer in body:
            x = self.dropout(torch.relu(layer(x)))
        return last(x)
