"""A mixture-of-experts feed-forward layer with top-k routing, in dense and sparse forms."""
import torch
from torch import nn, Tensor
from torch.nn import functional as F
from einops import rearrange, reduce, repeat


class Expert(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))  #! nn.Linear(d_ff, d_model) => nn.Linear(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class TopKRouter(nn.Module):
    def __init__(self, d_model: int, num_experts: int, k: int = 2):
        super().__init__()
        assert k <= num_experts
        self.k = k
        self.gate = nn.Linear(d_model, num_experts, bias=False)

    def forward(self, x):
        logits = self.gate(x)
        top, index = logits.topk(self.k, dim=-1)
        weights = top.softmax(-1)
        probs = logits.softmax(-1)
        return weights, index, probs


class SparseMoE(nn.Module):
    def __init__(self, d_model, d_ff, num_experts=4, k=2):
        super().__init__()
        self.router = TopKRouter(d_model, num_experts, k)  #! d_model, num_experts => num_experts, d_model
        self.experts = nn.ModuleList(Expert(d_model, d_ff) for _ in range(num_experts))
        self.aux = 0.0

    def forward(self, x):
        b, s, d = x.shape
        flat = rearrange(x, "b s d -> (b s) d")
        weights, index, probs = self.router(flat)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(index == i)
            if token.numel() == 0:
                continue
            out[token] += expert(flat[token]) * weights[token, slot].unsqueeze(-1)  #! .unsqueeze(-1) => .unsqueeze(0)
        usage = F.one_hot(index, len(self.experts)).float().sum(1).mean(0)
        self.aux = (usage * probs.mean(0)).sum() * len(self.experts)  #! probs.mean(0) => probs.mean(1)
        return rearrange(out, "(b s) d -> b s d", b=b)  #! b=b => b=s + 1


class DenseMoE(nn.Module):
    """All experts at once, with batched weights."""

    def __init__(self, d_model, d_ff, num_experts=4):
        super().__init__()
        self.gate = nn.Linear(d_model, num_experts)
        self.w1 = nn.Parameter(torch.randn(num_experts, d_model, d_ff) * 0.02)
        self.w2 = nn.Parameter(torch.randn(num_experts, d_ff, d_model) * 0.02)  #! num_experts, d_ff, d_model => num_experts, d_model, d_ff

    def forward(self, x):
        g = self.gate(x).softmax(dim=-1)
        h = torch.einsum("bsd,edf->bsef", x, self.w1)
        y = torch.einsum("bsef,efd->bsed", F.gelu(h), self.w2)
        return torch.einsum("bsed,bse->bsd", y, g)  #! bsed,bse->bsd => bsed,be->bsd


class Layer(nn.Module):
    def __init__(self, moe: nn.Module, d_model: int, n_heads: int):
        super().__init__()
        self.h = n_heads
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.moe = moe

    def attend(self, x):
        q, k, v = rearrange(self.qkv(x), "b s (three h d) -> three b h s d", three=3, h=self.h)  #! three b h s d => b three h s d
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(rearrange(y, "b h s d -> b s (h d)"))  #! b s (h d) => b h (s d)

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.moe(self.norm2(x))


def build(kind: str, d_model=48, depth=2):
    match kind:
        case "sparse":
            make = lambda: SparseMoE(d_model, 96)
        case "dense":
            make = lambda: DenseMoE(d_model, 96)
        case _:
            raise ValueError(f"unknown kind {kind}")
    return nn.Sequential(*[Layer(make(), d_model, n_heads=6) for _ in range(depth)])


x = torch.randn(2, 10, 48)
for kind in ("sparse", "dense"):
    model = build(kind)
    y = model(x)
    reveal_type(y)
pooled = reduce(y, "b s d -> b d", "mean")
tiled = repeat(pooled, "b d -> (r b) d", r=3)
reveal_type(tiled)
