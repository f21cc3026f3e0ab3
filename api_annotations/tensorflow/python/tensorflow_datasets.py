# Ready-made data sets: what an example of the best known ones is. Of others only the form is known.
from harp_library import free_size, outside, some_of, tree_map
from tensorflow._elements import batched
from tensorflow._shared import made, surely
from tensorflow.data import Dataset
from tensorflow_datasets._examples import examples


class Split:
    TRAIN, TEST, VALIDATION, ALL = "train", "test", "validation", "all"


class ReadConfig:
    def __init__(self, **options):
        pass


def _leaf(spec):
    shape, dtype = spec[0], spec[1]
    return made(tuple([free_size("size", 1) if size is None else size for size in shape]), dtype)


def _element(name, as_supervised):
    found = examples(name)
    if found is None:
        return (outside("an example"), outside("the label of an example")) if as_supervised else outside("an example")
    features, keys = found[0], found[1]
    if as_supervised and keys is not None:
        return tuple([_leaf(features[key]) for key in keys])
    return {key: _leaf(spec) for key, spec in features.items()}


def _data(name, split, batch_size, as_supervised):
    element = _element(name, as_supervised)
    if batch_size is None:
        return Dataset(element)
    if surely(batch_size == -1):
        size = free_size("examples", 1)
        return tree_map(lambda leaf: batched(leaf, size), element)
    return Dataset(element).batch(batch_size)


def _of_splits(name, split, batch_size, as_supervised):
    if split is None:
        return _Splits(name, batch_size, as_supervised)
    if surely(isinstance(split, (list, tuple))):
        return [_data(name, one, batch_size, as_supervised) for one in split]
    if surely(isinstance(split, dict)):
        return {key: _data(name, one, batch_size, as_supervised) for key, one in split.items()}
    return _data(name, split, batch_size, as_supervised)


class _Splits(dict):
    """The data sets of all splits, by the names that a program asks for."""

    def __init__(self, name, batch_size, as_supervised):
        self._arguments = (name, batch_size, as_supervised)

    def __getitem__(self, split):
        name, batch_size, as_supervised = self._arguments
        return _data(name, split, batch_size, as_supervised)

    def get(self, split, default=None):
        return self[split]

    def keys(self):
        return some_of(["train"])

    def values(self):
        return some_of([self["train"]])

    def items(self):
        return some_of([("train", self["train"])])


class _SplitInfo:
    def __init__(self):
        self.num_examples = free_size("examples", 1)
        self.num_shards = free_size("shards", 1)
        self.name = outside("name of a split")


class _SplitInfos:
    def __getitem__(self, split):
        return _SplitInfo()

    def __contains__(self, split):
        return outside("whether a data set has a split")

    def keys(self):
        return some_of([outside("name of a split")])

    @property
    def total_num_examples(self):
        return free_size("examples", 1)


class _Feature:
    def __init__(self, spec):
        self.shape, self.dtype = tuple(spec[0]), spec[1]
        self.num_classes = spec[2] if len(spec) > 2 else free_size("classes", 1)
        self.names = some_of([outside("name of a class")])

    def int2str(self, value):
        return outside("name of a class")

    def str2int(self, value):
        return outside("number of a class")


class _Features:
    def __init__(self, features):
        self._features = features

    def __getitem__(self, key):
        return outside("a feature") if self._features is None else _Feature(self._features[key])

    def keys(self):
        return some_of([outside("name of a feature")]) if self._features is None else self._features.keys()

    def items(self):
        return [(key, self[key]) for key in self.keys()]

    @property
    def shape(self):
        return outside("shapes of features") if self._features is None else {key: self[key].shape for key in self._features}


class _Info:
    def __init__(self, name):
        found = examples(name)
        self.name, self.splits = name, _SplitInfos()
        self.features = _Features(None if found is None else found[0])
        self.supervised_keys = outside("keys") if found is None else found[1]

    def __getattr__(self, name):
        return outside("what is told of a data set")


class _Builder:
    def __init__(self, name):
        self.name, self.info = name, _Info(name)

    def download_and_prepare(self, *arguments, **options):
        pass

    def as_dataset(self, split=None, *, batch_size=None, shuffle_files=False, decoders=None, read_config=None, as_supervised=False):
        return _of_splits(self.name, split, batch_size, as_supervised)

    def as_data_source(self, split=None, *, decoders=None, deserialize_method=None, file_format=None):
        return outside("a source of data")

    def __getattr__(self, name):
        return outside("what a builder of data sets has")


def load(name, *, split=None, data_dir=None, batch_size=None, shuffle_files=False, download=True, as_supervised=False, decoders=None,
         read_config=None, with_info=False, builder_kwargs=None, download_and_prepare_kwargs=None, as_dataset_kwargs=None, try_gcs=False,
         file_format=None):
    data = _of_splits(name, split, batch_size, as_supervised)
    if with_info:
        return data, _Info(name)
    return data


def builder(name, *, try_gcs=False, **options):
    return _Builder(name)


def builder_cls(name):
    return lambda **options: _Builder(name)


def builder_from_directory(builder_dir, **options):
    return _Builder(outside("name of a data set"))


class _Arrays:
    """A data set whose elements are arrays of NumPy."""

    def __init__(self, data):
        self._data = data

    def __iter__(self):
        return iter(some_of([tree_map(_array, self._data._element)]))

    def __len__(self):
        return len(self._data)


def _array(leaf):
    return leaf.numpy()


def as_numpy(dataset):
    if isinstance(dataset, Dataset):
        return _Arrays(dataset)
    if isinstance(dataset, _Splits):
        return {"train": _Arrays(dataset["train"]), "test": _Arrays(dataset["test"])}
    if surely(isinstance(dataset, (list, tuple))):
        return type(dataset)([as_numpy(one) for one in dataset])
    if surely(isinstance(dataset, dict)):
        return {key: as_numpy(one) for key, one in dataset.items()}
    return tree_map(_array, dataset)


dataset_as_numpy = as_numpy


def as_dataframe(ds, ds_info=None):
    return outside("a table")


def even_splits(split, n, *, drop_remainder=False):
    return [outside("a split") for _ in range(n)]


def split_for_jax_process(split, *, process_index=None, process_count=None, drop_remainder=False):
    return split


def list_builders(**options):
    return some_of([outside("name of a data set")])


def show_examples(ds, ds_info=None, **options):
    return outside("a picture")


def show_statistics(ds_info, split=None, disable_logging=False):
    pass


def disable_progress_bar():
    pass


def enable_progress_bar():
    pass


display_progress_bar = enable_progress_bar
