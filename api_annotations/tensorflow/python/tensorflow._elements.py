# The elements of data sets: structures of tensors, alone and in batches.
import numpy as np
from harp_library import free_size, is_known, outside, require, tree_map
from tensorflow._core import as_tensor
from tensorflow._mode import enter_graph, leave_graph
from tensorflow._shared import made, shape_of_texts, surely
from tensorflow._sizes import Sizes
from tensorflow._specs import Composite, TensorSpec


# Tuples and dicts are structures, lists are tensors. Of tensors in unknown number nobody knows whether they are a list or a tuple.
def structured(value):
    if _is_unknown_number_of_tensors(value):
        return outside("an element of a data set")
    if surely(isinstance(value, dict)):
        return {name: _structured(part) for name, part in value.items()}
    if surely(isinstance(value, tuple)) and not surely(isinstance(value, Sizes)):
        return tuple(_structured(part) for part in value)
    return _leaf(value)


def _is_unknown_number_of_tensors(value):
    return surely(isinstance(value, (list, tuple))) and not is_known(len(value)) and surely(hasattr(value[0], "get_shape"))


def _structured(value):
    if surely(isinstance(value, dict)):
        return {name: _leaf(part) for name, part in value.items()}
    if surely(isinstance(value, tuple)) and not surely(isinstance(value, Sizes)):
        return tuple(_leaf(part) for part in value)
    return _leaf(value)


def _leaf(value):
    if surely(isinstance(value, Composite)):
        return value
    texts = shape_of_texts(value)
    if texts is not None:
        return made(texts)
    if surely(isinstance(value, list)) and not is_known(len(value)) and surely(isinstance(value[0], (list, tuple, int, float))):
        # Rows in unknown number, with the numbers that the first one has.
        rows = np.array(value)
        # Tensors of Python's numbers have half of the bits.
        dtype = np.float32 if surely(rows.dtype == np.float64) else np.int32 if surely(rows.dtype == np.int64) else rows.dtype
        return made(rows.shape, dtype)
    return as_tensor(tuple(value), "int32") if surely(isinstance(value, Sizes)) else as_tensor(value)


def component(leaf):
    return made(leaf.shape[1:], leaf.dtype)


# What a function gives for an element: tuples are its arguments, and of an element that is not known, nobody knows how many it has.
def called(function, element):
    enter_graph()
    result = function(*element) if surely(isinstance(element, tuple)) or not is_known(isinstance(element, tuple)) else function(element)
    leave_graph()
    return result


def batched(leaf, size):
    return made((size,) + leaf.shape, leaf.dtype)


def unbatched(leaf):
    require(len(leaf.shape) >= 1, "a scalar cannot be taken apart")
    return made(leaf.shape[1:], leaf.dtype)


def padded(element, shapes, size):
    if surely(isinstance(element, tuple)):
        return tuple(_padded(part, shape, size) for part, shape in zip(element, shapes))
    if surely(isinstance(element, dict)):
        return {name: _padded(part, shapes[name], size) for name, part in element.items()}
    return _padded(element, shapes, size)


def _padded(leaf, shape, size):
    if not isinstance(shape, (list, tuple)):
        return made(None, leaf.dtype)
    require(len(shape) == len(leaf.shape), "the shape to pad to must have as many axes as the element")
    sizes = []
    for own, wanted in zip(leaf.shape, shape):
        if wanted is None or wanted == -1:
            sizes.append(own)
        else:
            require(own <= wanted, "an element is larger than the shape to pad to")
            sizes.append(wanted)
    return made((size,) + tuple(sizes), leaf.dtype)


# What holds of both of two elements.
def either(one, other):
    if len(one.shape) != len(other.shape):
        return made(None, one.dtype)
    return made(tuple(size if surely(size == second) else free_size("size", 0) for size, second in zip(one.shape, other.shape)), one.dtype)


def of_signature(signature):
    return tree_map(_of_spec, signature)


def _of_spec(spec):
    return spec._traced() if surely(isinstance(spec, TensorSpec)) else made(None, spec.dtype)
