# Derivatives: the function is called once, and what comes out has the sizes of what is derived by what.
import numpy as np
from harp_library import is_known, require, tree_leaves, tree_map
from jax._steps import array, gradient, gradient_of_any, jacobian as _jacobian, tangent


def _scalar(value):
    require(not isinstance(value, (tuple, list, dict)), "a gradient is of a function that gives one scalar; has_aux=True is for one that gives more")
    if is_known(np.ndim(value)):
        require(np.ndim(value) == 0, "a gradient is of a function that gives a scalar")
    return value


def _parts(result, has_aux):
    if has_aux:
        require(isinstance(result, (tuple, list)), "with has_aux=True the function must give a pair")
        require(len(result) == 2, "with has_aux=True the function must give a pair")
        return result[0], result[1]
    return result, None


def _like(tree, allow_int=False):
    return tree_map(gradient_of_any if allow_int else gradient, tree)


def _chosen(argnums, arguments, f):
    if isinstance(argnums, int):
        require(argnums < len(arguments), "there is no argument of this number")
        return f(arguments[argnums])
    return tuple([f(arguments[place]) for place in argnums])


def value_and_grad(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=()):
    def value_and_gradient(*arguments, **keywords):
        result = fun(*arguments, **keywords)
        value, aux = _parts(result, has_aux)
        _scalar(value)
        gradients = _chosen(argnums, arguments, lambda tree: _like(tree, allow_int))
        return (result, gradients)
    return value_and_gradient


def grad(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=()):
    def gradients(*arguments, **keywords):
        result = fun(*arguments, **keywords)
        value, aux = _parts(result, has_aux)
        _scalar(value)
        found = _chosen(argnums, arguments, lambda tree: _like(tree, allow_int))
        return (found, aux) if has_aux else found
    return gradients


def _jacobians(value, argnums, arguments):
    return tree_map(lambda one: _chosen(argnums, arguments, lambda tree: tree_map(lambda leaf: _jacobian(one, leaf), tree)), value)


def jacfwd(fun, argnums=0, has_aux=False, holomorphic=False):
    def jacobian_of(*arguments, **keywords):
        value, aux = _parts(fun(*arguments, **keywords), has_aux)
        found = _jacobians(value, argnums, arguments)
        return (found, aux) if has_aux else found
    return jacobian_of


def jacrev(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False):
    return jacfwd(fun, argnums, has_aux)


jacobian = jacrev


def hessian(fun, argnums=0, has_aux=False, holomorphic=False):
    return jacfwd(jacrev(fun, argnums, has_aux), argnums, has_aux)


def _tangents(primals, tangents):
    require(len(primals) == len(tangents), "there must be a tangent for each primal")
    tree_map(tangent, tuple(primals), tuple(tangents))


def jvp(fun, primals, tangents, has_aux=False):
    _tangents(primals, tangents)
    value, aux = _parts(fun(*primals), has_aux)
    found = tree_map(gradient_of_any, value)
    return (value, found, aux) if has_aux else (value, found)


def linearize(fun, *primals, has_aux=False):
    value, aux = _parts(fun(*primals), has_aux)

    def linear(*tangents):
        _tangents(primals, tangents)
        return tree_map(gradient_of_any, value)
    return (value, linear, aux) if has_aux else (value, linear)


def vjp(fun, *primals, has_aux=False, reduce_axes=()):
    value, aux = _parts(fun(*primals), has_aux)

    def pulled_back(cotangents):
        tree_map(tangent, value, cotangents)
        return tuple([_like(primal, True) for primal in primals])
    return (value, pulled_back, aux) if has_aux else (value, pulled_back)


def linear_transpose(fun, *primals, reduce_axes=()):
    value = fun(*primals)

    def transposed(cotangents):
        tree_map(tangent, value, cotangents)
        return tuple([_like(primal, True) for primal in primals])
    return transposed


class custom_vjp:
    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        self.fun, self.nondiff_argnums = fun, nondiff_argnums
        self.fwd = self.bwd = None
        self.__wrapped__ = fun

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        self.fwd, self.bwd = fwd, bwd

    def __call__(self, *arguments, **keywords):
        return self.fun(*arguments, **keywords)


class custom_jvp:
    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        self.fun = fun
        self.__wrapped__ = fun

    def defjvp(self, jvp, symbolic_zeros=False):
        return jvp

    def defjvps(self, *jvps):
        return None

    def __call__(self, *arguments, **keywords):
        return self.fun(*arguments, **keywords)


def custom_gradient(fun):
    def with_gradient(*arguments, **keywords):
        return fun(*arguments, **keywords)[0]
    return with_gradient
