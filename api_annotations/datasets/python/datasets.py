# Tables of samples of Hugging Face's `datasets`, as far as the sizes of what programs load from them go: which columns there are, how many samples, and
# what stands in a cell. Samples that are drawn or chosen by the data are some of those that there are.
import math

import numpy as np
import harp_library as _harp, pandas as _pandas


class Value:
    def __init__(self, dtype="string", id=None):
        self.dtype = dtype


class ClassLabel:
    def __init__(self, num_classes=None, names=None, names_file=None, id=None):
        self.names = names
        self.num_classes = len(names) if names is not None else num_classes

    def str2int(self, values):
        if isinstance(values, str):
            return self.names.index(values)
        return [self.names.index(value) for value in values]

    def int2str(self, values):
        if isinstance(values, int):
            return self.names[values]
        return [self.names[value] for value in values]


class Sequence:
    def __init__(self, feature=None, length=-1, id=None):
        self.feature, self.length = feature, length


class Image:
    def __init__(self, mode=None, decode=True, id=None):
        self.mode = mode


class Features(dict):
    pass


def _plain(cell):
    """What is kept of an array is a list of its numbers."""
    return cell.tolist() if hasattr(cell, "tolist") and hasattr(cell, "shape") else cell


def _is_number(cell):
    if isinstance(cell, (list, tuple)):
        return len(cell) > 0 and _is_number(cell[0])
    return isinstance(cell, (bool, int, float)) or hasattr(cell, "shape")


def _as_array(cell):
    if isinstance(cell, (list, tuple, int, float)):
        array = np.array(cell)
    else:
        array = cell.numpy() if hasattr(cell, "numpy") else cell
    return array.astype(np.float32) if array.dtype == np.float64 else array


def _as_tensor(cell):
    import torch

    if isinstance(cell, (list, tuple, int, float)):
        return torch.tensor(cell)
    tensor = torch.as_tensor(cell)
    return tensor.float() if tensor.is_floating_point() else tensor


class Dataset:
    def __init__(self, columns, count, kind=None, shown=None, transform=None):
        self._columns, self._count = columns, count
        self._kind, self._shown, self._transform = kind, shown, transform

    @classmethod
    def from_dict(cls, mapping, features=None, info=None, split=None):
        columns, count = {}, 0
        for name, column in mapping.items():
            columns[name] = column if hasattr(column, "shape") else list(column)
            if len(columns) > 1 and len(column) != count:
                raise _pandas._failure("all columns must be of the same length")
            count = len(column)
        return Dataset(columns, count)

    @classmethod
    def from_list(cls, mapping, features=None, info=None, split=None):
        rows = list(mapping)
        names = list(rows[0]) if len(rows) > 0 else []
        return Dataset({name: [row[name] for row in rows] for name in names}, len(rows))

    @classmethod
    def from_generator(cls, generator, features=None, cache_dir=None, keep_in_memory=False, gen_kwargs=None, num_proc=None, **options):
        return Dataset.from_list(list(generator(**(gen_kwargs or {}))))

    @classmethod
    def from_pandas(cls, df, features=None, info=None, split=None, preserve_index=None):
        return Dataset({name: df[name].tolist() for name in df.columns}, len(df))

    def _with(self, columns, count):
        shown = None if self._shown is None else [name for name in self._shown if name in columns]
        return Dataset(columns, count, self._kind, shown, self._transform)

    def _some(self, count):
        """So many of the samples, whichever."""
        return self._with({name: _some_of(column, count) for name, column in self._columns.items()}, count)

    @property
    def column_names(self):
        return list(self._columns)

    @property
    def num_rows(self):
        return self._count

    @property
    def num_columns(self):
        return len(self._columns)

    @property
    def shape(self):
        return (self._count, len(self._columns))

    def __len__(self):
        return self._count

    def _names(self):
        return self._columns if self._shown is None else self._shown

    def _cell(self, name, index):
        return self._formatted(self._columns[name][index])

    def _formatted(self, cell):
        if self._kind == "torch" and _is_number(cell):
            return _as_tensor(cell)
        if self._kind in ("numpy", "np") and _is_number(cell):
            return _as_array(cell)
        return _plain(cell)

    def _gathered(self, cells):
        """Several cells of a column, which are one array where all have the same shape."""
        if hasattr(cells, "shape"):
            return self._formatted(cells)
        if self._kind is None or len(cells) == 0 or not _is_number(cells[0]):
            return [self._formatted(cell) for cell in cells]
        formatted = [self._formatted(cell) for cell in cells]
        for cell in formatted:
            if cell.ndim != formatted[0].ndim or cell.ndim > 0 and len(cell) != len(formatted[0]):
                return formatted
        if self._kind == "torch":
            import torch

            return torch.stack(formatted)
        return np.stack(formatted)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._gathered(self._columns[key])
        if isinstance(key, slice):
            batch = {name: self._gathered(self._columns[name][key]) for name in self._names()}
        elif isinstance(key, (list, tuple, range)) or hasattr(key, "shape") and len(key.shape) == 1:
            batch = {name: self._gathered([self._columns[name][index] for index in key]) for name in self._names()}
        else:
            sample = {name: self._cell(name, key) for name in self._names()}
            if self._transform is None:
                return sample
            # A transform takes batches, also of one sample.
            batch = self._transform({name: [cell] for name, cell in sample.items()})
            return {name: column[0] for name, column in batch.items()}
        return batch if self._transform is None else self._transform(batch)

    def __getitems__(self, keys):
        return [self[key] for key in keys]

    def __iter__(self):
        for index in range(self._count):
            yield self[index]

    def iter(self, batch_size, drop_last_batch=False):
        for start in range(0, self._count - batch_size + 1 if drop_last_batch else self._count, batch_size):
            yield self[start:start + batch_size]

    def map(self, function=None, with_indices=False, with_rank=False, input_columns=None, batched=False, batch_size=1000, drop_last_batch=False,
            remove_columns=None, fn_kwargs=None, num_proc=None, load_from_cache_file=None, desc=None, **options):
        removed = [remove_columns] if isinstance(remove_columns, str) else remove_columns or []
        kept = {name: column for name, column in self._columns.items() if name not in removed}
        fn_kwargs = fn_kwargs or {}
        names = [input_columns] if isinstance(input_columns, str) else input_columns

        def call(sample, index):
            given = [sample] if names is None else [sample[name] for name in names]
            if with_indices:
                given.append(index)
            return function(*given, **fn_kwargs)

        if batched:
            whole = {name: self._gathered(column) for name, column in self._columns.items()}
            made = call(whole, list(range(self._count)))
            count = self._count
            for name, column in made.items():
                kept[name] = column
                count = len(column)
            return self._with(kept, count)
        rows = [call({name: self._cell(name, index) for name in self._columns}, index) for index in range(self._count)]
        if len(rows) > 0 and rows[0] is not None:
            for name in rows[0]:
                kept[name] = [row[name] for row in rows]
        return self._with(kept, self._count)

    def filter(self, function=None, *arguments, **options):
        return self._some(_harp.free_size("samples", 0))

    def select(self, indices, *arguments, **options):
        chosen = list(indices)
        known = _harp.is_known(chosen) and len(chosen) <= 64
        if not known:
            return self._some(len(chosen))
        return self._with({name: [column[index] for index in chosen] for name, column in self._columns.items()}, len(chosen))

    def take(self, n):
        return self.select(range(n))

    def skip(self, n):
        return self._some(self._count - n)

    def shuffle(self, seed=None, generator=None, **options):
        return self._some(self._count)

    def sort(self, column_names, reverse=False, **options):
        return self._some(self._count)

    def shard(self, num_shards, index, contiguous=True, **options):
        return self._some(self._count // num_shards + (1 if index < self._count % num_shards else 0))

    def train_test_split(self, test_size=None, train_size=None, shuffle=True, stratify_by_column=None, seed=None, **options):
        size = 0.25 if test_size is None and train_size is None else test_size
        if isinstance(size, float):
            test = math.ceil(size * self._count) if _harp.is_known(self._count) else _harp.free_size("test", 1)
        elif size is None:
            train = math.floor(train_size * self._count) if isinstance(train_size, float) else train_size
            test = self._count - train
        else:
            test = size
        train = self._count - test
        if size is not None and train_size is not None:
            train = math.floor(train_size * self._count) if isinstance(train_size, float) else train_size
        return DatasetDict({"train": self._some(train), "test": self._some(test)})

    def rename_column(self, original_column_name, new_column_name, *arguments, **options):
        return self.rename_columns({original_column_name: new_column_name})

    def rename_columns(self, column_mapping, *arguments, **options):
        for name in column_mapping:
            if name not in self._columns:
                raise _pandas._failure("the data set has no column of this name")
        columns = {column_mapping[name] if name in column_mapping else name: column for name, column in self._columns.items()}
        return self._with(columns, self._count)

    def remove_columns(self, column_names, *arguments, **options):
        names = [column_names] if isinstance(column_names, str) else list(column_names)
        for name in names:
            if name not in self._columns:
                raise _pandas._failure("the data set has no column of this name")
        return self._with({name: column for name, column in self._columns.items() if name not in names}, self._count)

    def select_columns(self, column_names, *arguments, **options):
        names = [column_names] if isinstance(column_names, str) else list(column_names)
        return self._with({name: self._columns[name] for name in names}, self._count)

    def add_column(self, name, column, *arguments, **options):
        if len(column) != self._count:
            raise _pandas._failure("the column has another length than the data set")
        return self._with({**self._columns, name: column}, self._count)

    def set_format(self, type=None, columns=None, output_all_columns=False, **options):
        self._kind, self._transform = type, None
        self._shown = None if columns is None or output_all_columns else list(columns)

    def with_format(self, type=None, columns=None, output_all_columns=False, **options):
        made = Dataset(self._columns, self._count)
        made.set_format(type, columns, output_all_columns)
        return made

    def reset_format(self):
        self.set_format()

    def set_transform(self, transform, columns=None, output_all_columns=False):
        self._transform, self._kind, self._shown = transform, None, columns

    def with_transform(self, transform, columns=None, output_all_columns=False):
        return Dataset(self._columns, self._count, None, columns, transform)

    def _same(self, *arguments, **options):
        return self

    cast = cast_column = class_encode_column = flatten_indices = _same

    def unique(self, column):
        return list(set(self._columns[column])) if _harp.is_known(self._columns[column]) else _some_of(self._columns[column], _harp.free_size("values", 1))

    def to_pandas(self, *arguments, **options):
        return _pandas.DataFrame({name: list(column) for name, column in self._columns.items()})

    def to_dict(self, *arguments, **options):
        return {name: list(column) for name, column in self._columns.items()}

    def to_list(self):
        return [self[index] for index in range(self._count)]

    @property
    def features(self):
        return Features({name: Value() for name in self._columns})


def _some_of(column, count):
    if hasattr(column, "shape"):
        return column[np.zeros(count, dtype=np.int64)]
    some = _harp.some_of(column)
    return [some[index] for index in range(count)]


class DatasetDict(dict):
    @property
    def column_names(self):
        return {name: part.column_names for name, part in self.items()}

    @property
    def num_rows(self):
        return {name: len(part) for name, part in self.items()}

    def _of_each(self, call):
        return DatasetDict({name: call(part) for name, part in self.items()})

    def map(self, *arguments, **options):
        return self._of_each(lambda part: part.map(*arguments, **options))

    def filter(self, *arguments, **options):
        return self._of_each(lambda part: part.filter(*arguments, **options))

    def shuffle(self, *arguments, **options):
        return self._of_each(lambda part: part.shuffle())

    sort = shuffle

    def rename_column(self, *arguments, **options):
        return self._of_each(lambda part: part.rename_column(*arguments, **options))

    def rename_columns(self, *arguments, **options):
        return self._of_each(lambda part: part.rename_columns(*arguments, **options))

    def remove_columns(self, *arguments, **options):
        return self._of_each(lambda part: part.remove_columns(*arguments, **options))

    def select_columns(self, *arguments, **options):
        return self._of_each(lambda part: part.select_columns(*arguments, **options))

    def with_format(self, *arguments, **options):
        return self._of_each(lambda part: part.with_format(*arguments, **options))

    def with_transform(self, *arguments, **options):
        return self._of_each(lambda part: part.with_transform(*arguments, **options))

    def set_format(self, *arguments, **options):
        for part in self.values():
            part.set_format(*arguments, **options)

    def set_transform(self, *arguments, **options):
        for part in self.values():
            part.set_transform(*arguments, **options)

    def reset_format(self):
        self.set_format()

    def cast_column(self, *arguments, **options):
        return self

    cast = class_encode_column = cast_column


def concatenate_datasets(dsets, info=None, split=None, axis=0):
    parts = list(dsets)
    if axis == 1:
        columns = {}
        for part in parts:
            columns.update(part._columns)
        return parts[0]._with(columns, len(parts[0]))
    count = 0
    for part in parts:
        count = count + len(part)
    columns = {}
    for name in parts[0]._columns:
        column = []
        for part in parts:
            column = column + list(part._columns[name])
        columns[name] = column
    return parts[0]._with(columns, count)
