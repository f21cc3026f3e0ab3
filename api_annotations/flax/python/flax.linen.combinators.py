# Layers one after another.
from flax.linen.module import Module, compact


class Sequential(Module):
    layers: list

    @compact
    def __call__(self, *args, **kwargs):
        outputs = self.layers[0](*args, **kwargs)
        for layer in self.layers[1:]:
            if isinstance(outputs, tuple):
                outputs = layer(*outputs)
            elif isinstance(outputs, dict):
                outputs = layer(**outputs)
            else:
                outputs = layer(outputs)
        return outputs
