from dataclasses import dataclass, fields


@dataclass
class Config:
    name: str = ""
    vocab_size: int = 60
    block_size: int = 32
    n_layer: int = 2
    n_head: int = 4
    n_query_groups: int = 0
    n_embd: int = 32
    head_size: int = 0
    parallel_residual: bool = False
    mlp: str = "GptMLP"
    intermediate_size: int = 0
    padded_to: int = 16

    def __post_init__(self):
        if not self.head_size:
            self.head_size = self.n_embd // self.n_head
        if not self.n_query_groups:
            self.n_query_groups = self.n_head
        assert self.n_head % self.n_query_groups == 0
        if not self.intermediate_size:
            self.intermediate_size = 4 * self.n_embd
        self.padded_vocab_size = -(-self.vocab_size // self.padded_to) * self.padded_to


configs = [
    dict(name="tiny-gpt", n_head=2),
    dict(name="tiny-parallel", n_embd=48, n_query_groups=2, parallel_residual=True),
    dict(name="tiny-llama", mlp="LlamaMLP", intermediate_size=40, n_query_groups=1),
    dict(name="tiny-wrong", n_embd=44, n_head=5, n_query_groups=5, head_size=9, intermediate_size=8),
]
by_name = {c["name"]: c for c in configs}


def get_config(name, **overrides):
    if name not in by_name:
        raise ValueError(f"{name!r} is not a supported config name")
    known = {f.name for f in fields(Config)}
    conf = by_name[name] | {k: v for k, v in overrides.items() if k in known}
    return Config(**conf)
