# `six.moves`: built-in functions that give iterators.
import functools

range = range
xrange = range
zip = zip
map = map
filter = filter
input = input
reduce = functools.reduce


def zip_longest(*sequences, fillvalue=None):
    import itertools

    return itertools.zip_longest(*sequences, fillvalue=fillvalue)
