# Functions that data sets are given to, and older names.
from harp_library import outside
from tensorflow.data import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, CsvDataset, Dataset, Optional
from tensorflow._elements import batched

Counter = Dataset.counter
RandomDataset = Dataset.random
sample_from_datasets = Dataset.sample_from_datasets
choose_from_datasets = Dataset.choose_from_datasets


def assert_cardinality(expected_cardinality):
    return lambda dataset: Dataset(dataset._element, expected_cardinality)


def cardinality(dataset):
    return dataset.cardinality()


def get_single_element(dataset):
    return dataset._element


def ignore_errors(log_warning=False):
    return lambda dataset: dataset.ignore_errors()


def unbatch():
    return lambda dataset: dataset.unbatch()


def unique():
    return lambda dataset: dataset.unique()


def prefetch_to_device(device, buffer_size=None):
    return lambda dataset: dataset.prefetch()


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    return lambda dataset: dataset.shuffle(buffer_size).repeat(count)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def batch_and_drop_remainder(batch_size):
    return lambda dataset: dataset.batch(batch_size, True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, True)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None):
    return lambda dataset: dataset.interleave(map_func)


def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype="int64"):
    return lambda dataset: dataset.batch(batch_size, drop_remainder)


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    return lambda dataset: dataset.group_by_window(key_func, reduce_func)


def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
                              pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False):
    return lambda dataset: dataset.bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes)


def enumerate_dataset(start=0):
    return lambda dataset: dataset.enumerate(start)


def snapshot(path, compression="AUTO", reader_func=None, shard_func=None):
    return lambda dataset: dataset.snapshot(path)


def take_while(predicate):
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state, scan_func):
    return lambda dataset: dataset.scan(initial_state, scan_func)


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    return lambda dataset: dataset.rejection_resample(class_func, target_dist)


def make_csv_dataset(*args, **kwargs):
    return Dataset(outside("an element of a table"))


def make_batched_features_dataset(*args, **kwargs):
    return Dataset(outside("features of records"))


def load(path, element_spec=None, compression=None, reader_func=None):
    return Dataset.load(path, element_spec)


def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    pass
