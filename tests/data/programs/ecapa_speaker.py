"""Speaker verification: ECAPA-TDNN with Res2 blocks, attentive statistics pooling, additive angular margin, cosine scoring."""
import math
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


class SEModule(nn.Module):
    def __init__(self, channels: int, bottleneck: int = 16):
        super().__init__()
        self.se = nn.Sequential(
            nn.AdaptiveAvgPool1d(1),
            nn.Conv1d(channels, bottleneck, kernel_size=1, padding=0),
            nn.ReLU(),
            nn.Conv1d(bottleneck, channels, kernel_size=1, padding=0),  #! nn.Conv1d(bottleneck, channels, => nn.Conv1d(channels, bottleneck,
            nn.Sigmoid(),
        )

    def forward(self, input):
        return input * self.se(input)


class Bottle2neck(nn.Module):
    def __init__(self, inplanes, planes, kernel_size=None, dilation=None, scale=4):
        super().__init__()
        width = int(math.floor(planes / scale))
        self.conv1 = nn.Conv1d(inplanes, width * scale, kernel_size=1)
        self.bn1 = nn.BatchNorm1d(width * scale)
        self.nums = scale - 1
        convs, bns = [], []
        num_pad = math.floor(kernel_size / 2) * dilation  #! math.floor(kernel_size / 2) * dilation => math.floor(kernel_size / 2)
        for i in range(self.nums):
            convs.append(nn.Conv1d(width, width, kernel_size=kernel_size, dilation=dilation, padding=num_pad))
            bns.append(nn.BatchNorm1d(width))
        self.convs = nn.ModuleList(convs)
        self.bns = nn.ModuleList(bns)
        self.conv3 = nn.Conv1d(width * scale, planes, kernel_size=1)
        self.bn3 = nn.BatchNorm1d(planes)
        self.relu = nn.ReLU()
        self.width = width
        self.se = SEModule(planes)

    def forward(self, x):
        residual = x
        out = self.bn1(self.relu(self.conv1(x)))
        spx = torch.split(out, self.width, 1)  #! torch.split(out, self.width, 1) => torch.split(out, self.width, 2)
        for i in range(self.nums):
            sp = spx[i] if i == 0 else sp + spx[i]
            sp = self.bns[i](self.relu(self.convs[i](sp)))
            out = sp if i == 0 else torch.cat((out, sp), 1)
        out = torch.cat((out, spx[self.nums]), 1)  #! torch.cat((out, spx[self.nums]), 1) => torch.cat((out, spx[self.nums]), 2)
        out = self.bn3(self.relu(self.conv3(out)))
        out = self.se(out)
        out += residual
        return out


class ECAPA(nn.Module):
    def __init__(self, C=64, n_mels=20, emb=32):
        super().__init__()
        self.conv1 = nn.Conv1d(n_mels, C, kernel_size=5, stride=1, padding=2)
        self.relu = nn.ReLU()
        self.bn1 = nn.BatchNorm1d(C)
        self.layers: List[nn.Module] = nn.ModuleList(Bottle2neck(C, C, kernel_size=3, dilation=d, scale=4) for d in (2, 3, 4))
        self.layer4 = nn.Conv1d(3 * C, 96, kernel_size=1)  #! 3 * C => C
        self.attention = nn.Sequential(
            nn.Conv1d(96 * 3, 32, kernel_size=1),  #! 96 * 3 => 96 * 2
            nn.ReLU(),
            nn.BatchNorm1d(32),
            nn.Tanh(),
            nn.Conv1d(32, 96, kernel_size=1),
            nn.Softmax(dim=2))
        self.bn5 = nn.BatchNorm1d(192)
        self.fc6 = nn.Linear(192, emb)  #! nn.Linear(192, emb) => nn.Linear(96, emb)
        self.bn6 = nn.BatchNorm1d(emb)

    def forward(self, x, aug=False):
        with torch.no_grad():
            x = x - torch.mean(x, dim=-1, keepdim=True)
            if aug:
                x = mask_along_axis(x, dim=1)
                x = mask_along_axis(x, dim=2)
        x = self.bn1(self.relu(self.conv1(x)))
        outs = []
        for layer in self.layers:
            x = layer(x + sum(outs) if outs else x)
            outs.append(x)
        x = self.relu(self.layer4(torch.cat(outs, dim=1)))
        t = x.size()[-1]
        global_x = torch.cat((
            x,
            torch.mean(x, dim=2, keepdim=True).repeat(1, 1, t),
            torch.sqrt(torch.var(x, dim=2, keepdim=True).clamp(min=1e-4)).repeat(1, 1, t)), dim=1)
        w = self.attention(global_x)
        mu = torch.sum(x * w, dim=2)
        sg = torch.sqrt((torch.sum((x ** 2) * w, dim=2) - mu ** 2).clamp(min=1e-4))
        x = torch.cat((mu, sg), 1)
        reveal_type(x)
        return self.bn6(self.fc6(self.bn5(x)))


def mask_along_axis(x, dim, width=5):
    batch, fea, time = x.shape
    size = fea if dim == 1 else time
    mask_len = torch.randint(0, width, (batch, 1)).unsqueeze(2)
    mask_pos = torch.randint(0, max(1, size - width), (batch, 1)).unsqueeze(2)
    arange = torch.arange(size).view(1, 1, -1)
    mask = (mask_pos <= arange) * (arange < (mask_pos + mask_len))
    mask = mask.any(dim=1)
    mask = mask.unsqueeze(2) if dim == 1 else mask.unsqueeze(1)  #! if dim == 1 else => if dim == 2 else
    return x.masked_fill(mask, 0.0)


class AAMsoftmax(nn.Module):
    def __init__(self, n_class, emb, m=0.2, s=30):
        super().__init__()
        self.m, self.s = m, s
        self.weight = nn.Parameter(torch.FloatTensor(n_class, emb), requires_grad=True)  #! (n_class, emb) => (emb, n_class)
        self.ce = nn.CrossEntropyLoss()
        nn.init.xavier_normal_(self.weight, gain=1)
        self.cos_m, self.sin_m = math.cos(self.m), math.sin(self.m)
        self.th, self.mm = math.cos(math.pi - self.m), math.sin(math.pi - self.m) * self.m

    def forward(self, x, label=None):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        sine = torch.sqrt((1.0 - torch.mul(cosine, cosine)).clamp(0, 1))
        phi = cosine * self.cos_m - sine * self.sin_m
        phi = torch.where((cosine - self.th) > 0, phi, cosine - self.mm)
        one_hot = torch.zeros_like(cosine)
        one_hot.scatter_(1, label.view(-1, 1), 1)  #! label.view(-1, 1) => label
        output = (one_hot * phi) + ((1.0 - one_hot) * cosine)
        output = output * self.s
        return self.ce(output, label), (output.argmax(1) == label).float().mean()


def main():
    encoder, head = ECAPA(), AAMsoftmax(12, 32)
    optim = torch.optim.Adam(list(encoder.parameters()) + list(head.parameters()), lr=1e-3, weight_decay=2e-5)
    for num in range(2):
        features, labels = torch.randn(6, 20, 50), torch.randint(0, 12, (6,))
        encoder.zero_grad()
        embedding = encoder(features, aug=True)
        nloss, prec = head(embedding, labels)
        nloss.backward()
        optim.step()
    reveal_type(embedding)
    encoder.eval()
    with torch.no_grad():
        full = F.normalize(encoder(torch.randn(1, 20, 80)), p=2, dim=1)
        crops = F.normalize(encoder(torch.randn(20, 80).unfold(1, 30, 10).permute(1, 0, 2)), p=2, dim=1)  #! permute(1, 0, 2) => permute(0, 1, 2)
    reveal_type(crops)
    score = torch.mean(torch.matmul(full, crops.T))
    print(score.item(), prec.item())


main()
