# `h5py`: groups and arrays of a file, by name. What they hold, the file tells.
import numpy as np
import harp_library as _harp


class _Item:
    """A group or an array: a text names what lies in a group, all else selects from an array."""

    shape = dtype = ndim = size = name = value = filename = id = mode = parent = file = maxshape = chunks = compression = T = (
        _harp.outside("an item of a file"))

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, *arguments, **options):
        self.attrs = _Attributes()

    def __getitem__(self, key):
        return Dataset() if isinstance(key, str) else _harp.outside("an array of a file")

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __contains__(self, key):
        return bool(_harp.outside("whether the file has it"))

    def __len__(self):
        return _harp.free_size("items", 0)

    def __iter__(self):
        return iter(_harp.some_of([_harp.outside("an item of a file")]))

    def __array__(self, dtype=None, copy=None):
        return _harp.array(None, dtype)

    def __getattr__(self, name):
        return _harp.outside("an item of a file")

    def keys(self):
        return _harp.some_of([str(_harp.outside("a name"))])

    def values(self):
        return _harp.some_of([Dataset()])

    def items(self):
        return _harp.some_of([(str(_harp.outside("a name")), Dataset())])

    def get(self, name, default=None, **options):
        return Dataset()

    def _made(self, *arguments, **options):
        return Dataset()

    create_dataset = create_group = require_group = require_dataset = create_dataset_like = _made

    def _nothing(self, *arguments, **options):
        return None

    close = flush = resize = visit = visititems = copy = move = read_direct = write_direct = _nothing

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return None


class _Attributes:
    def __getitem__(self, key):
        return _harp.outside("an attribute of a file")

    def __setitem__(self, key, value):
        pass

    def __contains__(self, key):
        return bool(_harp.outside("whether the file has it"))

    def __getattr__(self, name):
        return _nothing


def _nothing(*arguments, **options):
    return _harp.outside("attributes of a file")


class Dataset(_Item):
    pass


class Group(_Item):
    pass


class File(_Item):
    pass


def is_hdf5(name):
    return bool(_harp.outside("whether it is such a file"))


def _known(*arguments, **options):
    return _harp.outside("a type of a file")


special_dtype = string_dtype = vlen_dtype = check_dtype = VirtualLayout = VirtualSource = ExternalLink = SoftLink = Reference = _known
