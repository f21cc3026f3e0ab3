# What the shape notation cannot say of jax.numpy: results whose sizes only values tell, unless the argument `size` does.
import numpy as np
from harp_library import free_size, is_traced, judge, require, tensor

_CLASS = "jax.Array"


def _is_array(value):
    return not isinstance(value, (list, tuple, str, dict))


def _found(name, size, array):
    if size is None:
        judge(not is_traced(array), "while a function is traced, arrays have no values, and these decide how many elements there are: give `size`")
        return free_size(name, 0)
    return size


def _places(shape, count):
    return tuple(tensor((count,), np.int32, _CLASS) for _ in range(max(len(shape), 1)))


def nonzero(a, *, size=None, fill_value=None):
    require(_is_array(a), "nonzero takes an array, not a list")
    return _places(np.shape(a), _found("nonzero", size, a))


def argwhere(a, *, size=None, fill_value=None):
    require(_is_array(a), "argwhere takes an array, not a list")
    return tensor((_found("nonzero", size, a), len(np.shape(a))), np.int32, _CLASS)


def flatnonzero(a, *, size=None, fill_value=None):
    return tensor((_found("nonzero", size, a),), np.int32, _CLASS)


def _distinct(x, size, axis):
    count = _found("distinct", size, x)
    if axis is None:
        return tensor((count,), x.dtype, _CLASS)
    place = axis + len(x.shape) if axis < 0 else axis
    return tensor(x.shape[:place] + (count,) + x.shape[place + 1:], x.dtype, _CLASS)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, size=None, fill_value=None, sorted=True):
    require(_is_array(ar), "unique takes an array, not a list")
    values = _distinct(ar, size, axis)
    count = values.shape[0 if axis is None else axis]
    found = [values]
    if return_index:
        found.append(tensor((count,), np.int32, _CLASS))
    if return_inverse:
        found.append(tensor(ar.shape if axis is None else (ar.shape[axis],), np.int32, _CLASS))
    if return_counts:
        found.append(tensor((count,), np.int32, _CLASS))
    return tuple(found) if len(found) > 1 else values


def unique_values(x, /, *, size=None, fill_value=None):
    return _distinct(x, size, None)


def _as_set(one, other, size):
    return tensor((_found("distinct", size, one),), (one + other).dtype if one.shape == other.shape else None, _CLASS)


def union1d(ar1, ar2, *, size=None, fill_value=None):
    return tensor((_found("distinct", size, ar1),), None, _CLASS)


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    return tensor((_found("distinct", size, ar1),), ar1.dtype, _CLASS)


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    return tensor((_found("distinct", size, ar1),), None, _CLASS)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None, fill_value=None):
    values = tensor((_found("distinct", size, ar1),), None, _CLASS)
    if return_indices:
        places = tensor((values.shape[0],), np.int32, _CLASS)
        return values, places, places
    return values


def repeat(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
    require(_is_array(a), "repeat takes an array, not a list")
    if total_repeat_length is None:
        judge(not is_traced(repeats), "while a function is traced, arrays have no values, and `repeats` decides how many elements there are: give `total_repeat_length`")
        longer = np.repeat(a, repeats, axis)
        return tensor(longer.shape, a.dtype, _CLASS)
    if axis is None:
        return tensor((total_repeat_length,), a.dtype, _CLASS)
    place = axis + len(a.shape) if axis < 0 else axis
    return tensor(a.shape[:place] + (total_repeat_length,) + a.shape[place + 1:], a.dtype, _CLASS)


def bincount(x, weights=None, minlength=0, *, length=None, out_sharding=None):
    require(len(np.shape(x)) == 1, "bincount takes a vector")
    count = free_size("bins", 0) if length is None else length
    return tensor((count,), np.int32 if weights is None else weights.dtype, _CLASS)


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    count = _found("selected", size, condition)
    if axis is None:
        return tensor((count,), a.dtype, _CLASS)
    place = axis + len(a.shape) if axis < 0 else axis
    return tensor(a.shape[:place] + (count,) + a.shape[place + 1:], a.dtype, _CLASS)


def extract(condition, arr, *, size=None, fill_value=0):
    return tensor((_found("selected", size, condition),), arr.dtype, _CLASS)


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    require(_is_array(a), "average takes an array, not a list")
    if weights is not None:
        whole = np.shape(weights) == np.shape(a)
        require(whole or isinstance(axis, int) and np.shape(weights) == (np.shape(a)[axis],), "the weights fit neither the array nor its axis")
    mean = np.mean(a * 1.0, axis=axis, keepdims=keepdims)
    found = tensor(mean.shape, (a * 1.0).dtype, _CLASS)
    return (found, found) if returned else found


def tensordot(a, b, axes=2, *, precision=None, preferred_element_type=None, out_sharding=None):
    require(_is_array(a), "tensordot takes arrays, not lists")
    require(_is_array(b), "tensordot takes arrays, not lists")
    left, right = np.shape(a), np.shape(b)
    if isinstance(axes, int):
        require(axes <= len(left), "there are fewer axes than are summed over")
        require(axes <= len(right), "there are fewer axes than are summed over")
        first, second = list(range(len(left) - axes, len(left))), list(range(axes))
    else:
        first, second = axes
        first = [first] if isinstance(first, int) else list(first)
        second = [second] if isinstance(second, int) else list(second)
    require(len(first) == len(second), "as many axes of one side are summed over as of the other")
    first = [_axis(place, len(left)) for place in first]
    second = [_axis(place, len(right)) for place in second]
    for one, other in zip(first, second):
        require(left[one] == right[other], "the sizes that are summed over differ")
    rest = tuple([size for place, size in enumerate(left) if place not in first]) + tuple([size for place, size in enumerate(right) if place not in second])
    if preferred_element_type is None:
        return tensor(rest, a.dtype if a.dtype == b.dtype else None, _CLASS)
    return tensor(rest, preferred_element_type, _CLASS)


def _axis(axis, ndim):
    require(axis < ndim, "the array has no such axis")
    require(-ndim <= axis, "the array has no such axis")
    return axis + ndim if axis < 0 else axis


def full_like(a, fill_value, dtype=None, shape=None, *, device=None):
    shape = np.shape(a) if shape is None else shape
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    require(np.broadcast_shapes(shape, np.shape(fill_value)) == shape, "the value does not broadcast to the shape")
    if dtype is None:
        dtype = a.dtype if hasattr(a, "dtype") else None
    return tensor(shape, dtype, _CLASS)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    sizes = []
    for x in xi:
        require(np.ndim(x) == 1, "meshgrid takes vectors")
        sizes.append(np.size(x))
    swapped = indexing == "xy" and len(sizes) >= 2
    if swapped:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    found = []
    for place, x in enumerate(xi):
        shape = tuple(sizes)
        if sparse:
            along = 1 - place if swapped and place < 2 else place
            shape = (1,) * along + (sizes[along],) + (1,) * (len(sizes) - along - 1)
        found.append(tensor(shape, x.dtype, _CLASS))
    return found


class vectorize:
    # One call for single elements, or for what the signature says, broadcast over the rest.
    def __init__(self, pyfunc, *, excluded=frozenset(), signature=None):
        self.pyfunc, self.excluded, self.signature = pyfunc, excluded, signature

    def __call__(self, *arguments):
        inner = [()] * len(arguments)
        if self.signature is not None:
            inner = _cores(self.signature.split("->")[0])
            require(len(inner) == len(arguments), "there are more or fewer arguments than the signature has")
        batches, rows, known = [], [], {}
        for place, argument in enumerate(arguments):
            if place in self.excluded or argument is None:
                rows.append(argument)
                continue
            shape, names = np.shape(argument), inner[place]
            require(len(shape) >= len(names), "an argument has fewer axes than the signature says")
            core = shape[len(shape) - len(names):]
            for name, size in zip(names, core):
                if name in known:
                    require(size == known[name], "the axes that the signature gives one name have different sizes")
                known[name] = size
            batches.append(shape[:len(shape) - len(names)])
            rows.append(tensor(core, getattr(argument, "dtype", None), _CLASS))
        batch = np.broadcast_shapes(*batches)
        result = self.pyfunc(*rows)
        if isinstance(result, tuple):
            return tuple([tensor(batch + np.shape(part), part.dtype, _CLASS) for part in result])
        return tensor(batch + np.shape(result), result.dtype, _CLASS)


def _cores(text):
    # The names of the axes of each argument: `(n,m),(m)` is [["n", "m"], ["m"]].
    cores = []
    for part in text.replace(" ", "").strip("()").split("),("):
        cores.append([name for name in part.split(",") if name])
    return cores


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    shape = np.shape(arr)
    place = _axis(axis, len(shape))
    result = func1d(tensor((shape[place],), arr.dtype, _CLASS), *args, **kwargs)
    return tensor(shape[:place] + np.shape(result) + shape[place + 1:], result.dtype, _CLASS)


def histogram(a, bins=10, range=None, weights=None, density=None):
    """Counts and edges are floats, whatever is counted."""
    count = bins if isinstance(bins, int) else bins.shape[0] - 1 if hasattr(bins, "shape") else len(bins) - 1
    return tensor((count,), np.float32, _CLASS), tensor((count + 1,), np.float32, _CLASS)
