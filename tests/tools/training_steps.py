#!/usr/bin/env python3
"""How many training steps `harp check` reaches: a failing line is put before the first `backward` of each script, in a copy.

    tests/tools/training_steps.py [--harp target/release/harp] FOLDER…

Scripts are files that test `__name__`, or whose first `backward` stands in no function. A line is reached where a finding of shapes stands at it; it is certain,
or possible where the way there rests on something. The scripts are neither changed nor executed.
"""

import argparse
import ast
import collections
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAILING = "import torch as _torch; _torch.zeros(2, 3) @ _torch.zeros(4, 5)"
SECONDS = 300


def is_backward(node):
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward"


def first_step(text):
    """Line and column of the first statement that calls `backward`, where the text is a script's."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    steps = [node for node in ast.walk(tree) if is_backward(node)]
    if not steps:
        return None
    step = min(steps, key=lambda node: node.lineno)
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    is_at_top = not any(node.lineno <= step.lineno <= node.end_lineno for node in functions)
    tests_name = any(isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in tree.body)
    stands_alone = not text.splitlines()[step.lineno - 1][: step.col_offset].strip()
    return (step.lineno, step.col_offset) if (is_at_top or tests_name) and stands_alone else None


def scripts(folder):
    for path in sorted(folder.rglob("*.py")):
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        step = first_step(text) if ".backward(" in text else None
        if step:
            yield path, text, step


def how_reached(harp, folder, path, line):
    command = [harp, "check", "--no-cache", "--threads", "1", "--format", "json", str(path.relative_to(folder))]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        findings = json.loads(done.stdout)["findings"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return "no report"
    place = str(path.relative_to(folder))
    here = [it for it in findings if it["rule"].startswith("shape/") and it["place"]["file"] == place]
    here = [it for it in here if it["place"]["start"]["line"] == line]
    return "not reached" if not here else "certain" if any(it["certain"] for it in here) else "possible"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harp", default=str(ROOT / "target/release/harp"), help="the build that is asked")
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    harp = str(Path(options.harp).resolve())
    counts = collections.Counter()
    for folder in options.folders:
        if not folder.is_dir():
            sys.exit(f"{folder} is no folder")
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / folder.resolve().name
            shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            for path, text, (line, column) in scripts(copy):
                lines = text.splitlines()
                lines.insert(line - 1, " " * column + FAILING)
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                how = how_reached(harp, copy, path, line)
                path.write_text(text, encoding="utf-8")
                counts[how] += 1
                print(f"{how:11} {path.relative_to(scratch)}:{line}", flush=True)
    total = counts.total()
    reached = counts["certain"] + counts["possible"]
    print(f"{reached} of {total} reached, {counts['certain']} of them for certain")


if __name__ == "__main__":
    main()
