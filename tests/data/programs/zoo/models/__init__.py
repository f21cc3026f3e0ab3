"""A registry of models, filled by importing their modules."""
from .registry import MODELS, register, build_model, available
from . import resnet, mobile
from .vit import ViT

__all__ = ["build_model", "available"]
