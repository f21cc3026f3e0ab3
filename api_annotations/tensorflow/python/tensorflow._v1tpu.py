# Estimators on TPUs, which build the model of the program's function as others do.
from harp_library import outside
from tensorflow._v1estimator import Estimator, EstimatorSpec
from tensorflow._v1train import Optimizer


class TPUEstimatorSpec(EstimatorSpec):
    def __init__(self, mode, predictions=None, loss=None, train_op=None, eval_metrics=None, export_outputs=None, scaffold_fn=None, host_call=None,
                 training_hooks=None, evaluation_hooks=None, prediction_hooks=None):
        super().__init__(mode, predictions, loss, train_op)


class TPUEstimator(Estimator):
    # The batch size goes to the program's functions as `params["batch_size"]`.
    def _build(self, input_fn, mode):
        pass


class TPUConfig:
    def __init__(self, *arguments, **options):
        self.num_shards = outside("number of shards")


class RunConfig(TPUConfig):
    pass


class InputPipelineConfig:
    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST = 1, 2, 3, 4


class CrossShardOptimizer(Optimizer):
    def __init__(self, opt, *arguments, **options):
        pass


def cross_replica_sum(x, group_assignment=None, name=None):
    return x


class _Scope:
    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return None


def bfloat16_scope(name=None):
    return _Scope()


def outside_compilation(computation, *args, **kwargs):
    return computation(*args, **kwargs)
