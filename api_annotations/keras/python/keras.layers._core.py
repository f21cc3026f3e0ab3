# Layers that look at the last axis, look rows up, or run a function.
import numpy as np
from harp_library import is_known, require, unknown
import keras.ops as _ops
from keras._shapes import _free, _is_open, _layer_dtype, _made, _tensor
from keras.layers._layer import Layer


class Dense(Layer):
    def __init__(self, units, activation=None, use_bias=True, *arguments, **options):
        self._begin(**options)
        self.units, self.activation, self.use_bias = units, activation, use_bias

    def build(self, input_shape):
        require(len(input_shape) >= 2, "a dense layer takes an input with a batch and features")
        self._features = input_shape[-1]
        self.kernel = self.add_weight((input_shape[-1], self.units))
        self.bias = self.add_weight((self.units,)) if self.use_bias else None
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim >= 2, "a dense layer takes an input with a batch and features")
        require(inputs.shape[-1] == self._features, "the last axis does not have the size that the layer was built for")
        result = _made(inputs.shape[:-1] + (self.units,))
        return _activated(self.activation, result)


def _activated(activation, result):
    """What an activation of the program's own makes of it; those with a name keep the shape."""
    # One of which nothing is known, such as an entry of a file of settings: layers declare that activations keep the shape.
    if not is_known(isinstance(activation, str)) or activation is None or isinstance(activation, str):
        return result
    return activation(result)


def _letters(equation):
    """The letters of the input, of the kernel and of the output of an equation without spaces."""
    equation = equation.replace(" ", "")
    both, output = equation.split("->")
    left, right = both.split(",")
    return left, right, output


class EinsumDense(Layer):
    def __init__(self, equation, output_shape, activation=None, bias_axes=None, *arguments, **options):
        self._begin(**options)
        self.equation, self.activation, self.bias_axes = equation, activation, bias_axes
        self._output = (output_shape,) if isinstance(output_shape, int) or output_shape is None else tuple(output_shape)

    def build(self, input_shape):
        left, right, output = _letters(self.equation)
        dots = "..." in left
        left, output = left.replace("...", ""), output.replace("...", "")
        require(len(input_shape) >= len(left), "the input has fewer axes than the equation")
        if not dots:
            require(len(input_shape) == len(left), "the input has another number of axes than the equation")
        sizes = {}
        for place in range(len(left)):
            sizes[left[place]] = input_shape[place - len(left)]
        # The output's sizes are counted from the end, behind the batch.
        for place in range(len(self._output)):
            letter = output[place - len(self._output)] if len(output) >= len(self._output) else None
            size = self._output[place]
            if letter is not None and size is not None:
                if letter in sizes and is_known(sizes[letter]):
                    require(sizes[letter] == size, "the output's shape is another one than that of the input for a letter of both")
                sizes[letter] = size
        self._sizes, self._names = sizes, (left, right, output)
        self.kernel = self.add_weight(tuple([sizes.get(letter) for letter in right]))
        if self.bias_axes is not None:
            self.bias = self.add_weight(tuple([sizes[letter] for letter in output if letter in self.bias_axes]))
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        return _activated(self.activation, _ops.einsum(self.equation.replace(" ", ""), inputs, self.kernel))


class Embedding(Layer):
    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None, embeddings_constraint=None,
                 mask_zero=False, weights=None, *arguments, input_length=None, **options):
        self._begin(**options)
        self.input_dim, self.output_dim, self.mask_zero, self.input_length = input_dim, output_dim, mask_zero, input_length
        if input_length is not None and self._given_shape is None:
            self._given_shape = (None, input_length)
        if weights is not None:
            given = weights[0] if isinstance(weights, (list, tuple)) else weights
            require(given.ndim == 2, "the weights of an embedding have two axes")
            require(given.shape[0] == input_dim, "the weights have another number of rows than the embedding")
            require(given.shape[1] == output_dim, "the weights have another number of columns than the embedding")

    def build(self, input_shape=None):
        self.embeddings = self.add_weight((self.input_dim, self.output_dim))
        self.built = True

    def call(self, inputs):
        inputs = _tensor(inputs)
        return _made(inputs.shape + (self.output_dim,))


class ReversibleEmbedding(Embedding):
    def __init__(self, input_dim, output_dim, tie_weights=True, *arguments, **options):
        super().__init__(input_dim, output_dim, **options)

    def call(self, inputs, reverse=False):
        inputs = _tensor(inputs)
        if reverse:
            require(inputs.shape[-1] == self.output_dim, "the last axis is not that of the embedding")
            return _made(inputs.shape[:-1] + (self.input_dim,))
        return _made(inputs.shape + (self.output_dim,))


class Activation(Layer):
    def __init__(self, activation, **options):
        self._begin(**options)
        self.activation = activation

    def call(self, inputs):
        inputs = _tensor(inputs)
        return _activated(self.activation, _made(inputs.shape, _layer_dtype(inputs)))


class Lambda(Layer):
    def __init__(self, function, output_shape=None, mask=None, arguments=None, **options):
        self._begin(**options)
        self._function, self._arguments = function, {} if arguments is None else arguments

    def call(self, inputs, mask=None, training=None):
        return self._function(inputs, **self._arguments)


class _Same(Layer):
    """Layers that keep the shape."""

    def __init__(self, *arguments, **options):
        self._begin(**options)

    def call(self, inputs, training=None, mask=None):
        inputs = _tensor(inputs)
        return _made(inputs.shape, _layer_dtype(inputs))


class Identity(_Same):
    def call(self, inputs, training=None):
        return inputs


class Masking(_Same):
    pass


class ActivityRegularization(_Same):
    pass


class ReLU(_Same):
    pass


class LeakyReLU(_Same):
    pass


class ELU(_Same):
    pass


class ThresholdedReLU(_Same):
    pass


class Softmax(_Same):
    def __init__(self, axis=-1, **options):
        self._begin(**options)
        self.axis = axis

    def call(self, inputs, mask=None, training=None):
        inputs = _tensor(inputs)
        axes = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        for axis in axes:
            require(axis < inputs.ndim, "the input lacks the axis of the softmax")
            require(axis >= -inputs.ndim, "the input lacks the axis of the softmax")
        return _made(inputs.shape, _layer_dtype(inputs))


class PReLU(_Same):
    def __init__(self, alpha_initializer="Zeros", alpha_regularizer=None, alpha_constraint=None, shared_axes=None, **options):
        self._begin(**options)
        self.shared_axes = [] if shared_axes is None else ([shared_axes] if isinstance(shared_axes, int) else shared_axes)

    def build(self, input_shape):
        sizes = [1 if place in self.shared_axes else input_shape[place] for place in range(1, len(input_shape))]
        self.alpha = self.add_weight(tuple(sizes))
        self._own = tuple(sizes)
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == len(self._own) + 1, "the input has another number of axes than the layer was built for")
        for place in range(len(self._own)):
            if self._own[place] != 1:
                require(inputs.shape[place + 1] == self._own[place], "the input has another shape than the layer was built for")
        return _made(inputs.shape)
