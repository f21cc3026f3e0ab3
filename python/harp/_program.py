"""Finds the program, and turns arguments of Python into those of `harp audit`."""

from __future__ import annotations

import os
import shutil
import sysconfig
from typing import Any, Dict, List, Mapping, Optional

# The names of the columns that are read, where the caller names no others.
COLUMNS = {"repository": "repository", "revision": "revision", "path": "path", "content": "content"}

# What an engine does itself, or what names files of one machine.
_OF_THE_COMMAND = {"out", "shard", "retry", "since", "sarif", "facts", "list", "names", "fetch", "revision", "stdin", "stdout", "one"}


def program(path: Optional[str] = None) -> str:
    """The path of the program: `path`, or the one that was installed with this package, or the one on `PATH`."""
    if path is not None:
        return os.fspath(path)
    folder = sysconfig.get_path("scripts")
    found = shutil.which("harp", path=folder) or shutil.which("harp")
    if found is None:
        raise FileNotFoundError(
            "there is no program `harp` in {} or on PATH: install `harp-check`, or pass program=".format(folder)
        )
    return found


def column_names(columns: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """The names of all four columns."""
    given = {("repository" if known == "repo" else known): name for known, name in (columns or {}).items()}
    for known, name in given.items():
        if known not in COLUMNS:
            raise ValueError("`{}` is not one of repo, revision, path and content".format(known))
        if not name or name != name.strip() or "," in name:
            raise ValueError("`{}` cannot be passed as the name of a column; rename the column".format(name))
    return {**COLUMNS, **given}


def arguments(columns: Mapping[str, str], jobs: int, options: Mapping[str, Any]) -> List[str]:
    """The arguments of `harp audit` as a filter of streams.

    `select="torch"` becomes `--select torch`, `pack=["a", "b"]` becomes `--pack a --pack b`, `certain_only=True`
    becomes `--certain-only`; `None` and `False` become nothing.
    """
    pairs = ",".join("{}={}".format(known, name) for known, name in columns.items())
    words = ["audit", "--stdin", "arrow", "--stdout", "arrow", "--jobs", str(jobs), "--columns", pairs]
    for name, value in sorted(options.items()):
        if name in _OF_THE_COMMAND:
            raise TypeError("`{}` is an option of the command `harp audit` only".format(name))
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
            words.extend("{}={}".format(option, os.fspath(it) if isinstance(it, os.PathLike) else it) for it in values)
    return words
