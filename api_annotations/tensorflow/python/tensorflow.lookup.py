# Tables.
from tensorflow._core import as_tensor
from tensorflow._ragged import RaggedTensor
from tensorflow._shared import made, surely
from tensorflow._sparse import SparseTensor


class KeyValueTensorInitializer:
    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self.key_dtype, self.value_dtype = key_dtype, as_tensor(values).dtype if value_dtype is None else value_dtype


class TextFileInitializer:
    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None, value_index_offset=0):
        self.key_dtype, self.value_dtype = key_dtype, value_dtype


class TextFileIndex:
    WHOLE_LINE = -2
    LINE_NUMBER = -1


class _Table:
    value_dtype = None

    def lookup(self, keys, name=None):
        if surely(isinstance(keys, RaggedTensor)):
            return RaggedTensor(made(keys.flat_values.shape, self.value_dtype), keys.rows_)
        if surely(isinstance(keys, SparseTensor)):
            return SparseTensor(keys.indices, made(keys.values.shape, self.value_dtype), keys.dense_shape_)
        return made(as_tensor(keys).shape, self.value_dtype)

    def __getitem__(self, keys):
        return self.lookup(keys)

    def size(self, name=None):
        return made((), "int64")

    def insert(self, keys, values, name=None):
        pass

    def remove(self, keys, name=None):
        pass

    def export(self, name=None):
        return made(None), made(None, self.value_dtype)


class StaticHashTable(_Table):
    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        self.key_dtype, self.value_dtype, self.default_value = initializer.key_dtype, initializer.value_dtype, default_value


class StaticVocabularyTable(_Table):
    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None, experimental_is_anonymous=False):
        self.value_dtype = "int64"


class MutableHashTable(_Table):
    def __init__(self, key_dtype, value_dtype, default_value, name="MutableHashTable", checkpoint=True, experimental_is_anonymous=False):
        self.key_dtype, self.value_dtype = key_dtype, value_dtype


class DenseHashTable(_Table):
    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None, name="MutableDenseHashTable",
                 checkpoint=True, experimental_is_anonymous=False):
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
