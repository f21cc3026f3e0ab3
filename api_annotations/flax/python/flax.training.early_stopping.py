# Whether training should stop.
from flax.struct import PyTreeNode
from harp_library import outside


class EarlyStopping(PyTreeNode):
    min_delta: float = 0
    patience: int = 0
    best_metric: float = float("inf")
    patience_count: int = 0
    should_stop: bool = False
    has_improved: bool = False

    def reset(self):
        return self.replace(patience_count=0)

    def update(self, metric):
        return self.replace(should_stop=outside("whether training stops"), has_improved=outside("whether a metric improved"))
