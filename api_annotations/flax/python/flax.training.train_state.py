# What a training step changes: parameters, the optimizer's state and a count.
import dataclasses

from flax.struct import PyTreeNode
from optax import apply_updates as _apply_updates


class TrainState(PyTreeNode):
    # What is no part of the tree is an attribute beside the fields.
    step: int
    apply_fn: dataclasses.InitVar[object]
    params: object
    tx: dataclasses.InitVar[object]
    opt_state: object

    def __post_init__(self, apply_fn, tx):
        object.__setattr__(self, "apply_fn", apply_fn)
        object.__setattr__(self, "tx", tx)

    def replace(self, **changes):
        return dataclasses.replace(self, **{"apply_fn": self.apply_fn, "tx": self.tx, **changes})

    def apply_gradients(self, *, grads, **kwargs):
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        params = _apply_updates(self.params, updates)
        return self.replace(step=self.step + 1, params=params, opt_state=opt_state, **kwargs)

    @classmethod
    def create(cls, *, apply_fn, params, tx, **kwargs):
        return cls(step=0, apply_fn=apply_fn, params=params, tx=tx, opt_state=tx.init(params), **kwargs)
