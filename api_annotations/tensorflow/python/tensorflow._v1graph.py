# Graphs of version 1 while a program builds them: scopes of names, variables by their names, collections.
from harp_library import outside, some_of

AUTO_REUSE = "AUTO_REUSE"


class GraphKeys:
    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class Operation:
    """What a run executes for its effect; fetching it gives `None`."""

    def __init__(self, name=None, needs=(), changes=(), trains=()):
        self.name = name
        self.type = outside("type of an operation")
        self.graph = None
        self.inputs = outside("inputs of an operation")
        self.outputs = outside("outputs of an operation")
        self.control_inputs = outside("inputs of an operation")
        # The tensors that are made where this runs.
        self._needs = needs
        # The variables that this changes.
        self._changes = changes
        # The tensors whose variables this changes.
        self._trains = trains

    def run(self, feed_dict=None, session=None):
        from tensorflow._v1run import _run
        _run(self, feed_dict)

    def _result(self):
        return None

    def node_def(self):
        return outside("definition of an operation")

    def get_attr(self, name):
        return outside("attribute of an operation")


class VariableScope:
    def __init__(self, reuse, name="", initializer=None, regularizer=None, caching_device=None, partitioner=None, custom_getter=None, name_scope="",
                 dtype=None, use_resource=None, constraint=None):
        self.name, self.reuse = name, reuse
        self._prefix = name + "/"
        self.original_name_scope = name
        self.initializer, self.regularizer, self.dtype = initializer, regularizer, dtype
        self.caching_device, self.partitioner, self.custom_getter = caching_device, partitioner, custom_getter
        self.use_resource, self.constraint = use_resource, constraint

    def reuse_variables(self):
        self.reuse = True

    def set_initializer(self, initializer):
        self.initializer = initializer

    def set_regularizer(self, regularizer):
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter):
        self.custom_getter = custom_getter

    def set_partitioner(self, partitioner):
        self.partitioner = partitioner

    def get_collection(self, name):
        return get_collection(name)

    def trainable_variables(self):
        return get_collection("trainable_variables")

    def global_variables(self):
        return get_collection("variables")

    def get_variable(self, var_store, name, shape=None, dtype=None, **options):
        import tensorflow as _tf
        return _tf.get_variable(name, shape, dtype, **options)


class Graph:
    def __init__(self):
        self._variables = {}
        self._collections = {}
        self._scope = VariableScope(False)
        self._scope._prefix = ""
        # How many scopes without a name of their own were opened in each scope.
        self._numbers = {}
        self._outer = []
        self.version = outside("version of a graph")
        self.seed = None
        self.collections = outside("collections of a graph")

    def as_default(self):
        return self

    def __enter__(self):
        self._outer.append(_state.graph)
        _state.graph = self
        return self

    def __exit__(self, *exception):
        _state.graph = self._outer.pop()
        return None

    def finalize(self):
        pass

    def get_collection(self, name, scope=None):
        return get_collection(name, scope)

    def get_collection_ref(self, name):
        return get_collection_ref(name)

    def add_to_collection(self, name, value):
        add_to_collection(name, value)

    def add_to_collections(self, names, value):
        add_to_collections(names, value)

    def get_all_collection_keys(self):
        return outside("collections of a graph")

    def get_operations(self):
        return outside("operations of a graph")

    def get_operation_by_name(self, name):
        return outside("operation by name")

    def get_tensor_by_name(self, name):
        return outside("tensor by name")

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        return obj

    def as_graph_def(self, from_version=None, add_shapes=False):
        return outside("definition of a graph")

    def unique_name(self, name, mark_as_used=True):
        return name

    def control_dependencies(self, control_inputs):
        return _Block(None)

    def device(self, device_name_or_function):
        return _Block(device_name_or_function)

    def name_scope(self, name):
        return _Block(name)

    def gradient_override_map(self, op_type_map):
        return _Block(None)

    def container(self, container_name):
        return _Block(None)

    def colocate_with(self, op, ignore_existing=False):
        return _Block(None)

    def is_feedable(self, tensor):
        return True

    def prevent_feeding(self, tensor):
        pass

    def clear_collection(self, name):
        self._collections[name] = []


class _State:
    def __init__(self):
        self.graph = Graph()


_state = _State()


class _Block:
    """A block of statements that changes nothing about shapes; as a decorator, neither."""

    def __init__(self, value):
        self._value = value

    def __enter__(self):
        return self._value

    def __exit__(self, *exception):
        return None

    def __call__(self, function):
        return function


def get_default_graph():
    return _state.graph


def reset_default_graph():
    _state.graph = Graph()


def get_collection(key, scope=None):
    # More may be in it than was seen.
    found = _collected(key)
    return some_of(found) if found else outside("items of a collection")


def _collected(key):
    return _state.graph._collections.get(key, [])


def get_collection_ref(key):
    return _state.graph._collections.setdefault(key, [])


def add_to_collection(name, value):
    _state.graph._collections.setdefault(name, []).append(value)


def add_to_collections(names, value):
    for name in ([names] if isinstance(names, str) else names):
        add_to_collection(name, value)


def colocate_with(op, ignore_existing=False):
    return _Block(None)


def container(container_name):
    return _Block(None)


def op_scope(values, name, default_name=None):
    return _Block(default_name if name is None else name)


def group(*inputs, **kwargs):
    return Operation(kwargs.get("name"), _needed(inputs), [item._changes for item in _operations(inputs)],
                     [item._trains for item in _operations(inputs)])


def _operations(fetches):
    """The operations among these."""
    if isinstance(fetches, Operation):
        return [fetches]
    if isinstance(fetches, (list, tuple)):
        return [item for item in fetches if isinstance(item, Operation)]
    if isinstance(fetches, dict):
        return [item for item in fetches.values() if isinstance(item, Operation)]
    return []


def _needed(inputs):
    """The tensors that are made where these run."""
    needs = []
    for item in inputs:
        if isinstance(item, Operation):
            needs = needs + list(item._needs)
        elif isinstance(item, (list, tuple)):
            needs = needs + _needed_of(item)
        else:
            needs = needs + [item]
    return needs


def _needed_of(inputs):
    return [item for item in inputs if not isinstance(item, (Operation, list, tuple))]


def no_op(name=None):
    return Operation(name)


def get_seed(op_seed):
    return op_seed, op_seed


def set_random_seed(seed):
    pass


def get_default_session():
    from tensorflow._v1run import _default_session
    return _default_session()


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    return outside("tensors of an imported graph")


def disable_v2_behavior():
    pass


def disable_eager_execution():
    pass


def enable_v2_behavior(*arguments, **options):
    pass


enable_eager_execution = disable_v2_tensorshape = enable_v2_tensorshape = enable_resource_variables = disable_resource_variables = enable_v2_behavior
disable_control_flow_v2 = enable_control_flow_v2 = enable_tensor_equality = disable_tensor_equality = enable_v2_behavior
