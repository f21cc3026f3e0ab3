# Optimizers: gradients are applied to variables of their shapes.
import numpy as np
from harp_library import is_known, judge, outside, require
from keras._shapes import _made
from keras.optimizers.schedules import CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay, PolynomialDecay


def _fit(gradient, variable):
    """A gradient has the shape of its variable."""
    if hasattr(gradient, "shape") and hasattr(variable, "shape"):
        judge(gradient.ndim == variable.ndim, "a gradient does not have the shape of its variable")
        if is_known(gradient.ndim) and is_known(variable.ndim):
            for size, other in zip(gradient.shape, variable.shape):
                judge(size == other, "a gradient does not have the shape of its variable")


class Optimizer:
    def __init__(self, learning_rate=0.001, *arguments, name=None, **options):
        self.learning_rate = self.lr = learning_rate if "lr" not in options else options["lr"]
        self.name = name
        self.iterations = outside("steps")

    def apply_gradients(self, grads_and_vars, *arguments, **options):
        for pair in grads_and_vars:
            gradient, variable = pair
            _fit(gradient, variable)

    def apply(self, grads, trainable_variables=None):
        if trainable_variables is not None:
            self.apply_gradients(zip(grads, trainable_variables))

    def build(self, variables):
        pass

    def minimize(self, loss, var_list=None, *arguments, **options):
        if callable(loss):
            loss()

    def compute_gradients(self, loss, var_list=None, *arguments, **options):
        return outside("gradients")

    def get_gradients(self, loss, params):
        return [_made(param.shape) for param in params]

    def get_config(self):
        return {"learning_rate": self.learning_rate}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def get_weights(self):
        return outside("weights of an optimizer")

    def set_weights(self, weights):
        pass

    assign = update_step = exclude_from_weight_decay = finalize_variable_values = set_weights

    @property
    def variables(self):
        return outside("variables of an optimizer")

    weights = variables

    def get_scaled_loss(self, loss):
        return loss

    scale_loss = get_scaled_loss

    def get_unscaled_gradients(self, gradients):
        return gradients


class Adam(Optimizer):
    pass


class LossScaleOptimizer(Optimizer):
    def __init__(self, inner_optimizer=None, *arguments, **options):
        self.inner_optimizer = inner_optimizer
        self.learning_rate, self.iterations = 0.001, outside("steps")


SGD = RMSprop = AdamW = Adadelta = Adagrad = Adamax = Adafactor = Nadam = Ftrl = Lion = Lamb = Muon = Adam
sgd = adam = rmsprop = adagrad = adadelta = adamax = nadam = TFOptimizer = Adam


def get(identifier):
    return Adam() if isinstance(identifier, (str, dict)) else identifier


def serialize(optimizer):
    return {}


deserialize = get
