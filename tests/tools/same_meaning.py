#!/usr/bin/env python3
"""Makes changes that keep the meaning of programs, and lists what Harp then says otherwise.

    python3 tests/tools/same_meaning.py HARP --programs tests/data/programs --features tests/data/features --seed 1
    python3 tests/tools/same_meaning.py HARP FOLDER_OR_FILE … --rounds 3 --kinds move,split --keep /tmp/kept

Each path is one program, `--programs` and `--features` have a folder of many. Those have marks for mistakes, of which each program gets one by chance.
Of each program and each kind of change there are `--rounds`: in a round all files are changed where the kind applies. What is found is compared
before and after: rule, severity, certainty, message and the line that it had before, and the verdicts of entries. Names that were changed are
changed back in messages. A program of which Harp left something out at a bound, before or after, is counted apart, as a bound counts steps.

Nothing of the programs is run.
"""

import argparse
import ast
import collections
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import feature_programs
import program_mutants
from meaning.calls import call_through_lambda, define_as_lambda, pass_as_tuple
from meaning.names import rename_imports, rename_variables
from meaning.source import Source
from meaning.structure import add_blank_lines, move_definitions, split_module, wrap_in_if

KINDS = {
    "rename": rename_variables,
    "alias": rename_imports,
    "if": wrap_in_if,
    "blank": add_blank_lines,
    "move": move_definitions,
    "split": split_module,
    "tuple": pass_as_tuple,
    "call": call_through_lambda,
    "lambda": define_as_lambda,
}
DATA = (".py", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".env", ".csv", ".tsv", ".txt")
# A size that no program has.
ODD = 1009
SECONDS = 600


def given_programs(options):
    """Each program: its name, its files, its command line."""
    for path in map(pathlib.Path, options.paths):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        root = path if path.is_dir() else path.parent
        known = [file for file in files if file.suffix in DATA and file.is_file() and not file.is_symlink()]
        yield path.name, {str(file.relative_to(root)): file.read_text(errors="replace") for file in known}, []
    chance = random.Random(options.seed)
    for folder in options.programs:
        for path in program_mutants.programs(folder, []):
            cases = list(program_mutants.mutants(path))
            yield path.name, chance.choice(cases[1:] or cases)[1], []
    for folder in options.features:
        for program in feature_programs.programs(folder):
            line = lambda place, expression: f"torch.zeros(2, {expression}) @ torch.zeros({ODD}, 3)"
            yield program["name"], feature_programs.written(program, line), shlex.split(program["args"])


class Run:
    """What Harp says of some files."""

    def __init__(self, options, files, words):
        with tempfile.TemporaryDirectory() as outer:
            # Modules are named after the folder where it is a package.
            folder = os.path.join(outer, "program")
            os.mkdir(folder)
            feature_programs.write(files, folder)
            command = [os.path.abspath(options.harp), "check", ".", "--isolated", "--format", "json", "--verbose"]
            command += ["--args", shlex.join(words)] if words else []
            command += shlex.split(options.options)
            environment = {**os.environ, "HARP_NO_CACHE": "1"}
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr[:500]}")
        said = json.loads(done.stdout)
        summary = said["summary"]
        self.is_bounded = bool(summary["budgets"])
        self.findings = said["findings"]
        self.entries = summary["entries"]

    def compared(self, sources, renames):
        """Findings and entries as they would be told before the change, with how often each is told."""
        findings, entries = collections.Counter(), collections.Counter()
        for one in self.findings:
            key = (one["rule"], one["severity"], one["certain"], back(one["message"], renames))
            findings[(*key, origin(one["place"], sources))] += 1
        for one in self.entries:
            if not one["name"].startswith("module "):
                is_script = one["name"].startswith("script ")
                place = one["place"]["file"] if is_script else origin(one["place"], sources)
                entries[(back(one["name"], renames), one["verdict"], place)] += 1
        return findings, entries


def back(text, renames):
    return re.sub(r"\w+", lambda word: renames.get(word.group(), word.group()), text)


def origin(place, sources):
    """The file and line of a place before the change, as text."""
    name = place["file"].removeprefix("./")
    source = sources.get(name)
    if source is None:
        return f"{name}:{place['start']['line']}"
    found = source.origin(place["start"]["line"])
    return f"{found[0]}:{found[1]}" if found else f"a new line of {name}"


def parsed(files):
    sources = {}
    for name, text in files.items():
        if name.endswith(".py"):
            try:
                sources[name] = Source.of_text(name, text)
            except (SyntaxError, ValueError, RecursionError, IndexError):
                continue
    return sources


def opens_python(source):
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open"]
    return any(str(getattr(call.args[0], "value", "")).endswith(".py") for call in calls if call.args)


def changed(kind, sources, chance):
    """The sources after a change of all files, the names that it gave, how many files and how many places it changed."""
    after, renames, files, places = dict(sources), {}, 0, 0
    for name in sorted(sources):
        try:
            result = KINDS[kind](after, name, chance)
            if result:
                for one in result[0].values():
                    compile(one.text, one.name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError) as error:
            print(f"  {kind} of {name} gives no Python, and is left out: {error}", file=sys.stderr)
            continue
        if result:
            after.update(result[0])
            # Each file has names of its own, which begin with the same number.
            renames.update(result[1])
            files, places = files + 1, places + result[2]
    return after, renames, files, places


def tried(options, name, files, words):
    """All changes of one program: lines to print, and what is counted."""
    lines, counts = [], collections.Counter()
    sources = parsed(files)
    if any(opens_python(source) for source in sources.values()):
        # It may read its own text.
        return lines, counts
    try:
        before = Run(options, files, words)
    except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        return [f"{name}: {error}"], counts
    expected = before.compared(sources, {})
    for kind in options.kinds:
        for turn in range(options.rounds):
            chance = random.Random(f"{options.seed} {name} {kind} {turn}")
            after, renames, changed_files, places = changed(kind, sources, chance)
            if not changed_files:
                continue
            texts = {**files, **{path: source.text for path, source in after.items()}}
            try:
                run = Run(options, texts, words)
            except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                lines.append(f"{name}: {kind} {turn}: {error}")
                continue
            found = run.compared(after, renames)
            is_bounded = before.is_bounded or run.is_bounded
            counts[kind, "files"] += changed_files
            counts[kind, "places"] += places
            counts[kind, "compared"] += sum(expected[0].values())
            for what, one, other in zip(("finding", "entry"), expected, found):
                gone, new = one - other, other - one
                if not gone and not new:
                    continue
                counts[kind, f"{what} at a bound" if is_bounded else what] += max(sum(gone.values()), sum(new.values()))
                title = f"{name}: {kind} {turn}{' (at a bound)' if is_bounded else ''}"
                lines.append(title)
                lines += [f"  - {what} {' '.join(map(str, key))}" for key in sorted(gone, key=str)]
                lines += [f"  + {what} {' '.join(map(str, key))}" for key in sorted(new, key=str)]
                if options.keep:
                    keep(options.keep, f"{name}-{kind}-{turn}", files, texts)
    return lines, counts


def keep(folder, name, before, after):
    for side, files in (("before", before), ("after", after)):
        feature_programs.write(files, pathlib.Path(folder, name.replace("/", "_").replace(" ", "_"), side))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("harp")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--programs", action="append", default=[], help="a folder of programs like tests/data/programs")
    parser.add_argument("--features", action="append", default=[], help="a folder of programs like tests/data/features")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=list(KINDS), help=", ".join(KINDS))
    parser.add_argument("--part", default="", help="only programs whose name has it")
    parser.add_argument("--sample", type=int, help="so many of the programs, by chance")
    parser.add_argument("--options", default="", help="options for harp, such as `--effort high`")
    parser.add_argument("--keep", help="a folder for programs of which something else is said")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    programs = [program for program in given_programs(options) if options.part in program[0]]
    if options.sample and options.sample < len(programs):
        programs = random.Random(options.seed).sample(programs, options.sample)
    total = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for lines, counts in pool.map(lambda program: tried(options, *program), programs):
            total.update(counts)
            for line in lines:
                print(line, flush=True)
    columns = ["files", "places", "compared", "finding", "entry", "finding at a bound", "entry at a bound"]
    print(f"{len(programs)} programs; of each kind: changed files, changed places, findings compared, findings and entries that differ")
    for kind in options.kinds:
        print(f"{kind:8}", *(f"{total[kind, column]:8}" for column in columns[:5]), "  at a bound", *(f"{total[kind, column]:5}" for column in columns[5:]))
    print("all     ", *(f"{sum(total[kind, column] for kind in options.kinds):8}" for column in columns[:5]), "  at a bound", *(f"{sum(total[kind, column] for kind in options.kinds):5}" for column in columns[5:]))
    sys.exit(any(total[kind, "finding"] for kind in options.kinds))


if __name__ == "__main__":
    main()
