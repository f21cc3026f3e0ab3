# Layers as pairs of functions: one makes the weights for a shape, the other applies them.
import functools

import jax.numpy as jnp
from harp_library import free_size, is_known, require, tensor
from jax import lax, nn
from jax.nn.initializers import glorot_normal, normal, ones, zeros


def _array(shape):
    return tensor(shape, "float32", "jax.Array")


def _shape_behind(apply, params, shape):
    """The shape that a layer gives. -1 in a shape stands for a size that is not told, mostly that of the batch."""
    told = {}
    for place, size in enumerate(shape):
        if is_known(size) and size == -1:
            told[place] = free_size("batch", 1)
    out = apply(params, _array(tuple([told.get(place, size) for place, size in enumerate(shape)])))
    return tuple([-1 if _is_one_of(size, told) else size for size in out.shape])


def _is_one_of(size, told):
    for one in told.values():
        if is_known(size == one) and size == one:
            return True
    return False


def _layer(make, apply):
    """A layer whose weights `make` gives for a shape."""
    def init_fun(rng, input_shape):
        params = make(rng, tuple(input_shape))
        return _shape_behind(apply, params, tuple(input_shape)), params
    return init_fun, apply


def _plain(apply):
    return _layer(lambda rng, shape: (), apply)


def Dense(out_dim, W_init=glorot_normal(), b_init=normal()):
    def make(rng, shape):
        return W_init(rng, (shape[-1], out_dim)), b_init(rng, (out_dim,))

    def apply_fun(params, inputs, **kwargs):
        W, b = params
        return jnp.dot(inputs, W) + b
    return _layer(make, apply_fun)


def _kernel(dimension_numbers, out_chan, filter_shape, shape):
    inputs, kernel, _ = dimension_numbers
    sizes = list(filter_shape)
    require(len(sizes) == len(kernel) - 2, "the filter has another number of axes than the layer")
    return [out_chan if letter == "O" else shape[inputs.index("C")] if letter == "I" else sizes.pop(0) for letter in kernel]


def _convolution(convolve, dimension_numbers, out_chan, filter_shape, strides, W_init, b_init):
    W_init = W_init or glorot_normal(dimension_numbers[1].index("I"), dimension_numbers[1].index("O"))
    strides = strides or (1,) * len(filter_shape)

    def make(rng, shape):
        require(len(shape) == len(dimension_numbers[0]), "the layer takes another number of axes")
        bias = [out_chan if letter == "C" else 1 for letter in dimension_numbers[2]]
        return W_init(rng, _kernel(dimension_numbers, out_chan, filter_shape, shape)), b_init(rng, bias)

    def apply_fun(params, inputs, **kwargs):
        W, b = params
        return convolve(inputs, W, strides) + b
    return _layer(make, apply_fun)


def GeneralConv(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=normal(1e-6)):
    def convolve(inputs, W, strides):
        return lax.conv_general_dilated(inputs, W, strides, padding, dimension_numbers=dimension_numbers)
    return _convolution(convolve, dimension_numbers, out_chan, filter_shape, strides, W_init, b_init)


def GeneralConvTranspose(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=normal(1e-6)):
    def convolve(inputs, W, strides):
        return lax.conv_transpose(inputs, W, strides, padding, dimension_numbers=dimension_numbers)
    return _convolution(convolve, dimension_numbers, out_chan, filter_shape, strides, W_init, b_init)


Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = functools.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))
ConvTranspose = functools.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))


def BatchNorm(axis=(0, 1, 2), epsilon=1e-5, center=True, scale=True, beta_init=zeros, gamma_init=ones):
    axes = (axis,) if isinstance(axis, int) else tuple(axis)

    def make(rng, shape):
        rest = tuple([size for place, size in enumerate(shape) if place not in axes])
        return beta_init(rng, rest) if center else (), gamma_init(rng, rest) if scale else ()

    def apply_fun(params, x, **kwargs):
        beta, gamma = params
        index = tuple([None if place in axes else slice(None) for place in range(jnp.ndim(x))])
        z = x - jnp.mean(x, axes, keepdims=True)
        z = gamma[index] * z if scale else z
        return z + beta[index] if center else z
    return _layer(make, apply_fun)


def elementwise(fun, **fun_kwargs):
    return _plain(lambda params, inputs, **kwargs: fun(inputs, **fun_kwargs))


Tanh = elementwise(jnp.tanh)
Relu = elementwise(nn.relu)
Exp = elementwise(jnp.exp)
LogSoftmax = elementwise(nn.log_softmax, axis=-1)
Softmax = elementwise(nn.softmax, axis=-1)
Softplus = elementwise(nn.softplus)
Sigmoid = elementwise(nn.sigmoid)
Elu = elementwise(nn.elu)
LeakyRelu = elementwise(nn.leaky_relu)
Selu = elementwise(nn.selu)
Gelu = elementwise(nn.gelu)


def _pooling(window_shape, strides=None, padding="VALID", spec=None):
    window, steps = list(window_shape), list(strides or (1,) * len(window_shape))
    places = (0, len(window_shape) + 1) if spec is None else (spec.index("N"), spec.index("C"))
    for place in sorted(places):
        window.insert(place, 1)
        steps.insert(place, 1)
    return _plain(lambda params, inputs, **kwargs: lax.reduce_window(inputs, 0.0, lax.add, tuple(window), tuple(steps), padding))


MaxPool = SumPool = AvgPool = _pooling
Flatten = _plain(lambda params, inputs, **kwargs: jnp.reshape(inputs, (inputs.shape[0], -1)))
Identity = _plain(lambda params, inputs, **kwargs: inputs)


def FanOut(num):
    return (lambda rng, input_shape: ([input_shape] * num, ())), (lambda params, inputs, **kwargs: [inputs] * num)


FanInSum = (lambda rng, input_shape: (input_shape[0], ())), (lambda params, inputs, **kwargs: sum(inputs))


def FanInConcat(axis=-1):
    def init_fun(rng, input_shape):
        first = tuple(input_shape[0])
        place = axis % len(first)
        return first[:place] + (sum([shape[place] for shape in input_shape]),) + first[place + 1:], ()

    def apply_fun(params, inputs, **kwargs):
        return jnp.concatenate(inputs, axis)
    return init_fun, apply_fun


def Dropout(rate, mode="train"):
    # Without a key a run fails: the sizes are the same in any case.
    return _plain(lambda params, inputs, **kwargs: inputs)


def serial(*layers):
    def init_fun(rng, input_shape):
        params = []
        for init, _ in layers:
            input_shape, made = init(rng, input_shape)
            params.append(made)
        return input_shape, params

    def apply_fun(params, inputs, **kwargs):
        for (_, apply), own in zip(layers, params):
            inputs = apply(own, inputs, **kwargs)
        return inputs
    return init_fun, apply_fun


def parallel(*layers):
    def init_fun(rng, input_shape):
        made = [init(rng, shape) for (init, _), shape in zip(layers, input_shape)]
        return tuple([shape for shape, _ in made]), tuple([params for _, params in made])

    def apply_fun(params, inputs, **kwargs):
        return [apply(own, value, **kwargs) for (_, apply), own, value in zip(layers, params, inputs)]
    return init_fun, apply_fun


def shape_dependent(make_layer):
    def init_fun(rng, input_shape):
        return make_layer(input_shape)[0](rng, input_shape)

    def apply_fun(params, inputs, **kwargs):
        return make_layer(inputs.shape)[1](params, inputs, **kwargs)
    return init_fun, apply_fun
