# Checkpoints, records and averages of variables.
from harp_library import outside
from tensorflow._core import as_tensor
from tensorflow._shared import made


class Checkpoint:
    def __init__(self, root=None, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def save(self, file_prefix, options=None):
        return "checkpoint"

    def write(self, file_prefix, options=None):
        return "checkpoint"

    def restore(self, save_path, options=None):
        return _Status()

    def read(self, save_path, options=None):
        return _Status()

    def sync(self):
        pass

    @property
    def save_counter(self):
        return made((), "int64")


class _Status:
    def assert_consumed(self):
        return self

    def assert_existing_objects_matched(self):
        return self

    def assert_nontrivial_match(self):
        return self

    def expect_partial(self):
        return self

    def initialize_or_restore(self, session=None):
        pass

    def run_restore_ops(self, session=None):
        pass


class CheckpointManager:
    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt", step_counter=None,
                 checkpoint_interval=None, init_fn=None, last_checkpoint_step=None):
        self.checkpoint, self.directory, self.checkpoint_interval = checkpoint, directory, checkpoint_interval

    @property
    def latest_checkpoint(self):
        return outside("the path of a checkpoint")

    @property
    def checkpoints(self):
        return outside("the paths of checkpoints")

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        return "checkpoint"

    def restore_or_initialize(self):
        return outside("the path of a checkpoint")

    def sync(self):
        pass


class _Message:
    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)

    def SerializeToString(self, deterministic=None):
        return b""

    def ParseFromString(self, serialized):
        return 0

    def MergeFromString(self, serialized):
        return 0

    @classmethod
    def FromString(cls, serialized):
        return outside("a record")

    def __getattr__(self, name):
        return outside("a field of a record")


class BytesList(_Message):
    pass


class FloatList(_Message):
    pass


class Int64List(_Message):
    pass


class Feature(_Message):
    pass


class Features(_Message):
    pass


class FeatureList(_Message):
    pass


class FeatureLists(_Message):
    pass


class Example(_Message):
    pass


class SequenceExample(_Message):
    pass


class ExponentialMovingAverage:
    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self.name = name

    def apply(self, var_list=None):
        return None

    def average(self, var):
        var = as_tensor(var)
        return made(var.shape, var.dtype)

    def average_name(self, var):
        return "average"

    def variables_to_restore(self, moving_avg_variables=None):
        return outside("variables by name")
