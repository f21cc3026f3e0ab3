"""What `harp audit` finds in a table of files, the package `harp` finds in Arrow, pandas, DuckDB, Spark and Ray: also with
rows that are scattered or damaged, and where a worker is killed in the middle.

    HARP=target/debug/harp PYTHONPATH=$PWD/python python -m unittest discover --start-directory tests/engines

The examples of docs/audit.md are run besides, in a folder with the inputs that it names. Engines that are not installed are left out. `.ci/engines` installs all of them.
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import corpus
import harp
from harp import _stream

ROOT = Path(__file__).resolve().parents[2]
HARP = str(Path(os.environ.get("HARP", ROOT / "target/debug/harp")).resolve())
KEY = ["repository", "path", "line", "column", "rule", "fingerprint", "message"]
STATE = ["repository", "status", "files", "lines", "finding_count"]
FILES = pa.schema([("repository", pa.string()), ("revision", pa.string()), ("path", pa.string()), ("content", pa.binary())])
# What no table should have, and some do.
DAMAGED = [
    {"repository": None, "revision": None, "path": "a.py", "content": "x = 1\n"},
    {"repository": "acme/fits", "revision": "r1", "path": None, "content": "x = 1\n"},
]


def table(rows):
    encoded = [dict(row, content=None if row["content"] is None else row["content"].encode()) for row in rows]
    return pa.Table.from_pylist(encoded, schema=FILES)


def values(rows, names):
    """Rows as sorted tuples of some columns."""
    columns = [rows.column(name).to_pylist() for name in names]
    return sorted(zip(*columns))


def blocks(*languages):
    """The fenced blocks of docs/audit.md: pairs of a language and a text."""
    found, fence = [], None
    for line in (ROOT / "docs/audit.md").read_text().splitlines():
        if fence is None and line.startswith("```"):
            fence = line[3:]
            found.append((fence, []))
        elif line == "```":
            fence = None
        elif fence is not None:
            found[-1][1].append(line)
    return [(language, "\n".join(lines) + "\n") for language, lines in found if language in languages]


def engine_of(block):
    return next((engine for engine in ("spark", "ray") if f"import harp.{engine}\n" in block), None)


def running(word):
    """The processes with this word in their command lines."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in process.read_bytes():
                found.append(process.parent.name)
        except OSError:
            pass
    return found


def setUpModule():
    """The corpus as files, and what the command says of it. All tests work in one folder."""
    folder = Path(tempfile.mkdtemp(prefix="engines-")).resolve()
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    unittest.addModuleCleanup(os.chdir, os.getcwd())
    os.chdir(folder)
    Engines.folder = folder
    Engines.files = str(folder / "files.parquet")
    pq.write_table(table(corpus.scattered()), Engines.files, row_group_size=7)
    Engines.damaged = str(folder / "damaged.parquet")
    pq.write_table(table(corpus.scattered() + DAMAGED), Engines.damaged)
    # What the page says finds the program on `PATH`.
    (folder / "bin").mkdir()
    (folder / "bin/harp").symlink_to(HARP)
    os.environ["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    out = Engines.command("all")
    Engines.findings = values(pq.read_table(out / "findings.parquet"), KEY)
    Engines.states = values(pq.read_table(out / "repositories.parquet"), STATE)
    Engines.schemas = [pq.read_schema(out / name) for name in ("findings.parquet", "repositories.parquet")]


class Engines(unittest.TestCase):
    @classmethod
    def command(cls, name, *arguments):
        out = cls.folder / name
        subprocess.run([HARP, "audit", cls.files, "--out", out, *arguments], check=True, stdout=subprocess.DEVNULL)
        return out

    def same(self, findings, repositories):
        self.assertEqual(values(findings, KEY), self.findings)
        self.assertEqual(values(repositories, STATE), self.states)

    def nothing_is_left(self, word, folder):
        """No process has this word in its command line, and nothing lies in the folder of temporary files."""
        until = time.monotonic() + 20
        while time.monotonic() < until and (running(word) or list(folder.glob("harp-*"))):
            time.sleep(0.2)
        self.assertEqual(running(word), [])
        self.assertEqual(list(folder.glob("harp-*")), [])


class Tables(Engines):
    def test_the_corpus_has_what_the_others_are_compared_with(self):
        self.assertEqual(len(self.states), 18)
        self.assertGreaterEqual(len(self.findings), 15)
        self.assertEqual({state[1] for state in self.states}, {"ok", "no target"})

    def test_shards_are_the_whole(self):
        parts = [(self.command(f"shard-{it}", "--shard", f"{it}/2"), it) for it in (1, 2)]
        names = ["findings", "repositories"]
        read = [pa.concat_tables(pq.read_table(out / f"{name}-{it}-of-2.parquet") for out, it in parts) for name in names]
        self.same(*read)
        counts = [pq.read_metadata(out / f"repositories-{it}-of-2.parquet").num_rows for out, it in parts]
        self.assertTrue(all(counts), counts)

    def test_arrow(self):
        answers = harp.audit(table(corpus.scattered() + DAMAGED), program=HARP)
        findings, repositories = harp.findings(answers), harp.repositories(answers)
        self.same(findings, repositories)
        self.assertTrue(findings.schema.equals(self.schemas[0], check_metadata=True))
        more = ["duplicate_of", "key"]
        self.assertEqual(repositories.schema.names + more, self.schemas[1].names)
        # Sliced answers have the same findings.
        parts = [harp.findings(answers.slice(at, 5)) for at in range(0, 20, 5)]
        self.assertEqual(values(pa.concat_tables(parts), KEY), self.findings)
        skipped = dict(values(repositories, ["repository", "skipped"]))
        self.assertEqual([skipped[it] for it in ("acme/fits", "acme/two", "odd/no-content", "odd/paths")], [1, 0, 1, 2])

    def test_pandas_with_other_names_and_types(self):
        frame = pd.DataFrame(corpus.scattered()).rename(columns={"repository": "repo_name", "content": "text"})
        frame["repo_name"] = frame["repo_name"].astype("category")
        answers = harp.audit(frame, columns={"repo": "repo_name", "content": "text"}, program=HARP, jobs=1)
        self.same(harp.findings(answers), harp.repositories(answers))

    def test_columns_without_any_value(self):
        frame = pd.DataFrame({"repository": ["a", "a"], "revision": [None, None], "path": ["a.py", "b.py"], "content": [None, None]})
        repositories = harp.repositories(harp.audit(frame, program=HARP))
        self.assertEqual(values(repositories, ["repository", "revision", "status", "skipped"]), [("a", None, "partial", 2)])

    def test_duckdb_and_batches(self):
        relation = duckdb.sql(f"select repository, path, content from '{self.files}' order by repository")
        answers = harp.audit(relation, is_sorted=True, program=HARP)
        self.same(harp.findings(answers), harp.repositories(answers))
        self.assertEqual(set(answers["revision"].to_pylist()), {None})

    def test_options_reach_the_program(self):
        answers = harp.audit(table(corpus.rows()), program=HARP, select=["shape"], certain_only=True, time_limit=60)
        found = values(harp.findings(answers), KEY)
        # A file that cannot be read is always told.
        self.assertEqual(found, [row for row in self.findings if row[4].startswith(("shape/", "syntax-error"))])
        self.assertLess(len(found), len(self.findings))

    def test_no_rows_give_a_table_without_rows(self):
        schema = _stream.schema(HARP)
        for empty in (table([]), [], pd.DataFrame(columns=FILES.names), table([]).to_batches()):
            answers = harp.audit(empty, program=HARP)
            self.assertEqual((answers.num_rows, answers.schema), (0, schema))
            self.assertEqual((harp.findings(answers).num_rows, harp.repositories(answers).num_rows), (0, 0))
        self.assertTrue(harp.findings(answers).schema.equals(self.schemas[0], check_metadata=True))

    def test_mistakes_are_told(self):
        rows = table(corpus.rows())
        twice = [rows.slice(0, 1), rows.slice(rows.num_rows - 1), rows.slice(0, 1)]
        for error, said, given, options in (
            (ValueError, "no column `repo_name` among repository", rows, {"columns": {"repo": "repo_name"}}),
            (ValueError, "`name` is not one of", rows, {"columns": {"name": "x"}}),
            (ValueError, "rename the column", rows, {"columns": {"repo": "a,b"}}),
            (TypeError, "`out` is an option of the command", rows, {"out": "there"}),
            (harp.AuditError, "--no-such-option", rows, {"no_such_option": 1}),
            (harp.AuditError, "the packs have mistakes", rows, {"pack": str(self.folder / "none")}),
            (harp.AuditError, "do not follow each other", pa.concat_tables(twice), {"is_sorted": True}),
        ):
            with self.assertRaisesRegex(error, said):
                harp.audit(given, program=HARP, **options)
        with self.assertRaises(FileNotFoundError):
            harp.audit(rows, program="/none/harp")

    def test_an_error_of_the_rows_is_raised_and_nothing_is_answered(self):
        def rows():
            yield table(corpus.rows()).to_batches()[0]
            raise KeyError("of the rows")

        with self.assertRaisesRegex(KeyError, "of the rows"):
            harp.audit(rows(), is_sorted=True, program=HARP)

    def test_more_rows_than_pipes_hold_and_answers_that_nobody_takes(self):
        """Neither side waits for the other; who stops early ends the program and what it left on disk."""
        text = "# filling\n" * 20_000
        def many():
            for number in range(200):
                row = {"repository": f"r{number:04}", "revision": None, "path": "a.py", "content": text}
                produced.append(number)
                yield table([row]).to_batches()[0]

        produced = []
        names = dict(zip(FILES.names, FILES.names))
        program = self.folder / "harp-that-is-left"
        program.symlink_to(HARP)
        before, tempfile.tempdir = tempfile.tempdir, str(self.folder / "left")
        (self.folder / "left").mkdir()
        try:
            answers = _stream.answers(many(), names, 1, {}, str(program))
            self.assertEqual(next(answers).column(0).to_pylist(), ["r0000"])
            self.assertTrue(running(str(program)))
            # The program takes no more than it analyses.
            self.assertLess(len(produced), 30)
            answers.close()
            self.nothing_is_left(str(program), self.folder / "left")
        finally:
            tempfile.tempdir = before

    @unittest.skipUnless(sys.platform == "linux", "needs /proc")
    def test_the_program_ends_with_a_process_that_is_killed(self):
        program = self.folder / "harp-of-the-killed"
        program.symlink_to(HARP)
        left = self.folder / "left-by-the-killed"
        left.mkdir()
        script = (
            "import os, signal, sys; sys.path.insert(0, sys.argv[2]); import harp, pyarrow as pa\n"
            "def rows():\n"
            "    yield pa.record_batch({'repository': ['a'], 'path': ['a.py'], 'content': ['x = 1']})\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n"
            "harp.audit(rows(), is_sorted=True, program=sys.argv[1])\n"
        )
        environment = dict(os.environ, TMPDIR=str(left))
        done = subprocess.run([sys.executable, "-c", script, program, ROOT / "python"], env=environment)
        self.assertEqual(done.returncode, -9)
        self.nothing_is_left(str(program), left)

    def test_without_modules_it_says_what_to_install(self):
        script = "import sys; sys.modules.update(dict.fromkeys(['pyarrow', 'pyspark', 'ray']))\nimport harp, harp.spark, harp.ray\n"
        for call, name in (("harp.audit([])", "pyarrow"), ("harp.spark.audit(1)", "pyspark"), ("harp.ray.audit(1)", "ray")):
            environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
            done = subprocess.run([sys.executable, "-c", script + call], env=environment, capture_output=True, text=True)
            self.assertIn(f"pip install {name}", done.stderr)


class Page(Engines):
    """Does what docs/audit.md says; what it says of Spark and Ray is done with them."""

    @classmethod
    def setUpClass(cls):
        repositories = corpus.repositories()
        for name, files in repositories.items():
            for path, text in files:
                file = cls.folder / "checkouts" / name / path
                if text is not None and file.is_relative_to(cls.folder) and ".." not in path:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text)
        with open("files.jsonl", "w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in corpus.rows() if row["repository"].startswith("odd/"))
        Path("names.txt").write_text("# Two of them\nacme/two\nacme/fits\n")
        Path("wheels").mkdir()
        with zipfile.ZipFile("wheels/two-1.0-py3-none-any.whl", "w") as wheel:
            for path, text in repositories["acme/two"]:
                wheel.writestr(path, text)
        with tarfile.open("wheels/mismatch.tar.gz", "w:gz") as archive:
            archive.add("checkouts/acme/mismatch", "mismatch-1.0")
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C"]
        for name in repositories:
            subprocess.run([*git, f"checkouts/{name}", "init", "--quiet"], check=True)
        for words in (["add", "."], ["commit", "--quiet", "-m", "x"]):
            subprocess.run([*git, "checkouts/acme/mismatch", *words], check=True)
        clone = ["git", "clone", "--quiet", "--bare", "checkouts/acme/mismatch", "mirrors/mismatch.git"]
        subprocess.run(clone, check=True)

    def test_the_page_can_be_followed(self):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
        said = {}
        for language, block in blocks("sh", "python"):
            if engine_of(block) is None:
                words = ["sh", "-euc", block] if language == "sh" else [sys.executable, "-c", block]
                done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, f"{block}\n{done.stdout}")
                said[block] = done.stdout
        for folder in ("of-table", "of-made", "shared"):
            tables = [pq.read_table(table) for table in Path(folder).glob("findings*.parquet")]
            found = {row[:3] + row[4:5] for row in values(pa.concat_tables(tables), KEY)}
            self.assertEqual(found, {row[:3] + row[4:5] for row in self.findings}, folder)
        counts = {"of-mirrors": 1, "of-wheels": 3, "of-lines": 5, "of-names": 2}
        for folder, count in counts.items():
            self.assertEqual(pq.read_metadata(f"{folder}/findings.parquet").num_rows, count, folder)
        calls = pq.read_table("of-calls/facts/call.parquet").to_pydict()
        self.assertIn(("acme/fits", "torch.relu"), set(zip(calls["repository"], calls["api"])))
        listed = next(text for block, text in said.items() if "--list" in block)
        self.assertTrue(set(corpus.repositories()) <= {*listed.splitlines(), "acme/mismatch"}, listed)
        # What the first command says stands below it.
        page = (ROOT / "docs/audit.md").read_text()
        first = next(iter(said.values()))
        self.assertIn("".join(f"    {line}\n" for line in first.splitlines()), page)

    def test_the_page_has_every_column(self):
        page = (ROOT / "docs/audit.md").read_text()
        rows = [line for line in page.splitlines() if line.startswith("| `")]
        named = {name.strip("` ") for row in rows for name in row.split("|")[1].split(",")}

        def names(field, above=""):
            kind = getattr(field.type, "value_type", field.type)
            inner = [kind.field(at) for at in range(kind.num_fields)] if pa.types.is_struct(kind) else []
            return [above + field.name, *(name for it in inner for name in names(it, f"{above}{field.name}."))]

        for schema in self.schemas:
            missing = [name for field in schema for name in names(field) if name not in named]
            self.assertEqual(missing, [])


def there(*names):
    return all(importlib.util.find_spec(name) for name in names)


@unittest.skipUnless(there("pyspark"), "pyspark is not installed")
class Spark(Engines):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from pyspark.sql import SparkSession

        cls.left = cls.folder / "temporary"
        cls.left.mkdir()
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {
            "spark.executorEnv.PYTHONPATH": str(ROOT / "python"),
            "spark.executorEnv.TMPDIR": str(cls.left),
            "spark.executorEnv.HARP_TEST_WORKER": "1",
            "spark.executorEnv.PATH": os.environ["PATH"],
            "spark.local.dir": str(cls.folder / "spark"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": "512m",
            "spark.task.maxFailures": "3",
            # Each partition has more than one batch.
            "spark.sql.execution.arrow.maxRecordsPerBatch": "5",
        }
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("harp")
        for name, value in settings.items():
            builder = builder.config(name, value)
        cls.spark = builder.getOrCreate()
        cls.addClassCleanup(cls.spark.stop)
        cls.spark.sparkContext.setLogLevel("OFF")

    def answers(self, program, **options):
        import harp.spark

        files = self.spark.read.parquet(self.damaged)
        return harp.spark.audit(files, program=program, **options)

    def collected(self, answers):
        """The answers as the two tables, computed once."""
        import harp.spark

        out = str(self.folder / f"answers-{time.monotonic_ns()}")
        answers.write.parquet(out)
        written = self.spark.read.parquet(out)
        tables = [read(written).toPandas() for read in (harp.spark.findings, harp.spark.repositories)]
        self.assertEqual(list(tables[0].columns), self.schemas[0].names)
        return [pa.Table.from_pandas(it[names], preserve_index=False) for it, names in zip(tables, (KEY, STATE))]

    def killing(self, name, above, word):
        """A program that once, when a worker has some of its answers, has a process above it killed: so many steps
        above, with this word in its command line."""
        program = self.folder / name
        enough = 2 * len(self.stream_of_one())
        program.write_text(
            "#!/bin/sh\n"
            "victim=$PPID\n"
            f"for _ in {'x ' * above}; do victim=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' \"/proc/$victim/stat\"); done\n"
            f"if [ -n \"${{HARP_TEST_WORKER:-}}\" ] && grep -q {word} \"/proc/$victim/cmdline\" && mkdir '{program}.was'; then\n"
            f"    '{HARP}' \"$@\" | {{ head -c {enough}; kill -s KILL \"$victim\"; sleep 60; }}\n"
            f"else\n    exec '{HARP}' \"$@\"\nfi\n"
        )
        program.chmod(0o755)
        return program

    @staticmethod
    def stream_of_one():
        schema = _stream.schema(HARP)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema):
            pass
        return sink.getvalue().to_pybytes()

    def test_a_killed_python_worker_is_started_again(self):
        program = self.killing("harp-kills-worker", 0, "pyspark")
        group = "with-a-killed-worker"
        self.spark.sparkContext.setJobGroup(group, group)
        self.same(*self.collected(self.answers(str(program), partitions=2)))
        self.assertEqual(self.failed_tasks(group), 1)
        self.assertTrue(Path(f"{program}.was").is_dir())
        self.nothing_is_left(str(program), self.left)

    def test_a_killed_executor_is_started_again(self):
        # The worker's parent is the daemon that starts workers, whose parent is the executor.
        program = self.killing("harp-kills-executor", 2, "ExecutorBackend")
        self.same(*self.collected(self.answers(str(program), partitions=2)))
        self.assertTrue(Path(f"{program}.was").is_dir())
        self.nothing_is_left(str(program), self.left)

    def failed_tasks(self, group):
        tracker = self.spark.sparkContext.statusTracker()
        stages = [it for job in tracker.getJobIdsForGroup(group) for it in tracker.getJobInfo(job).stageIds]
        infos = [tracker.getStageInfo(stage) for stage in stages]
        return sum(info.numFailedTasks for info in infos if info)

    def test_the_page_can_be_followed(self):
        for block in [block for _, block in blocks("python") if engine_of(block) == "spark"]:
            # The session is the one that is there.
            exec(compile(block, "docs/audit.md", "exec"), {})
        self.same(*self.collected(self.spark.read.parquet("answers")))

    def test_what_the_program_says_is_in_the_exception(self):
        with self.assertRaisesRegex(Exception, "the packs have mistakes"):
            self.answers(HARP, partitions=1, pack=str(self.folder / "none")).collect()


@unittest.skipUnless(there("ray"), "ray is not installed")
class Ray(Engines):
    @classmethod
    def setUpClass(cls):
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")
        super().setUpClass()
        import ray

        ray.init(
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=128 << 20,
            log_to_driver=False,
            logging_level="error",
            runtime_env={"env_vars": {"PYTHONPATH": str(ROOT / "python")}},
        )
        cls.addClassCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False

    def test_ray_finds_the_same(self):
        import harp.ray
        import ray

        files = ray.data.read_parquet(self.damaged)
        answers = harp.ray.audit(files, program=HARP, num_partitions=4).materialize()
        tables = [pa.concat_tables(batch for batch in it.iter_batches(batch_format="pyarrow", batch_size=None))
                  for it in (harp.ray.findings(answers), harp.ray.repositories(answers))]
        self.assertEqual(tables[0].schema.names, self.schemas[0].names)
        self.same(*tables)

    def test_the_page_can_be_followed(self):
        for block in [block for _, block in blocks("python") if engine_of(block) == "ray"]:
            exec(compile(block, "docs/audit.md", "exec"), {})


if __name__ == "__main__":
    unittest.main()
