# Dropout: the shape is kept.
from flax._shapes import like as _like
from flax.linen.module import Module


class Dropout(Module):
    _adopts = False
    rate: float
    broadcast_dims: object = ()
    deterministic: bool = None
    rng_collection: str = "dropout"

    def __call__(self, inputs, deterministic=None, rng=None):
        return _like(inputs, inputs.dtype)
