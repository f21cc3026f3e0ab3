# Activations are those of jax.nn.
import jax.nn as _functions
import jax.numpy as _numpy
import numpy as np
from flax._shapes import like as _like
from flax.linen.module import Module

celu = _functions.celu
elu = _functions.elu
gelu = _functions.gelu
glu = _functions.glu
hard_sigmoid = _functions.hard_sigmoid
hard_silu = _functions.hard_silu
hard_swish = _functions.hard_swish
hard_tanh = _functions.hard_tanh
leaky_relu = _functions.leaky_relu
log_sigmoid = _functions.log_sigmoid
log_softmax = _functions.log_softmax
logsumexp = _functions.logsumexp
normalize = _functions.standardize
one_hot = _functions.one_hot
relu = _functions.relu
relu6 = _functions.relu6
selu = _functions.selu
sigmoid = _functions.sigmoid
silu = _functions.silu
soft_sign = _functions.soft_sign
softmax = _functions.softmax
softplus = _functions.softplus
standardize = _functions.standardize
swish = _functions.swish
tanh = _numpy.tanh


class PReLU(Module):
    param_dtype: object = np.float32
    negative_slope_init: float = 0.01

    def __call__(self, inputs):
        self._weight("negative_slope")
        return _like(inputs, inputs.dtype)
