"""Binary cross entropies of sigmoids."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(7)
criterion = nn.BCELoss()


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 1)

    def forward(self, x):
        return torch.sigmoid(self.layer(x)).squeeze(1)


judge, found = Judge(), []
for step in range(20):
    found.append(criterion(judge(torch.randn(8, 16)), torch.ones(8)).item())


def direct(logits, y):
    weight = torch.ones(8) * 2
    loss = F.binary_cross_entropy(torch.sigmoid(logits), y, weight=weight)
    return loss


value = direct(torch.randn(8), torch.rand(8))
