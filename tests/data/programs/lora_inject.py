"""Adapters put into a finished network by name, merged, saved and taken out again."""
import math
import re
from typing import Dict, Iterable, List, Optional, Set, Type

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 4, alpha: int = 8, dropout: float = 0.0):
        super().__init__()
        self.base = base
        self.r, self.scaling = r, alpha / r
        self.lora_A = nn.Linear(base.in_features, r, bias=False)
        self.lora_B = nn.Linear(r, base.out_features, bias=False)  #! r, base.out_features => r, base.in_features
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        nn.init.kaiming_uniform_(self.lora_A.weight, a=math.sqrt(5))
        nn.init.zeros_(self.lora_B.weight)
        self.merged = False
        for p in self.base.parameters():
            p.requires_grad_(False)

    @property
    def weight(self):
        return self.base.weight

    def delta(self):
        return (self.lora_B.weight @ self.lora_A.weight) * self.scaling

    def merge(self):
        if not self.merged:
            self.base.weight.data += self.delta()  #! self.delta() => self.delta().T
            self.merged = True
        return self.base

    def forward(self, x):
        out = self.base(x)
        if self.merged:
            return out
        return out + self.lora_B(self.lora_A(self.dropout(x))) * self.scaling


class Adapter(nn.Module):
    def __init__(self, dim, reduction=4):
        super().__init__()
        self.down, self.up = nn.Linear(dim, dim // reduction), nn.Linear(dim // reduction, dim)

    def forward(self, x):
        return x + self.up(F.relu(self.down(x)))


class PrefixAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(dim, dim) for _ in range(4))
        self.prefix: Optional[nn.Parameter] = None

    def add_prefix(self, length):
        self.prefix = nn.Parameter(torch.zeros(2, self.heads, length, self.o_proj.in_features // self.heads))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p(x).view(b, t, self.heads, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        if self.prefix is not None:
            pk, pv = self.prefix.unsqueeze(1).expand(-1, b, -1, -1, -1)
            k, v = torch.cat([pk, k], dim=2), torch.cat([pv, v], dim=2)  #! torch.cat([pk, k], dim=2) => torch.cat([pk, k], dim=1)
        out = F.scaled_dot_product_attention(q, k, v)
        return self.o_proj(out.transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = PrefixAttention(dim, heads)
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(dim, 4 * dim), "fc2": nn.Linear(4 * dim, dim)})
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp["fc2"](F.gelu(self.mlp["fc1"](self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self, vocab=40, dim=32, heads=4, depth=3, classes=5):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([Layer(dim, heads) for _ in range(depth)])
        self.classifier = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.classifier(x.mean(1))


def get_parent(model, name):
    path, _, attribute = name.rpartition(".")
    return (model.get_submodule(path) if path else model), attribute


def inject(model: nn.Module, targets: Iterable[str], r=4) -> List[str]:
    replaced = []
    pattern = re.compile(r".*\.(" + "|".join(targets) + r")$")
    for name, module in list(model.named_modules()):
        if pattern.match(name) and isinstance(module, nn.Linear):
            parent, attribute = get_parent(model, name)
            setattr(parent, attribute, LoraLinear(module, r=r))
            replaced.append(name)
    return replaced


def replace_recursively(model, kind: Type[nn.Module], make):
    for name, child in model.named_children():
        if isinstance(child, kind):
            setattr(model, name, make(child))
        else:
            replace_recursively(child, kind, make)


def mark_trainable(model, words=("lora_", "classifier", "prefix")):
    for n, p in model.named_parameters():
        p.requires_grad = any(w in n for w in words)


def lora_state_dict(model) -> Dict[str, torch.Tensor]:
    return {k: v for k, v in model.state_dict().items() if "lora_" in k or "classifier" in k}


def tied(model) -> Set[int]:
    return {id(p) for p in model.parameters()}


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Encoder()
    names = inject(model, ["q_proj", "v_proj", "fc1"])
    assert len(names) == 9, names
    for layer in model.layers:
        layer.attn.add_prefix(5)
    mark_trainable(model)
    optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
    ids, labels = torch.randint(0, 40, (6, 10)), torch.randint(0, 5, (6,))
    loss = F.cross_entropy(model(ids), labels)
    loss.backward()
    optimizer.step()
    reveal_type(model.layers[0].attn.q_proj.lora_A.weight)
    small = lora_state_dict(model)
    reveal_type(small["layers.1.mlp.fc1.lora_B.weight"])
    before = model.eval()(ids)
    replace_recursively(model, LoraLinear, lambda m: m.merge())
    after = model(ids)
    reveal_type(after)
    model.classifier = nn.Sequential(Adapter(32), nn.Linear(32, 7))  #! Adapter(32), nn.Linear(32, 7) => Adapter(5), nn.Linear(5, 7)
    reveal_type(model(ids))
    fresh = Encoder()
    fresh.load_state_dict({k: v for k, v in model.state_dict().items() if "prefix" not in k and "classifier" not in k}, strict=False)
    replace_recursively(fresh, nn.LayerNorm, lambda m: nn.Identity())
    fresh.get_submodule("layers.0.mlp").update({"fc2": nn.Linear(128, 32, bias=False)})  #! nn.Linear(128, 32 => nn.Linear(32, 128
    reveal_type(fresh(ids[:2]))
