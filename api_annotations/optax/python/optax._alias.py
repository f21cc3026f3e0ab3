# Optimizers by their names: chains of transformations.
from optax._base import _unchanged
from optax._combining import chain, masked
from optax._transforms import (
    add_decayed_weights, add_noise, scale_by_adadelta, scale_by_adam, scale_by_amsgrad, scale_by_factored_rms, scale_by_learning_rate, scale_by_lion,
    scale_by_rms, scale_by_rprop, scale_by_rss, scale_by_sm3, scale_by_stddev, scale_by_trust_ratio, trace
)


def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=False):
    return chain(scale_by_adam(), scale_by_learning_rate(learning_rate))


def adamw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, weight_decay=1e-4, mask=None, *, nesterov=False):
    return chain(scale_by_adam(), add_decayed_weights(weight_decay, mask), scale_by_learning_rate(learning_rate))


def nadam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=True):
    return adam(learning_rate)


def nadamw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, weight_decay=1e-4, mask=None, *, nesterov=True):
    return adamw(learning_rate)


def adabelief(learning_rate, b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16, *, nesterov=False):
    return adam(learning_rate)


def adadelta(learning_rate=None, rho=0.9, eps=1e-6, weight_decay=0.0, weight_decay_mask=None):
    return chain(add_decayed_weights(weight_decay), scale_by_adadelta(), scale_by_learning_rate(learning_rate))


def adafactor(
    learning_rate=None, min_dim_size_to_factor=128, decay_rate=0.8, decay_offset=0, multiply_by_parameter_scale=True, clipping_threshold=1.0,
    momentum=None, dtype_momentum=None, weight_decay_rate=None, eps=1e-30, factored=True, weight_decay_mask=None
):
    return chain(scale_by_factored_rms(), scale_by_learning_rate(learning_rate))


def adagrad(learning_rate, initial_accumulator_value=0.1, eps=1e-7):
    return chain(scale_by_rss(), scale_by_learning_rate(learning_rate))


def adamax(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    return adam(learning_rate)


def adamaxw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4, mask=None):
    return adamw(learning_rate)


def adan(learning_rate, b1=0.98, b2=0.92, b3=0.99, eps=1e-8, eps_root=1e-8, weight_decay=0.0, mask=None):
    return adamw(learning_rate)


def amsgrad(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, bias_correction_mu=True, bias_correction_nu=True):
    return chain(scale_by_amsgrad(), scale_by_learning_rate(learning_rate))


def fromage(learning_rate, min_norm=1e-6):
    return chain(scale_by_trust_ratio(), scale_by_learning_rate(learning_rate), add_decayed_weights(0.1))


def lamb(learning_rate, b1=0.9, b2=0.999, eps=1e-6, eps_root=0.0, weight_decay=0.0, mask=None):
    return adamw(learning_rate)


def lars(
    learning_rate, weight_decay=0.0, weight_decay_mask=True, trust_coefficient=0.001, eps=0.0, trust_ratio_mask=True, momentum=0.9, nesterov=False
):
    return chain(add_decayed_weights(weight_decay), scale_by_trust_ratio(), scale_by_learning_rate(learning_rate), trace(momentum))


def lion(learning_rate, b1=0.9, b2=0.99, mu_dtype=None, weight_decay=1e-3, mask=None):
    return chain(scale_by_lion(), add_decayed_weights(weight_decay, mask), scale_by_learning_rate(learning_rate))


def noisy_sgd(learning_rate, eta=0.01, gamma=0.55, key=None, *, seed=None):
    return chain(add_noise(eta, gamma, key), scale_by_learning_rate(learning_rate))


def novograd(learning_rate, b1=0.9, b2=0.25, eps=1e-6, eps_root=0.0, weight_decay=0.0):
    return adam(learning_rate)


def optimistic_gradient_descent(learning_rate, alpha=1.0, beta=1.0):
    return chain(trace(0.9), scale_by_learning_rate(learning_rate))


def optimistic_adam(learning_rate, optimism=None, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=True):
    return adam(learning_rate)


def optimistic_adam_v2(learning_rate, alpha=1.0, beta=1.0, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, *, nesterov=True):
    return adam(learning_rate)


def radam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, threshold=5.0, *, nesterov=False):
    return adam(learning_rate)


def rmsprop(
    learning_rate, decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, centered=False, momentum=None, nesterov=False, bias_correction=False
):
    first = scale_by_stddev() if centered else scale_by_rms(bias_correction=bias_correction)
    return chain(first, scale_by_learning_rate(learning_rate), _unchanged() if momentum is None else trace(momentum))


def rprop(learning_rate, eta_minus=0.5, eta_plus=1.2, min_step_size=1e-6, max_step_size=50.0):
    return chain(scale_by_rprop(learning_rate), _unchanged())


def sgd(learning_rate, momentum=None, nesterov=False, accumulator_dtype=None):
    return chain(_unchanged() if momentum is None else trace(momentum), scale_by_learning_rate(learning_rate))


def sign_sgd(learning_rate):
    return chain(_unchanged(), scale_by_learning_rate(learning_rate))


def signum(learning_rate, beta=0.9, accumulator_dtype=None):
    return chain(trace(beta), _unchanged(), scale_by_learning_rate(learning_rate))


def sm3(learning_rate, momentum=0.9):
    return chain(scale_by_sm3(), scale_by_learning_rate(learning_rate))


def yogi(learning_rate, b1=0.9, b2=0.999, eps=1e-3):
    return adam(learning_rate)


def polyak_sgd(max_learning_rate=1.0, scaling=1.0, f_min=0.0, eps=0.0, variant="sps"):
    return chain(_unchanged(), _unchanged())
