# Models: chains and graphs of layers, and classes of the program's own.
import inspect
import numpy as np
import tensorflow as tf
from harp_library import free_size, is_known, judge, outside, require, supposing, tree_leaves, tree_map, unknown
from keras._shapes import _BATCH, _is_open, _made, _shape_of, _shown, _taken, _tensor
from keras._training import _Trained
from keras.layers._layer import Input as _Input
from keras.layers._layer import InputLayer, InputSpec, Layer


def Input(shape=None, batch_size=None, dtype=None, sparse=None, batch_shape=None, name=None, tensor=None, *arguments, **options):
    return _Input(shape, batch_size, dtype, sparse, batch_shape, name, tensor, **options)


def _leaves(value):
    """The tensors of a tensor, a list or a dict of them."""
    return tree_leaves(value)


def _paired(wanted, given):
    """What a model takes, each with what it is given, as far as that can be told."""
    if isinstance(wanted, dict) and isinstance(given, dict):
        return [(tensor, given[name]) for name, tensor in wanted.items() if name in given]
    if isinstance(given, dict):
        # The names of the inputs tell which is which, and tensors have none here.
        return []
    wanted, given = _leaves(wanted), _leaves(given)
    judge(len(wanted) == len(given), "the model takes another number of inputs")
    return list(zip(wanted, given))


def _of_rank(wanted, given):
    """An axis of one number at the end may be missing, or be too much."""
    if not is_known(given.ndim) or not is_known(wanted.ndim):
        return given
    if given.ndim == wanted.ndim:
        return given
    if _is_open(given.shape[0]):
        # While another model is made of this one, its layers take what they are given.
        return given
    if given.ndim == wanted.ndim + 1:
        last = given.shape[-1]
        judge(last == 1, "the input has another number of axes than the model takes")
        return _made(given.shape[:-1], given.dtype)
    if given.ndim == wanted.ndim - 1:
        judge(wanted.shape[-1] == 1, "the input has another number of axes than the model takes")
        return _made(given.shape + (1,), given.dtype)
    judge(given.ndim == wanted.ndim, "the input has another number of axes than the model takes")
    return given


def _accepted(wanted, given):
    """What the model takes is what it is given, apart from the batch and from what it leaves open."""
    given = _of_rank(wanted, _tensor(given))
    if is_known(given.ndim) and is_known(wanted.ndim) and given.ndim == wanted.ndim:
        # Of rows, a last axis of one number is not asked for, in what the model takes as in what it is given.
        last = 1 if wanted.ndim == 2 and (_is_one(wanted.shape[1]) or _is_one(given.shape[1])) else wanted.ndim
        for place in range(1, last):
            if is_known(wanted.shape[place]):
                judge(given.shape[place] == wanted.shape[place], "the input does not have the shape that the model takes")
    return given


def _is_other_row(wanted, given):
    """Whether of the rows that a model takes and is given, one alone has a single number."""
    if wanted.ndim != 2 or not is_known(wanted.shape[1]):
        return False
    return _is_one(wanted.shape[1]) != _is_one(given.shape[1])


def _is_one(size):
    return is_known(size) and size == 1


def _open_sizes(wanted, given):
    """The sizes that the model leaves open, with what they are in this call."""
    if not is_known(given.ndim):
        return [(_BATCH, given.shape[0])]
    return [(wanted.shape[place], given.shape[place]) for place in range(wanted.ndim) if not is_known(wanted.shape[place])]


def _with_rows(output, batch, rows):
    """The output of a model that was made for another batch."""
    if output.shape[0] == batch:
        return _made((rows,) + output.shape[1:], output.dtype)
    return output


def _of_own_batch(output):
    """The output, whose batch each call has anew also where it is not that of the input, as behind a layer of which little is known."""
    if not is_known(output.ndim):
        return _made(None, output.dtype)
    if output.ndim == 0:
        return output
    first = output.shape[0]
    if is_known(first) or _is_open(first):
        return output
    return _made((free_size("batch", 1),) + output.shape[1:], output.dtype)


def _mapped(function, value):
    return tree_map(function, value)


class Model(_Trained):
    def __init__(self, *arguments, inputs=None, outputs=None, name=None, trainable=True, **options):
        self._begin(trainable, name)
        self._graph = None
        if len(arguments) > 0 and inputs is None:
            inputs = arguments[0]
        if len(arguments) > 1 and outputs is None:
            outputs = arguments[1]
        if len(arguments) > 2 and name is None:
            self.name = arguments[2]
        if outputs is None:
            outputs, inputs = options.get("output"), options.get("input", inputs)
        if outputs is not None:
            self._graph = (inputs, outputs)
            self.built = True

    _graph = None

    @property
    def inputs(self):
        return _leaves(self._graph[0]) if self._graph is not None else outside("inputs of a model")

    @property
    def outputs(self):
        return _leaves(self._graph[1]) if self._graph is not None else outside("outputs of a model")

    @property
    def input(self):
        return self._graph[0] if self._graph is not None else outside("input of a model")

    @property
    def output(self):
        return self._graph[1] if self._graph is not None else outside("output of a model")

    @property
    def input_shape(self):
        return self._shapes_shown(self.input)

    @property
    def output_shape(self):
        return self._shapes_shown(self.output)

    def _shapes_shown(self, value):
        shown = _mapped(lambda tensor: _shown(tensor.shape), value)
        return shown[0] if isinstance(shown, list) and len(shown) == 1 else shown

    @property
    def layers(self):
        return self._parts() if self._graph is None else outside("layers of a model")

    def get_layer(self, name=None, index=None):
        return outside("layer of a model")

    def _weights_where(self, is_wanted):
        if self._graph is not None:
            return outside("weights of a model")
        return [weight for weight, is_trained in self._all_weights() if is_wanted(is_trained)]

    @property
    def weights(self):
        return self._weights_where(lambda is_trained: True)

    @property
    def trainable_weights(self):
        return self._weights_where(lambda is_trained: is_trained)

    @property
    def non_trainable_weights(self):
        return self._weights_where(lambda is_trained: not is_trained)

    variables, trainable_variables, non_trainable_variables = weights, trainable_weights, non_trainable_weights

    def count_params(self):
        return outside("number of weights")

    def get_weights(self):
        return outside("weights of a model")

    def set_weights(self, weights):
        pass

    def build(self, input_shape=None):
        self.built = True

    def call(self, inputs, training=None, mask=None):
        return self._run_graph(inputs)

    def _run_graph(self, inputs):
        wanted, outputs = self._graph
        sizes, rows = [], []
        for one, given in _paired(wanted, inputs):
            given = _accepted(one, given)
            if is_known(given.ndim) and is_known(one.ndim) and (given.ndim != one.ndim or _is_other_row(one, given)):
                return _mapped(lambda output: _made(None, output.dtype), outputs)
            sizes = sizes + _open_sizes(one, given)
            if is_known(one.shape[0]):
                rows.append((one.shape[0], given.shape[0]))
        if len(sizes) + len(rows) == 0:
            given = _leaves(inputs)
            sizes = [(_BATCH, given[0].shape[0])]
        result = supposing(sizes, _mapped(_of_own_batch, outputs))
        for batch, row in rows[:1]:
            if not is_known(row) or row != batch:
                result = _mapped(lambda output: _with_rows(output, batch, row), result)
        return result[0] if isinstance(result, list) and len(result) == 1 else result


Functional = Model


class Sequential(Model):
    def __init__(self, layers=None, trainable=True, name=None, **options):
        self._begin(trainable, name)
        self._chain, self._shown_outputs, self._entry = [], [], None
        for layer in layers or []:
            self.add(layer)

    def add(self, layer):
        if isinstance(layer, tf.Tensor):
            self._entry, self.built = layer, True
            return
        if isinstance(layer, InputLayer):
            self._entry, self.built = _made(_shape_of(layer._given_shape)), True
            return
        if self._entry is None and len(self._chain) == 0:
            self._entry = self._entry_of(layer)
        self._chain.append(layer)
        if self._entry is not None:
            self.built = True
            before = self._shown_outputs[-1] if len(self._shown_outputs) > 0 else self._entry
            self._shown_outputs.append(layer(before))

    def _entry_of(self, layer):
        """The input that the first layer tells."""
        if layer._given_shape is not None:
            return _made(_shape_of(layer._given_shape), np.float32)
        if isinstance(layer, Sequential):
            return layer._entry
        if isinstance(layer, Model) and layer._graph is not None and isinstance(layer._graph[0], tf.Tensor):
            return layer._graph[0]
        return None

    def pop(self, *arguments):
        self._chain.pop()
        if len(self._shown_outputs) > 0:
            self._shown_outputs.pop()

    def build(self, input_shape=None):
        self.built = True
        if self._entry is None and isinstance(input_shape, (list, tuple)):
            self._entry = _made(_shape_of(input_shape))
            value = self._entry
            for layer in self._chain:
                value = layer(value)
                self._shown_outputs.append(value)

    def _build_for(self, arguments, options):
        self.built = True

    def call(self, inputs, training=None, mask=None):
        if isinstance(inputs, (list, tuple)) and len(inputs) == 1:
            inputs = inputs[0]
        if self._entry is not None and not isinstance(inputs, (list, tuple, dict)):
            inputs = _accepted(self._entry, inputs)
        for layer in self._chain:
            inputs = layer(inputs)
        return inputs

    @property
    def layers(self):
        return list(self._chain)

    @property
    def inputs(self):
        return [self._entry]

    @property
    def input(self):
        return self._entry

    @property
    def output(self):
        return self._shown_outputs[-1] if len(self._shown_outputs) > 0 else self._entry

    @property
    def outputs(self):
        return [self.output]

    def _layers_within(self):
        return self._chain

    def get_weights(self):
        return [np.zeros(weight.shape, np.float32) for weight in self.weights]

    def count_params(self):
        total = 0
        for layer in self._chain:
            total = total + layer.count_params()
        return total

    def get_layer(self, name=None, index=None):
        if index is not None:
            return self._chain[index]
        for layer in self._chain:
            if layer.name is not None and layer.name == name:
                return layer
        return outside("layer of a model")


def clone_model(model, *arguments, **options):
    return model


def load_model(filepath, *arguments, **options):
    return outside("model of a file")


model_from_json = model_from_config = model_from_yaml = load_model


def save_model(model, *arguments, **options):
    pass
