# What `dataclasses` does beyond what Harp does itself.
from dataclasses import asdict, dataclass, fields, is_dataclass


def _plain(value):
    if is_dataclass(value):
        return astuple(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item) for item in value])
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def astuple(obj, *, tuple_factory=tuple):
    return tuple_factory([_plain(getattr(obj, field.name)) for field in fields(obj)])
