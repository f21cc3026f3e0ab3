"""Diffusion: a U-Net built from channel multipliers with a stack of skips, sinusoidal time, class dropout, EMA and DDIM sampling."""
import copy
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from tqdm import tqdm


class Blobs(Dataset):
    def __init__(self, n, size, transform=None):
        self.n, self.size, self.transform = n, size, transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        ys, xs = torch.meshgrid(torch.linspace(-1, 1, self.size), torch.linspace(-1, 1, self.size), indexing="xy")
        img = torch.exp(-8 * ((xs - 0.1 * (i % 5)) ** 2 + ys ** 2))
        img = img.repeat(3, 1, 1)  #! .repeat(3, 1, 1) => .repeat(3, 1)
        if self.transform is not None:
            img = self.transform(img)
        return img, i % 4


def timestep_embedding(t, dim, period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(period) * torch.arange(half) / half)
    args = t[:, None].float() * freqs[None]  #! t[:, None].float() => t.float()
    return torch.cat([args.cos(), args.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, cin, cout, emb, groups=8):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(groups, cin), nn.Conv2d(cin, cout, 3, padding=1)
        self.emb = nn.Sequential(nn.SiLU(), nn.Linear(emb, 2 * cout))  #! 2 * cout => cout
        self.norm2, self.conv2 = nn.GroupNorm(groups, cout, affine=False), nn.Conv2d(cout, cout, 3, padding=1)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, e):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.emb(e)[..., None, None].chunk(2, dim=1)  #! dim=1 => dim=0
        h = self.norm2(h) * (1 + scale) + shift
        return self.conv2(F.silu(h)) + self.skip(x)


class SelfAttention2d(nn.Module):
    def __init__(self, c, heads=4):
        super().__init__()
        self.norm, self.heads = nn.GroupNorm(1, c), heads
        self.qkv, self.out = nn.Conv2d(c, c * 3, 1), nn.Conv2d(c, c, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, 3, self.heads, c // self.heads, h * w).unbind(1)
        y = F.scaled_dot_product_attention(*(z.transpose(-1, -2) for z in (q, k, v)))
        return x + self.out(y.transpose(-1, -2).reshape(b, c, h, w))  #! .reshape(b, c, h, w) => .reshape(b, h * w, c)


class Down(nn.Conv2d):
    def __init__(self, c):
        super().__init__(c, c, 3, stride=2, padding=1)


class Up(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2, mode="nearest"))  #! scale_factor=2 => scale_factor=3


class UNet(nn.Module):
    def __init__(self, base=16, mults=(1, 2, 4), blocks=2, attention=(1,), classes=4):
        super().__init__()
        emb = base * 4
        self.base = base
        self.time = nn.Sequential(nn.Linear(base, emb), nn.SiLU(), nn.Linear(emb, emb))  #! nn.Linear(base, emb) => nn.Linear(emb, emb)
        self.label = nn.Embedding(classes + 1, emb)
        self.inp = nn.Conv2d(3, base, 3, padding=1)
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        chans, c = [base], base
        for level, m in enumerate(mults):
            for _ in range(blocks):
                layers = [ResBlock(c, base * m, emb)]
                c = base * m
                if level in attention:
                    layers.append(SelfAttention2d(c))
                self.downs.append(nn.ModuleList(layers))
                chans.append(c)
            if level != len(mults) - 1:
                self.downs.append(nn.ModuleList([Down(c)]))
                chans.append(c)
        self.middle = nn.ModuleList([ResBlock(c, c, emb), SelfAttention2d(c), ResBlock(c, c, emb)])
        for level, m in reversed(list(enumerate(mults))):
            for i in range(blocks + 1):
                layers = [ResBlock(c + chans.pop(), base * m, emb)]  #! c + chans.pop() => c
                c = base * m
                if level in attention:
                    layers.append(SelfAttention2d(c))
                if level and i == blocks:
                    layers.append(Up(c))
                self.ups.append(nn.ModuleList(layers))
        self.out = nn.Sequential(nn.GroupNorm(8, c), nn.SiLU(), nn.Conv2d(c, 3, 3, padding=1))

    @staticmethod
    def run(layers, x, e):
        for layer in layers:
            x = layer(x, e) if isinstance(layer, ResBlock) else layer(x)
        return x

    def forward(self, x, t, y):
        e = self.time(timestep_embedding(t, self.base)) + self.label(y)
        h = self.inp(x)
        skips = [h]
        for layers in self.downs:
            h = self.run(layers, h, e)
            skips.append(h)
        h = self.run(self.middle, h, e)
        for layers in self.ups:
            h = self.run(layers, torch.cat([h, skips.pop()], dim=1), e)
        return self.out(h)


class Diffusion:
    def __init__(self, steps=100):
        betas = torch.linspace(1e-4, 0.02, steps)
        self.abar = torch.cumprod(1 - betas, 0)
        self.steps = steps

    def noise(self, x, t):
        eps = torch.randn_like(x)
        a = self.abar[t].view(-1, 1, 1, 1)  #! .view(-1, 1, 1, 1) => .view(-1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * eps, eps

    @torch.no_grad()
    def ddim(self, model, n, shape, label, jump=20, guidance=2.0):
        x = torch.randn(n, *shape)
        y = torch.full((n,), label)
        none = torch.full_like(y, 4)
        for i in tqdm(range(self.steps - 1, -1, -jump)):
            t = torch.full((n,), i)
            both = model(torch.cat([x, x]), torch.cat([t, t]), torch.cat([y, none]))  #! torch.cat([t, t]) => t
            cond, free = both.chunk(2)
            eps = free + guidance * (cond - free)
            a, prev = self.abar[i], self.abar[i - jump] if i >= jump else torch.tensor(1.0)
            x0 = ((x - (1 - a).sqrt() * eps) / a.sqrt()).clamp(-1, 1)
            x = prev.sqrt() * x0 + (1 - prev).sqrt() * eps
        return x


if __name__ == "__main__":
    pipeline = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)])  #! (0.5,) * 3, => (0.5,) * 2,
    data = DataLoader(Blobs(10, 16, pipeline), batch_size=4, shuffle=True, num_workers=0)
    net, diffusion = UNet(), Diffusion()
    ema = copy.deepcopy(net).requires_grad_(False)
    opt = torch.optim.AdamW(net.parameters(), 2e-4)
    for epoch in range(1):
        bar = tqdm(data, total=len(data))
        for x, y in bar:
            t = torch.randint(0, diffusion.steps, (x.shape[0],))
            y = torch.where(torch.rand(len(y)) < 0.1, torch.full_like(y, 4), y)
            noisy, eps = diffusion.noise(x, t)
            loss = F.mse_loss(net(noisy, t, y), eps)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            bar.set_postfix(loss=loss.item())
            for a, b in zip(ema.state_dict().values(), net.state_dict().values()):
                a.lerp_(b, 0.01)
    reveal_type(noisy)
    sample = diffusion.ddim(ema, 2, (3, 16, 16), 1)  #! (3, 16, 16) => (3, 15, 15)
    reveal_type(sample)
