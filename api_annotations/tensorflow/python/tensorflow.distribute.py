# Strategies: on one device they do what the program says, and a replica's batch is the program's.
from harp_library import free_size
from tensorflow._core import as_tensor
from tensorflow._scopes import Block
from tensorflow._shared import made


class ReduceOp:
    SUM = "SUM"
    MEAN = "MEAN"


class Strategy:
    def __init__(self, *args, **kwargs):
        self.cluster_resolver, self.extended = None, Extended()

    @property
    def num_replicas_in_sync(self):
        return free_size("replicas", 1)

    def scope(self):
        return Block()

    def run(self, fn, args=(), kwargs=None, options=None):
        return fn(*args, **(kwargs or {}))

    def experimental_run_v2(self, fn, args=(), kwargs=None, options=None):
        return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op, value, axis):
        value = as_tensor(value)
        if axis is None:
            return value
        return made(value.shape[1:] if axis == 0 else None, value.dtype)

    def gather(self, value, axis):
        return made(None, as_tensor(value).dtype)

    def experimental_distribute_dataset(self, dataset, options=None):
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        return dataset_fn(InputContext())

    def experimental_distribute_datasets_from_function(self, dataset_fn, options=None):
        return dataset_fn(InputContext())

    def experimental_local_results(self, value):
        return (value,)

    def experimental_distribute_values_from_function(self, value_fn):
        return value_fn(InputContext())

    def unwrap(self, value):
        return (value,)

    def group(self, value, name=None):
        return value


class Extended:
    def __init__(self):
        self.worker_devices, self.parameter_devices = ("",), ("",)

    def broadcast_to(self, tensor, destinations):
        return tensor

    def update(self, var, fn, args=(), kwargs=None, group=True):
        return fn(var, *args, **(kwargs or {}))

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None):
        return [value for value, destination in value_destination_pairs]


class InputContext:
    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines, self.input_pipeline_id = num_input_pipelines, input_pipeline_id
        self.num_replicas_in_sync = free_size("replicas", 1)

    def get_per_replica_batch_size(self, global_batch_size):
        return global_batch_size // self.num_replicas_in_sync


class MirroredStrategy(Strategy):
    pass


class OneDeviceStrategy(Strategy):
    pass


class TPUStrategy(Strategy):
    pass


class MultiWorkerMirroredStrategy(Strategy):
    pass


class ParameterServerStrategy(Strategy):
    pass


class CentralStorageStrategy(Strategy):
    pass


class ReplicaContext:
    def __init__(self):
        self.replica_id_in_sync_group, self.num_replicas_in_sync = 0, free_size("replicas", 1)
        self.strategy = Strategy()

    def all_reduce(self, reduce_op, value, options=None):
        return value

    def all_gather(self, value, axis, options=None):
        return made(None, as_tensor(value).dtype)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        return merge_fn(self.strategy, *args, **(kwargs or {}))


def get_strategy():
    return Strategy()


def get_replica_context():
    return ReplicaContext()
