# Training in version 1: optimizers that add operations to a graph, what saves variables, schedules of learning rates.
from harp_library import free_size, outside, some_of, tensor, tree_map
from tensorflow._v1graph import Operation, get_collection, get_default_graph
from tensorflow._v1run import Session, _run
from tensorflow._v1variables import _collect


def _like(value):
    return tensor(value.shape, value.dtype, "tensorflow.Tensor") if hasattr(value, "shape") else value


def _trained(variables):
    if variables is not None:
        return variables
    # Collections of other graphs are not told apart from empty ones.
    return get_default_graph()._collections.get("trainable_variables", [])


class Optimizer:
    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    # What the gradients are of.
    _loss = None

    def __init__(self, *arguments, **options):
        pass

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False, name=None,
                 grad_loss=None):
        return Operation(name, [loss], _trained(var_list), [] if var_list is not None else [loss])

    def compute_gradients(self, loss, var_list=None, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False, grad_loss=None):
        self._loss = loss
        variables = get_collection("trainable_variables") if var_list is None else var_list
        return [(_like(variable), variable) for variable in variables]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return Operation(name, [self._loss], _trained(None), [self._loss])

    def get_slot(self, var, name):
        return _like(var)

    def get_slot_names(self):
        return []

    def get_name(self):
        return outside("name of an optimizer")

    def variables(self):
        return outside("variables of an optimizer")


class GradientDescentOptimizer(Optimizer):
    pass


class AdamOptimizer(Optimizer):
    pass


class AdagradOptimizer(Optimizer):
    pass


class AdadeltaOptimizer(Optimizer):
    pass


class AdagradDAOptimizer(Optimizer):
    pass


class MomentumOptimizer(Optimizer):
    pass


class RMSPropOptimizer(Optimizer):
    pass


class FtrlOptimizer(Optimizer):
    pass


class ProximalGradientDescentOptimizer(Optimizer):
    pass


class ProximalAdagradOptimizer(Optimizer):
    pass


class SyncReplicasOptimizer(Optimizer):
    def make_session_run_hook(self, is_chief, num_tokens=-1):
        return SessionRunHook()

    def get_chief_queue_runner(self):
        return QueueRunner()

    def get_init_tokens_op(self, num_tokens=-1):
        return Operation()


class Saver:
    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 restore_sequentially=False, saver_def=None, builder=None, defer_build=False, allow_empty=False, write_version=2, pad_step_number=False,
                 save_relative_paths=False, filename=None):
        self.saver_def = outside("definition of a saver")
        self.last_checkpoints = outside("checkpoints")

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta", write_meta_graph=True, write_state=True,
             strip_default_attrs=False, save_debug_info=False):
        return save_path

    def restore(self, sess, save_path):
        pass

    def export_meta_graph(self, *arguments, **options):
        return outside("definition of a graph")

    def recover_last_checkpoints(self, checkpoint_paths):
        pass

    def set_last_checkpoints(self, last_checkpoints):
        pass


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    return Saver()


def export_meta_graph(filename=None, *arguments, **options):
    return outside("definition of a graph")


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    return outside("path of a checkpoint")


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    return outside("state of checkpoints")


def checkpoint_exists(checkpoint_prefix):
    return outside("whether a checkpoint exists")


def NewCheckpointReader(filepattern):
    return outside("checkpoint")


load_checkpoint = load_variable = NewCheckpointReader


def list_variables(ckpt_dir_or_file):
    return outside("variables of a checkpoint")


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    pass


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    return outside("checkpoints")


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    return outside("path of a graph")


class Coordinator:
    def __init__(self, clean_stop_exception_types=None):
        self.joined = False

    def should_stop(self):
        return outside("whether training is over")

    def request_stop(self, ex=None):
        pass

    def clear_stop(self):
        pass

    def stop_on_exception(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def register_thread(self, thread):
        pass

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        pass

    def wait_for_stop(self, timeout=None):
        return outside("whether training is over")


def get_or_create_global_step(graph=None):
    graph = get_default_graph()
    known = graph._variables.get("global_step")
    if known is not None:
        return known
    step = _scalar_step()
    graph._variables["global_step"] = step
    _collect(step, False, ["variables", "global_step"])
    return step


def _scalar_step():
    import tensorflow as _tf
    return tensor((), _tf.int64, "tensorflow.Tensor")


create_global_step = get_global_step = get_or_create_global_step


def global_step(sess, global_step_tensor):
    return outside("number of steps")


def assert_global_step(global_step_tensor):
    pass


def _decayed():
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor")


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    return _decayed()


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
    return _decayed()


def piecewise_constant(x, boundaries, values, name=None):
    return _decayed()


piecewise_constant_decay = piecewise_constant


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    return _decayed()


inverse_time_decay = natural_exp_decay


def cosine_decay(learning_rate, global_step, decay_steps, *arguments, **options):
    return _decayed()


cosine_decay_restarts = linear_cosine_decay = noisy_linear_cosine_decay = cosine_decay


class SessionRunHook:
    def begin(self):
        pass

    def after_create_session(self, session, coord):
        pass

    def before_run(self, run_context):
        return None

    def after_run(self, run_context, run_values):
        pass

    def end(self, session):
        pass


class _Hook(SessionRunHook):
    def __init__(self, *arguments, **options):
        pass


LoggingTensorHook = StopAtStepHook = CheckpointSaverHook = StepCounterHook = NanTensorHook = SummarySaverHook = ProfilerHook = FinalOpsHook = _Hook
GlobalStepWaiterHook = FeedFnHook = CheckpointSaverListener = _Hook


class SessionRunArgs:
    def __init__(self, fetches, feed_dict=None, options=None):
        self.fetches, self.feed_dict, self.options = fetches, feed_dict, options


class Scaffold:
    def __init__(self, *arguments, **options):
        self.saver = Saver()
        self.init_op = Operation()


class MonitoredSession(Session):
    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__()

    def run_step_fn(self, step_fn):
        return outside("what a step gives")


class SingularMonitoredSession(MonitoredSession):
    def raw_session(self):
        return self


def MonitoredTrainingSession(*arguments, **options):
    return MonitoredSession()


class ChiefSessionCreator:
    def __init__(self, *arguments, **options):
        pass


WorkerSessionCreator = ChiefSessionCreator


class Supervisor:
    def __init__(self, *arguments, **options):
        self.saver = Saver()
        self.session_manager = outside("session manager")
        self.coord = Coordinator()

    def managed_session(self, *arguments, **options):
        return Session()

    def prepare_or_wait_for_session(self, *arguments, **options):
        return Session()

    def should_stop(self):
        return outside("whether training is over")

    def request_stop(self, ex=None):
        pass

    def stop(self, *arguments, **options):
        pass

    def loop(self, *arguments, **options):
        pass

    def start_queue_runners(self, sess, queue_runners=None):
        return []

    def summary_computed(self, sess, summary, global_step=None):
        pass


class Server:
    def __init__(self, *arguments, **options):
        self.target = outside("target of a server")

    def join(self):
        pass


class ClusterSpec:
    def __init__(self, cluster):
        self._cluster = cluster

    def num_tasks(self, job_name):
        return outside("number of tasks")

    def as_dict(self):
        return self._cluster

    def job_tasks(self, job_name):
        return outside("tasks")


def replica_device_setter(*arguments, **options):
    return outside("device")


class QueueRunner:
    def __init__(self, *arguments, **options):
        pass

    def create_threads(self, *arguments, **options):
        return []


def SummaryWriter(logdir, *arguments, **options):
    from tensorflow._v1summary import FileWriter
    return FileWriter(logdir)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection="queue_runners"):
    return []


def add_queue_runner(qr, collection="queue_runners"):
    pass
