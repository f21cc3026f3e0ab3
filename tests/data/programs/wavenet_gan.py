"""A small vocoder: dilated causal convolutions with gated skips, multi-period discriminator, hinge losses, mu-law coding."""
import math
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm
from torch.utils.data import DataLoader, Dataset


def mu_law(x, mu=255):
    y = np.sign(x) * np.log1p(mu * np.abs(x)) / np.log1p(mu)
    return ((y + 1) / 2 * mu + 0.5).astype(np.int64)


class Tones(Dataset):
    def __init__(self, n=16, sr=4000, segment=512):
        t = np.arange(sr) / sr
        self.waves = np.stack([np.sin(2 * np.pi * f * t) for f in np.linspace(100, 800, n)]).astype(np.float32)
        self.segment = segment

    def __len__(self):
        return self.waves.shape[0]

    def __getitem__(self, i):
        start = np.random.randint(0, self.waves.shape[1] - self.segment)
        x = self.waves[i, start:start + self.segment]  #! start:start + self.segment => start:self.segment
        return torch.from_numpy(x)[None], torch.from_numpy(mu_law(x))


class CausalConv(nn.Module):
    def __init__(self, cin, cout, k=2, d=1):
        super().__init__()
        self.pad = (k - 1) * d
        self.conv = weight_norm(nn.Conv1d(cin, cout, k, dilation=d))

    def forward(self, x):
        return self.conv(F.pad(x, (self.pad, 0)))  #! (self.pad, 0) => (0, 0)


class GatedBlock(nn.Module):
    def __init__(self, c, skip, d, cond):
        super().__init__()
        self.filter, self.gate = CausalConv(c, c, 2, d), CausalConv(c, c, 2, d)
        self.cond = nn.Conv1d(cond, 2 * c, 1)  #! 2 * c => c
        self.res, self.skip = nn.Conv1d(c, c, 1), nn.Conv1d(c, skip, 1)

    def forward(self, x, cond):
        a, b = self.cond(cond).chunk(2, dim=1)
        h = torch.tanh(self.filter(x) + a) * torch.sigmoid(self.gate(x) + b)
        return x + self.res(h), self.skip(h)


class WaveNet(nn.Module):
    def __init__(self, c=16, skip=32, layers=5, stacks=2, cond=8, levels=256):
        super().__init__()
        self.inp = CausalConv(1, c)
        self.blocks = nn.ModuleList([GatedBlock(c, skip, 2 ** i, cond) for _ in range(stacks) for i in range(layers)])
        self.post = nn.Sequential(nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(), nn.Conv1d(skip, levels, 1))
        self.receptive = stacks * (2 ** layers - 1) + 2

    def forward(self, x, cond):
        cond = F.interpolate(cond, size=x.size(-1), mode="linear", align_corners=False)  #! x.size(-1) => x.size(1)
        h, total = self.inp(x), 0
        for block in self.blocks:
            h, s = block(h, cond)
            total = total + s
        return self.post(total / math.sqrt(len(self.blocks)))


class PeriodDisc(nn.Module):
    def __init__(self, period, widths=(8, 16, 32)):
        super().__init__()
        self.period = period
        chans = [1, *widths]
        self.convs = nn.ModuleList(weight_norm(nn.Conv2d(a, b, (5, 1), (3, 1), (2, 0))) for a, b in zip(chans, chans[1:]))
        self.post = weight_norm(nn.Conv2d(widths[-1], 1, (3, 1), 1, (1, 0)))  #! nn.Conv2d(widths[-1], 1, => nn.Conv2d(widths[0], 1,

    def forward(self, x):
        b, c, t = x.shape
        if t % self.period:
            n = self.period - t % self.period
            x = F.pad(x, (0, n), "reflect")
            t = t + n
        x = x.view(b, c, t // self.period, self.period)  #! t // self.period, self.period => t // self.period, self.period + 1
        maps = []
        for conv in self.convs:
            x = F.leaky_relu(conv(x), 0.1)
            maps.append(x)
        return self.post(x).flatten(1), maps


loader = DataLoader(Tones(), batch_size=4, shuffle=True, drop_last=True)
net = WaveNet()
discs = nn.ModuleList(PeriodDisc(p) for p in (2, 3, 5))
g_opt, d_opt = torch.optim.Adam(net.parameters()), torch.optim.Adam(discs.parameters())
centres = torch.linspace(-1, 1, 256)
for wave, codes in loader:
    cond = F.avg_pool1d(wave.abs(), 64).expand(-1, 8, -1)  #! .expand(-1, 8, -1) => .expand(-1, 6, -1)
    logits = net(wave[..., :-1], cond)
    ce = F.cross_entropy(logits, codes[:, 1:])  #! codes[:, 1:] => codes
    fake = torch.einsum("blt,l->bt", logits.softmax(1), centres).unsqueeze(1)  #! "blt,l->bt" => "btl,l->bt"
    d_loss = 0
    for disc in discs:
        real_score, _ = disc(wave[..., 1:])
        fake_score, _ = disc(fake.detach())
        d_loss = d_loss + F.relu(1 - real_score).mean() + F.relu(1 + fake_score).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    adv = fm = 0
    for disc in discs:
        (score, maps), (_, real_maps) = disc(fake), disc(wave[..., 1:])
        adv = adv - score.mean()
        fm = fm + sum(F.l1_loss(a, b) for a, b in zip(maps, real_maps))
    (ce + 0.1 * adv + fm).backward()
    g_opt.step()
    g_opt.zero_grad()
reveal_type(wave)
reveal_type(codes)
reveal_type(logits)
reveal_type(fake_score)
reveal_type(maps[-1])
spec = torch.stft(wave.squeeze(1), 128, 32, window=torch.hann_window(128), return_complex=True)
reveal_type(spec.abs())
back = torch.istft(spec, 128, 32, window=torch.hann_window(128))  #! torch.hann_window(128)) => torch.hann_window(256))
reveal_type(torch.fft.rfft(wave))
