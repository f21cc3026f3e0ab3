# Optimizers as three functions: a state of parameters, a step with gradients, and the parameters of a state.
from collections import namedtuple

import jax.numpy as jnp
from harp_library import register_tree, tensor, tree_map

Optimizer = namedtuple("Optimizer", ("init_fn", "update_fn", "params_fn"))


class OptimizerState:
    def __init__(self, params):
        self.params = params


register_tree(OptimizerState, ["params"])


def _made():
    return Optimizer(lambda params: OptimizerState(tree_map(jnp.asarray, params)), _update, lambda state: state.params)


def _update(step, grads, state):
    return OptimizerState(tree_map(lambda param, grad: param - grad, state.params, grads))


def sgd(step_size):
    return _made()


def momentum(step_size, mass):
    return _made()


def nesterov(step_size, mass):
    return _made()


def adagrad(step_size, momentum=0.9):
    return _made()


def rmsprop(step_size, gamma=0.9, eps=1e-8):
    return _made()


def rmsprop_momentum(step_size, gamma=0.9, eps=1e-8, momentum=0.9):
    return _made()


def adam(step_size, b1=0.9, b2=0.999, eps=1e-8):
    return _made()


def adamax(step_size, b1=0.9, b2=0.999, eps=1e-8):
    return _made()


def sm3(step_size, momentum=0.9):
    return _made()


def _rate(step):
    return tensor((), "float32", "jax.Array")


def constant(step_size):
    return lambda step: step_size


def exponential_decay(step_size, decay_steps, decay_rate):
    return _rate


def inverse_time_decay(step_size, decay_steps, decay_rate, staircase=False):
    return _rate


def polynomial_decay(step_size, decay_steps, final_step_size, power=1.0):
    return _rate


def piecewise_constant(boundaries, values):
    return _rate


def make_schedule(scalar_or_schedule):
    return scalar_or_schedule if callable(scalar_or_schedule) else constant(scalar_or_schedule)


def l2_norm(tree):
    return tensor((), "float32", "jax.Array")


def clip_grads(grad_tree, max_norm):
    return tree_map(jnp.asarray, grad_tree)


def unpack_optimizer_state(opt_state):
    return opt_state


def pack_optimizer_state(marked_pytree):
    return marked_pytree
