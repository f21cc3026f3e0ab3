from dataclasses import asdict, dataclass, field, fields, replace

import yaml


@dataclass
class DataConfig:
    block_size: int = 16
    batch_size: int = 8


@dataclass
class ModelConfig:
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    dropout: float = 0.0
    vocab_size: int = 0
    max_len: int = 16


@dataclass
class TrainConfig:
    lr: float = 1e-3
    steps: int = 10


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)

    @classmethod
    def from_dict(cls, raw):
        kwargs = {f.name: f.default_factory(**{}) for f in fields(cls)}
        for name, section in raw.items():
            kwargs[name] = replace(kwargs[name], **section)
        return cls(**kwargs)


def load(path):
    with open(path, encoding="utf-8") as handle:
        return Config.from_dict(yaml.safe_load(handle))
