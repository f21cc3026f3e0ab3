"""Video classification: a 2D+1D backbone, temporal attention, clip sampling, multi-crop evaluation."""
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torchvision.ops import SqueezeExcitation, StochasticDepth


class Clips(Dataset):
    def __init__(self, n=12, frames=40, length=8, train=True):
        self.videos = [torch.rand(frames + i, 3, 32, 32) for i in range(n)]
        self.length, self.train = length, train

    def __len__(self):
        return len(self.videos)

    def __getitem__(self, i):
        video = self.videos[i]
        if self.train:
            start = random.randint(0, 40 - self.length)
            clip = video[start:start + self.length]  #! start:start + self.length => start:
        else:
            clip = video[torch.linspace(0, len(video) - 1, self.length).long()]
        return clip.permute(1, 0, 2, 3), i % 4  #! .permute(1, 0, 2, 3) => 


class Conv2Plus1d(nn.Sequential):
    def __init__(self, cin, cout, mid, stride=1):
        super().__init__(
            nn.Conv3d(cin, mid, (1, 3, 3), (1, stride, stride), (0, 1, 1), bias=False),
            nn.BatchNorm3d(mid),
            nn.ReLU(),
            nn.Conv3d(mid, cout, (3, 1, 1), (stride, 1, 1), (1, 0, 0), bias=False),  #! nn.Conv3d(mid, cout => nn.Conv3d(cin, cout
        )


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Sequential(Conv2Plus1d(cin, cout, (cin + cout) // 2, stride), nn.BatchNorm3d(cout), nn.ReLU())
        self.conv2 = nn.Sequential(Conv2Plus1d(cout, cout, cout), nn.BatchNorm3d(cout))
        self.down = nn.Sequential(nn.Conv3d(cin, cout, 1, stride, bias=False), nn.BatchNorm3d(cout)) if stride != 1 or cin != cout else None  #! nn.Conv3d(cin, cout, 1, stride, bias=False) => nn.Conv3d(cin, cout, 1, bias=False)
        self.drop = StochasticDepth(0.1, "row")

    def forward(self, x):
        skip = x if self.down is None else self.down(x)
        return F.relu(self.drop(self.conv2(self.conv1(x))) + skip)


class TemporalAttention(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.query = nn.Parameter(torch.randn(1, 1, dim))
        self.attn = nn.MultiheadAttention(dim, 4, batch_first=True)
        self.fc = nn.Linear(dim, classes)

    def forward(self, x):
        x = x.mean((3, 4)).transpose(1, 2)  #! .mean((3, 4)) => .mean((2, 3))
        y, w = self.attn(self.query.expand(len(x), -1, -1), x, x)  #! self.query.expand(len(x), -1, -1) => self.query
        return self.fc(y.squeeze(1)), w


class Net(nn.Module):
    def __init__(self, classes=4, plan=((16, 1), (32, 2), (64, 2))):
        super().__init__()
        self.stem = Conv2Plus1d(3, 16, 12, 1)
        c, blocks = 16, []
        for width, stride in plan:
            blocks.append(Block(c, width, stride))
            c = width
        self.blocks = nn.Sequential(*blocks)
        self.pool = TemporalAttention(c, classes)  #! TemporalAttention(c, classes) => TemporalAttention(48, classes)

    def forward(self, x):
        return self.pool(self.blocks(self.stem(x)))


net = Net()
opt = torch.optim.SGD(net.parameters(), 0.01)
for clip, label in DataLoader(Clips(), 4, shuffle=True):
    logits, weights = net(clip)
    loss = F.cross_entropy(logits, label)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(clip)
reveal_type(weights)
net.eval()
views = []
with torch.no_grad():
    for clip, label in DataLoader(Clips(train=False), 6):
        crops = [clip[..., :24, :24], clip[..., -24:, -24:], clip[..., 4:28, 4:28]]
        scores = torch.stack([net(c)[0].softmax(-1) for c in crops]).mean(0)  #! .mean(0) => .mean(1)
        views.append((scores.argmax(-1) == label).float())
accuracy = torch.cat(views)
reveal_type(scores)
reveal_type(accuracy)
se = SqueezeExcitation(64, 16)
reveal_type(se(torch.rand(2, 64, 7, 7)))
reveal_type(net.blocks(net.stem(torch.rand(1, 3, 8, 32, 32))))
flow = F.grid_sample(torch.rand(2, 3, 16, 16), torch.rand(2, 10, 12, 2), align_corners=False)  #! torch.rand(2, 10, 12, 2) => torch.rand(2, 10, 12, 3)
reveal_type(flow)
unfolded = torch.rand(2, 20, 5).unfold(1, 6, 2)
reveal_type(unfolded)
