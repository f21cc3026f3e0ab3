# Filters as predicates of path and variable.
from flax.nnx._variables import All, Any, Everything, Not, Nothing, OfType, PathContains, WithTag, _matches


def to_predicate(filter):
    return lambda path, variable: _matches(filter, path, variable)


def filters_to_predicates(filters):
    return tuple([to_predicate(one) for one in filters])
