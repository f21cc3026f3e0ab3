"""Harp on Ray Data: a Dataset with a row per file becomes one with a row per repository. Needs `harp-check` on every node.

    import harp.ray, ray

    answers = harp.ray.audit(ray.data.read_parquet("files/"), columns={"repo": "repo_name"}).materialize()
    harp.ray.findings(answers).write_parquet("findings")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

from harp import _stream, _tables
from harp._program import arguments, column_names

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset


def audit(
    ds: "Dataset",
    *,
    columns: Optional[Mapping[str, str]] = None,
    num_partitions: Optional[int] = None,
    ray_remote_args: Optional[Mapping[str, Any]] = None,
    program: Optional[str] = None,
    **options: Any,
) -> "Dataset":
    """Analyses the repositories in a Dataset with a row per file; gives one with a row per repository.

    columns, options: as for `harp.audit`. Paths, such as those of packs, are paths on the nodes.
    num_partitions: into how many parts Ray groups the rows, where its own choice does not do.
    ray_remote_args: what a task needs, such as `{"num_cpus": 1, "memory": 3 << 30}`.
    program: the path of `harp` on the nodes, where it is not the installed one.

    Each repository is a group, which Ray keeps whole: a task holds one repository rather than a partition of them.
    """
    _stream.needed("ray.data")
    names = column_names(columns)
    # Mistakes are told here rather than by a task.
    arguments(names, 1, options)
    there = ds.columns() or []
    files = ds.select_columns([name for known, name in names.items() if known != "revision" or name in there])

    def analysed(group: "pa.Table") -> "pa.Table":
        return _tables.audit(group, columns=names, jobs=1, program=program, **options)

    groups = files.groupby(names["repository"], num_partitions=num_partitions)
    return groups.map_groups(analysed, batch_format="pyarrow", **{"num_cpus": 1, **(ray_remote_args or {})})


def findings(ds: "Dataset") -> "Dataset":
    """A row for each finding in what `audit` gives. Both tables are computed from it: `materialize()` it first."""
    return ds.map_batches(_tables.findings, batch_format="pyarrow")


def repositories(ds: "Dataset") -> "Dataset":
    """A row for each repository in what `audit` gives, without its lists."""
    return ds.map_batches(_tables.repositories, batch_format="pyarrow")
