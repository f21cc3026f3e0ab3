# States as dicts and bytes.
import dataclasses

from harp_library import outside, tree_map


def to_state_dict(target):
    if isinstance(target, dict):
        return {str(key): to_state_dict(value) for key, value in target.items()}
    if hasattr(target, "shape"):
        return target
    return outside("the state of an object")


def from_state_dict(target, state, name="."):
    return target


def to_bytes(target):
    return outside("bytes")


def from_bytes(target, encoded_bytes):
    return outside("what bytes hold") if target is None else target


def msgpack_serialize(pytree, in_place=False):
    return outside("bytes")


def msgpack_restore(encoded_pytree):
    return outside("what bytes hold")


def register_serialization_state(ty, ty_to_state_dict, ty_from_state_dict, override=False):
    pass


def current_path():
    return "a path"
