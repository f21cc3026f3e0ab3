# Layers that weigh values by how well keys fit queries.
import keras.ops as _ops
from harp_library import is_known, judge, require
from keras._joins import _alike
from keras._shapes import _free, _is_open, _made, _tensor
from keras.layers._layer import Layer


class MultiHeadAttention(Layer):
    def __init__(self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, attention_axes=None, *arguments,
                 **options):
        self._begin(**options)
        self.num_heads, self.key_dim, self.use_bias = num_heads, key_dim, use_bias
        self.value_dim = key_dim if value_dim is None else value_dim
        self._output = None if output_shape is None else ((output_shape,) if isinstance(output_shape, int) else tuple(output_shape))
        self._axes = attention_axes

    def _build_for(self, arguments, options):
        query = arguments[0] if len(arguments) > 0 else options["query"]
        value = arguments[1] if len(arguments) > 1 else options["value"]
        key = arguments[2] if len(arguments) > 2 else options.get("key")
        self._build_of(_tensor(query), _tensor(value), _tensor(value if key is None else key))

    def build(self, query_shape=None, value_shape=None, key_shape=None):
        self.built = False

    def _build_of(self, query, value, key):
        heads = self.num_heads
        output = (query.shape[-1],) if self._output is None else self._output
        self._features = [query.shape[-1], key.shape[-1], value.shape[-1]]
        parts = [(query.shape[-1], self.key_dim), (key.shape[-1], self.key_dim), (value.shape[-1], self.value_dim)]
        for size, width in parts:
            self.add_weight((size, heads, width))
            if self.use_bias:
                self.add_weight((heads, width))
        self.add_weight((heads, self.value_dim) + output)
        if self.use_bias:
            self.add_weight(output)
        self.built = True

    def call(self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None, attention_mask=None,
             return_attention_scores=False, training=None, use_causal_mask=False):
        query, value = _tensor(query), _tensor(value)
        key = value if key is None else _tensor(key)
        require(query.ndim == key.ndim, "queries and keys must have the same number of axes")
        require(value.ndim == key.ndim, "values and keys must have the same number of axes")
        for part, size in zip([query, key, value], self._features):
            require(part.shape[-1] == size, "the features are not those that the layer was built for")
        if is_known(query.ndim):
            for place in range(1, query.ndim - 1):
                _alike(value.shape[place], key.shape[place], "there must be as many values as keys")
            _alike(query.shape[0], key.shape[0], "queries and keys must have the same batch")
        output = (query.shape[-1],) if self._output is None else self._output
        result = _made(query.shape[:-1] + output)
        if not return_attention_scores:
            return result
        if self._axes is not None:
            axes = (self._axes,) if isinstance(self._axes, int) else tuple(self._axes)
            kept = tuple([query.shape[place] for place in range(query.ndim - 1) if place not in axes])
            scores = kept + (self.num_heads,) + tuple([query.shape[axis] for axis in axes]) + tuple([key.shape[axis] for axis in axes])
            return result, _made(scores)
        places = key.shape[1:-1]
        if _is_open(query.shape[0]):
            # A model is told the places of the queries for those of the keys.
            places = tuple([size if size is other or size == other else _free("keys") for size, other in zip(places, query.shape[1:-1])])
        return result, _made((query.shape[0], self.num_heads) + query.shape[1:-1] + places)


class GroupQueryAttention(Layer):
    def __init__(self, head_dim, num_query_heads, num_key_value_heads, *arguments, **options):
        self._begin(**options)
        self.head_dim, self.num_query_heads, self.num_key_value_heads = head_dim, num_query_heads, num_key_value_heads
        require(num_query_heads % num_key_value_heads == 0, "the heads of queries cannot be divided among those of keys")

    def call(self, query, value, key=None, query_mask=None, value_mask=None, key_mask=None, attention_mask=None,
             return_attention_scores=False, training=None, use_causal_mask=False):
        query, value = _tensor(query), _tensor(value)
        key = value if key is None else _tensor(key)
        require(query.ndim == 3, "queries have a batch, places and features")
        require(value.ndim == 3, "values have a batch, places and features")
        require(not _is_open(query.shape[-1]), "the number of features must be known")
        require(not _is_open(value.shape[-1]), "the number of features must be known")
        _alike(query.shape[0], value.shape[0], "queries and values must have the same batch")
        _alike(key.shape[1], value.shape[1], "there must be as many values as keys")
        if not return_attention_scores:
            return _made(query.shape)
        return _made(query.shape), _made((query.shape[0], self.num_query_heads, query.shape[1], key.shape[1]))


GroupedQueryAttention = GroupQueryAttention


class Attention(Layer):
    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed=None, **options):
        self._begin(**options)
        self.use_scale, self.score_mode = use_scale, score_mode

    def build(self, input_shape=None):
        if self.use_scale:
            self.add_weight(())
        if self.score_mode == "concat":
            self.add_weight(())
        self.built = True

    def _scores(self, query, key):
        if self.score_mode == "concat":
            return _ops.sum(_ops.add(_ops.expand_dims(query, -2), _ops.expand_dims(key, -3)), -1)
        return _ops.matmul(query, _ops.transpose(key, (0, 2, 1)))

    def call(self, inputs, mask=None, training=None, return_attention_scores=False, use_causal_mask=False):
        require(len(inputs) >= 2, "the layer takes queries, values, and perhaps keys")
        require(len(inputs) <= 3, "the layer takes queries, values, and perhaps keys")
        query, value = _tensor(inputs[0]), _tensor(inputs[1])
        key = _tensor(inputs[2]) if len(inputs) > 2 else value
        scores = self._scores(query, key)
        result = _ops.matmul(scores, value)
        return (result, scores) if return_attention_scores else result


class AdditiveAttention(Attention):
    def __init__(self, use_scale=True, dropout=0.0, **options):
        self._begin(**options)
        self.use_scale, self.score_mode = use_scale, "concat"

    def build(self, input_shape):
        self.add_weight((input_shape[0][-1],))
        self.built = True
