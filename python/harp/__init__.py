"""Harp as a library: audits tables of Python files, a row per file, with the program `harp` that the wheel brings.

    import harp, pyarrow.parquet as pq

    answers = harp.audit(pq.read_table("files.parquet"))
    findings, repositories = harp.findings(answers), harp.repositories(answers)

`harp.spark` and `harp.ray` do the same on clusters. docs/audit.md describes the tables.
"""

from harp._program import program
from harp._stream import AuditError
from harp._tables import audit, findings, repositories

__all__ = ["AuditError", "audit", "findings", "program", "repositories"]
