"""Mixture of experts with capacity: tokens are routed, dispatched by one-hot products or by index, and combined."""
from typing import Callable, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Experts(nn.Module):
    def __init__(self, num_experts: int, dim: int, hidden: int, act: Callable[[Tensor], Tensor] = F.gelu):
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(num_experts, dim, hidden))
        self.b1 = nn.Parameter(torch.zeros(num_experts, 1, hidden))
        self.w2 = nn.Parameter(torch.empty(num_experts, hidden, dim))
        self.b2 = nn.Parameter(torch.zeros(num_experts, 1, dim))
        self.act = act
        for w in (self.w1, self.w2):
            nn.init.kaiming_uniform_(w)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.act(torch.baddbmm(self.b1, x, self.w1))
        return torch.bmm(hidden, self.w2) + self.b2  #! torch.bmm(hidden, self.w2) => torch.bmm(hidden, self.w1)


def top2_gating(logits: Tensor, capacity: int) -> Tuple[Tensor, Tensor, Tensor]:
    gates = F.softmax(logits, dim=1)
    num_experts = gates.shape[1]
    first = torch.argmax(gates, dim=1)
    mask1 = F.one_hot(first, num_classes=num_experts)
    without = logits.masked_fill(mask1.bool(), float("-inf"))
    mask2 = F.one_hot(without.argmax(dim=1), num_classes=num_experts)
    locations1 = torch.cumsum(mask1, dim=0) - 1
    locations2 = torch.cumsum(mask2, dim=0) - 1 + torch.sum(mask1, dim=0, keepdim=True)
    me, ce = gates.mean(dim=0), mask1.float().mean(dim=0)
    aux = torch.mean(me * ce) * num_experts * num_experts
    mask1 *= torch.lt(locations1, capacity)
    mask2 *= torch.lt(locations2, capacity)
    position1, position2 = torch.sum(locations1 * mask1, dim=1), torch.sum(locations2 * mask2, dim=1)
    gate1, gate2 = (gates * mask1).sum(dim=1), (gates * mask2).sum(dim=1)
    total = (gate1 + gate2).clamp(min=torch.finfo(gates.dtype).eps)
    gate1, gate2 = gate1 / total, gate2 / total
    combine = torch.einsum("s,se,sc->sec", gate1, mask1.float(), F.one_hot(position1, capacity).float())  #! "s,se,sc->sec" => "s,se,sc->sce"
    combine = combine + torch.einsum("s,se,sc->sec", gate2, mask2.float(), F.one_hot(position2, capacity).float())
    return aux, combine, combine.bool()


class DispatchMoE(nn.Module):
    def __init__(self, dim: int, num_experts: int, hidden: int, capacity_factor: float = 1.5, min_capacity: int = 4):
        super().__init__()
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = Experts(num_experts, dim, hidden)
        self.capacity_factor, self.min_capacity = capacity_factor, min_capacity

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        capacity = max(self.min_capacity, int(2 * x.size(0) / self.gate.out_features * self.capacity_factor))
        aux, combine, dispatch = top2_gating(self.gate(x), capacity)
        dispatched = torch.einsum("sec,sm->ecm", dispatch.float(), x)
        out = self.experts(dispatched)
        reveal_type(out)
        out = torch.einsum("sec,ecm->sm", combine, out)
        return out.reshape(shape), aux


class IndexMoE(nn.Module):
    def __init__(self, dim: int, num_experts: int, hidden: int, k: int = 2):
        super().__init__()
        self.router = nn.Linear(dim, num_experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim)) for _ in range(num_experts))
        self.k = k

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        b, t, d = x.shape
        flat = x.view(b * t, d)
        logits = self.router(flat)
        weights, chosen = torch.topk(logits.softmax(-1), self.k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)  #! keepdim=True => keepdim=False
        out = torch.zeros_like(flat)
        expert_mask = F.one_hot(chosen, num_classes=len(self.experts)).permute(2, 1, 0)  #! permute(2, 1, 0) => permute(1, 2, 0)
        for i, expert in enumerate(self.experts):
            idx, top_x = torch.where(expert_mask[i])
            if top_x.shape[0] == 0:
                continue
            current = expert(flat[None, top_x].reshape(-1, d)) * weights[top_x, idx, None]  #! weights[top_x, idx, None] => weights[top_x, idx]
            out.index_add_(0, top_x, current.to(flat.dtype))
        order = chosen[:, 0].argsort()
        unsorted = torch.empty_like(out).index_copy_(0, order, out[order])
        return unsorted.view(b, t, d), torch.logsumexp(logits, -1).square().mean()


class Block(nn.Module):
    def __init__(self, dim, heads, ffn: nn.Module, causal=True):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.ffn, self.causal = ffn, causal

    def forward(self, x, mask: Optional[Tensor] = None):
        h = self.ln1(x)
        h, _ = self.attn(h, h, h, attn_mask=mask, need_weights=False, is_causal=self.causal and mask is not None)
        x = x + h
        out = self.ffn(self.ln2(x))
        if isinstance(out, tuple):
            out, aux = out
        else:
            aux = x.new_zeros(())
        return x + out, aux


class Model(nn.Module):
    def __init__(self, vocab=50, dim=24, heads=3, every=2, depth=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        blocks = []
        for i in range(depth):
            if i % every == 1:
                ffn = DispatchMoE(dim, 4, 32) if i % (2 * every) == 1 else IndexMoE(dim, 4, 32)
            else:
                ffn = nn.Sequential(nn.Linear(dim, 4 * dim), nn.ReLU(), nn.Linear(4 * dim, dim))
            blocks.append(Block(dim, heads, ffn))
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x, losses = self.embed(ids), []
        mask = nn.Transformer.generate_square_subsequent_mask(ids.size(1))
        for block in self.blocks:
            x, aux = block(x, mask)  #! block(x, mask) => block(x, mask[None])
            losses.append(aux)
        return self.head(self.norm(x)), torch.stack(losses).sum()


if __name__ == "__main__":
    model = Model()
    groups = [
        {"params": [p for n, p in model.named_parameters() if "experts" in n], "lr": 1e-3},
        {"params": [p for n, p in model.named_parameters() if "experts" not in n], "lr": 1e-4},
    ]
    optimizer = torch.optim.AdamW(groups)
    ids = torch.randint(0, 50, (3, 16))
    for _ in range(2):
        logits, aux = model(ids)
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()) + 0.01 * aux
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    reveal_type(logits)
    reveal_type(aux)
