# What `operator` does beyond what Harp does itself.


def itemgetter(item, *items):
    if not items:
        return lambda obj: obj[item]
    return lambda obj: tuple([obj[one] for one in (item, *items)])


def _resolve(obj, attribute):
    for name in attribute.split("."):
        obj = getattr(obj, name)
    return obj


def attrgetter(attribute, *attributes):
    if not attributes:
        return lambda obj: _resolve(obj, attribute)
    return lambda obj: tuple([_resolve(obj, one) for one in (attribute, *attributes)])


def methodcaller(name, /, *args, **kwargs):
    return lambda obj: getattr(obj, name)(*args, **kwargs)
