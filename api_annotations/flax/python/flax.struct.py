# Dataclasses that are trees.
import dataclasses


def field(pytree_node=True, *, metadata=None, **options):
    return dataclasses.field(metadata={**({} if metadata is None else metadata), "pytree_node": pytree_node}, **options)


def _replace(self, **changes):
    return dataclasses.replace(self, **changes)


def dataclass(clz=None, **options):
    if clz is None:
        return lambda cls: dataclass(cls, **options)
    dataclasses.dataclass(clz)
    clz.replace = _replace
    return clz


class PyTreeNode:
    def __init_subclass__(cls, **options):
        dataclasses.dataclass(cls)

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)
