# Decoders of examples, of which nothing but their being there is known.
from harp_library import outside


class _Handler:
    def __init__(self, *arguments, **options):
        pass

    def decode(self, serialized_example, items=None):
        return outside("items of an example")

    def list_items(self):
        return outside("items of an example")


class TFExampleDecoder(_Handler):
    pass


class TFSequenceExampleDecoder(_Handler):
    pass


class ItemHandler(_Handler):
    pass


class ItemHandlerCallback(_Handler):
    pass


class BoundingBox(_Handler):
    pass


class Image(_Handler):
    pass


class Tensor(_Handler):
    pass


class LookupTensor(_Handler):
    pass


class SparseTensor(_Handler):
    pass


class BackupHandler(_Handler):
    pass
