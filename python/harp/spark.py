"""Harp on Spark: a DataFrame with a row per file becomes one with a row per repository. Needs Spark 3.3 or newer, and
`harp-check` and `pyarrow` on every worker.

    import harp.spark

    answers = harp.spark.audit(spark.read.parquet("files/"), columns={"repo": "repo_name"}).persist()
    harp.spark.findings(answers).write.parquet("findings")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional

from harp import _stream
from harp._program import arguments, column_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

# Tasks for each processor of the cluster: the last ones to end keep few processors waiting.
_TASKS_PER_PROCESSOR = 32


def audit(
    df: "DataFrame",
    *,
    columns: Optional[Mapping[str, str]] = None,
    partitions: Optional[int] = None,
    jobs: int = 1,
    program: Optional[str] = None,
    **options: Any,
) -> "DataFrame":
    """Analyses the repositories in a DataFrame with a row per file; gives one with a row per repository.

    columns, options: as for `harp.audit`. Paths, such as those of packs, are paths on the workers.
    partitions: how many tasks there are; otherwise 32 for each processor of the cluster.
    jobs: how many repositories a task analyses at once; set `spark.task.cpus` to as many.
    program: the path of `harp` on the driver and the workers, where it is not the installed one.
    """
    functions = _stream.needed("pyspark.sql.functions")
    names = column_names(columns)
    # Mistakes are told here rather than by a task.
    arguments(names, jobs, options)
    files = df.select([name for known, name in names.items() if known != "revision" or name in df.columns])
    repository, path = functions.col(_quoted(names["repository"])), functions.col(_quoted(names["path"]))
    # A number, or Spark would join small partitions: what an analysis costs is not told by bytes.
    files = files.repartition(partitions or _partitions(df), repository).sortWithinPartitions(repository, path)

    def analysed(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        wanted = None
        for answer in _stream.answers(batches, names, jobs, options, program):
            wanted = wanted or _signed_schema(answer.schema)
            yield from _stream.needed("pyarrow").Table.from_batches([answer]).cast(wanted).to_batches()

    return files.mapInArrow(analysed, _ddl(_signed_schema(_stream.schema(program))))


def findings(df: "DataFrame") -> "DataFrame":
    """A row for each finding in what `audit` gives. Both tables are computed from it: `persist()` or write it first."""
    return df.selectExpr("repository", "revision", "inline(findings)")


def repositories(df: "DataFrame") -> "DataFrame":
    """A row for each repository in what `audit` gives, without its lists."""
    return df.drop("paths", "findings")


def _partitions(df: "DataFrame") -> int:
    try:
        return _TASKS_PER_PROCESSOR * df.sparkSession.sparkContext.defaultParallelism
    except Exception:  # noqa: BLE001 (Spark Connect does not tell, in a way that differs between versions)
        return int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)


def _quoted(name: str) -> str:
    return "`{}`".format(name.replace("`", "``"))


def _signed_schema(schema: "pa.Schema") -> "pa.Schema":
    """The same with the numbers that Spark has."""
    pa = _stream.needed("pyarrow")
    return pa.schema([_signed(pa, field) for field in schema])


def _signed(pa: Any, field: "pa.Field") -> "pa.Field":
    kind = field.type
    if pa.types.is_list(kind):
        kind = pa.list_(_signed(pa, kind.value_field))
    elif pa.types.is_struct(kind):
        kind = pa.struct([_signed(pa, kind.field(at)) for at in range(kind.num_fields)])
    else:
        kind = {pa.uint32(): pa.int32(), pa.uint64(): pa.int64()}.get(kind, kind)
    return pa.field(field.name, kind, field.nullable)


def _ddl(schema: "pa.Schema") -> str:
    """The schema in Spark's words."""
    return ", ".join("{} {}".format(_quoted(field.name), _kind(field.type)) for field in schema)


def _kind(kind: "pa.DataType") -> str:
    pa = _stream.needed("pyarrow")
    if pa.types.is_list(kind):
        return "array<{}>".format(_kind(kind.value_type))
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return "struct<{}>".format(", ".join("{}: {}".format(_quoted(it.name), _kind(it.type)) for it in fields))
    return {pa.string(): "string", pa.bool_(): "boolean", pa.int32(): "int", pa.int64(): "bigint"}[kind]
