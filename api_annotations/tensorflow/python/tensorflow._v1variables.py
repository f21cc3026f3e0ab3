# Variables by name, in scopes: what exists is shared where a scope is reused, with the shape that it has.
from harp_library import is_known, judge, outside, tensor
from tensorflow._mode import enter_version_1
from tensorflow._v1graph import AUTO_REUSE, Operation, VariableScope, add_to_collection, get_collection, get_default_graph


def _scope():
    return get_default_graph()._scope


def get_variable_scope():
    return _scope()


class variable_scope:
    def __init__(self, name_or_scope=None, default_name=None, values=None, initializer=None, regularizer=None, caching_device=None, partitioner=None,
                 custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None, auxiliary_name_scope=True):
        self._given, self._default_name = name_or_scope, default_name
        self._reuse, self._initializer, self._regularizer, self._dtype = reuse, initializer, regularizer, dtype
        self._outer = []

    def __enter__(self):
        graph = get_default_graph()
        outer, numbers, given = graph._scope, graph._numbers, self._given
        if isinstance(given, VariableScope):
            graph._numbers = dict(numbers)
            self._outer.append((outer, numbers))
        else:
            self._outer.append((outer, None))
        name = self._full_name(outer, numbers)
        # What is reused outside is reused within.
        reuse = outer.reuse or (given.reuse if isinstance(given, VariableScope) else False) or self._reuse
        inner = VariableScope(reuse, name, outer.initializer if self._initializer is None else self._initializer,
                              outer.regularizer if self._regularizer is None else self._regularizer,
                              dtype=outer.dtype if self._dtype is None else self._dtype)
        graph._scope = inner
        return inner

    def _full_name(self, outer, numbers):
        given = self._given
        if isinstance(given, VariableScope):
            return given.name
        if given is None:
            return outer._prefix + _unique(outer.name, self._default_name, numbers)
        return outer._prefix + given

    def __exit__(self, *exception):
        graph = get_default_graph()
        name = graph._scope.name
        outer, numbers = self._outer.pop()
        graph._scope = outer
        # A scope that is opened again by its name counts its unnamed ones from the beginning.
        if numbers is not None:
            graph._numbers = numbers
        else:
            graph._numbers[name] = {}
        return None

    def __call__(self, function):
        return function


def variable_op_scope(values, name_or_scope, default_name=None, **options):
    return variable_scope(name_or_scope, default_name, values, **options)


def _unique(outer, name, numbers):
    """A name for what has none of its own in a scope: `dense`, `dense_1`, …"""
    used = numbers.setdefault(outer, {})
    number = used.get(name, 0)
    used[name] = number + 1
    return name if number == 0 else name + "_" + str(number)


def _sizes(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None, caching_device=None, partitioner=None,
                 validate_shape=True, use_resource=None, custom_getter=None, constraint=None, synchronization=None, aggregation=None):
    # Programs of version 2 that execute at once have no such variables.
    enter_version_1()
    if shape is None:
        value = _initial(initializer)
        return _shared(name, value, None if value is None else value.shape, dtype, trainable, collections)
    judge(not _is_value(initializer), "an initializer that is a constant has a shape of its own: `shape` must not be given")
    return _shared(name, None, _sizes(shape), dtype, trainable, collections)


def _is_value(initializer):
    return hasattr(initializer, "shape") or isinstance(initializer, (list, int, float))


def _initial(initializer):
    import tensorflow as _tf
    if initializer is None:
        return None
    if callable(initializer):
        return _tf.convert_to_tensor(initializer())
    return _tf.convert_to_tensor(initializer)


def _shared(name, value, shape, dtype, trainable=None, collections=None):
    """The variable of a name in the scope of now: the one that exists, where the scope is reused, else a new one."""
    import tensorflow as _tf
    graph = get_default_graph()
    full = graph._scope._prefix + name
    if is_known(full):
        known = graph._variables.get(full)
        if known is not None and graph._scope.reuse:
            if shape is not None:
                _judge_same(full, known, shape)
            return known
    if dtype is None:
        dtype = (graph._scope.dtype or _tf.float32) if value is None else value.dtype
    made = tensor(shape, dtype, "tensorflow.Tensor")
    if is_known(full):
        graph._variables[full] = made
    _collect(made, trainable, collections)
    return made


def _judge_same(name, known, shape):
    judge(len(known.shape) == len(shape), "the variable `" + name + "` is shared, and has another number of axes")
    for own, size in zip(known.shape, shape):
        judge(own == size, "the variable `" + name + "` is shared, and has another shape")


def _collect(variable, trainable, collections):
    if collections is None:
        add_to_collection("variables", variable)
    else:
        for name in collections:
            add_to_collection(name, variable)
    if trainable is None or trainable:
        add_to_collection("trainable_variables", variable)


def get_local_variable(name, shape=None, dtype=None, initializer=None, **options):
    return get_variable(name, shape, dtype, initializer, None, False, ["local_variables"])


def trainable_variables(scope=None):
    return get_collection("trainable_variables", scope)


def global_variables(scope=None):
    return get_collection("variables", scope)


all_variables = global_variables


def local_variables(scope=None):
    return get_collection("local_variables", scope)


def model_variables(scope=None):
    return get_collection("model_variables", scope)


def moving_average_variables(scope=None):
    return get_collection("moving_average_variables", scope)


def global_variables_initializer():
    return Operation("init", (), get_default_graph()._collections.get("variables", []))


initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    return Operation("init")


initialize_all_tables = tables_initializer = initialize_local_variables = local_variables_initializer


def variables_initializer(var_list, name="init"):
    return Operation(name, (), var_list)


initialize_variables = variables_initializer


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    return outside("variables that are not initialized")


def is_variable_initialized(variable):
    return outside("whether a variable is initialized")


def assert_variables_initialized(var_list=None):
    return Operation()


def no_regularizer(_):
    return None


def fixed_size_partitioner(num_shards, axis=0):
    return None


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    return None


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
    return None
