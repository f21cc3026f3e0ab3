"""Class-conditional diffusion: U-Net from channel multipliers, EMA, classifier-free guidance, DDIM sampling."""
import copy
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm


def exists(x):
    return x is not None


def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d


def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half = self.dim // 2
        emb = math.log(10000) / (half - 1)
        emb = torch.exp(torch.arange(half, device=x.device) * -emb)
        emb = x[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class Block(nn.Module):
    def __init__(self, dim, dim_out, groups=4):
        super().__init__()
        self.proj = nn.Conv2d(dim, dim_out, 3, padding=1)
        self.norm = nn.GroupNorm(groups, dim_out)
        self.act = nn.SiLU()

    def forward(self, x, scale_shift=None):
        x = self.norm(self.proj(x))
        if exists(scale_shift):
            scale, shift = scale_shift
            x = x * (scale + 1) + shift
        return self.act(x)


class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, *, time_emb_dim=None, classes_emb_dim=None, groups=4):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(int(time_emb_dim) + int(classes_emb_dim), dim_out * 2)) if exists(time_emb_dim) or exists(classes_emb_dim) else None
        self.block1 = Block(dim, dim_out, groups=groups)
        self.block2 = Block(dim_out, dim_out, groups=groups)
        self.res_conv = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, time_emb=None, class_emb=None):
        scale_shift = None
        if exists(self.mlp) and (exists(time_emb) or exists(class_emb)):
            cond = torch.cat(tuple(filter(exists, (time_emb, class_emb))), dim=-1)
            cond = self.mlp(cond)
            cond = cond[:, :, None, None]
            scale_shift = cond.chunk(2, dim=1)
        h = self.block1(x, scale_shift=scale_shift)
        h = self.block2(h)
        return h + self.res_conv(x)


class LinearAttention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=8):
        super().__init__()
        self.scale, self.heads = dim_head ** -0.5, heads
        hidden = dim_head * heads
        self.to_qkv = nn.Conv2d(dim, hidden * 3, 1, bias=False)
        self.to_out = nn.Sequential(nn.Conv2d(hidden, dim, 1), nn.GroupNorm(1, dim))

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = (t.reshape(b, self.heads, -1, h * w) for t in self.to_qkv(x).chunk(3, dim=1))
        q, k = q.softmax(dim=-2) * self.scale, k.softmax(dim=-1)
        context = torch.einsum("b h d n, b h e n -> b h d e", k, v)
        out = torch.einsum("b h d e, b h d n -> b h e n", context, q)
        return self.to_out(out.reshape(b, -1, h, w)) + x


class Unet(nn.Module):
    def __init__(self, dim, num_classes, init_dim=None, dim_mults=(1, 2, 4), channels=1):
        super().__init__()
        init_dim = default(init_dim, dim)
        self.init_conv = nn.Conv2d(channels, init_dim, 7, padding=3)
        dims = [init_dim, *map(lambda m: dim * m, dim_mults)]
        in_out = list(zip(dims[:-1], dims[1:]))
        time_dim = classes_dim = dim * 4
        self.classes_emb = nn.Embedding(num_classes, dim)
        self.null_classes_emb = nn.Parameter(torch.randn(dim))
        self.classes_mlp = nn.Sequential(nn.Linear(dim, classes_dim), nn.GELU(), nn.Linear(classes_dim, classes_dim))
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, time_dim), nn.GELU(), nn.Linear(time_dim, time_dim))
        emb = dict(time_emb_dim=time_dim, classes_emb_dim=classes_dim)
        self.downs, self.ups = nn.ModuleList([]), nn.ModuleList([])
        for ind, (dim_in, dim_out) in enumerate(in_out):
            is_last = ind >= len(in_out) - 1
            self.downs.append(nn.ModuleList([
                ResnetBlock(dim_in, dim_in, **emb),
                LinearAttention(dim_in),
                nn.Conv2d(dim_in, dim_out, 4, 2, 1) if not is_last else nn.Conv2d(dim_in, dim_out, 3, padding=1),
            ]))
        mid = dims[-1]
        self.mid_block1 = ResnetBlock(mid, mid, **emb)
        self.mid_block2 = ResnetBlock(mid, mid, **emb)
        for ind, (dim_in, dim_out) in enumerate(reversed(in_out)):
            is_last = ind == len(in_out) - 1
            self.ups.append(nn.ModuleList([
                ResnetBlock(dim_out + dim_in, dim_out, **emb),  #! dim_out + dim_in => dim_out * 2
                LinearAttention(dim_out),
                nn.Sequential(nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(dim_out, dim_in, 3, padding=1)) if not is_last else nn.Conv2d(dim_out, dim_in, 3, padding=1),
            ]))
        self.final_res = ResnetBlock(init_dim * 2, init_dim, **emb)
        self.final_conv = nn.Conv2d(init_dim, channels, 1)

    def forward(self, x, time, classes, drop_prob=0.1):
        batch = x.shape[0]
        class_emb = self.classes_emb(classes)
        if drop_prob > 0:
            keep = torch.rand(batch) < (1 - drop_prob)
            null = self.null_classes_emb.expand(batch, -1)
            class_emb = torch.where(keep[:, None], class_emb, null)  #! keep[:, None] => keep
        c = self.classes_mlp(class_emb)
        x = self.init_conv(x)
        r = x.clone()
        t = self.time_mlp(time)
        h = []
        for block, attn, down in self.downs:
            x = attn(block(x, t, c))
            h.append(x)
            x = down(x)
        x = self.mid_block2(self.mid_block1(x, t, c), t, c)
        for block, attn, up in self.ups:
            x = torch.cat((x, h.pop()), dim=1)
            x = attn(block(x, t, c))
            x = up(x)
        x = torch.cat((x, r), dim=1)
        return self.final_conv(self.final_res(x, t, c))


class Diffusion(nn.Module):
    def __init__(self, model, image_size, timesteps=40, sampling=5):
        super().__init__()
        self.model, self.image_size, self.timesteps, self.sampling = model, image_size, timesteps, sampling
        steps = torch.linspace(0, timesteps, timesteps + 1) / timesteps
        bar = torch.cos((steps + 0.008) / 1.008 * math.pi * 0.5) ** 2
        bar = bar / bar[0]
        betas = torch.clip(1 - bar[1:] / bar[:-1], 0, 0.999)
        self.register_buffer("alphas_cumprod", torch.cumprod(1.0 - betas, dim=0))

    def q_sample(self, x, t, noise):
        a = extract(self.alphas_cumprod, t, x.shape)
        return a.sqrt() * x + (1 - a).sqrt() * noise

    @torch.no_grad()
    def sample(self, classes, guidance=3.0):
        batch, shape = classes.shape[0], (classes.shape[0], 1, self.image_size, self.image_size)
        img = torch.randn(shape)
        times = list(reversed(torch.linspace(-1, self.timesteps - 1, steps=self.sampling + 1).int().tolist()))
        for time, after in tqdm(list(zip(times[:-1], times[1:])), desc="sampling"):
            t = torch.full((batch,), time, dtype=torch.long)
            cond, null = self.model(img, t, classes, 0.0), self.model(img, t, classes, 1.0)
            noise = null + (cond - null) * guidance
            a = self.alphas_cumprod[time]
            x0 = ((img - (1 - a).sqrt() * noise) / a.sqrt()).clamp_(-1.0, 1.0)
            if after < 0:
                img = x0
                continue
            b = self.alphas_cumprod[after]
            img = b.sqrt() * x0 + (1 - b).sqrt() * noise
        return (img + 1) * 0.5

    def forward(self, img, classes):
        b, c, h, w = img.shape
        assert h == self.image_size and w == self.image_size, f"image must be {self.image_size}"
        t = torch.randint(0, self.timesteps, (b,)).long()
        noise = torch.randn_like(img)
        out = self.model(self.q_sample(img, t, noise), t, classes)
        return F.mse_loss(out, noise, reduction="none").flatten(1).mean(1).mean()


class Shapes(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, i):
        img = torch.zeros(1, 16, 16)  #! 16, 16 => 18, 18
        img[:, i % 8 : i % 8 + 4, 4:8] = 1.0
        return img * 2 - 1, i % 3


unet = Unet(8, num_classes=3)
diffusion = Diffusion(unet, image_size=16)
ema = copy.deepcopy(diffusion).eval().requires_grad_(False)
opt = torch.optim.AdamW(diffusion.parameters(), 1e-3)
for images, labels in DataLoader(Shapes(), batch_size=8, shuffle=True):
    loss = diffusion(images, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    for p, q in zip(ema.parameters(), diffusion.parameters()):
        p.lerp_(q.detach(), 0.01)
reveal_type(images)
reveal_type(diffusion.alphas_cumprod)
samples = ema.sample(torch.tensor([0, 1, 2, 2]))
reveal_type(samples)
eps = unet(torch.randn(5, 1, 16, 16), torch.zeros(5).long(), torch.zeros(5, dtype=torch.long))  #! torch.zeros(5).long() => torch.zeros(4).long()
reveal_type(eps)
