# Sessions: what a run of a graph takes and gives.
from harp_library import array, fed, free_size, is_known, outside, to_be_fed, tree_map
from tensorflow._mode import enter_graph, enter_version_1, in_graph, note_unknown_size
from tensorflow._shared import surely
from tensorflow._v1graph import Operation, _operations, get_default_graph


def placeholder(dtype, shape=None, name=None):
    enter_version_1()
    return _default_placeholder(dtype, shape)


def _default_placeholder(dtype, shape):
    if not in_graph():
        enter_graph()
    if shape is None:
        return to_be_fed(None, _dtype(dtype), "tensorflow.Tensor")
    return to_be_fed(_open_sizes(shape), _dtype(dtype), "tensorflow.Tensor")


def placeholder_with_default(input, shape, name=None):
    import tensorflow as _tf
    value = _tf.convert_to_tensor(input)
    if shape is None:
        return to_be_fed(None, value.dtype, "tensorflow.Tensor")
    return to_be_fed(_open_sizes(shape), value.dtype, "tensorflow.Tensor")


def sparse_placeholder(dtype, shape=None, name=None):
    from tensorflow._sparse import SparseTensor
    values = to_be_fed([free_size("values", 0)], _dtype(dtype), "tensorflow.Tensor")
    return SparseTensor(None, values, None if shape is None else _open_sizes(shape))


def _dtype(dtype):
    import tensorflow as _tf
    if isinstance(dtype, str):
        return _tf.float32 if dtype == "float" else _tf.float64 if dtype == "double" else dtype
    return dtype


def _open_sizes(shape):
    if isinstance(shape, int):
        return [shape]
    return [_size(size) for size in shape]


def _size(size):
    if surely(size is None):
        return free_size("size", 0)
    if not is_known(size):
        note_unknown_size()
    return int(size)


def _fetched(value):
    """What a run gives for one of its fetches."""
    if isinstance(value, Operation):
        return value._result()
    if isinstance(value, str):
        return outside("tensor by name")
    if hasattr(value, "shape"):
        return array(value.shape, value.dtype)
    if hasattr(value, "_fetch"):
        return value._fetch()
    return outside("what a run gives")


def _run(fetches, feed_dict):
    operations = _operations(fetches)
    made = fed({} if feed_dict is None else feed_dict, [fetches, [item._needs for item in operations]], [item._changes for item in operations],
               [item._trains for item in operations])
    return tree_map(_fetched, made[0])


class Session:
    def __init__(self, target="", graph=None, config=None):
        self.graph = get_default_graph() if graph is None else graph
        self.graph_def = outside("definition of a graph")
        self.sess_str = target
        self._outer = []

    def __enter__(self):
        self.graph.__enter__()
        self._outer.append(_sessions.default)
        _sessions.default = self
        return self

    def __exit__(self, *exception):
        _sessions.default = self._outer.pop()
        self.graph.__exit__()
        return None

    def as_default(self):
        return _AsDefault(self)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return _run(fetches, feed_dict)

    def partial_run_setup(self, fetches, feeds=None):
        return outside("a partial run")

    def partial_run(self, handle, fetches, feed_dict=None):
        return _run(fetches, feed_dict)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        return _Callable(fetches, feed_list)

    def list_devices(self):
        return outside("devices")

    def close(self):
        pass

    def reset(self, *arguments, **options):
        pass

    def should_stop(self):
        return outside("whether training is over")


class InteractiveSession(Session):
    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        _sessions.default = self


class _AsDefault:
    def __init__(self, session):
        self._session = session
        self._outer = []

    def __enter__(self):
        self._outer.append(_sessions.default)
        _sessions.default = self._session
        return self._session

    def __exit__(self, *exception):
        _sessions.default = self._outer.pop()
        return None


class _Callable:
    def __init__(self, fetches, feeds):
        self._fetches, self._feeds = fetches, feeds

    def __call__(self, *values):
        return _run(self._fetches, list(zip(self._feeds or [], values)))


class _Sessions:
    def __init__(self):
        self.default = None


_sessions = _Sessions()


def _default_session():
    return outside("the default session") if _sessions.default is None else _sessions.default


class ConfigProto:
    def __init__(self, **options):
        self.gpu_options = GPUOptions()
        self.graph_options = outside("options of a session")
        self.device_count = outside("options of a session")


class GPUOptions:
    def __init__(self, **options):
        self.allow_growth = False
        self.per_process_gpu_memory_fraction = 0.0
        self.visible_device_list = ""


class RunOptions:
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3

    def __init__(self, **options):
        pass


class RunMetadata:
    def __init__(self, **options):
        self.step_stats = outside("statistics of a run")


class GraphDef:
    def __init__(self, **options):
        self.node = outside("nodes of a graph")

    def ParseFromString(self, text):
        pass

    def SerializeToString(self):
        return outside("a graph as bytes")
