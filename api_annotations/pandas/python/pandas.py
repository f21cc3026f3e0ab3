# Tables of pandas, as far as the sizes of what programs compute from them go: how many rows there are, and which columns, where programs say so.
import numpy as np
import harp_library as _harp
import pandas as _pandas
from matplotlib._drawn import Axes as _Axes


class _Plot:
    """What draws a table: `table.plot(…)`, and `table.plot.bar(…)` for a kind."""

    def __call__(self, *arguments, ax=None, subplots=False, **options):
        if subplots:
            return _harp.unknown("the axes of a plot of each column")
        return _Axes() if ax is None else ax

    line = bar = barh = hist = box = kde = density = area = pie = scatter = hexbin = __call__


class _Values:
    """What columns and tables have in common: arithmetic keeps their rows and columns."""

    def _arithmetic(self, other=None, *arguments, **options):
        if isinstance(other, (Series, DataFrame)) and not isinstance(other, Index):
            return self._aligned(other)
        return self._same()

    def _rows_with(self, other):
        """How many rows come of two tables or columns: all labels of both. Without labels of its own, each has its numbers for labels."""
        if self._labels is not None and other._labels is not None and list(self._labels) != list(other._labels):
            return len(set(list(self._labels) + list(other._labels)))
        if (self._labels is None) != (other._labels is None):
            return _harp.free_size("rows", 0)
        if _harp.is_known(self._rows) and _harp.is_known(other._rows) and self._rows != other._rows:
            return _harp.free_size("rows", 0)
        return self._rows

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _arithmetic
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _arithmetic
    add = sub = subtract = mul = multiply = div = divide = truediv = pow = mod = _arithmetic

    def _unary(self, *arguments, **options):
        return self._same()

    __neg__ = __abs__ = _unary
    abs = round = clip = fillna = ffill = bfill = interpolate = replace = shift = diff = pct_change = cumsum = cumprod = cummax = cummin = _unary
    rank = where = mask = infer_objects = convert_dtypes = _unary

    def astype(self, dtype=None, *arguments, **options):
        return self._same()

    def copy(self, deep=True):
        return self._same()

    def _compare(self, other):
        return self._bools()

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _compare

    def isna(self):
        return self._bools()

    isnull = notna = notnull = isna

    def __len__(self):
        return self._rows

    @property
    def empty(self):
        return self._rows == 0

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return self._same()

    def rolling(self, window=None, *arguments, **options):
        return _Window(self)

    def expanding(self, *arguments, **options):
        return _Window(self)

    def ewm(self, *arguments, **options):
        return _Window(self)

    def head(self, n=5):
        return self.iloc[:n]

    def tail(self, n=5):
        return self.iloc[self._rows - min(n, self._rows):]

    def dropna(self, axis=0, *arguments, **options):
        return self._with_rows(_harp.free_size("rows", 0))

    def drop_duplicates(self, *arguments, **options):
        return self._with_rows(_harp.free_size("rows", 0))

    def sort_index(self, *arguments, **options):
        return self._with_rows(self._rows)

    def sort_values(self, *arguments, **options):
        return self._with_rows(self._rows)

    def reindex(self, index=None, *arguments, **options):
        return self._with_rows(_harp.free_size("rows", 0) if index is None else len(index))

    def sample(self, n=None, frac=None, *arguments, **options):
        if frac is not None:
            return self._with_rows(self._rows if frac == 1 else _harp.free_size("rows", 0))
        return self._with_rows(1 if n is None else n)

    def resample(self, *arguments, **options):
        return _Groups(self, None)

    def groupby(self, by=None, *arguments, as_index=True, **options):
        return _Groups(self, by, keeps=not as_index)

    def pipe(self, function, *arguments, **options):
        return function(self, *arguments, **options)

    @property
    def plot(self):
        return _Plot()

    @property
    def iloc(self):
        return _ByPosition(self)

    @property
    def loc(self):
        return _ByLabel(self)

    @property
    def at(self):
        return _ByLabel(self)

    @property
    def iat(self):
        return _ByPosition(self)

    def to_csv(self, path=None, *arguments, index=True, columns=None, **options):
        if path is None:
            return str(_harp.outside("cell of a table"))
        table = self if columns is None else self[columns]
        if index and isinstance(table, DataFrame):
            # The labels of the rows are a column of the file.
            names = None if table._names is None else ["Unnamed: 0"] + table._names
            table = DataFrame._of(table._rows, table._width + 1, names, table._columns)
        _pandas._keep(table, path)

    to_excel = to_csv

    def to_parquet(self, path=None, *arguments, **options):
        _pandas._keep(self, path)

    to_feather = to_pickle = to_hdf = to_parquet

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._column_or_unknown(name)


def _rows_of(index, rows):
    """How many of the rows an index takes; `None` for one, whose axis is lost."""
    if isinstance(index, slice):
        return _length_of_slice(index, rows)
    if isinstance(index, Series):
        return index._selected() if index._is_mask else index._rows
    if isinstance(index, (list, tuple, range)):
        return len(index)
    if isinstance(index, np.ndarray):
        return len(np.zeros(rows)[index])
    if isinstance(index, (int, str)):
        return None
    return _harp.free_size("rows", 0)


def _length_of_slice(index, rows):
    if index.start is None and index.stop is None and index.step is None:
        return rows
    if index.start is None and index.step is None and not _harp.is_known(rows) and _harp.is_known(index.stop) and index.stop >= 0:
        # That there are as many as the program asks for is taken for granted.
        return index.stop
    return len(np.zeros(rows)[index])


def _labels_of(index):
    """The labels of rows that a program lists, in their order."""
    if isinstance(index, (list, tuple)) and len(index) <= 64 and all(isinstance(label, (str, int)) for label in index):
        return tuple(index)
    return None


def _is_first(index):
    """Whether the first rows are taken, which keep their places."""
    return isinstance(index, slice) and index.step is None and (index.start is None or isinstance(index.start, int) and index.start == 0)


def _is_whole(index):
    return isinstance(index, slice) and index.start is None and index.stop is None


class _ByPosition:
    def __init__(self, table):
        self._table = table

    def _axes(self, index):
        return index if isinstance(index, tuple) else (index, slice(None))

    def _names(self, index):
        names = self._table._names
        if names is None or isinstance(index, str):
            return None
        if isinstance(index, slice):
            return names[index]
        if isinstance(index, (list, range)):
            return [names[i] for i in index]
        return None

    def __getitem__(self, index):
        table = self._table
        first, second = self._axes(index)
        rows = _rows_of(first, table._rows)
        if isinstance(table, Series):
            if rows is None:
                return table._item(first)
            return table._with_rows(rows, first)
        if isinstance(second, (int, str)):
            column = table._at(second)
            return column._item(first) if rows is None else column._with_rows(rows, first)
        names = self._names(second)
        if names is not None:
            part = table[names] if table._names is None or len(names) < len(table._names) else table
            width = part._width
        elif _is_whole(second):
            part, width = table, table._width
        else:
            part, width = None, _rows_of(second, table._width)
        if rows is None:
            return _Row(width, part, first)
        return DataFrame._of(rows, width, None) if part is None else part._with_rows(rows, first)

    def __setitem__(self, index, value):
        pass


class _ByLabel(_ByPosition):
    def _axes(self, index):
        return index if isinstance(index, tuple) and len(index) == 2 else (index, slice(None))

    def _names(self, index):
        names = self._table._names
        if isinstance(index, list):
            return index
        if names is None or not isinstance(index, slice):
            return None
        if _is_whole(index):
            return names
        start = 0 if index.start is None else names.index(index.start)
        stop = len(names) if index.stop is None else names.index(index.stop) + 1
        return names[start:stop]

    def __getitem__(self, index):
        first, second = self._axes(index)
        if isinstance(first, slice) and not _is_whole(first):
            # Labels may be dates, and the last belongs to the slice.
            first = np.zeros(_harp.free_size("rows", 0), dtype=np.int64)
        elif isinstance(first, int) and not self._table._is_numbered:
            first = "a label"
        return _ByPosition.__getitem__(self, (first, second))

    def __setitem__(self, index, value):
        table = self._table
        first, second = self._axes(index)
        if isinstance(second, str) and isinstance(table, DataFrame) and table._names is not None and second not in table._names:
            table[second] = None


class _Texts:
    """`series.str`"""

    def __init__(self, column):
        self._column = column

    def _texts(self, *arguments, **options):
        return self._column._same()

    lower = upper = strip = lstrip = rstrip = replace = split = slice = zfill = cat = title = extract = get = len = count = _texts

    def contains(self, *arguments, **options):
        return self._column._bools()

    startswith = endswith = match = isnumeric = isdigit = contains

    def __getitem__(self, index):
        return self._column._same()


class _Categories:
    """`series.cat`"""

    def __init__(self, column):
        self._column = column

    @property
    def codes(self):
        return Series._of(self._column._rows, np.zeros(self._column._rows, dtype=np.int64))

    @property
    def categories(self):
        return self._column._distinct()


class _Window:
    """What is computed over windows has a row for each row of the whole."""

    def __init__(self, table):
        self._table = table

    def __getitem__(self, names):
        return _Window(self._table[names])

    def _result(self, *arguments, **options):
        return self._table._same()

    mean = sum = std = var = min = max = median = apply = skew = quantile = corr = count = agg = _result


class _Groups:
    """`table.groupby(…)`: a row for each group, or for each row of the whole."""

    def __init__(self, table, by, groups=None, keeps=False):
        # `keeps`: what the rows are grouped by stays among the columns.
        self._table, self._by, self._keeps = table, by, keeps
        known = by is not None and isinstance(by, str) and isinstance(table, DataFrame)
        if groups is not None:
            self._groups = groups
        else:
            self._groups = len(table[by]._distinct()) if known else _harp.free_size("groups", 1)

    def __len__(self):
        return self._groups

    @property
    def ngroups(self):
        return self._groups

    def __getitem__(self, names):
        return _Groups(self._table[names], self._by, self._groups, self._keeps)

    def _for_each_row(self, *arguments, **options):
        return self._table._same()

    transform = shift = diff = cumsum = rank = pct_change = ffill = bfill = _for_each_row

    def ngroup(self, ascending=True):
        return Series._of(self._table._rows)

    cumcount = ngroup

    def _keys(self):
        return self._by if isinstance(self._by, list) else [self._by]

    def _for_each_group(self, *arguments, **options):
        table = self._table
        if isinstance(table, Series) and self._keeps:
            return DataFrame._of(self._groups, len(self._keys()) + 1, None)
        if isinstance(table, DataFrame) and table._names is not None and not self._keeps:
            table = table.drop(columns=[key for key in self._keys() if isinstance(key, str) and key in table._names])
        return table._with_rows(self._groups)

    mean = sum = std = var = min = max = median = count = first = last = nunique = _for_each_group

    def size(self):
        if self._keeps:
            return DataFrame._of(self._groups, len(self._keys()) + 1, None)
        return Series._of(self._groups)

    def agg(self, function=None, *arguments, **options):
        if function in ("mean", "sum", "std", "var", "min", "max", "median", "count", "first", "last", "nunique"):
            return self._for_each_group()
        if isinstance(self._table, Series) and (isinstance(function, str) or callable(function)) and not self._keeps:
            return Series._of(self._groups)
        if isinstance(function, dict) and isinstance(self._table, DataFrame) and all(isinstance(how, str) for how in function.values()):
            return self._by_column(function)
        return DataFrame._of(self._groups, _harp.free_size("columns", 1), None)

    def _by_column(self, functions):
        """`agg({"column": "first"})`: a row a group, with a value of the column or a number made of its values."""
        names = (self._keys() if self._keeps else []) + list(functions)
        columns = {}
        for name, how in functions.items():
            sample = None
            if how in ("first", "last", "min", "max"):
                sample = self._table._at(name)._sample
            elif how in ("count", "nunique", "size"):
                sample = self._groups
            columns[name] = Series._of(self._groups, None, sample)
        return DataFrame._of(self._groups, len(names), names, columns)

    aggregate = agg

    def apply(self, function, *arguments, **options):
        item = function(self.get_group(None), *arguments, **options)
        if isinstance(item, DataFrame):
            return DataFrame._of(_harp.free_size("rows", 1), _harp.free_size("columns", 1), None)
        if isinstance(item, Series):
            # A table where all of them have the same labels, else one column.
            return _harp.unknown("pandas.DataFrameGroupBy.apply")
        return Series._of(self._groups, None, item)

    def head(self, n=5):
        return self._table._with_rows(_harp.free_size("rows", 1))

    tail = sample = head

    def get_group(self, name):
        return self._table._with_rows(_harp.free_size("rows", 1))

    def __iter__(self):
        for _ in range(self._groups):
            yield _harp.outside("cell of a table"), self._table._with_rows(_harp.free_size("rows", 1))


class Series(_Values):
    @classmethod
    def _of_anything(cls):
        return Series._of(_harp.free_size("rows", 0), None)

    def __init__(self, data=None, index=None, dtype=None, name=None, copy=None):
        if isinstance(data, Series):
            self._set(data._rows, data._data, data._sample)
        elif isinstance(data, dict):
            self._set(len(data), list(data.values()))
        elif isinstance(data, (list, tuple)):
            self._set(len(data), list(data))
        elif isinstance(data, np.ndarray):
            self._set(len(data), data)
        elif isinstance(data, range):
            self._set(len(data), np.arange(len(data)))
        elif data is None or isinstance(data, (int, float, str)):
            self._set(0 if index is None else len(index), None, data)
        else:
            self._set(_harp.free_size("rows", 0), None)
        if index is not None and data is not None and not isinstance(data, (int, float, str, dict, Series)) and len(index) != self._rows:
            raise _pandas._failure("the length of the values does not match the length of the index")
        self.name = name
        if index is not None:
            self._labels, self._is_numbered = _labels_of(index), False
        elif isinstance(data, Series):
            self._like(data)

    def _set(self, rows, data, sample=None):
        self._rows, self._data, self._sample = rows, data, sample
        self._masks, self._all, self._count, self._is_mask, self.name, self._labels = {}, None, None, False, None, None
        # Whether the labels of the rows are their places.
        self._is_numbered = True

    @classmethod
    def _of(cls, rows, data=None, sample=None):
        self = object.__new__(cls)
        self._set(rows, data, sample)
        return self

    def _like(self, other):
        """With the labels of another column that has these rows."""
        self._labels, self._is_numbered = other._labels, other._is_numbered
        return self

    def _same(self):
        return Series._of(self._rows)._like(self)

    def _aligned(self, other):
        if isinstance(other, DataFrame):
            return DataFrame._of(self._rows, _harp.free_size("columns", 1), None)
        rows = self._rows_with(other)
        return self._same() if rows is self._rows else Series._of(rows)

    def copy(self, deep=True):
        return Series._of(self._rows, self._data, self._sample)._like(self)

    def astype(self, dtype=None, *arguments, **options):
        if isinstance(self._data, np.ndarray) and dtype in (int, float, bool, np.float32, np.float64, np.int64, "float32", "float64", "int64", "int"):
            return Series._of(self._rows, self._data.astype(dtype))._like(self)
        same = Series._of(self._rows)
        same._all = self._distinct() if dtype == "category" else None
        return same

    def _with_rows(self, rows, index=None):
        if isinstance(self._data, np.ndarray):
            part = Series._of(rows, np.empty((rows, *self._data.shape[1:]), dtype=self._data.dtype))
        elif isinstance(self._data, list) and isinstance(index, slice):
            part = Series._of(rows, self._data[index])
        else:
            part = Series._of(rows, None, self._sample)
        part._is_numbered = self._is_numbered and _is_first(index)
        return part

    def _bools(self):
        mask = Series._of(self._rows, np.zeros(self._rows, dtype=bool))
        mask._is_mask = True
        return mask

    def _compared(self, sign, other):
        if not isinstance(other, (str, int, float)):
            return self._bools()
        key = (sign, other)
        if key not in self._masks:
            self._masks[key] = self._bools()
        return self._masks[key]

    def __eq__(self, other):
        return self._compared("==", other)

    def __ne__(self, other):
        return ~self._compared("==", other)

    def __lt__(self, other):
        return self._compared("<", other)

    def __ge__(self, other):
        return ~self._compared("<", other)

    def __gt__(self, other):
        return self._compared(">", other)

    def __le__(self, other):
        return ~self._compared(">", other)

    def __and__(self, other):
        return self._bools()

    __or__ = __rand__ = __ror__ = __xor__ = __and__

    def __invert__(self):
        if "~" not in self._masks:
            mask = self._bools()
            mask._count = self._rows - self._selected()
            self._masks["~"] = mask
            mask._masks["~"] = self
        return self._masks["~"]

    def _selected(self):
        if self._count is None:
            self._count = _harp.free_size("rows", 0)
        return self._count

    def isin(self, values):
        return self._bools()

    def between(self, *arguments, **options):
        return self._bools()

    def duplicated(self, *arguments, **options):
        return self._bools()

    def _distinct(self):
        if self._all is None:
            if isinstance(self._data, list):
                self._all = Index(sorted(set(self._data)))
            else:
                self._all = Index(_pandas._cells((_harp.free_size("categories", 1),)))
        return self._all

    def unique(self):
        return self._distinct().values

    def nunique(self, dropna=True):
        return len(self._distinct())

    def value_counts(self, *arguments, **options):
        return Series._of(len(self._distinct()), np.zeros(len(self._distinct()), dtype=np.int64))

    def factorize(self, *arguments, **options):
        return np.zeros(self._rows, dtype=np.int64), self._distinct()

    def _item(self, index):
        if isinstance(self._data, (list, np.ndarray)) and isinstance(index, int):
            return self._data[index]
        return _harp.outside("cell of a table") if self._sample is None else self._sample

    def __getitem__(self, index):
        rows = _rows_of(index, self._rows)
        if rows is None:
            return self._item(index if self._is_numbered else str(index))
        return self._with_rows(rows, index)

    def __setitem__(self, index, value):
        if isinstance(self._data, list):
            self._data = None

    def __iter__(self):
        if isinstance(self._data, list):
            for item in self._data:
                yield item
        else:
            for i in range(self._rows):
                yield self._item(None)

    def items(self):
        for i in range(self._rows):
            yield i, self._item(None)

    iteritems = items

    def keys(self):
        return self.index

    def __contains__(self, label):
        return bool(_harp.outside("cell of a table"))

    @property
    def values(self):
        if self._data is None:
            self._data = _pandas._cells((self._rows,))
        return np.array(self._data) if isinstance(self._data, list) else self._data

    array = values

    def to_numpy(self, dtype=None, copy=False, na_value=None):
        return self.values if dtype is None else np.asarray(self.values, dtype=dtype)

    def tolist(self):
        if isinstance(self._data, list):
            return list(self._data)
        return [self._item(None) for i in range(self._rows)]

    to_list = tolist

    @property
    def shape(self):
        return (self._rows,)

    @property
    def size(self):
        return self._rows

    @property
    def index(self):
        return Index(np.arange(self._rows))

    @property
    def str(self):
        return _Texts(self)

    @property
    def cat(self):
        return _Categories(self)

    @property
    def dt(self):
        return _Dates(self)

    def map(self, function=None, *arguments, **options):
        if not callable(function):
            return Series._of(self._rows)
        if isinstance(self._data, list) and len(self._data) <= 64:
            return Series._of(self._rows, [function(item) for item in self._data])._like(self)
        return Series._of(self._rows, None, function(self._item(None)))

    apply = transform = map

    def reset_index(self, *arguments, drop=False, **options):
        if not drop:
            return DataFrame._of(self._rows, 2, None)
        return Series._of(self._rows, self._data, self._sample)

    def to_frame(self, name=None):
        return DataFrame({name or self.name or 0: self})

    def _scalar(self, *arguments, **options):
        return _harp.outside("cell of a table")

    mean = sum = std = var = min = max = median = count = quantile = skew = kurt = argmax = argmin = idxmax = idxmin = prod = _scalar
    any = all = item = corr = cov = autocorr = dot = _scalar

    def mode(self, *arguments, **options):
        return Series._of(_harp.free_size("rows", 1))

    def to_dict(self):
        return dict(self.items())

    def explode(self, *arguments, **options):
        return Series._of(_harp.free_size("rows", 1))

    def rename(self, *arguments, **options):
        return self.copy()

    def drop(self, *arguments, **options):
        return self._with_rows(_harp.free_size("rows", 0))

    def nlargest(self, n=5, *arguments, **options):
        return self._with_rows(_harp.free_size("rows", 0))

    nsmallest = nlargest

    def _column_or_unknown(self, name):
        return _harp.unknown("pandas.Series." + name)


class Index(Series):
    def __init__(self, data=None, dtype=None, name=None, **options):
        if isinstance(data, (list, tuple)):
            self._set(len(data), list(data))
        elif isinstance(data, np.ndarray):
            self._set(len(data), data)
        elif isinstance(data, Series):
            self._set(data._rows, data._data, data._sample)
        else:
            self._set(_harp.free_size("rows", 0), None)

    def _same(self):
        return Index._of(self._rows)

    def copy(self, *arguments, **options):
        return Index._of(self._rows, self._data, self._sample)

    def _with_rows(self, rows, index=None):
        part = Series._with_rows(self, rows, index)
        return Index._of(rows, part._data, part._sample)

    def get_loc(self, label):
        if isinstance(self._data, list):
            return self._data.index(label)
        return _harp.outside("cell of a table")

    def difference(self, other):
        names = list(other)
        if isinstance(self._data, list):
            return Index([name for name in self._data if name not in names])
        return Index(None)

    def drop(self, labels):
        return self.difference([labels] if isinstance(labels, str) else labels)

    def __contains__(self, label):
        return label in self._data if isinstance(self._data, list) else bool(_harp.outside("cell of a table"))

    def _column_or_unknown(self, name):
        if name in ("year", "month", "day", "hour", "minute", "dayofweek", "weekday", "dayofyear", "week", "quarter"):
            return Index(np.zeros(self._rows, dtype=np.int64))
        return _harp.unknown("pandas.Index." + name)


class DatetimeIndex(Index):
    pass


class _Dates:
    """`series.dt`"""

    def __init__(self, column):
        self._column = column

    def __getattr__(self, name):
        return self._column._same()


class _Row(Series):
    """A row of a table, whose items are named."""

    def __init__(self, width, table, place):
        self._set(width, None)
        self._table, self._place, self._own = table, place, {}

    def __setitem__(self, name, value):
        if isinstance(name, str):
            self._own[name] = value

    def __getitem__(self, name):
        if isinstance(name, str):
            return self._own[name] if name in self._own else self._cell_of(name)
        if isinstance(name, int):
            return _harp.outside("cell of a table")
        rows = _rows_of(name, self._rows)
        return _Row(rows, self._table, self._place)

    def _cell_of(self, name):
        column = None if self._table is None else self._table[name]
        return _harp.outside("cell of a table") if column is None else column._item(self._place)

    def drop(self, labels=None, *arguments, **options):
        return _Row(self._rows - (1 if isinstance(labels, str) else len(labels)), self._table, self._place)

    def get(self, name, default=None):
        if not isinstance(name, str) or self._table is None or self._table._names is None:
            return self._own[name] if name in self._own else _harp.outside("cell of a table")
        return self[name] if name in self._own or name in self._table._names else default

    def _column_or_unknown(self, name):
        names = None if self._table is None else self._table._names
        if names is not None and name not in names:
            return _harp.unknown("pandas.Series." + name)
        return self._cell_of(name)


class DataFrame(_Values):
    @classmethod
    def _of_anything(cls):
        return DataFrame._of(_harp.free_size("rows", 0), _harp.free_size("columns", 0), None)

    def __init__(self, data=None, index=None, columns=None, dtype=None, copy=None):
        names = None if columns is None else list(columns)
        self._set(0, 0, names)
        self._fill(data, index, names)
        if index is not None:
            self._labels, self._is_numbered = _labels_of(index), False
        if self._names is not None and any(isinstance(name, tuple) for name in self._names):
            # A column is named by each of its levels.
            self._set(self._rows, self._width, None)
            self._has_levels = True

    def _fill(self, data, index, names):
        if data is None:
            self._rows = 0 if index is None else len(index)
            self._is_bare = index is None
            self._names = names or []
            self._width = len(self._names)
        elif isinstance(data, DataFrame):
            self._set(data._rows, data._width, data._names, dict(data._columns))
        elif isinstance(data, dict):
            self._of_columns(data, index, names)
        elif isinstance(data, np.ndarray):
            self._of_array(data, names)
        elif isinstance(data, Series):
            self._set(data._rows, 1, names)
        elif isinstance(data, (list, tuple)) and len(data) > 0:
            self._of_rows(data, names)
        else:
            rows = _harp.free_size("rows", 0)
            self._set(rows, _harp.free_size("columns", 1) if names is None else len(names), names)

    def _of_columns(self, data, index, names):
        self._names = list(data) if names is None else names
        self._rows = None
        if index is not None:
            self._rows = len(index)
        for name, column in data.items():
            if self._rows is None and not isinstance(column, (int, float, str)):
                self._rows = len(column)
            if isinstance(column, (list, np.ndarray)) and len(column) != self._rows:
                raise _pandas._failure("all columns must be of the same length")
        for name, column in data.items():
            self._columns[name] = self._column(column)
        self._width = len(self._names)

    def _of_array(self, data, names):
        width = data.shape[1] if data.ndim > 1 else 1
        if names is not None and len(names) != width:
            raise _pandas._failure("the array and the names of the columns differ in number")
        self._set(len(data), width, names)
        if names is not None and data.ndim > 1 and len(names) <= 64:
            for place, name in enumerate(names):
                self._columns[name] = Series._of(self._rows, data[:, place])

    def _of_rows(self, data, names):
        first = data[0]
        self._rows = len(data)
        if isinstance(first, dict):
            self._names = list(first) if names is None else names
            self._width = len(self._names)
        else:
            self._names = names
            self._width = len(names) if names is not None else len(first) if isinstance(first, (list, tuple, np.ndarray)) else 1

    def _set(self, rows, width, names, columns=None):
        self._rows, self._width, self._names = rows, width, names
        self._columns = {} if columns is None else columns
        self._array, self._labels, self._has_levels, self._is_numbered = None, None, False, True
        # Whether the first column will say how many rows there are.
        self._is_bare = False

    @classmethod
    def _of(cls, rows, width, names, columns=None):
        self = object.__new__(cls)
        self._set(rows, width, names, columns)
        return self

    def _like(self, other):
        """With the labels and levels of another table that has these rows and columns."""
        self._labels, self._has_levels, self._is_numbered = other._labels, other._has_levels, other._is_numbered
        return self

    def _same(self):
        return DataFrame._of(self._rows, self._width, self._names)._like(self)

    def _aligned(self, other):
        if isinstance(other, Series):
            # Its labels are names of columns; one without labels of its own has those of the table, as a mean has.
            if other._labels is None or self._names is not None and all(label in self._names for label in other._labels):
                return self._same()
            return DataFrame._of(self._rows, _harp.free_size("columns", 1), None)
        rows = self._rows_with(other)
        if self._names is None or other._names is None:
            same = self._names is None and other._names is None and self._width is other._width
            return DataFrame._of(rows, self._width if same else _harp.free_size("columns", 1), None)
        names = self._names + [name for name in other._names if name not in self._names]
        return self._same() if rows is self._rows and names == self._names else DataFrame._of(rows, len(names), names)

    def copy(self, deep=True):
        return DataFrame._of(self._rows, self._width, self._names, dict(self._columns))._like(self)

    def _bools(self):
        return DataFrame._of(self._rows, self._width, self._names)

    def _with_rows(self, rows, index=None):
        columns = {name: column._with_rows(rows, index) for name, column in self._columns.items()}
        part = DataFrame._of(rows, self._width, self._names, columns)
        part._is_numbered = self._is_numbered and _is_first(index)
        return part

    def _column(self, value):
        if isinstance(value, Series):
            return value.copy() if value._rows is self._rows else Series._of(self._rows, None, value._sample)
        if isinstance(value, list):
            return Series._of(self._rows, list(value))
        if isinstance(value, np.ndarray):
            return Series._of(self._rows, value)
        return Series._of(self._rows, None, value if isinstance(value, (int, float, str)) else None)

    def _at(self, name):
        if isinstance(name, int) and self._names is not None and name not in self._names:
            name = self._names[name]
        if name not in self._columns:
            self._columns[name] = Series._of(self._rows)
            self._columns[name].name = name
        if not self._is_numbered:
            self._columns[name]._labels, self._columns[name]._is_numbered = self._labels, False
        return self._columns[name]

    def __getitem__(self, index):
        if self._has_levels and isinstance(index, (str, int, tuple)):
            return _harp.unknown("a level of columns")
        if isinstance(index, (str, int)):
            if self._names is not None and index not in self._names:
                raise _pandas._failure("the table has no column of this name")
            return self._at(index)
        if isinstance(index, Series) and index._is_mask:
            return self._with_rows(index._selected())
        if isinstance(index, (list, Index)):
            names = list(index)
            return DataFrame._of(self._rows, len(names), names, {name: self._columns[name] for name in names if name in self._columns})._like(self)
        if isinstance(index, slice):
            return self._with_rows(_rows_of(index, self._rows), index)
        if isinstance(index, DataFrame):
            return self._same()
        return self._with_rows(_harp.free_size("rows", 0))

    def __setitem__(self, index, value):
        self._array = None
        if isinstance(index, (str, int)):
            if isinstance(value, (list, np.ndarray, Series)) and self._is_bare:
                self._rows, self._is_bare = len(value), False
            elif isinstance(value, (list, np.ndarray)) and self._width == 0:
                self._rows = len(value)
            elif isinstance(value, (list, np.ndarray)) and len(value) != self._rows:
                raise _pandas._failure("the length of the values does not match the length of the index")
            self._add(index)
            self._columns[index] = self._column(value)
        elif isinstance(index, (list, Index)):
            for name in index:
                self._add(name)
                self._columns[name] = Series._of(self._rows)

    def _add(self, name):
        if self._names is None:
            if name not in self._columns:
                # Whether the file has a column of this name is not known.
                self._width = _harp.free_size("columns", 1)
        elif name not in self._names:
            self._names = self._names + [name]
            self._width = len(self._names)

    def __delitem__(self, name):
        self._replace(self.drop(columns=[name]))

    def _replace(self, other):
        self._set(other._rows, other._width, other._names, other._columns)
        self._like(other)

    def get(self, key, default=None):
        if isinstance(key, (str, int)) and not self._has_levels and self._names is not None and key not in self._names:
            return default
        return self[key]

    def pop(self, name):
        column = self[name]
        self._replace(self.drop(columns=[name]))
        return column

    def drop(self, labels=None, axis=0, index=None, columns=None, inplace=False, errors="raise", level=None):
        if columns is None and (axis == 1 or axis == "columns"):
            columns = labels
        if columns is None:
            result = self._with_rows(_harp.free_size("rows", 0))
        else:
            names = [columns] if isinstance(columns, str) else list(columns)
            if self._names is not None:
                kept = [name for name in self._names if name not in names]
                width = len(kept)
            else:
                kept = None
                width = self._width - len(names) if errors == "raise" else _harp.free_size("columns", 1)
            result = DataFrame._of(self._rows, width, kept, {name: column for name, column in self._columns.items() if name not in names})
            result._like(self)
        if inplace:
            self._replace(result)
            return None
        return result

    def dropna(self, axis=0, inplace=False, **options):
        if axis == 1 or axis == "columns":
            result = DataFrame._of(self._rows, _harp.free_size("columns", 1), None)
        else:
            result = self._with_rows(_harp.free_size("rows", 0))
        if inplace:
            self._replace(result)
            return None
        return result

    def sort_values(self, by=None, inplace=False, **options):
        if inplace:
            return None
        return self._with_rows(self._rows)

    def fillna(self, value=None, inplace=False, **options):
        return None if inplace else self._same()

    def replace(self, to_replace=None, value=None, inplace=False, **options):
        return None if inplace else self._same()

    def reset_index(self, level=None, drop=False, inplace=False, **options):
        if inplace and drop:
            return None
        if drop:
            return self.copy()
        # The new column has the name of the index, which is not followed.
        return DataFrame._of(self._rows, self._width + 1, None, dict(self._columns))

    def set_index(self, keys, drop=True, inplace=False, **options):
        result = self.drop(columns=[keys] if isinstance(keys, str) else keys) if isinstance(keys, (str, list)) else self.copy()
        result._is_numbered = False
        if inplace:
            self._replace(result)
            return None
        return result

    def rename(self, mapper=None, columns=None, inplace=False, **options):
        names = self._names
        if isinstance(columns, dict) and names is not None:
            names = [columns[name] if name in columns else name for name in names]
        elif columns is not None:
            names = None
        result = DataFrame._of(self._rows, self._width, names)
        if inplace:
            self._replace(result)
            return None
        return result

    def assign(self, **columns):
        result = self.copy()
        for name, value in columns.items():
            result[name] = value(result) if callable(value) else value
        return result

    def insert(self, loc, column, value, allow_duplicates=False):
        self[column] = value
        names = self._names
        if names is not None and isinstance(loc, int):
            names = [name for name in names if name != column]
            self._names = names[:loc] + [column] + names[loc:]

    def filter(self, items=None, like=None, regex=None, axis=None):
        if items is not None:
            return self[list(items)]
        if like is not None and self._names is not None:
            return self[[name for name in self._names if like in name]]
        return DataFrame._of(self._rows, _harp.free_size("columns", 0), None)

    def select_dtypes(self, include=None, exclude=None):
        return DataFrame._of(self._rows, _harp.free_size("columns", 0), None)

    def query(self, expression, **options):
        return self._with_rows(_harp.free_size("rows", 0))

    def nlargest(self, n, *arguments, **options):
        return self._with_rows(_harp.free_size("rows", 0))

    nsmallest = nlargest

    def merge(self, right, how="inner", on=None, left_on=None, right_on=None, left_index=False, right_index=False, sort=False, suffixes=("_x", "_y"), **options):
        rows = _harp.free_size("rows", 0)
        if isinstance(right, Series) or self._names is None or right._names is None:
            width = _harp.free_size("columns", 1)
            if on is not None and not isinstance(right, Series):
                width = self._width + right._width - (1 if isinstance(on, str) else len(on))
            return DataFrame._of(rows, width, None)
        shared = [name for name in self._names if name in right._names]
        keys = shared if on is None and left_on is None else [on] if isinstance(on, str) else on if on is not None else []
        doubled = [name for name in shared if name not in keys]
        first, second = suffixes[0] or "", suffixes[1] or ""
        left = [name + first if name in doubled else name for name in self._names]
        names = left + [name + second if name in doubled else name for name in right._names if name not in keys]
        return DataFrame._of(rows, len(names), names)

    def join(self, other, on=None, how="left", lsuffix="", rsuffix="", **options):
        names = None
        if self._names is not None and other._names is not None:
            doubled = [name for name in self._names if name in other._names]
            left = [name + lsuffix if name in doubled else name for name in self._names]
            names = left + [name + rsuffix if name in doubled else name for name in other._names]
        return DataFrame._of(_harp.free_size("rows", 0), self._width + other._width, names)

    def apply(self, function, axis=0, **options):
        if axis == 1 or axis == "columns":
            return Series._of(self._rows, None, function(_Row(self._width, self, None)))
        function(Series._of(self._rows))
        return self._same()

    applymap = map = _Values._unary

    def stack(self, *arguments, **options):
        return Series._of(_harp.free_size("rows", 1))

    def pivot(self, *arguments, **options):
        return DataFrame._of(_harp.free_size("rows", 1), _harp.free_size("columns", 1), None)

    pivot_table = melt = unstack = pivot

    def _of_each_column(self, axis=0, *arguments, **options):
        return Series._of(self._rows if axis == 1 or axis == "columns" else self._width)

    mean = sum = std = var = min = max = median = count = quantile = skew = any = all = nunique = prod = idxmax = idxmin = _of_each_column

    def describe(self, *arguments, **options):
        return DataFrame._of(8, self._width, self._names)

    def corr(self, *arguments, **options):
        return DataFrame._of(self._width, self._width, self._names)

    cov = corr

    def info(self, *arguments, **options):
        return None

    def duplicated(self, *arguments, **options):
        return Series._of(self._rows)._bools()

    def isin(self, values):
        return self._bools()

    def eq(self, other):
        return self._bools()

    @property
    def values(self):
        if self._array is None:
            names = self._names
            if names is not None and 0 < len(names) <= 32 and all(self._is_number(name) for name in names):
                self._array = np.stack([self._columns[name]._data for name in names], axis=1)
            else:
                self._array = _pandas._cells((self._rows, self._width))
        return self._array

    def _is_number(self, name):
        column = self._columns.get(name)
        return column is not None and isinstance(column._data, np.ndarray) and column._data.ndim == 1

    def to_numpy(self, dtype=None, copy=False, na_value=None):
        return self.values if dtype is None else np.asarray(self.values, dtype=dtype)

    @property
    def shape(self):
        return (self._rows, self._width)

    @property
    def size(self):
        return self._rows * self._width

    @property
    def ndim(self):
        return 2

    @property
    def columns(self):
        if self._names is not None:
            return Index(self._names)
        return Index(_pandas._cells((self._width,)))

    @columns.setter
    def columns(self, names):
        self._names = list(names)
        self._columns = {}

    @property
    def index(self):
        return Index(np.arange(self._rows))

    @index.setter
    def index(self, labels):
        self._labels, self._is_numbered = _labels_of(labels), False

    @property
    def T(self):
        return DataFrame._of(self._width, self._rows, None)

    transpose = T

    def __iter__(self):
        return iter(self.columns)

    def __contains__(self, name):
        return name in self._names if self._names is not None else bool(_harp.outside("cell of a table"))

    def keys(self):
        return self.columns

    def items(self):
        for name in self.columns:
            yield name, self[name]

    def iterrows(self):
        for place in range(self._rows):
            yield _harp.outside("cell of a table"), _Row(self._width, self, None)

    def itertuples(self, index=True, name="Pandas"):
        for place in range(self._rows):
            yield _Row(self._width + (1 if index else 0), self, None)

    def to_dict(self, orient="dict", *arguments, **options):
        if orient == "records":
            return [_Row(self._width, self, None) for place in range(self._rows)]
        return {name: self[name].tolist() for name in self.columns}

    def _column_or_unknown(self, name):
        if self._names is None or name in self._names:
            return self._at(name)
        return _harp.unknown("pandas.DataFrame." + name)


def _column_of_cells(cells):
    if len(cells) > 0 and not isinstance(cells[0], str):
        return Series._of(len(cells), np.array(cells))
    return Series._of(len(cells), cells)


def _read(path=None, sep=None, delimiter=None, header="infer", names=None, index_col=None, usecols=None, nrows=None, chunksize=None, **options):
    kept = _pandas._kept(path)
    written = None
    if names is None and header in ("infer", 0) and nrows is None and not options:
        written = _pandas._text_table(path, sep or delimiter or ",")
    if isinstance(kept, DataFrame) and names is None:
        table = kept.copy()
    elif written is not None:
        known, rows, cells = written
        columns = {name: _column_of_cells(cell) for name, cell in zip(known, cells)}
        table = DataFrame._of(rows, len(known), known, columns)
    else:
        known = None if names is None else list(names)
        table = DataFrame._of(_harp.free_size("rows", 1), _harp.free_size("columns", 1) if known is None else len(known), known)
    if usecols is not None and isinstance(usecols, (list, tuple)):
        table = table.iloc[:, list(usecols)] if len(usecols) > 0 and isinstance(usecols[0], int) else table[list(usecols)]
    if chunksize is not None:
        return [table._with_rows(_harp.free_size("rows", 1))]
    if isinstance(index_col, (str, int)) and not isinstance(index_col, bool):
        table = table.drop(columns=[index_col]) if isinstance(index_col, str) else table.iloc[:, 1:]
        table._is_numbered = False
    return table


def read_table(path=None, sep="\t", **options):
    return _read(path, sep, **options)


read_csv = read_parquet = read_feather = read_pickle = read_json = read_hdf = read_excel = read_fwf = _read


def concat(objs, axis=0, join="outer", ignore_index=False, **options):
    parts = [part for part in (objs.values() if isinstance(objs, dict) else objs) if part is not None]
    first = parts[0]
    if axis == 1 or axis == "columns":
        width, names = 0, []
        for part in parts:
            width = width + (1 if isinstance(part, Series) else part._width)
            names = None if names is None or isinstance(part, Series) or part._names is None else names + part._names
        return DataFrame._of(first._rows, width, names)
    rows = 0
    for part in parts:
        rows = rows + part._rows
    if isinstance(first, Series):
        return Series._of(rows)
    # A table without columns adds none.
    with_columns = [part for part in parts if part._names is None or len(part._names) > 0]
    if len(with_columns) == 0:
        return DataFrame._of(rows, first._width, first._names)
    first = with_columns[0]
    for part in with_columns:
        # Tables with other columns give the columns of all.
        if (part._names is None) != (first._names is None) or first._names is not None and part._names != first._names:
            return DataFrame._of(rows, _harp.free_size("columns", 1), None)
    return DataFrame._of(rows, first._width, first._names)


def merge(left, right, how="inner", on=None, **options):
    return left.merge(right, how=how, on=on, **options)


def get_dummies(data, prefix=None, prefix_sep="_", dummy_na=False, columns=None, sparse=False, drop_first=False, dtype=None):
    less = 1 if drop_first else 0
    if isinstance(data, Series):
        return DataFrame._of(data._rows, len(data._distinct()) - less, None)
    if columns is None:
        return DataFrame._of(data._rows, _harp.free_size("columns", 1), None)
    rest = data.drop(columns=list(columns))
    names, width, made = rest._names, rest._width, dict(rest._columns)
    for column in columns:
        distinct = data[column]._distinct()
        width = width + len(distinct) - less
        if names is not None and isinstance(distinct._data, list):
            fresh = [str(column) + prefix_sep + str(item) for item in distinct._data[less:]]
            names = names + fresh
            for name in fresh:
                made[name] = Series._of(data._rows, np.zeros(data._rows))
        else:
            names = None
    return DataFrame._of(data._rows, width, names, made)


def factorize(values, *arguments, **options):
    column = values if isinstance(values, Series) else Series(values)
    return column.factorize()


def unique(values):
    return (values if isinstance(values, Series) else Series(values)).unique()


def to_numeric(values, *arguments, **options):
    return values


def to_datetime(values, *arguments, **options):
    return _harp.outside("time") if isinstance(values, (str, int, float)) else values


def isna(value):
    if isinstance(value, (str, bool, int, float)) or value is None:
        return bool(_harp.outside("cell of a table"))
    if isinstance(value, np.ndarray):
        return _harp.array(value.shape, bool)
    return value.isna() if isinstance(value, (Series, DataFrame)) else bool(_harp.outside("cell of a table"))


isnull = notna = notnull = isna


def date_range(start=None, end=None, periods=None, freq=None, **options):
    return Index(np.zeros(_harp.free_size("rows", 1) if periods is None else periods))


def cut(x, bins, *arguments, retbins=False, **options):
    parts = Series._of(len(x))
    return (parts, np.zeros(_harp.free_size("edges", 2))) if retbins else parts


qcut = cut


def set_option(*arguments, **options):
    pass


def Categorical(values, categories=None, ordered=None):
    column = Series(values)
    return column.astype("category")
