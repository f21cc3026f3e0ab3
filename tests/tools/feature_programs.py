#!/usr/bin/env python3
"""Runs small programs whose tensors' sizes depend on a feature of Python or of a library for settings, and compares what Harp says of them.

    python3 tests/tools/feature_programs.py record FOLDER             # with the real libraries; writes FOLDER/recorded.json
    python3 tests/tools/feature_programs.py compare FOLDER HARP [PART …]

A text file of the folder holds programs: `### name` begins one, `@@ file NAME` a file beside it, `@@ args …` gives its command line. A line
`@= EXPRESSION` stands for `torch.zeros(2, EXPRESSION) @ torch.zeros(SIZE, 3)`, where SIZE is what the expression gives when the program really
runs. `@~` is the same for sizes that a user may set: there a right program may fail for other settings, which Harp says in a condition.

Of a right program Harp has to say that no error is possible; with a SIZE that is one too large, that this line fails.
"""

import builtins
import contextlib
import io
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

LINE = re.compile(r"^(\s*)@[=~] (.*)$")
SECONDS = 60


def programs(folder):
    """Each program: its name, its files, its command line."""
    found = []
    for path in sorted(Path(folder).glob("*.txt")):
        program = None
        for line in path.read_text().split("\n"):
            if line.startswith("### "):
                program = {"name": line[4:].strip(), "group": path.stem, "files": {"main.py": []}, "args": "", "at": "main.py"}
                found.append(program)
            elif program is None:
                continue
            elif line.startswith("@@ file "):
                program["at"] = line[8:].strip()
                program["files"][program["at"]] = []
            elif line.startswith("@@ args "):
                program["args"] = line[8:].strip()
            else:
                program["files"][program["at"]].append(line)
    return found


def written(program, line_of):
    """The files, each line of interest as `line_of(place, expression)` has it."""
    files = {}
    for name, lines in program["files"].items():
        out = []
        for number, line in enumerate(lines, start=1):
            found = LINE.match(line)
            out.append(found.group(1) + line_of(f"{name}:{number}", found.group(2)) if found else line)
        files[name] = "\n".join(out)
    return files


def places(program):
    return [f"{name}:{n}" for name, lines in program["files"].items() for n, line in enumerate(lines, start=1) if LINE.match(line)]


def write(files, folder):
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(files, words):
    """The sizes that a program really has, in a process of its own."""
    folder = os.path.realpath(tempfile.mkdtemp())
    write(files, folder)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.close(reader)
        sizes, failure = {}, None

        def note(place, size):
            if sizes.setdefault(place, size) != size:
                raise AssertionError(f"{place} has several sizes")

        builtins.__note = note
        os.chdir(folder)
        sys.argv, sys.path[0] = ["main.py", *words], folder
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                runpy.run_path(str(Path(folder, "main.py")), run_name="__main__")
        except SystemExit as end:
            failure = f"exit {end.code}" if end.code else None
        except BaseException as error:
            failure = f"{type(error).__name__}: {error}"
        with os.fdopen(writer, "w") as out:
            out.write(json.dumps([sizes, failure]))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        text = answers.read()
    os.waitpid(child, 0)
    shutil.rmtree(folder)
    return json.loads(text) if text else [{}, "timeout"]


def record(folder):
    import torch

    torch.set_num_threads(1)
    sizes = {}
    for program in programs(folder):
        found, failure = run(written(program, lambda place, text: f"__note({place!r}, {text})"), shlex.split(program["args"]))
        missing = [place for place in places(program) if place not in found]
        if failure or missing:
            print(f"{program['name']}: {failure or missing}")
            continue
        sizes[program["name"]] = found
    Path(folder, "recorded.json").write_text(json.dumps(sizes, indent=0, sort_keys=True) + "\n")
    print(f"{len(sizes)} programs")


def check(harp, folder, args):
    command = [harp, "check", ".", "--format", "json", "--verbose"] + (["--args", args] if args else [])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    return json.loads(done.stdout)


def compare(folder, harp, parts):
    sizes = json.loads(Path(folder, "recorded.json").read_text())
    cases = []
    for program in programs(folder):
        if program["name"] not in sizes or parts and not any(part in program["name"] for part in parts):
            continue
        for wrong in [None, *places(program)]:
            own = sizes[program["name"]]
            size = lambda place: own[place] + (place == wrong)
            files = written(program, lambda place, text: f"torch.zeros(2, {text}) @ torch.zeros({size(place)}, 3)")
            cases.append((program, wrong, files))
    whole, right = {}, 0
    with tempfile.TemporaryDirectory() as root:
        batches = {}
        for index, (program, wrong, files) in enumerate(cases):
            # Programs with a command line have a run of their own.
            batch = f"own{index}" if program["args"] else f"all{places(program).index(wrong) + 1 if wrong else 0}"
            write(files, Path(root, batch, f"case{index}"))
            batches.setdefault(batch, program["args"])
        reports = {batch: check(harp, Path(root, batch), args) for batch, args in batches.items()}
        for index, (program, wrong, files) in enumerate(cases):
            batch = f"own{index}" if program["args"] else f"all{places(program).index(wrong) + 1 if wrong else 0}"
            problem = judge(reports[batch], f"case{index}/", program, wrong)
            right += problem is None
            whole[program["name"]] = whole.get(program["name"], True) and problem is None
            if problem:
                print(f"{program['name']} {wrong or 'right'}: {problem}")
    print(f"{sum(whole.values())} of {len(whole)} programs, {right} of {len(cases)} cases")


def judge(report, prefix, program, wrong):
    """What is wrong about a report, if anything."""
    at = lambda item: f"{item['place']['file'][len(prefix):]}:{item['place']['start']['line']}"
    own = [item for item in report["findings"] if item["place"]["file"].startswith(prefix) and item["severity"] != "note"]
    if wrong:
        return None if any(at(item) == wrong and item["severity"] == "error" for item in own) else f"no error, but {[at(i) for i in own]}"
    is_set = any(line.lstrip().startswith("@~ ") for lines in program["files"].values() for line in lines)
    verdicts = {entry["verdict"] for entry in report["summary"]["entries"] if entry["place"]["file"].startswith(prefix)}
    allowed = {"no-error-possible", "error-when"} if is_set else {"no-error-possible"}
    alarms = [item for item in own if not is_set or item["severity"] == "error" or not item["condition"]]
    if alarms:
        return f"false alarm: {at(alarms[0])} {alarms[0]['message']}"
    return None if verdicts <= allowed else f"verdicts {sorted(verdicts)}"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    command, folder, *rest = sys.argv[1:]
    if command == "record":
        record(folder)
    else:
        compare(folder, os.path.abspath(rest[0]), rest[1:])
