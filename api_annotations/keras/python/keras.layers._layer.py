# What all layers do: they make their weights when they are first called, and keep them.
import inspect
import numpy as np
import tensorflow as tf
from harp_library import is_known, outside, require, tree_leaves, tree_map
from keras._shapes import _free, _is_open, _made, _shape_of, _shown, _taken, _with_batch


def _count_of(shape):
    total = 1
    for size in shape:
        total = total * size
    return total


def _shapes_of(value):
    """The shape of an input; those of several inputs in the same container."""
    return tree_map(lambda leaf: leaf.shape if hasattr(leaf, "shape") else None, value)


def _layers_in(value):
    """The layers that an attribute of a layer holds."""
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, Layer)]


def _takes_training(call):
    """Whether a layer of the program wants to be told, and has no default."""
    try:
        parameter = inspect.signature(call).parameters.get("training")
    except (TypeError, ValueError):
        return False
    return parameter is not None and parameter.default is inspect.Parameter.empty


class Layer:
    # Until a constructor of the library has run.
    built = False
    trainable = True
    name = None
    supports_masking = False
    stateful = False
    _given_shape = None
    # What the layer was first called with, and what it gave.
    _first_call = None

    def __init__(self, *arguments, **options):
        self._begin(**options)

    def _begin(self, trainable=True, name=None, dtype=None, input_shape=None, input_dim=None, batch_input_shape=None, batch_size=None,
               input_length=None, weights=None, activity_regularizer=None, **options):
        self.name = name
        self.built = False
        self.trainable = trainable
        self._own_weights, self._own_statistics = [], []
        self.losses = []
        self._given_shape = None
        if batch_input_shape is not None:
            self._given_shape = tuple(batch_input_shape)
        elif input_shape is not None:
            self._given_shape = (batch_size,) + (tuple(input_shape) if isinstance(input_shape, (list, tuple)) else (input_shape,))
        elif input_dim is not None:
            self._given_shape = (batch_size, input_length, input_dim) if self._is_recurrent else (batch_size, input_dim)

    _is_recurrent = False

    def build(self, input_shape=None):
        self.built = True

    def build_from_config(self, config):
        pass

    def call(self, *arguments, **options):
        return arguments[0]

    def add_weight(self, *arguments, shape=None, dtype=None, trainable=True, **options):
        # The first parameter was the name once, and the second the shape.
        places = [value for value in arguments if not isinstance(value, str)]
        if shape is None:
            shape = places[0] if len(places) > 0 and places[0] is not None else ()
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        for size in sizes:
            require(size is not None, "the shape of a weight has a size that is not known")
            require(not _is_open(size), "the shape of a weight has a size that is not known")
        weight = _made(sizes, np.float32 if dtype is None else dtype)
        self._keep_weight(weight, trainable)
        return weight

    add_variable = add_weight

    def _keep_weight(self, weight, trainable=True):
        if not hasattr(self, "_own_weights"):
            self._own_weights, self._own_statistics = [], []
        if trainable:
            self._own_weights.append(weight)
        else:
            self._own_statistics.append(weight)

    def add_loss(self, *arguments, **options):
        pass

    def add_metric(self, *arguments, **options):
        pass

    def add_update(self, *arguments, **options):
        pass

    def get_config(self):
        return {"name": self.name, "trainable": self.trainable}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def __call__(self, *arguments, **options):
        arguments = tuple([_taken(value) for value in arguments])
        options = {name: _taken(value) for name, value in options.items()}
        if not self.built:
            self._build_for(arguments, options)
        if "training" not in options and _takes_training(self.call):
            options["training"] = False
        result = self.call(*arguments, **options)
        if self._first_call is None and len(arguments) > 0:
            self._first_call = (arguments[0], result)
        return result

    @property
    def input(self):
        return outside("input of a layer") if self._first_call is None else self._first_call[0]

    @property
    def output(self):
        return outside("output of a layer") if self._first_call is None else self._first_call[1]

    @property
    def input_shape(self):
        return tree_map(lambda tensor: _shown(tensor.shape), self.input)

    @property
    def output_shape(self):
        return tree_map(lambda tensor: _shown(tensor.shape), self.output)

    def _stepped(self, inputs):
        """A call by a layer that runs this one at each step."""
        return self(inputs)

    def _build_for(self, arguments, options):
        first = arguments[0] if len(arguments) > 0 else options.get("inputs")
        self.build(_shapes_of(first))
        self.built = True

    def compute_output_shape(self, input_shape, *arguments, **options):
        sizes = _shape_of(input_shape)
        result = self(_made(sizes))
        return _shown(result.shape)

    def compute_mask(self, inputs, mask=None):
        return mask

    def _parts(self):
        return [layer for name, value in vars(self).items() for layer in _layers_in(value)]

    def _variables(self):
        return [leaf for name, value in vars(self).items() for leaf in tree_leaves(value) if isinstance(leaf, tf.Variable)]

    def _all_weights(self):
        """The weights, each with whether it is trained: the layer's own, what is trained first, and then those of its layers."""
        found = []
        if hasattr(self, "_own_weights"):
            found = [(weight, self.trainable) for weight in self._own_weights] + [(weight, False) for weight in self._own_statistics]
        for layer in self._layers_within():
            found = found + [(weight, is_trained and self.trainable) for weight, is_trained in layer._all_weights()]
        return found

    def _layers_within(self):
        return self._parts()

    @property
    def weights(self):
        return [weight for weight, is_trained in self._all_weights()]

    @property
    def trainable_weights(self):
        return [weight for weight, is_trained in self._all_weights() if is_trained]

    @property
    def non_trainable_weights(self):
        return [weight for weight, is_trained in self._all_weights() if not is_trained]

    variables, trainable_variables, non_trainable_variables = weights, trainable_weights, non_trainable_weights

    def get_weights(self):
        return [np.zeros(weight.shape, np.float32) for weight in self.weights]

    def set_weights(self, weights):
        if len(self._parts()) + len(self._variables()) > 0:
            # In which order layers in layers have theirs, and whether variables of TensorFlow count, versions of the library tell in different ways.
            return
        own = self.weights
        require(len(own) == len(weights), "the layer has another number of weights")
        for weight, value in zip(own, weights):
            require(weight.ndim == value.ndim, "a weight has another number of axes")
            for size, other in zip(weight.shape, value.shape):
                require(size == other, "a weight has another shape")

    def count_params(self):
        total = 0
        for weight in self.weights:
            total = total + _count_of(weight.shape)
        return total


class InputSpec:
    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None, *arguments, **options):
        self.shape, self.ndim, self.min_ndim, self.max_ndim, self.axes = shape, ndim, min_ndim, max_ndim, axes


class Wrapper(Layer):
    def __init__(self, layer, **options):
        self._begin(**options)
        self.layer = layer


def Input(shape=None, batch_size=None, dtype=None, sparse=None, batch_shape=None, name=None, tensor=None, *arguments, ragged=None, **options):
    """Tensors whose batch only data tells. One that a program gives is the input itself, also where nothing is known of it."""
    if not is_known(tensor is None) or tensor is not None:
        return tensor
    if batch_shape is None:
        batch_shape = options.get("batch_input_shape")
    if batch_shape is not None:
        return _made(_shape_of(batch_shape), np.float32 if dtype is None else (None if dtype == "string" else dtype))
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return _made(_with_batch(sizes, batch_size), np.float32 if dtype is None else (None if dtype == "string" else dtype))


class InputLayer(Layer):
    def __init__(self, shape=None, batch_size=None, dtype=None, sparse=None, batch_shape=None, name=None, *arguments, input_shape=None,
                 batch_input_shape=None, **options):
        self._begin(name=name)
        self.built = True
        if batch_shape is None:
            batch_shape = batch_input_shape
        sizes = shape if shape is not None else input_shape
        self._given_shape = tuple(batch_shape) if batch_shape is not None else (batch_size,) + ((sizes,) if isinstance(sizes, int) else tuple(sizes))

    def call(self, inputs):
        return inputs
