# Data sets: what an element is, and how many there are. Where that is not known, the count is None.
from harp_library import free_size, outside, require, some_of, tree_leaves, tree_map
from tensorflow._shared import made, sizes_of, surely
from tensorflow._specs import Composite, TensorSpec
from tensorflow._elements import batched, called, component, either, of_signature, padded, structured, unbatched

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Options:
    def __init__(self):
        self.autotune, self.distribute, self.threading = _Group(), _Group(), _Group()
        self.experimental_distribute, self.experimental_optimization, self.experimental_threading = _Group(), _Group(), _Group()
        self.deterministic = self.experimental_deterministic = None

    def merge(self, options):
        return self


class _Group:
    pass


class Dataset(Composite):
    def __init__(self, element=None, count=None, variant_tensor=None):
        self._element, self._count = element, count

    @staticmethod
    def from_tensors(tensors, name=None):
        return Dataset(structured(tensors), 1)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        tensors = structured(tensors)
        leaves = tree_leaves(tensors)
        require(len(leaves) > 0, "there must be a tensor to slice")
        for leaf in leaves:
            require(len(leaf.shape) >= 1, "a scalar has no slices")
        count = leaves[0].shape[0]
        for leaf in leaves:
            require(leaf.shape[0] == count, "all tensors must have as many slices")
        return Dataset(tree_map(component, tensors), count)

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        if output_signature is not None:
            return Dataset(of_signature(output_signature))
        if output_shapes is None:
            return Dataset(tree_map(lambda dtype: made(None, dtype), output_types))
        if surely(isinstance(output_types, tuple)):
            return Dataset(tuple(made(sizes_of(shape), dtype) for dtype, shape in zip(output_types, output_shapes)))
        if surely(isinstance(output_types, dict)):
            return Dataset({name: made(sizes_of(output_shapes[name]), dtype) for name, dtype in output_types.items()})
        return Dataset(made(sizes_of(output_shapes), output_types))

    @staticmethod
    def range(start, stop=None, step=1, output_type="int64", name=None):
        first, last = (0, start) if stop is None else (start, stop)
        return Dataset(made((), output_type), (last - first + step - 1) // step if step > 0 else None)

    @staticmethod
    def zip(*args, datasets=None, name=None):
        sets = args[0] if len(args) == 1 else args if len(args) > 1 else datasets
        count = None
        if surely(isinstance(sets, (list, tuple))):
            sets = tuple(sets)
            counts = [one._count for one in sets]
            if all(one is not None for one in counts):
                count = min(counts)
            return Dataset(tuple(one._element for one in sets), count)
        if surely(isinstance(sets, dict)):
            return Dataset({name: one._element for name, one in sets.items()}, None)
        return Dataset(sets._element, sets._count)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        return Dataset(made((), "string"))

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None):
        return Dataset(made((), "int64"))

    @staticmethod
    def counter(start=0, step=1, dtype="int64", name=None):
        return Dataset(made((), dtype))

    @staticmethod
    def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None):
        return Dataset(datasets[0]._element)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
        return Dataset(datasets[0]._element)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False):
        return Dataset(outside("an element of a saved data set") if element_spec is None else of_signature(element_spec))

    def map(self, map_func, num_parallel_calls=None, deterministic=None, synchronous=None, use_unbounded_threadpool=None, name=None):
        return Dataset(structured(called(map_func, self._element)), self._count)

    def map_with_legacy_function(self, map_func, num_parallel_calls=None, deterministic=None):
        return self.map(map_func)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        require(batch_size >= 1, "a batch must have an item at least")
        size, count = _batch_of(self._count, batch_size, drop_remainder)
        return Dataset(tree_map(lambda leaf: batched(leaf, size), self._element), count)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        size, count = _batch_of(self._count, batch_size, drop_remainder)
        if padded_shapes is None:
            return Dataset(tree_map(lambda leaf: batched(leaf, size), self._element), count)
        return Dataset(padded(self._element, padded_shapes, size), count)

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype="int64", name=None):
        return self.batch(batch_size, drop_remainder)

    def unbatch(self, name=None):
        return Dataset(tree_map(unbatched, self._element))

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        require(size >= 1, "a window must have an item at least")
        shift = size if shift is None else shift
        count = None
        if self._count is not None and drop_remainder:
            reach = (size - 1) * stride + 1
            count = max(0, (self._count - reach) // shift + 1)
        inner = size if drop_remainder else None
        if surely(isinstance(self._element, tuple)):
            return Dataset(tuple(Dataset(part, inner) for part in self._element), count)
        if surely(isinstance(self._element, dict)):
            return Dataset({name: Dataset(part, inner) for name, part in self._element.items()}, count)
        return Dataset(Dataset(self._element, inner), count)

    def flat_map(self, map_func, name=None):
        made_set = called(map_func, self._element)
        count = None
        if self._count is not None and made_set._count is not None:
            count = self._count * made_set._count
        return Dataset(made_set._element, count)

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None):
        return Dataset(called(map_func, self._element)._element)

    def filter(self, predicate, name=None):
        called(predicate, self._element)
        return Dataset(self._element)

    def filter_with_legacy_function(self, predicate):
        return self.filter(predicate)

    def take_while(self, predicate, name=None):
        return self.filter(predicate)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        return Dataset(self._element, self._count)

    def repeat(self, count=None, name=None):
        if count is None or self._count is None:
            return Dataset(self._element)
        return Dataset(self._element, self._count * count if count >= 0 else None)

    def take(self, count, name=None):
        if self._count is None:
            return Dataset(self._element)
        return Dataset(self._element, self._count if count == -1 else min(count, self._count))

    def skip(self, count, name=None):
        if self._count is None:
            return Dataset(self._element)
        return Dataset(self._element, max(0, self._count - count) if count >= 0 else 0)

    def shard(self, num_shards, index, name=None):
        return Dataset(self._element)

    def concatenate(self, dataset, name=None):
        count = None
        if self._count is not None and dataset._count is not None:
            count = self._count + dataset._count
        return Dataset(tree_map(either, self._element, dataset._element), count)

    def cache(self, filename="", name=None):
        return Dataset(self._element, self._count)

    def prefetch(self, buffer_size=None, name=None):
        return Dataset(self._element, self._count)

    def prefetch_to_device(self, device, buffer_size=None):
        return Dataset(self._element, self._count)

    def with_options(self, options, name=None):
        return Dataset(self._element, self._count)

    def options(self):
        return Options()

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None):
        return Dataset(self._element, self._count)

    def ignore_errors(self, log_warning=False, name=None):
        return Dataset(self._element)

    def unique(self, name=None):
        return Dataset(self._element)

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None):
        return Dataset((made((), "int64"), self._element))

    def enumerate(self, start=0, name=None):
        return Dataset((made((), "int64"), self._element), self._count)

    def apply(self, transformation_func, name=None):
        return transformation_func(self)

    def reduce(self, initial_state, reduce_func, name=None):
        state = structured(initial_state)
        if surely(isinstance(self._element, tuple)):
            return tree_map(either, state, structured(reduce_func(state, self._element)))
        return tree_map(either, state, structured(reduce_func(state, self._element)))

    def scan(self, initial_state, scan_func, name=None):
        state, output = scan_func(structured(initial_state), self._element)
        return Dataset(structured(output), self._count)

    def bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
                                  pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False, name=None):
        called(element_length_func, self._element)
        size = free_size("batch", 1)
        if padded_shapes is None:
            return Dataset(tree_map(lambda leaf: batched(leaf, size), self._element))
        return Dataset(padded(self._element, padded_shapes, size))

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
        called(key_func, self._element)
        return Dataset(reduce_func(made((), "int64"), Dataset(self._element))._element)

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        pass

    def get_single_element(self, name=None):
        return self._element

    def as_numpy_iterator(self):
        return iter(some_of([tree_map(lambda leaf: leaf.numpy(), self._element)]))

    def cardinality(self, name=None):
        return made((), "int64") if self._count is None else self._count

    @property
    def element_spec(self):
        return tree_map(lambda leaf: TensorSpec(leaf.shape, leaf.dtype), self._element)

    def __iter__(self):
        return iter(some_of([self._element]))

    def __len__(self):
        return free_size("elements", 0) if self._count is None else self._count

    def __bool__(self):
        return True

    # What version 1 has.
    def make_one_shot_iterator(self):
        return Iterator(self._element)

    def make_initializable_iterator(self, shared_name=None):
        return Iterator(self._element)


class Iterator:
    def __init__(self, element):
        self._element = element
        self.initializer = None

    # In version 1 an iterator may be made before what it iterates over.
    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        return Iterator(_structure(output_types, output_shapes))

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        return Iterator(_structure(output_types, output_shapes))

    def make_initializer(self, dataset, name=None):
        return None

    def string_handle(self, name=None):
        return outside("handle of an iterator")

    def get_next(self, name=None):
        return self._element

    def get_next_as_optional(self):
        return Optional(self._element)

    def __next__(self):
        return self._element

    def __iter__(self):
        return iter(some_of([self._element]))

    @property
    def element_spec(self):
        return tree_map(lambda leaf: TensorSpec(leaf.shape, leaf.dtype), self._element)


class Optional:
    def __init__(self, value):
        self._value = value

    def get_value(self, name=None):
        return self._value

    def has_value(self, name=None):
        return made((), "bool")


# The size of a batch, and how many there are.
def _batch_of(count, batch_size, drop_remainder):
    if count is None:
        return batch_size if drop_remainder else free_size("batch", 1), None
    if drop_remainder:
        return batch_size, count // batch_size
    if count % batch_size == 0:
        return batch_size, count // batch_size
    if surely(count < batch_size):
        return count, 1
    return free_size("batch", 1), (count + batch_size - 1) // batch_size


class TFRecordDataset(Dataset):
    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        super().__init__(made((), "string"))


class TextLineDataset(Dataset):
    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        super().__init__(made((), "string"))


class FixedLengthRecordDataset(Dataset):
    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None, num_parallel_reads=None,
                 name=None):
        super().__init__(made((), "string"))


class DatasetSpec:
    def __init__(self, element_spec, dataset_shape=()):
        self.element_spec = element_spec


NumpyIterator = Iterator


class CsvDataset(Dataset):
    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",", use_quote_delim=True,
                 na_value="", select_cols=None, exclude_cols=None):
        super().__init__(tuple(made((), None) for default in record_defaults))
