from .config import Config
from .registry import MODELS, build
from . import nets
