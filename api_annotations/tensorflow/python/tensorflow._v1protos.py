# Protocol buffers of examples.
from harp_library import outside


class _Message:
    def __init__(self, *arguments, **fields):
        self.value = outside("values of a feature")
        self.feature = outside("features of an example")
        self.features = outside("features of an example")

    @staticmethod
    def FromString(text):
        return outside("an example")

    def ParseFromString(self, text):
        pass

    def SerializeToString(self):
        return outside("an example as bytes")


class Example(_Message):
    pass


class SequenceExample(_Message):
    pass


class Features(_Message):
    pass


class Feature(_Message):
    pass


class FeatureList(_Message):
    pass


class FeatureLists(_Message):
    pass


class BytesList(_Message):
    pass


class FloatList(_Message):
    pass


class Int64List(_Message):
    pass
