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
def _behind_four(outputs, layers):
    if len(layers) > 0:
        outputs = _applied(layers[0], outputs)
    if len(layers) > 1:
        outputs = _applied(layers[1], outputs)
    if len(layers) > 2:
        outputs = _applied(layers[2], outputs)
    if len(layers) > 3:
        outputs = _applied(layers[3], outputs)
    return outputs


class Sequential(Module):
    layers: list

    @compact
    def __call__(self, *args, **kwargs):
        outputs = self.layers[0](*args, **kwargs)
        rest = self.layers[1:]
        if is_known(len(rest)) and len(rest) <= 12:
            outputs = _behind_four(outputs, rest[:4])
            outputs = _behind_four(outputs, rest[4:8])
            return _behind_four(outputs, rest[8:])
        for layer in rest:
            outputs = _applied(layer, outputs)
        return outputs
