# Modules of linen in nnx, and the other way round.
import flax.linen as _linen
from flax.nnx._graph import Module, Rngs
from flax.nnx._variables import BatchStat, Param, Variable, _raw
from harp_library import tree_map, unknown


class ToNNX(Module):
    def __init__(self, module, rngs=None):
        self.to_nnx__module = module
        self._variables = None

    def lazy_init(self, *args, **kwargs):
        return lazy_init(self, *args, **kwargs)

    def __call__(self, *args, rngs=None, method=None, mutable=None, **kwargs):
        if self._variables is None:
            output, self._variables = self.to_nnx__module.init_with_output(unknown("keys"), *args, method=method, **kwargs)
            return output
        output, _ = self.to_nnx__module.apply(self._variables, *args, method=method, mutable=True, **kwargs)
        return output


def lazy_init(fn, *args, **kwargs):
    _, fn._variables = fn.to_nnx__module.init_with_output(unknown("keys"), *args, **kwargs)
    return fn


class ToLinen(_linen.Module):
    nnx_class: object
    args: object = ()
    kwargs: object = None
    skip_rng: bool = False
    metadata_fn: object = None

    @_linen.compact
    def __call__(self, *args, **kwargs):
        options = {} if self.kwargs is None else self.kwargs
        return self.nnx_class(*self.args, rngs=Rngs(0), **options)(*args, **kwargs)


def to_linen(nnx_class, *args, metadata_fn=None, name=None, skip_rng=False, **kwargs):
    return ToLinen(nnx_class, args=args, kwargs=kwargs, skip_rng=skip_rng, name=name)


def to_linen_class(base_nnx_class, **options):
    def make(*args, name=None, **kwargs):
        return ToLinen(base_nnx_class, args=args, kwargs=kwargs, name=name)

    return make
