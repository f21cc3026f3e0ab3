"""A diffusion transformer: patchify, adaLN-Zero, sinusoidal time and label embeddings with dropout, classifier-free guidance, DDIM, EMA."""
import math
from copy import deepcopy
import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange
from einops.layers.torch import Rearrange


def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)  #! scale.unsqueeze(1) => scale


class TimestepEmbedder(nn.Module):
    def __init__(self, hidden_size, freq=64):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(freq, hidden_size), nn.SiLU(), nn.Linear(hidden_size, hidden_size))
        self.freq = freq

    @staticmethod
    def timestep_embedding(t, dim, max_period=10000):
        half = dim // 2
        freqs = torch.exp(-math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
        args = t[:, None].float() * freqs[None]
        embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)  #! dim=-1 => dim=0
        if dim % 2:
            embedding = torch.cat([embedding, torch.zeros_like(embedding[:, :1])], dim=-1)
        return embedding

    def forward(self, t):
        return self.mlp(self.timestep_embedding(t, self.freq))


class LabelEmbedder(nn.Module):
    def __init__(self, num_classes, hidden, dropout_prob):
        super().__init__()
        self.embedding_table = nn.Embedding(num_classes + (dropout_prob > 0), hidden)
        self.num_classes, self.dropout_prob = num_classes, dropout_prob

    def token_drop(self, labels, force_drop_ids=None):
        if force_drop_ids is None:
            drop_ids = torch.rand(labels.shape[0]) < self.dropout_prob
        else:
            drop_ids = force_drop_ids == 1
        return torch.where(drop_ids, self.num_classes, labels)

    def forward(self, labels, train, force_drop_ids=None):
        if (train and self.dropout_prob > 0) or (force_drop_ids is not None):
            labels = self.token_drop(labels, force_drop_ids)
        return self.embedding_table(labels)


class DiTBlock(nn.Module):
    def __init__(self, hidden, heads, mlp_ratio=4.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(hidden, elementwise_affine=False, eps=1e-6)
        self.attn = nn.MultiheadAttention(hidden, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(hidden, elementwise_affine=False, eps=1e-6)
        inner = int(hidden * mlp_ratio)
        self.mlp = nn.Sequential(nn.Linear(hidden, inner), nn.GELU(approximate="tanh"), nn.Linear(inner, hidden))
        self.adaLN_modulation = nn.Sequential(nn.SiLU(), nn.Linear(hidden, 6 * hidden, bias=True))  #! 6 * hidden => 5 * hidden

    def forward(self, x, c):
        shift_msa, scale_msa, gate_msa, shift_mlp, scale_mlp, gate_mlp = self.adaLN_modulation(c).chunk(6, dim=1)
        h = modulate(self.norm1(x), shift_msa, scale_msa)
        x = x + gate_msa.unsqueeze(1) * self.attn(h, h, h, need_weights=False)[0]  #! gate_msa.unsqueeze(1) => gate_msa.unsqueeze(2)
        x = x + gate_mlp[:, None] * self.mlp(modulate(self.norm2(x), shift_mlp, scale_mlp))
        return x


class FinalLayer(nn.Module):
    def __init__(self, hidden, patch, out_channels):
        super().__init__()
        self.norm_final = nn.LayerNorm(hidden, elementwise_affine=False)
        self.linear = nn.Linear(hidden, patch * patch * out_channels)  #! patch * patch * out_channels => patch * out_channels
        self.ada = nn.Sequential(nn.SiLU(), nn.Linear(hidden, 2 * hidden))

    def forward(self, x, c):
        shift, scale = self.ada(c).chunk(2, dim=1)
        return self.linear(modulate(self.norm_final(x), shift, scale))


def sincos_2d(dim, grid):
    h, w = torch.meshgrid(torch.arange(grid), torch.arange(grid), indexing="ij")
    omega = 1.0 / 10000 ** (torch.arange(dim // 4) / (dim // 4))
    parts = [f(axis.flatten()[:, None] * omega[None]) for axis in (h, w) for f in (torch.sin, torch.cos)]
    return torch.cat(parts, dim=1)  #! torch.cat(parts, dim=1) => torch.stack(parts, dim=1)


class DiT(nn.Module):
    def __init__(self, input_size=16, patch_size=2, in_channels=4, hidden_size=48, depth=2, num_heads=4, num_classes=10, learn_sigma=True, class_dropout=0.1):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = in_channels * 2 if learn_sigma else in_channels
        self.patch, self.grid = patch_size, input_size // patch_size
        self.to_tokens = nn.Sequential(Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch_size, p2=patch_size), nn.Linear(in_channels * patch_size ** 2, hidden_size))  #! in_channels * patch_size ** 2 => in_channels * patch_size
        self.register_buffer("pos", sincos_2d(hidden_size, self.grid)[None])
        self.t_embedder = TimestepEmbedder(hidden_size)
        self.y_embedder = LabelEmbedder(num_classes, hidden_size, class_dropout)
        self.blocks = nn.ModuleList([DiTBlock(hidden_size, num_heads) for _ in range(depth)])
        self.final_layer = FinalLayer(hidden_size, patch_size, self.out_channels)
        self.initialize_weights()

    def initialize_weights(self):
        def _basic_init(module):
            if isinstance(module, nn.Linear):
                torch.nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.constant_(module.bias, 0)
        self.apply(_basic_init)
        for block in self.blocks:
            nn.init.constant_(block.adaLN_modulation[-1].weight, 0)
            nn.init.constant_(block.adaLN_modulation[-1].bias, 0)

    def forward(self, x, t, y, force_drop=None):
        x = self.to_tokens(x) + self.pos
        c = self.t_embedder(t) + self.y_embedder(y, self.training, force_drop)
        for block in self.blocks:
            x = block(x, c)
        x = self.final_layer(x, c)
        return rearrange(x, "b (h w) (p q c) -> b c (h p) (w q)", h=self.grid, p=self.patch, q=self.patch)

    def forward_with_cfg(self, x, t, y, cfg_scale):
        half = x[: len(x) // 2]
        combined = torch.cat([half, half], dim=0)
        model_out = self.forward(combined, t, y)
        eps, rest = model_out[:, :self.in_channels], model_out[:, self.in_channels:]
        cond_eps, uncond_eps = torch.split(eps, len(eps) // 2, dim=0)  #! len(eps) // 2 => len(eps) // 3
        half_eps = uncond_eps + cfg_scale * (cond_eps - uncond_eps)
        return torch.cat([torch.cat([half_eps, half_eps], dim=0), rest], dim=1)


class Diffusion:
    def __init__(self, steps=100):
        betas = torch.linspace(1e-4, 0.02, steps, dtype=torch.float64)
        self.alphas_bar = torch.cumprod(1.0 - betas, dim=0).float()
        self.steps = steps

    def extract(self, a, t, shape):
        return a.gather(-1, t).reshape(t.shape[0], *((1,) * (len(shape) - 1)))

    def losses(self, model, x0, t, **kwargs):
        noise = torch.randn_like(x0)
        a = self.extract(self.alphas_bar, t, x0.shape)
        out = model(a.sqrt() * x0 + (1 - a).sqrt() * noise, t, **kwargs)
        eps, log_var = torch.split(out, x0.shape[1], dim=1)  #! x0.shape[1], dim=1 => x0.shape[1], dim=2
        return ((eps - noise) ** 2).mean(dim=list(range(1, noise.ndim))) + 1e-3 * log_var.pow(2).flatten(1).mean(1)

    @torch.no_grad()
    def ddim(self, fn, shape, eta=0.0, n=5, **kwargs):
        x = torch.randn(shape)
        times = torch.linspace(self.steps - 1, 0, n).long().tolist()
        for now, nxt in zip(times, times[1:] + [-1]):
            t = torch.full((shape[0],), now, dtype=torch.long)
            eps = fn(x, t, **kwargs)[:, :shape[1]]  #! [:, :shape[1]] =>
            a, b = self.alphas_bar[now], self.alphas_bar[nxt] if nxt >= 0 else torch.tensor(1.0)
            x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
            x = b.sqrt() * x0 + (1 - b).sqrt() * eps
        return x


@torch.no_grad()
def update_ema(ema_model, model, decay=0.999):
    for (name, p), e in zip(model.named_parameters(), ema_model.parameters()):
        e.mul_(decay).add_(p.data, alpha=1 - decay)


model = DiT()
ema = deepcopy(model).eval()
diffusion = Diffusion()
opt = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0)
for _ in range(2):
    latents, labels = torch.randn(6, 4, 16, 16), torch.randint(0, 10, (6,))
    t = torch.randint(0, diffusion.steps, (latents.shape[0],))
    loss = diffusion.losses(model, latents, t, y=labels).mean()  #! y=labels => y=labels[:-1]
    opt.zero_grad()
    loss.backward()
    opt.step()
    update_ema(ema, model)
reveal_type(ema(latents, t, labels))
y = torch.cat([torch.arange(3), torch.full((3,), 10)])
samples = diffusion.ddim(ema.forward_with_cfg, (6, 4, 16, 16), y=y, cfg_scale=4.0)
reveal_type(samples)
samples, _ = samples.chunk(2, dim=0)
reveal_type(samples)
