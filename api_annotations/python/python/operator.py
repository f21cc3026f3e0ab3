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


def neg(a):
    return -a


def pos(a):
    return +a


def inv(a):
    return ~a


invert = inv


def not_(a):
    return not a


def truth(a):
    return bool(a)


def is_(a, b):
    return a is b


def is_not(a, b):
    return a is not b


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def lshift(a, b):
    return a << b


def rshift(a, b):
    return a >> b


def contains(a, b):
    return b in a


def countOf(a, b):
    return len([item for item in a if item == b])


def setitem(a, b, c):
    a[b] = c


def delitem(a, b):
    del a[b]


def index(a):
    return a.__index__()


def call(obj, /, *args, **kwargs):
    return obj(*args, **kwargs)


def iadd(a, b):
    a += b
    return a


def imul(a, b):
    a *= b
    return a


def indexOf(a, b):
    for place, item in enumerate(a):
        if item == b:
            return place
    raise ValueError("sequence.index(x): x not in sequence")


def length_hint(obj, default=0):
    return len(obj) if hasattr(obj, "__len__") else default
