# Traced functions. One with a signature is executed once, on what it is traced with, and takes nothing else.
import functools
from harp_library import tree_map
from tensorflow._specs import TensorSpec
from tensorflow._mode import enter_graph, leave_graph
from tensorflow._shared import surely


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False, experimental_implements=None,
             experimental_autograph_options=None, experimental_attributes=None, experimental_relax_shapes=None, experimental_compile=None,
             experimental_follow_type_hints=None):
    if func is None:
        return lambda decorated: _traced(decorated, input_signature)
    return _traced(func, input_signature)


def _traced(func, signature):
    if signature is None or surely(isinstance(signature, dict)):
        return func
    names = func.__code__.co_varnames
    is_method = len(names) > 0 and names[0] == "self"
    if not is_method:
        enter_graph()
        func(*[tree_map(_argument, spec) for spec in signature])
        leave_graph()

    @functools.wraps(func)
    def checked(*args, **kwargs):
        for value, spec in zip(args[1:] if is_method else args, signature):
            _check(value, spec)
        return func(*args, **kwargs)

    return checked


def _argument(spec):
    return spec._traced() if surely(isinstance(spec, TensorSpec)) else spec


def _check(value, spec):
    if surely(isinstance(spec, TensorSpec)):
        spec._accepts(value)
