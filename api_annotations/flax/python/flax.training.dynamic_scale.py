# Losses that are scaled while gradients are computed in half precision.
import numpy as np
from flax.struct import PyTreeNode
from harp_library import tensor
from jax import value_and_grad as _value_and_grad


class DynamicScale(PyTreeNode):
    growth_factor: float = 2.0
    backoff_factor: float = 0.5
    growth_interval: int = 2000
    fin_steps: int = 0
    scale: float = 65536.0
    minimum_scale: float = None

    def value_and_grad(self, fun, argnums=0, has_aux=False, axis_name=None):
        both = _value_and_grad(fun, argnums, has_aux)

        def run(*args):
            value, grads = both(*args)
            return self, tensor((), np.bool_, "jax.Array"), value, grads

        return run
