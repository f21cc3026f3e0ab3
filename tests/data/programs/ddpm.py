"""Denoising diffusion with a small time-conditioned network and EMA weights."""
import copy
import math
from functools import partial

import torch
from torch import nn
import torch.nn.functional as F


def exists(x):
    return x is not None


def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d


def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))  #! len(x_shape) - 1 => len(x_shape) - 2


def cosine_beta_schedule(timesteps, s=0.008):
    steps = timesteps + 1
    x = torch.linspace(0, timesteps, steps)
    alphas_cumprod = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    betas = 1 - (alphas_cumprod[1:] / alphas_cumprod[:-1])  #! [:-1]) => [:-2])
    return torch.clip(betas, 0, 0.999)


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half_dim = self.dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim) * -emb)
        emb = x[:, None] * emb[None, :]
        emb = torch.cat((emb.sin(), emb.cos()), dim=-1)
        return emb


class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, *, time_emb_dim=None, groups=8):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out * 2)) if exists(time_emb_dim) else None  #! dim_out * 2 => dim_out
        self.conv1 = nn.Conv2d(dim, dim_out, 3, padding=1)
        self.norm1 = nn.GroupNorm(groups, dim_out)  #! groups, dim_out => groups, dim
        self.conv2 = nn.Conv2d(dim_out, dim_out, 3, padding=1)
        self.norm2 = nn.GroupNorm(groups, dim_out)
        self.res_conv = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, time_emb=None):
        scale_shift = None
        if exists(self.mlp) and exists(time_emb):
            time_emb = self.mlp(time_emb)
            time_emb = time_emb[:, :, None, None]  #! [:, :, None, None] => [:, :, None]
            scale_shift = time_emb.chunk(2, dim=1)
        h = self.norm1(self.conv1(x))
        if exists(scale_shift):
            scale, shift = scale_shift
            h = h * (scale + 1) + shift
        h = self.norm2(self.conv2(F.silu(h)))
        return F.silu(h) + self.res_conv(x)


class TinyUnet(nn.Module):
    def __init__(self, dim, init_dim=None, dim_mults=(1, 2, 4), channels=3):
        super().__init__()
        self.channels = channels
        init_dim = default(init_dim, dim)
        self.init_conv = nn.Conv2d(channels, init_dim, 7, padding=3)
        dims = [init_dim, *map(lambda m: dim * m, dim_mults)]
        in_out = list(zip(dims[:-1], dims[1:]))
        time_dim = dim * 4
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, time_dim), nn.GELU(), nn.Linear(time_dim, time_dim))
        block = partial(ResnetBlock, time_emb_dim=time_dim, groups=4)
        self.downs = nn.ModuleList([])
        self.ups = nn.ModuleList([])
        for ind, (dim_in, dim_out) in enumerate(in_out):
            is_last = ind >= (len(in_out) - 1)
            self.downs.append(nn.ModuleList([
                block(dim_in, dim_in),
                nn.Conv2d(dim_in, dim_out, 4, 2, 1) if not is_last else nn.Conv2d(dim_in, dim_out, 3, padding=1),
            ]))
        mid_dim = dims[-1]
        self.mid = block(mid_dim, mid_dim)
        for ind, (dim_in, dim_out) in enumerate(reversed(in_out)):
            is_last = ind == (len(in_out) - 1)
            self.ups.append(nn.ModuleList([
                block(dim_out + dim_in, dim_out),  #! dim_out + dim_in => dim_out
                nn.ConvTranspose2d(dim_out, dim_in, 4, 2, 1) if not is_last else nn.Conv2d(dim_out, dim_in, 3, padding=1),
            ]))
        self.final = nn.Conv2d(dim, channels, 1)  #! dim, channels => dim_out, channels

    def forward(self, x, time):
        x = self.init_conv(x)
        t = self.time_mlp(time)
        h = []
        for block, downsample in self.downs:
            x = block(x, t)
            h.append(x)
            x = downsample(x)
        x = self.mid(x, t)
        for block, upsample in self.ups:
            x = torch.cat((x, h.pop()), dim=1)  #! h.pop() => h.pop(0)
            x = block(x, t)
            x = upsample(x)
        return self.final(x)


class GaussianDiffusion(nn.Module):
    def __init__(self, model, *, image_size, timesteps=50):
        super().__init__()
        self.model = model
        self.image_size = image_size
        betas = cosine_beta_schedule(timesteps)
        alphas = 1.0 - betas
        alphas_cumprod = torch.cumprod(alphas, dim=0)
        alphas_cumprod_prev = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)  #! (1, 0) => (1, 1)
        (timesteps,) = betas.shape
        self.num_timesteps = int(timesteps)
        register_buffer = lambda name, val: self.register_buffer(name, val.to(torch.float32))
        register_buffer("betas", betas)
        register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
        register_buffer("sqrt_one_minus_alphas_cumprod", torch.sqrt(1.0 - alphas_cumprod))
        register_buffer("posterior_variance", betas * (1.0 - alphas_cumprod_prev) / (1.0 - alphas_cumprod))

    def q_sample(self, x_start, t, noise=None):
        noise = default(noise, lambda: torch.randn_like(x_start))
        return (
            extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start
            + extract(self.sqrt_one_minus_alphas_cumprod, t, x_start.shape) * noise
        )

    def forward(self, img):
        b, c, h, w = img.shape
        img_size = self.image_size
        assert h == img_size and w == img_size, f"height and width of image must be {img_size}"
        t = torch.randint(0, self.num_timesteps, (b,)).long()  #! (b,) => (b, 1)
        noise = torch.randn_like(img)
        x = self.q_sample(x_start=img, t=t, noise=noise)
        model_out = self.model(x, t)
        return F.mse_loss(model_out, noise)

    @torch.no_grad()
    def sample(self, batch_size=4):
        img = torch.randn(batch_size, self.model.channels, self.image_size, self.image_size)
        for i in reversed(range(0, 3)):
            t = torch.full((batch_size,), i, dtype=torch.long)
            eps = self.model(img, t)
            noise = torch.randn_like(img) if i > 0 else 0.0
            img = img - extract(self.betas, t, img.shape) * eps + extract(self.posterior_variance, t, img.shape).sqrt() * noise
        return img


class EMA:
    def __init__(self, model, decay=0.995):
        self.decay = decay
        self.ema_model = copy.deepcopy(model)

    def update(self, model):
        for current, ma in zip(model.parameters(), self.ema_model.parameters()):
            ma.data = ma.data * self.decay + (1 - self.decay) * current.data


diffusion = GaussianDiffusion(TinyUnet(16), image_size=32)
ema = EMA(diffusion)
optimizer = torch.optim.Adam(diffusion.parameters(), lr=8e-5)
for step in range(2):
    loss = diffusion(torch.rand(4, 3, 32, 32))
    (loss / 2).backward()
    optimizer.step()
    optimizer.zero_grad()
    ema.update(diffusion)
reveal_type(loss)
reveal_type(ema.ema_model.sample(batch_size=2))
