# Dataclasses that are trees, apart from the fields that are said to be no nodes.
import dataclasses

from harp_library import is_known, register_tree


def field(pytree_node=True, *, metadata=None, **options):
    return dataclasses.field(metadata={**({} if metadata is None else metadata), "pytree_node": pytree_node}, **options)


def _replace(self, **changes):
    return dataclasses.replace(self, **changes)


def _is_node(field):
    is_node = field.metadata.get("pytree_node", True)
    return is_node if is_known(is_node) else True


def _registered(clz):
    return register_tree(clz, [field.name for field in dataclasses.fields(clz) if _is_node(field)])


def dataclass(clz=None, **options):
    if clz is None:
        return lambda cls: dataclass(cls, **options)
    dataclasses.dataclass(clz)
    clz.replace = _replace
    return _registered(clz)


class PyTreeNode:
    def __init_subclass__(cls, **options):
        dataclasses.dataclass(cls)
        _registered(cls)

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)
