# What a training step changes: parameters, the optimizer's state and a count.
from flax.struct import PyTreeNode, field
from optax import apply_updates as _apply_updates


class TrainState(PyTreeNode):
    step: int
    apply_fn: object = field(pytree_node=False)
    params: object = field(pytree_node=True)
    tx: object = field(pytree_node=False)
    opt_state: object = field(pytree_node=True)

    def apply_gradients(self, *, grads, **kwargs):
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        params = _apply_updates(self.params, updates)
        return self.replace(step=self.step + 1, params=params, opt_state=opt_state, **kwargs)

    @classmethod
    def create(cls, *, apply_fn, params, tx, **kwargs):
        return cls(step=0, apply_fn=apply_fn, params=params, tx=tx, opt_state=tx.init(params), **kwargs)
