"""Tables of this machine: Arrow, pandas, and whatever gives Arrow's record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Mapping, Optional, Union

from harp import _stream
from harp._program import column_names

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Files = Union[pa.Table, pd.DataFrame, Iterable[pa.RecordBatch]]


def audit(
    table: "Files",
    *,
    columns: Optional[Mapping[str, str]] = None,
    jobs: int = 0,
    is_sorted: bool = False,
    program: Optional[str] = None,
    **options: Any,
) -> "pa.Table":
    """Analyses the repositories in a table with a row per file; gives a table with a row per repository.

    table: a `pyarrow.Table`, a `pandas.DataFrame`, an object with Arrow's stream interface (Polars, DuckDB), or an
        iterable of record batches.
    columns: the names of the columns, such as `{"repo": "repo_name", "content": "text"}`; otherwise `repository`,
        `revision` (may be missing), `path` and `content` (text or bytes).
    jobs: how many repositories are analysed at once; 0 means one per processor.
    is_sorted: rows of a repository follow each other; then record batches are not gathered before they are analysed.
    program: the path of `harp`, where it is not the installed one.
    options: those of `harp audit`, such as `select="torch"`, `pack=["acme"]`, `time_limit=60`.
    """
    names = column_names(columns)
    batches = _batches(table) if is_sorted else _sorted(_table(table), names)
    answers = _stream.answers(batches, names, jobs or _stream.processors(), options, program)
    pa = _stream.needed("pyarrow")
    return pa.Table.from_batches(answers, schema=_stream.schema(program))


def findings(table: "pa.Table") -> "pa.Table":
    """A row for each finding in what `audit` gives: the columns of `findings.parquet`."""
    pa = _stream.needed("pyarrow")
    names = ["repository", "revision"]
    listed = table.schema.field("findings").type.value_type
    fields = [table.schema.field(name) for name in names] + [listed.field(at) for at in range(listed.num_fields)]
    schema = pa.schema(fields, metadata=table.schema.metadata)
    rows = []
    for batch in table.to_batches():
        lists = batch.column(table.schema.get_field_index("findings"))
        parents = [row for row, found in enumerate(lists) for _ in range(len(found))]
        own = [batch.column(name).take(pa.array(parents, pa.int64())) for name in names]
        rows.append(pa.RecordBatch.from_arrays(own + lists.flatten().flatten(), schema=schema))
    return pa.Table.from_batches(rows, schema=schema)


def repositories(table: "pa.Table") -> "pa.Table":
    """A row for each repository in what `audit` gives: the columns of `repositories.parquet`, without `duplicate_of` and `key`."""
    return table.select([name for name in table.column_names if name not in ("paths", "findings")])


def _batches(table: "Files") -> Iterator["pa.RecordBatch"]:
    pa = _stream.needed("pyarrow")
    if type(table).__module__.split(".")[0] == "pandas":
        table = pa.Table.from_pandas(table, preserve_index=False)
    if hasattr(table, "to_batches"):
        yield from table.to_batches(max_chunksize=_stream.ROWS_AT_ONCE)
    elif hasattr(table, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(table)
    else:
        yield from table


def _table(table: "Files") -> "pa.Table":
    pa = _stream.needed("pyarrow")
    if isinstance(table, pa.Table):
        return table
    batches = list(_batches(table))
    return pa.Table.from_batches(batches) if batches else pa.table({})


def _sorted(table: "pa.Table", names: Dict[str, str]) -> Iterator["pa.RecordBatch"]:
    """The rows by repository, those of one in their order."""
    import pyarrow.compute as pc

    pa = _stream.needed("pyarrow")
    if not table.num_rows:
        return
    _stream.check(table.schema, names)
    table = table.select([name for name in names.values() if name in table.column_names])
    # Columns of more than 2 GiB in all have no other form.
    large = [pa.field(it.name, _large(pa, it.type)) for it in table.schema]
    table = table.cast(pa.schema(large)).combine_chunks()
    order = pc.sort_indices(table, sort_keys=[(names["repository"], "ascending")])
    for start in range(0, len(order), _stream.ROWS_AT_ONCE):
        yield from table.take(order.slice(start, _stream.ROWS_AT_ONCE)).to_batches()


def _large(pa: Any, kind: "pa.DataType") -> "pa.DataType":
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    # By name: older versions of PyArrow have no views.
    large = {"string": "large_string", "string_view": "large_string", "binary": "large_binary", "binary_view": "large_binary"}
    name = large.get(str(kind))
    return pa.type_for_alias(name) if name else kind
