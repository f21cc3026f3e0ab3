# `six`: types and methods that both versions of Python have.
import io

PY2 = False
PY3 = True
PY34 = True
string_types = (str,)
integer_types = (int,)
class_types = (type,)
text_type = str
binary_type = bytes
StringIO = io.StringIO
BytesIO = io.BytesIO


def iteritems(mapping, **options):
    return mapping.items()


def iterkeys(mapping, **options):
    return mapping.keys()


def itervalues(mapping, **options):
    return mapping.values()


def viewitems(mapping):
    return mapping.items()


def viewkeys(mapping):
    return mapping.keys()


def viewvalues(mapping):
    return mapping.values()


def next(iterator):
    return iterator.__next__()


def b(text):
    return text.encode("latin-1")


def u(text):
    return text


def ensure_str(text, encoding="utf-8", errors="strict"):
    return text if isinstance(text, str) else text.decode(encoding, errors)


def with_metaclass(meta, *bases):
    return bases[0] if bases else object


def add_metaclass(meta):
    return lambda definition: definition


def python_2_unicode_compatible(definition):
    return definition
