# What `dataclasses` does beyond what Harp does itself.
from dataclasses import asdict, dataclass, fields


def _plain(value):
    if hasattr(value, "__dataclass_fields__"):
        return astuple(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item) for item in value])
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def astuple(obj, *, tuple_factory=tuple):
    return tuple_factory([_plain(getattr(obj, field.name)) for field in fields(obj)])


class _Missing:
    pass


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    names, defaults, factories = [], {}, {}
    for spec in fields:
        name = spec if isinstance(spec, str) else spec[0]
        names.append(name)
        if not isinstance(spec, str) and len(spec) == 3:
            default = getattr(spec[2], "default", _Missing)
            factory = getattr(spec[2], "default_factory", _Missing)
            if factory is not _Missing:
                factories[name] = factory
            elif default is not _Missing:
                defaults[name] = default
            else:
                defaults[name] = spec[2]

    def __init__(self, *values, **named):
        for place, name in enumerate(names):
            if place < len(values):
                value = values[place]
            elif name in named:
                value = named[name]
            elif name in factories:
                value = factories[name]()
            else:
                value = defaults[name]
            object.__setattr__(self, name, value)

    return type(cls_name, bases, {**defaults, **(namespace or {}), "__init__": __init__})
