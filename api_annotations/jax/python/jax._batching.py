# vmap and pmap: the function is called once, for one row, and the axis is put back on what it gives.
from harp_library import free_size, judge, require, traced, tree_leaves, tree_map
from jax._steps import row, stacked

# Sizes of the named axes that a function is being mapped over.
_AXES = {}


def _per_leaf(f, axes, tree):
    # `axes` is a prefix of the tree: a number or None stands for all leaves below it.
    if axes is None:
        return tree
    if isinstance(axes, int):
        return tree_map(lambda leaf: f(leaf, axes), tree)
    if isinstance(axes, dict):
        require(isinstance(tree, dict), "the axes are a dict, what is mapped over is none")
        return {key: _per_leaf(f, axes.get(key), part) for key, part in tree.items()}
    if isinstance(axes, (tuple, list)):
        require(isinstance(tree, (tuple, list)), "the axes are a sequence, what is mapped over is none")
        require(len(axes) == len(tree), "there are more or fewer axes than items to map over")
        return type(tree)(_per_leaf(f, axis, part) for axis, part in zip(axes, tree))
    return tree_map(lambda axis, part: part if axis is None else tree_map(lambda leaf: f(leaf, axis), part), axes, tree)


def _row(leaf, axis):
    return row(leaf, axis)


def _size(leaf, axis):
    return leaf.shape[axis]


def _checked(sizes, leaf, axis):
    require(leaf.ndim > axis, "vmap has no such axis to map over")
    require(leaf.ndim >= -axis, "vmap has no such axis to map over")
    sizes.append(leaf.shape[axis])
    return leaf


def _sizes(axes, tree):
    sizes = []
    _per_leaf(lambda leaf, axis: _checked(sizes, leaf, axis), axes, tree)
    return sizes


class _Mapped:
    def __init__(self, fun, in_axes, out_axes, axis_name, axis_size, static=()):
        self.fun, self.in_axes, self.out_axes = fun, in_axes, out_axes
        self.axis_name, self.axis_size, self.static = axis_name, axis_size, static
        self.__wrapped__ = fun

    def __call__(self, *arguments, **keywords):
        axes = self.in_axes
        if isinstance(axes, (tuple, list)):
            axes = list(axes)
            require(len(axes) == len(arguments), "in_axes must have an entry for each argument")
        else:
            axes = [axes] * len(arguments)
        axes = [None if place in self.static else axis for place, axis in enumerate(axes)]
        sizes = []
        for argument, axis in zip(arguments, axes):
            sizes.extend(_sizes(axis, argument))
        for value in keywords.values():
            sizes.extend(_sizes(0, value))
        if self.axis_size is None:
            require(not all([axis is None for axis in axes]) or len(keywords) > 0, "vmap needs an argument to map over")
        for size in sizes[1:]:
            require(size == sizes[0], "vmap got axes of different sizes to map over")
        size = sizes[0] if sizes else self.axis_size
        if size is None:
            size = free_size("mapped", 0)
        rows = [_per_leaf(_row, axis, argument) for argument, axis in zip(arguments, axes)]
        named = {key: _per_leaf(_row, 0, value) for key, value in keywords.items()}
        if isinstance(self.axis_name, str):
            _AXES[self.axis_name] = size
        result = self.fun(*rows, **named)
        return _per_leaf(lambda leaf, axis: stacked(leaf, axis, size), self.out_axes, result)


def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None, sum_match=False):
    return _Mapped(fun, in_axes, out_axes, axis_name, axis_size)


def pmap(fun, axis_name=None, *, in_axes=0, out_axes=0, static_broadcasted_argnums=(), devices=None, backend=None, axis_size=None, donate_argnums=(),
         global_arg_shapes=None):
    static = (static_broadcasted_argnums,) if isinstance(static_broadcasted_argnums, int) else static_broadcasted_argnums
    return _Mapped(traced(fun, "jax.Array"), in_axes, out_axes, axis_name, axis_size, static or ())


def size_of_axis(name):
    return _AXES[name] if name in _AXES else free_size("axis size", 1)
