# Attention of several heads.
from haiku._frames import Module
from haiku._layers import Linear
from haiku._shapes import with_last
from harp_library import require


class MultiHeadAttention(Module):
    def __init__(
        self, num_heads, key_size, w_init_scale=None, *, w_init=None, with_bias=True, b_init=None, value_size=None, model_size=None, name=None
    ):
        super().__init__(name=name)
        self.num_heads, self.key_size = num_heads, key_size
        self.value_size = key_size if value_size is None else value_size
        self.model_size = key_size * num_heads if model_size is None else model_size
        self.w_init, self.b_init, self.with_bias = w_init, b_init, with_bias

    def __call__(self, query, key, value, mask=None):
        for part, size, name in ((query, self.key_size, "query"), (key, self.key_size, "key"), (value, self.value_size, "value")):
            Linear(self.num_heads * size, self.with_bias, self.w_init, self.b_init, name)(part)
        require(key.shape[-2] == value.shape[-2], f"{key.shape[-2]} keys and {value.shape[-2]} values")
        attended = with_last(query, self.num_heads * self.value_size, query.dtype)
        return Linear(self.model_size, self.with_bias, self.w_init, self.b_init)(attended)
