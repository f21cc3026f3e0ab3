# Optimizers and metrics.
import dataclasses

import numpy as np
from flax.nnx._graph import Pytree, split, state, update
from flax.nnx._variables import OptState, Param, State, Variable
from flax.struct import PyTreeNode, dataclass
from harp_library import is_known, require, tensor, unknown
from optax import apply_updates as _apply_updates


class Optimizer(Pytree):
    def __init__(self, model, tx, *, wrt=Param, graph=None):
        self.step = OptState(tensor((), np.uint32, "jax.Array"))
        self.tx, self.wrt = tx, wrt
        self.opt_state = tx.init(state(model, wrt))

    def update(self, model, grads, **kwargs):
        self._change(model, grads)

    def _change(self, model, grads):
        self.step.value = self.step.value + 1
        if is_known(isinstance(grads, State)) and isinstance(grads, State):
            params = state(model, self.wrt)
            updates, self.opt_state = self.tx.update(grads, self.opt_state, params)
            update(model, _apply_updates(params, updates))


class ModelAndOptimizer(Optimizer):
    def __init__(self, model, tx, *, wrt=Param):
        super().__init__(model, tx, wrt=wrt)
        self.model = model

    def update(self, grads, **kwargs):
        self._change(self.model, grads)


class TrainState(PyTreeNode):
    graphdef: dataclasses.InitVar[object]
    params: object
    opt_state: object
    step: object
    tx: dataclasses.InitVar[object]

    def __post_init__(self, graphdef, tx):
        object.__setattr__(self, "graphdef", graphdef)
        object.__setattr__(self, "tx", tx)

    def replace(self, **changes):
        return dataclasses.replace(self, **{"graphdef": self.graphdef, "tx": self.tx, **changes})

    @classmethod
    def create(cls, graphdef, *, params, tx, step=0, **kwargs):
        return cls(graphdef=graphdef, params=params, opt_state=tx.init(params), step=tensor((), np.int32, "jax.Array"), tx=tx, **kwargs)

    def apply_gradients(self, grads, **kwargs):
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        return self.replace(params=_apply_updates(self.params, updates), opt_state=opt_state, step=self.step + 1, **kwargs)


class MetricState(Variable):
    pass


class Metric(Pytree):
    def reset(self):
        pass

    def update(self, **kwargs):
        pass

    def compute(self):
        return unknown("a metric")

    def split(self, *filters):
        return split(self, *filters)


class Average(Metric):
    def __init__(self, argname="values"):
        self.argname = argname
        self.total, self.count = MetricState(tensor((), np.float32, "jax.Array")), MetricState(tensor((), np.int32, "jax.Array"))

    def compute(self):
        return tensor((), np.float32, "jax.Array")


@dataclass
class Statistics:
    mean: object
    standard_error_of_mean: object
    standard_deviation: object


class Welford(Average):
    def compute(self):
        one = tensor((), np.float32, "jax.Array")
        return Statistics(one, one, one)


class Accuracy(Average):
    def __init__(self, threshold=None, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.threshold = threshold

    def update(self, *, logits, labels, mask=None, **others):
        if is_known(logits.ndim) and is_known(labels.ndim):
            if self.threshold is not None:
                require(logits.ndim == labels.ndim, f"logits and labels of two classes have as many axes, got {logits.shape} and {labels.shape}")
                tensor(logits.shape, np.float32, "jax.Array") + tensor(labels.shape, np.float32, "jax.Array")
            else:
                require(logits.ndim == labels.ndim + 1, f"logits have one axis more than labels, got {logits.shape} and {labels.shape}")
                tensor(logits.shape[:-1], np.float32, "jax.Array") + tensor(labels.shape, np.float32, "jax.Array")


class MultiMetric(Metric):
    def __init__(self, **metrics):
        self._metric_names = tuple(metrics)
        for name, metric in metrics.items():
            setattr(self, name, metric)

    def reset(self):
        for name in self._metric_names:
            getattr(self, name).reset()

    def update(self, **updates):
        for name in self._metric_names:
            getattr(self, name).update(**updates)

    def compute(self):
        return {name: getattr(self, name).compute() for name in self._metric_names}


class EMA(Pytree):
    def __init__(self, params, decay, *, only=...):
        self.state = params

    def update(self, params):
        pass
