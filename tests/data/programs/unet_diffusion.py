"""Denoising diffusion with a conditional UNet, skip stack, EMA copy, classifier-free guidance and DDIM steps."""
import copy
import math
from collections.abc import Iterable
import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange


def exists(v):
    return v is not None


def default(v, d):
    return v if exists(v) else d() if callable(d) else d


class SinusoidalEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(torch.arange(half) * -(math.log(10000) / (half - 1)))
        args = t[:, None].float() * freqs[None, :]  #! t[:, None].float() => t.float()
        return torch.cat((args.sin(), args.cos()), dim=-1)


class ResBlock(nn.Module):
    def __init__(self, cin, cout=None, *, temb, groups=8):
        super().__init__()
        cout = default(cout, cin)
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(temb, cout * 2))  #! cout * 2 => cout
        self.conv1, self.norm1 = nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(groups, cout)
        self.conv2, self.norm2 = nn.Conv2d(cout, cout, 3, padding=1), nn.GroupNorm(groups, cout)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, t):
        scale, shift = rearrange(self.mlp(t), "b c -> b c 1 1").chunk(2, dim=1)  #! "b c -> b c 1 1" => "b c -> b c 1"
        h = F.silu(self.norm1(self.conv1(x)) * (scale + 1) + shift)
        return F.silu(self.norm2(self.conv2(h))) + self.skip(x)


class LinearAttention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=8):
        super().__init__()
        self.heads, self.scale = heads, dim_head ** -0.5
        self.to_qkv = nn.Conv2d(dim, 3 * heads * dim_head, 1, bias=False)
        self.to_out = nn.Sequential(nn.Conv2d(heads * dim_head, dim, 1), nn.GroupNorm(1, dim))  #! nn.Conv2d(heads * dim_head, dim, 1) => nn.Conv2d(dim, heads * dim_head, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = (rearrange(t, "b (h c) x y -> b h c (x y)", h=self.heads) for t in self.to_qkv(x).chunk(3, dim=1))
        context = torch.einsum("bhdn,bhen->bhde", k.softmax(-1), v)
        out = torch.einsum("bhde,bhdn->bhen", context, q.softmax(-2) * self.scale)  #! bhde,bhdn->bhen => bhde,bhnd->bhen
        return self.to_out(rearrange(out, "b h c (x y) -> b (h c) x y", h=self.heads, x=h, y=w)) + x


def Downsample(cin, cout):
    return nn.Sequential(Rearrange("b c (h p1) (w p2) -> b (c p1 p2) h w", p1=2, p2=2), nn.Conv2d(cin * 4, cout, 1))  #! cin * 4 => cin


def Upsample(cin, cout):
    return nn.Sequential(nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(cin, cout, 3, padding=1))


class UNet(nn.Module):
    def __init__(self, dim=16, mults=(1, 2, 4), channels=1, classes=10):
        super().__init__()
        dims = [dim, *map(lambda m: dim * m, mults)]
        in_out = list(zip(dims[:-1], dims[1:]))
        temb = dim * 4
        self.time = nn.Sequential(SinusoidalEmb(dim), nn.Linear(dim, temb), nn.GELU(), nn.Linear(temb, temb))
        self.label = nn.Embedding(classes + 1, temb)
        self.init = nn.Conv2d(channels, dim, 7, padding=3)
        self.downs, self.ups = nn.ModuleList([]), nn.ModuleList([])
        for i, (a, b) in enumerate(in_out):
            last = i >= len(in_out) - 1
            self.downs.append(nn.ModuleList([ResBlock(a, temb=temb), ResBlock(a, temb=temb), LinearAttention(a), Downsample(a, b) if not last else nn.Conv2d(a, b, 3, padding=1)]))
        self.mid = ResBlock(dims[-1], temb=temb)
        for i, (a, b) in enumerate(reversed(in_out)):
            last = i == len(in_out) - 1
            self.ups.append(nn.ModuleList([ResBlock(a + b, b, temb=temb), ResBlock(a + b, b, temb=temb), LinearAttention(b), Upsample(b, a) if not last else nn.Conv2d(b, a, 3, padding=1)]))  #! [ResBlock(a + b, b, temb=temb), => [ResBlock(b, b, temb=temb),
        self.final = nn.Conv2d(dim * 2, channels, 1)

    def forward(self, x, t, y):
        x = self.init(x)
        r, stack = x.clone(), []
        t = self.time(t) + self.label(y)
        for b1, b2, attn, down in self.downs:
            x = b1(x, t)
            stack.append(x)
            x = attn(b2(x, t))
            stack.append(x)
            x = down(x)
        x = self.mid(x, t)
        for b1, b2, attn, up in self.ups:
            x = b1(torch.cat((x, stack.pop()), dim=1), t)  #! dim=1 => dim=-1
            x = b2(torch.cat((x, stack.pop()), dim=1), t)
            x = up(attn(x))
        return self.final(torch.cat((x, r), dim=1))  #! torch.cat((x, r), dim=1) => x


def extract(a, t, shape):
    return a.gather(-1, t).reshape(t.shape[0], *((1,) * (len(shape) - 1)))  #! (len(shape) - 1) => len(shape)


T = 50
betas = torch.linspace(1e-4, 0.02, T)
alphas_bar = torch.cumprod(1 - betas, 0)
net = UNet()
ema = copy.deepcopy(net).requires_grad_(False)
opt = torch.optim.Adam(net.parameters(), 2e-4)
for _ in range(2):
    x0, y = torch.randn(4, 1, 16, 16), torch.randint(0, 10, (4,))  #! 16, 16 => 18, 18
    t, noise = torch.randint(0, T, (4,)), torch.randn_like(x0)
    y = torch.where(torch.rand(4) < 0.1, torch.full_like(y, 10), y)
    a = extract(alphas_bar, t, x0.shape)
    pred = net(a.sqrt() * x0 + (1 - a).sqrt() * noise, t, y)
    loss = reduce((pred - noise) ** 2, "b ... -> b (...)", "mean").mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for p, q in zip(ema.parameters(), net.parameters()):
        p.lerp_(q, 0.01)
reveal_type(a)
reveal_type(pred)


@torch.no_grad()
def ddim(model, shape, y, steps=5, w=2.0):
    x = torch.randn(shape)
    times = torch.linspace(T - 1, 0, steps).long()
    for i, s in enumerate(times):
        t = s.expand(shape[0])
        cond, free = model(torch.cat([x, x]), t.repeat(2), torch.cat([y, torch.full_like(y, 10)])).chunk(2)  #! t.repeat(2) => t
        eps = (1 + w) * cond - w * free
        a = alphas_bar[s]
        x0 = ((x - (1 - a).sqrt() * eps) / a.sqrt()).clamp(-1, 1)
        prev = alphas_bar[times[i + 1]] if i + 1 < steps else torch.tensor(1.0)
        x = prev.sqrt() * x0 + (1 - prev).sqrt() * eps
    return x


images = ddim(ema, (6, 1, 16, 16), torch.arange(6))
reveal_type(images)
grid = rearrange(images, "(r c) ch h w -> (r h) (c w) ch", r=2)  #! r=2 => r=4
reveal_type(grid)
reveal_type(repeat(grid, "h w 1 -> h w c", c=3))
