# Layers one after another.
from flax.linen.module import Module, compact
from harp_library import is_known


def _applied(layer, outputs):
    if isinstance(outputs, tuple):
        return layer(*outputs)
    if isinstance(outputs, dict):
        return layer(**outputs)
    return layer(outputs)


# Layers are different things: none of them stands for the others, as rounds of a loop do.
def _behind(outputs, layers):
    if len(layers) == 0:
        return outputs
    return _behind(_applied(layers[0], outputs), layers[1:])


class Sequential(Module):
    layers: list

    @compact
    def __call__(self, *args, **kwargs):
        outputs = self.layers[0](*args, **kwargs)
        rest = self.layers[1:]
        if is_known(len(rest)) and len(rest) <= 16:
            return _behind(outputs, rest)
        for layer in rest:
            outputs = _applied(layer, outputs)
        return outputs
