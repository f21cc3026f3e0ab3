# Scopes of arguments, and variables of models.
from harp_library import outside
from tensorflow._v1graph import add_to_collection, get_collection
from tensorflow._v1train import assert_global_step, create_global_step, get_global_step, get_or_create_global_step
from tensorflow._v1variables import get_variable


class _Scopes:
    def __init__(self):
        # The arguments of each function in the scope of now.
        self.current = {}


_scopes = _Scopes()


def _key(function):
    return function.__name__


def _with_scope(name, options):
    """The keywords of a call, with those of the scope that it does not give itself."""
    scoped = _scopes.current.get(name)
    if scoped is None:
        return options
    merged = dict(scoped)
    merged.update(options)
    return merged


class arg_scope:
    def __init__(self, list_ops_or_scope, **kwargs):
        self._given, self._options = list_ops_or_scope, kwargs
        self._outer = []

    def __enter__(self):
        outer = _scopes.current
        self._outer.append(outer)
        if isinstance(self._given, dict):
            _scopes.current = dict(self._given)
            return _scopes.current
        inner = dict(outer)
        for function in self._given:
            name = _key(function)
            options = dict(inner.get(name, {}))
            options.update(self._options)
            inner[name] = options
        _scopes.current = inner
        return inner

    def __exit__(self, *exception):
        _scopes.current = self._outer.pop()
        return None


def add_arg_scope(function):
    return _Scoped(function)


class _Scoped:
    """A function of the program that takes arguments of scopes."""

    def __init__(self, function):
        self._function = function
        self.__name__ = function.__name__

    def __call__(self, *arguments, **options):
        return self._function(*arguments, **_with_scope(self.__name__, options))


def has_arg_scope(function):
    return True


def arg_scoped_arguments(function):
    return outside("arguments of scopes")


def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, caching_device=None, device=None,
             partitioner=None, custom_getter=None, use_resource=None, **options):
    return get_variable(name, shape, dtype, initializer, None, trainable)


def model_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, caching_device=None, device=None,
                   partitioner=None, custom_getter=None, use_resource=None, **options):
    made = get_variable(name, shape, dtype, initializer, None, trainable)
    add_to_collection("model_variables", made)
    return made


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    import tensorflow as _tf
    return _tf.convert_to_tensor(initial_value)


def add_model_variable(var):
    add_to_collection("model_variables", var)


def get_variables(scope=None, suffix=None, collection="variables"):
    return get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    return get_collection("model_variables", scope)


def get_local_variables(scope=None, suffix=None):
    return get_collection("local_variables", scope)


def get_trainable_variables(scope=None, suffix=None):
    return get_collection("trainable_variables", scope)


def get_variables_to_restore(include=None, exclude=None):
    return get_collection("variables")


def get_variables_by_name(given_name, scope=None):
    return outside("variables by name")


get_variables_by_suffix = get_unique_variable = get_variables_by_name


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    return outside("operation"), outside("values to feed")


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    return outside("function that restores variables")


def assign_from_values(var_names_to_values):
    return outside("operation"), outside("values to feed")


def assign_from_values_fn(var_names_to_values):
    return outside("function that assigns values")


def init_from_checkpoint(checkpoint_dir, assignment_map):
    pass


def load_checkpoint(filepattern):
    return outside("checkpoint")


load_variable = list_variables = load_checkpoint


def is_tensor(x):
    return hasattr(x, "shape")


def with_shape(expected_shape, tensor):
    return tensor


def sort(values, axis=-1, direction="ASCENDING", name=None):
    import tensorflow as _tf
    return _tf.sort(values, axis)
