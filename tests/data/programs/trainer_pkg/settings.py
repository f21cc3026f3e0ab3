"""Settings from a file, with defaults and overrides."""
import json
from dataclasses import dataclass, field, fields
from typing import Any, Dict


@dataclass
class Settings:
    vocab: int = 50
    image_channels: int = 3
    image_size: int = 32
    max_len: int = 12
    batch_size: int = 8
    epochs: int = 1
    lr: float = 1e-3
    model: Dict[str, Any] = field(default_factory=lambda: {"dim": 32, "hidden": 48})  #! "dim": 32 => "dims": 32

    def __post_init__(self):
        if self.image_size % 8:
            raise ValueError("image_size must be divisible by 8")
        self.grid = self.image_size // 8


def load(path, overrides):
    values = {}
    if path.exists():
        values = json.loads(path.read_text())
    known = {f.name for f in fields(Settings)}
    values = {k: v for k, v in {**values, **overrides}.items() if k in known}
    return Settings(**values)
