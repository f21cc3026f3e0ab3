"""Selective state spaces: a language model of Mamba blocks with a sequential scan and a step for decoding."""
import math
from dataclasses import dataclass
from typing import Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import einsum, rearrange, repeat


@dataclass
class ModelArgs:
    d_model: int
    n_layer: int
    vocab_size: int
    d_state: int = 8
    expand: int = 2
    dt_rank: Union[int, str] = "auto"
    d_conv: int = 4
    pad_vocab_size_multiple: int = 8
    conv_bias: bool = True
    bias: bool = False

    def __post_init__(self):
        self.d_inner = int(self.expand * self.d_model)
        if self.dt_rank == "auto":
            self.dt_rank = math.ceil(self.d_model / 16)
        if self.vocab_size % self.pad_vocab_size_multiple != 0:
            self.vocab_size += self.pad_vocab_size_multiple - self.vocab_size % self.pad_vocab_size_multiple


class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class MambaBlock(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.in_proj = nn.Linear(args.d_model, args.d_inner * 2, bias=args.bias)
        self.conv1d = nn.Conv1d(args.d_inner, args.d_inner, bias=args.conv_bias, kernel_size=args.d_conv, groups=args.d_inner, padding=args.d_conv - 1)
        self.x_proj = nn.Linear(args.d_inner, args.dt_rank + args.d_state * 2, bias=False)  #! args.d_state * 2, => args.d_state,
        self.dt_proj = nn.Linear(args.dt_rank, args.d_inner, bias=True)
        A = repeat(torch.arange(1, args.d_state + 1), "n -> d n", d=args.d_inner)  #! d=args.d_inner => d=args.d_model
        self.A_log = nn.Parameter(torch.log(A))
        self.D = nn.Parameter(torch.ones(args.d_inner))
        self.out_proj = nn.Linear(args.d_inner, args.d_model, bias=args.bias)

    def forward(self, x):
        (b, l, d) = x.shape
        x_and_res = self.in_proj(x)
        (x, res) = x_and_res.split(split_size=[self.args.d_inner, self.args.d_inner], dim=-1)
        x = rearrange(x, "b l d_in -> b d_in l")
        x = self.conv1d(x)[:, :, :l]  #! (x)[:, :, :l] => (x)
        x = rearrange(x, "b d_in l -> b l d_in")
        x = F.silu(x)
        y = self.ssm(x)
        return self.out_proj(y * F.silu(res))

    def ssm(self, x):
        (d_in, n) = self.A_log.shape
        A = -torch.exp(self.A_log.float())
        x_dbl = self.x_proj(x)
        (delta, B, C) = x_dbl.split(split_size=[self.args.dt_rank, n, n], dim=-1)
        delta = F.softplus(self.dt_proj(delta))
        return self.selective_scan(x, delta, A, B, C, self.D.float())

    def selective_scan(self, u, delta, A, B, C, D):
        (b, l, d_in) = u.shape
        n = A.shape[1]
        deltaA = torch.exp(einsum(delta, A, "b l d_in, d_in n -> b l d_in n"))
        deltaB_u = einsum(delta, B, u, "b l d_in, b l n, b l d_in -> b l d_in n")
        x = torch.zeros((b, d_in, n), device=deltaA.device)
        ys = []
        for i in range(l):
            x = deltaA[:, i] * x + deltaB_u[:, i]  #! deltaB_u[:, i] => deltaB_u[:, :, i]
            y = einsum(x, C[:, i, :], "b d_in n, b n -> b d_in")
            ys.append(y)
        y = torch.stack(ys, dim=1)
        return y + u * D

    def step(self, x, conv_state, ssm_state):
        xz = self.in_proj(x.squeeze(1))
        x, z = xz.chunk(2, dim=-1)
        conv_state.copy_(torch.roll(conv_state, shifts=-1, dims=-1))
        conv_state[:, :, -1] = x
        x = torch.sum(conv_state * rearrange(self.conv1d.weight, "d 1 w -> d w"), dim=-1)
        x = F.silu(x + self.conv1d.bias)
        dt, B, C = torch.split(self.x_proj(x), [self.args.dt_rank, self.args.d_state, self.args.d_state], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        dA = torch.exp(torch.einsum("bd,dn->bdn", dt, -torch.exp(self.A_log)))
        ssm_state.copy_(ssm_state * dA + rearrange(x, "b d -> b d 1") * torch.einsum("bd,bn->bdn", dt, B))
        y = torch.einsum("bdn,bn->bd", ssm_state, C) + self.D * x
        return self.out_proj(y * F.silu(z)).unsqueeze(1)


class Mamba(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.embedding = nn.Embedding(args.vocab_size, args.d_model)
        self.layers = nn.ModuleList([nn.ModuleDict(dict(mixer=MambaBlock(args), norm=RMSNorm(args.d_model))) for _ in range(args.n_layer)])
        self.norm_f = RMSNorm(args.d_model)
        self.lm_head = nn.Linear(args.d_model, args.vocab_size, bias=False)
        self.lm_head.weight = self.embedding.weight

    def forward(self, ids, caches=None):
        x = self.embedding(ids)
        for i, layer in enumerate(self.layers):
            normed = layer["norm"](x)
            x = x + (layer["mixer"](normed) if caches is None else layer["mixer"].step(normed, *caches[i]))
        return self.lm_head(self.norm_f(x))

    def empty_caches(self, batch):
        a = self.args
        return [(torch.zeros(batch, a.d_inner, a.d_conv), torch.zeros(batch, a.d_inner, a.d_state)) for _ in self.layers]


if __name__ == "__main__":
    args = ModelArgs(d_model=24, n_layer=2, vocab_size=61)
    model = Mamba(args)
    ids = torch.randint(0, 61, (3, 10))
    logits = model(ids[:, :-1])
    reveal_type(logits)
    loss = F.cross_entropy(logits.view(-1, args.vocab_size), ids[:, 1:].reshape(-1))
    loss.backward()
    with torch.no_grad():
        caches = model.empty_caches(3)
        token = ids[:, :1]
        for _ in range(4):
            logits = model(token, caches)
            token = torch.multinomial(logits[:, -1].softmax(-1), 1)
        reveal_type(logits)
        reveal_type(caches[0][1])
