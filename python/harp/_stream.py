"""Streams record batches through a process of `harp audit`."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from harp._program import COLUMNS, arguments, program

if TYPE_CHECKING:
    import pyarrow as pa

# So many rows go to the program at once.
ROWS_AT_ONCE = 512
# Of what a failed program says, an exception has the last bytes.
_LONGEST_SAID = 4096
# Ends the process group and removes the folder when this process has ended, however it ended.
_GUARD = 'read -r _; kill -s KILL -- "-$1"; rm -rf -- "$2"'


class AuditError(RuntimeError):
    """`harp audit` failed as a whole; the message has what it said."""


def needed(name: str) -> Any:
    """A module that this package does not install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError("this needs `{0}`: pip install {0}".format(name.split(".")[0])) from error


class _Process:
    """The program, with what goes away with it."""

    def __init__(self, words: Sequence[str]) -> None:
        self.folder = tempfile.mkdtemp(prefix="harp-")
        self.said = tempfile.TemporaryFile()
        self.guard: Optional[subprocess.Popen[bytes]] = None
        self.child: subprocess.Popen[bytes]
        environment = dict(os.environ, TMPDIR=self.folder, TMP=self.folder, TEMP=self.folder)
        try:
            # A process group of its own, so that the processes of repositories end with it.
            self.child = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        assert self.child.stdin is not None and self.child.stdout is not None
        self.input, self.output = self.child.stdin, self.child.stdout
        if os.path.exists("/bin/sh"):
            guard = ["/bin/sh", "-c", _GUARD, "sh", str(self.child.pid), self.folder]
            null = subprocess.DEVNULL
            self.guard = subprocess.Popen(guard, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True)

    def kill(self) -> None:
        """Ends the program and the processes that it started."""
        if self.child.poll() is None:
            try:
                os.killpg(self.child.pid, signal.SIGKILL)
            except (AttributeError, ProcessLookupError):
                self.child.kill()

    def end(self) -> Tuple[int, str]:
        """Waits for the program, which has nothing more to do; gives its exit code and what it said last."""
        if self.guard is not None:
            # Before the number of the process can become that of another one.
            self.guard.kill()
            self.guard.communicate()
            self.guard = None
        code = self.child.wait()
        self.output.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.said.closed:
            return code, ""
        with self.said:
            self.said.seek(max(0, self.said.seek(0, os.SEEK_END) - _LONGEST_SAID))
            return code, self.said.read().decode(errors="replace").strip() or "it says nothing"


def answers(
    batches: Iterable["pa.RecordBatch"],
    columns: Mapping[str, str],
    jobs: int,
    options: Mapping[str, Any],
    path: Optional[str] = None,
) -> Iterator["pa.RecordBatch"]:
    """A row for each repository in `batches`, whose rows of a repository follow each other.

    A thread feeds the program while its answers are read, so that neither waits for the other. The program ends where
    the iterator is closed, and where this process is killed.
    """
    pa = needed("pyarrow")
    remaining = iter(batches)
    first = next(remaining, None)
    if first is None:
        return
    check(first.schema, columns)
    process = _Process([program(path), *arguments(columns, jobs, options)])
    broken: List[BaseException] = []

    def feed() -> None:
        try:
            writer = pa.ipc.new_stream(process.input, _readable(first, columns).schema)
            for batch in itertools.chain([first], remaining):
                for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                    writer.write_batch(_readable(batch.slice(start, ROWS_AT_ONCE), columns))
            writer.close()
        except BrokenPipeError:
            # The program has ended; its exit code tells why.
            pass
        except BaseException as error:  # noqa: BLE001 (it is raised by the other thread)
            broken.append(error)
            # Or it would take what it has for everything.
            process.kill()
        finally:
            with contextlib.suppress(BrokenPipeError):
                process.input.close()

    feeder = threading.Thread(target=feed, name="harp", daemon=True)
    feeder.start()
    is_whole = False
    try:
        try:
            yield from pa.ipc.open_stream(process.output)
            is_whole = True
        except (pa.ArrowInvalid, OSError):
            # What was read is not a stream: the program failed, or was killed.
            process.output.close()
        feeder.join()
        code, said = process.end()
        if broken:
            raise broken[0]
        if code != 0 or not is_whole:
            raise AuditError("`harp audit` failed with exit code {}: {}".format(code, said))
    finally:
        process.kill()
        process.end()


def check(there: "pa.Schema", columns: Mapping[str, str]) -> None:
    """Tells which column is missing."""
    for known in ("repository", "path", "content"):
        if columns[known] not in there.names:
            raise ValueError("there is no column `{}` among {}".format(columns[known], ", ".join(there.names)))


def _readable(batch: "pa.RecordBatch", columns: Mapping[str, str]) -> "pa.RecordBatch":
    """The columns that the program reads, without rows that it would fail on.

    A file without a repository belongs to none. One without a path is counted as skipped.
    """
    import pyarrow.compute as pc

    pa = needed("pyarrow")
    wanted = [name for name in columns.values() if name in batch.schema.names]
    read = [batch.column(name) for name in wanted]
    # Columns of pandas: without any value they have no type, and categories are dictionaries.
    read = [column.cast(pa.string()) if pa.types.is_null(column.type) else column for column in read]
    read = [column.dictionary_decode() if pa.types.is_dictionary(column.type) else column for column in read]
    batch = pa.RecordBatch.from_arrays(read, names=wanted)
    repository, path = columns["repository"], columns["path"]
    if batch.column(repository).null_count:
        batch = batch.filter(pc.is_valid(batch.column(repository)))
    if batch.column(path).null_count:
        index = wanted.index(path)
        filled = pc.fill_null(batch.column(path), pa.scalar("", batch.column(path).type))
        batch = pa.RecordBatch.from_arrays([*batch.columns[:index], filled, *batch.columns[index + 1 :]], names=wanted)
    return batch


@functools.lru_cache(maxsize=None)
def schema(path: Optional[str] = None) -> "pa.Schema":
    """The columns of answers, as the program has them."""
    pa = needed("pyarrow")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([(name, pa.string()) for name in COLUMNS.values()])):
        pass
    words = [program(path), *arguments(COLUMNS, 1, {})]
    done = subprocess.run(words, input=sink.getvalue().to_pybytes(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise AuditError("`harp audit` failed with exit code {}: {}".format(done.returncode, said))
    return pa.ipc.open_stream(done.stdout).schema


def processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
