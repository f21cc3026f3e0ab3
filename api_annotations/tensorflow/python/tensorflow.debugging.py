# Assertions: those on sizes and ranks are judged.
from harp_library import is_known, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely


def _are_numbers(x, y):
    return surely(isinstance(x, int)) and surely(isinstance(y, int))


def assert_equal(x, y, message=None, summarize=None, name=None):
    if _are_numbers(x, y):
        require(x == y, "the program asserts that these sizes are equal")


def assert_none_equal(x, y, summarize=None, message=None, name=None):
    if _are_numbers(x, y):
        require(x != y, "the program asserts that these sizes differ")


def assert_greater(x, y, message=None, summarize=None, name=None):
    if _are_numbers(x, y):
        require(x > y, "the program asserts that the first size is larger")


def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    if _are_numbers(x, y):
        require(x >= y, "the program asserts that the first size is not smaller")


def assert_less(x, y, message=None, summarize=None, name=None):
    if _are_numbers(x, y):
        require(x < y, "the program asserts that the first size is smaller")


def assert_less_equal(x, y, message=None, summarize=None, name=None):
    if _are_numbers(x, y):
        require(x <= y, "the program asserts that the first size is not larger")


def assert_rank(x, rank, message=None, name=None):
    require(len(as_tensor(x).shape) == rank, "the program asserts another rank")


def assert_rank_at_least(x, rank, message=None, name=None):
    require(len(as_tensor(x).shape) >= rank, "the program asserts a higher rank")


def assert_rank_in(x, ranks, message=None, name=None):
    pass


def assert_same_float_dtype(tensors=None, dtype=None):
    return dtype


# Names in the shapes stand for the same size wherever they occur.
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    sizes = {}
    for tensor, symbols in (shapes.items() if surely(isinstance(shapes, dict)) else shapes):
        shape = as_tensor(tensor).shape
        if surely(isinstance(symbols, (list, tuple, str))) and is_known(len(shape)) and "..." not in symbols and "*" not in symbols:
            require(len(symbols) == len(shape), "the program asserts another rank")
            for size, symbol in zip(shape, symbols):
                if surely(isinstance(symbol, int)):
                    require(size == symbol, "the program asserts another size")
                elif symbol is not None and symbol != ".":
                    if symbol in sizes:
                        require(size == sizes[symbol], "the program asserts that sizes of the same name are equal")
                    sizes[symbol] = size


def check_numerics(tensor, message, name=None):
    tensor = as_tensor(tensor)
    return made(tensor.shape, tensor.dtype)
