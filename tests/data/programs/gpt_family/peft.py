"""Low-rank adapters in place of linear layers that are found by name."""
import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank, alpha=8):
        super().__init__()
        self.base, self.scaling = base, alpha / rank
        self.lora_A = nn.Parameter(torch.randn(rank, base.in_features) / rank)
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank))  #! (base.out_features, rank) => (rank, base.out_features)

    def forward(self, x):
        return self.base(x) + (x @ self.lora_A.T @ self.lora_B.T) * self.scaling  #! self.lora_A.T @ self.lora_B.T => self.lora_A @ self.lora_B

    def merged(self):
        merged = nn.Linear(self.base.in_features, self.base.out_features)
        merged.weight.data.copy_(self.base.weight + self.scaling * self.lora_B @ self.lora_A)  #! self.lora_B @ self.lora_A => self.lora_A.T @ self.lora_B.T
        merged.bias.data.copy_(self.base.bias)
        return merged


def replace(model, test, make):
    chosen = [(name, module) for name, module in model.named_modules() if test(name, module)]
    for name, module in chosen:
        path, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(path), leaf, make(module))
    return len(chosen)


def add_adapters(model, rank, targets):
    for p in model.parameters():
        p.requires_grad = False
    return replace(model, lambda name, m: isinstance(m, nn.Linear) and name.rsplit(".", 1)[-1] in targets, lambda m: LoRALinear(m, rank))


def merge_adapters(model):
    return replace(model, lambda _, m: isinstance(m, LoRALinear), lambda m: m.merged())


def trainable(model):
    return [p for p in model.parameters() if p.requires_grad]
