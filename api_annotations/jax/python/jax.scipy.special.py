# What the shape notation cannot say of jax.scipy.special.
from jax.nn import logsumexp
