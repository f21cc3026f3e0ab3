#!/usr/bin/env python3
"""Runs the programs of a folder, and each with one mistake in it, with the real libraries, and compares what Harp says of them.

    python3 tests/tools/program_mutants.py record PROGRAMS OUT [PART …]     # with the real libraries; writes JSON lines
    python3 tests/tools/program_mutants.py compare PROGRAMS OUT HARP [PART …]

With HARP_PYTHON=ENV in the environment, Harp reads the packages that are installed there (`--python ENV`).

A program is a file of the folder, or a folder with `main.py`. A comment `#! old => new` at the end of a line is a mutant: the program with `new` in
place of the first `old` of that line. All such comments are taken off before the program runs. `reveal_type(x)` is defined as a function that
records the shape and element type of `x`. A record has the file and line of the last frame in the program's own files where it fails,
or none where it runs. With PART, only programs whose name contains one of the parts are run.
"""

import builtins
import contextlib
import io
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MARK = re.compile(r"\s*#!(.*)$")
SECONDS = 60
SUFFIXES = (".py", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".env", ".csv", ".tsv", ".txt")


def programs(folder, parts):
    for path in sorted(Path(folder).iterdir()):
        whole = path.is_dir() and (path / "main.py").exists()
        if (whole or path.suffix == ".py") and (not parts or any(part in path.name for part in parts)):
            yield path


def sources(program):
    files = sorted(path for path in program.rglob("*") if path.suffix in SUFFIXES) if program.is_dir() else [program]
    root = program if program.is_dir() else program.parent
    return {str(file.relative_to(root)): file.read_text() for file in files}


def strip(text):
    return "\n".join(MARK.sub("", line) if "#!" in line else line for line in text.split("\n"))


def mutants(program):
    """The unmodified program, and then each mutant: where the mistake is, and the files."""
    texts = sources(program)
    clean = {name: strip(text) for name, text in texts.items()}
    yield {"program": program.name}, clean
    for name, text in sorted(texts.items()):
        for number, line in enumerate(text.split("\n"), start=1):
            found = MARK.search(line)
            for mark in re.split(r"\s#!", found.group(1)) if found else ():
                old, _, new = (part.strip() for part in mark.partition("=>"))
                lines = clean[name].split("\n")
                if old not in lines[number - 1]:
                    sys.exit(f"{program.name}/{name}:{number}: no `{old}`")
                lines[number - 1] = lines[number - 1].replace(old, new, 1)
                case = {"program": program.name, "file": name, "line": number, "old": old, "new": new}
                yield case, {**clean, name: "\n".join(lines)}


def write(files, folder):
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def described(value):
    if isinstance(value, (list, tuple)) and not hasattr(value, "numel"):
        return f"{type(value).__name__} {[described(v) for v in value]}"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{list(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    return str(value).removeprefix("torch.Size(").removesuffix(")") if "torch.Size" in str(value) else str(value)


def run_real(folder, entry):
    """Runs the program in this process and tells where it fails and what it reveals."""
    seen = {}

    def reveal(value):
        frame = sys._getframe(1)
        place = f"{Path(frame.f_code.co_filename).relative_to(folder)}:{frame.f_lineno}"
        shape = described(value)
        if shape not in seen.setdefault(place, []):
            seen[place].append(shape)
        return value

    builtins.reveal_type = reveal
    os.chdir(folder)
    sys.argv, sys.path[0] = [entry], folder
    outcome = {"fails": None}
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(str(Path(folder, entry)), run_name="__main__")
    except SystemExit:
        pass
    except BaseException as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(folder)]
        message = str(error).strip().split("\n")[0][:160]
        outcome["fails"] = {"file": str(Path(frames[-1].filename).relative_to(folder)), "line": frames[-1].lineno, "error": type(error).__name__, "message": message}
        if len(frames) > 1:
            outcome["fails"]["callers"] = [f"{Path(f.filename).relative_to(folder)}:{f.lineno}" for f in frames[:-1]]
    outcome["reveals"] = {place: shapes[:4] for place, shapes in seen.items()}
    return outcome


def forked(files, entry):
    """`run_real` in a process of its own, which has the libraries loaded already."""
    folder = os.path.realpath(tempfile.mkdtemp())
    write(files, folder)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.close(reader)
        try:
            answer = json.dumps(run_real(folder, entry)).encode()
            with os.fdopen(writer, "wb") as out:
                out.write(answer)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        text = answers.read()
    os.waitpid(child, 0)
    shutil.rmtree(folder)
    return json.loads(text) if text else {"fails": {"file": entry, "line": 0, "error": "Timeout", "message": ""}, "reveals": {}}


def record(folder, out, parts):
    import torch
    torch.set_num_threads(1)
    for name in ("numpy", "torchvision", "einops", "torch.utils.data", "PIL.Image", "torch._dynamo"):
        with contextlib.suppress(ImportError):
            __import__(name)
    old = [json.loads(line) for line in Path(out).read_text().splitlines()] if Path(out).exists() else []
    fresh = []
    for program in programs(folder, parts):
        entry = "main.py" if program.is_dir() else program.name
        for case, files in mutants(program):
            result = forked(files, entry)
            if "old" not in case:
                if result["fails"]:
                    print(f"{program.name} FAILS: {result['fails']}")
                case["reveals"] = result["reveals"]
            elif not result["fails"]:
                print(f"{program.name}: runs: {case['file']}:{case['line']} {case['old']} => {case['new']}")
            fresh.append({**case, "fails": result["fails"]})
    names = {case["program"] for case in fresh}
    present = {path.name for path in programs(folder, [])}
    kept = [case for case in old if case["program"] not in names and case["program"] in present]
    cases = sorted(kept + fresh, key=lambda c: (c["program"], c.get("file", ""), c.get("line", 0), c.get("old", ""), c.get("new", "")))
    Path(out).write_text("".join(json.dumps(case) + "\n" for case in cases))
    print(f"{len(cases)} records")


def harp_says(harp, files):
    with tempfile.TemporaryDirectory() as folder:
        write(files, folder)
        try:
            command = [harp, "check", ".", "--format", "json", "--verbose"]
            if "HARP_PYTHON" in os.environ:
                command += ["--python", os.path.abspath(os.environ["HARP_PYTHON"])]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            print(f"TIMEOUT {sorted(files)}")
            return {"findings": [], "summary": {"entries": [], "not_understood": []}}
        return json.loads(done.stdout)


def findings(report):
    for finding in report["findings"]:
        if finding["severity"] == "error" or finding["severity"] == "warning" and finding["rule"].split("/")[0] in ("shape", "call", "value"):
            yield finding["place"]["file"], finding["place"]["start"]["line"], finding


def compare(folder, out, harp, parts):
    records = {}
    for line in Path(out).read_text().splitlines():
        case = json.loads(line)
        records[case["program"], case.get("file"), case.get("line"), case.get("old"), case.get("new")] = case
    work = [(case, files) for program in programs(folder, parts) for case, files in mutants(program)]
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda item: harp_says(harp, item[1]), work))
    tally = dict.fromkeys(("programs", "clean", "verdict", "not understood", "reveals", "same", "vague", "wrong", "mutants", "found", "exact", "certain", "silent", "false"), 0)
    for (case, files), report in zip(work, reports):
        real = records[case["program"], case.get("file"), case.get("line"), case.get("old"), case.get("new")]
        found = list(findings(report))
        if "old" not in case:
            baseline(case, real, report, found, tally)
            continue
        name = f"{case['program']} {case['file']}:{case['line']} {case['old']} => {case['new']}"
        if not real["fails"]:
            tally["silent"] += 1
            found = [item for item in found if item[2]["rule"] != "shape/suspicious-broadcast"]
            if found:
                tally["false"] += 1
                print(f"FALSE ALARM in a mutant that runs: {name}: {[(f, l, x['message']) for f, l, x in found]}")
            continue
        tally["mutants"] += 1
        place = real["fails"]["file"], real["fails"]["line"]
        at = [x for f, l, x in found if (f, l) == place]
        tally["found"] += bool(found)
        tally["exact"] += bool(at)
        tally["certain"] += any(x["severity"] == "error" and x.get("certain") for x in at)
        if not at:
            wanted = f"{place[0]}:{place[1]} {real['fails']['error']} {real['fails']['message']}"
            instead = "".join(f"\n      harp: {f}:{l} {x['message']}" for f, l, x in found)
            print(f"{'ELSEWHERE' if found else 'MISSED'} {name}\n      real: {wanted}{instead}")
        elif not any(x["severity"] == "error" and x.get("certain") for x in at):
            print(f"conditional {name}\n      {at[0]['message']}")
    print(json.dumps(tally))


def baseline(case, real, report, found, tally):
    """What Harp says of an unmodified program."""
    tally["programs"] += 1
    tally["clean"] += not found
    for file, line, finding in found:
        print(f"FALSE ALARM {case['program']} {file}:{line} {finding['message']}")
    entries = report["summary"]["entries"]
    good = all(entry["verdict"] == "no-error-possible" for entry in entries)
    tally["verdict"] += good
    unknown = report["summary"]["not_understood"]
    tally["not understood"] += len(unknown)
    if not good or unknown:
        print(f"{case['program']}: {sorted({entry['verdict'] for entry in entries})}")
        for entry in entries:
            for reason in entry["reasons"][:3]:
                print(f"      because {json.dumps(reason)[:200]}")
        for item in unknown[:6]:
            print(f"      not understood: {json.dumps(item)[:250]}")
    said = {}
    for finding in report["findings"]:
        if finding["rule"] == "reveal-type":
            said.setdefault(f"{finding['place']['file']}:{finding['place']['start']['line']}", []).append(finding["message"])
    for place, shapes in (real["reveals"] if real.get("reveals") else {}).items():
        tally["reveals"] += 1
        harp = said.get(place, [])
        dims = {re.sub(r" on .*", "", text).strip("()") for text in harp}
        if {shape.strip("[]()") if "x" not in shape and "] " not in shape else shape for shape in shapes} <= dims:
            tally["same"] += 1
        else:
            tally["vague"] += 1
            print(f"reveal {case['program']} {place}: real {shapes} harp {harp}")


if __name__ == "__main__":
    command, folder, out, *rest = sys.argv[1:] if len(sys.argv) > 3 else sys.exit(__doc__)
    if command == "record":
        record(folder, out, rest)
    else:
        compare(folder, out, os.path.abspath(rest[0]), rest[1:])
