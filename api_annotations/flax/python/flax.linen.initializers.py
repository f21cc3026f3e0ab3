# Initializers are those of jax.nn.initializers.
import jax.nn.initializers as _given

constant = _given.constant
delta_orthogonal = _given.delta_orthogonal
glorot_normal = _given.glorot_normal
glorot_uniform = _given.glorot_uniform
he_normal = _given.he_normal
he_uniform = _given.he_uniform
kaiming_normal = _given.kaiming_normal
kaiming_uniform = _given.kaiming_uniform
lecun_normal = _given.lecun_normal
lecun_uniform = _given.lecun_uniform
normal = _given.normal
ones = _given.ones
orthogonal = _given.orthogonal
truncated_normal = _given.truncated_normal
uniform = _given.uniform
variance_scaling = _given.variance_scaling
xavier_normal = _given.xavier_normal
xavier_uniform = _given.xavier_uniform
zeros = _given.zeros


def zeros_init():
    return zeros


def ones_init():
    return ones
