"""Runs examples and their variants, and compares what they print and the variables that both have."""

import ast
import json
import os
import pathlib
import random
import subprocess
import tempfile

SECONDS = 20
# Runs the programs whose paths it is given, and writes what is left of it. Values of functions that stand for the whole program count, too.
RUNNER = r'''
import contextlib, io, json, os, random, signal, sys
random.seed(0)
try:
    import numpy
    numpy.random.seed(0)
except ImportError:
    numpy = None
try:
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
except ImportError:
    torch = None
inner = {}
def watch(frame, event, value):
    if event == "return" and frame.f_code.co_name == "moved_main":
        inner.update(frame.f_locals)
def plain(value, depth=0):
    if torch is not None and isinstance(value, torch.Tensor):
        return ["array", list(value.shape), [float(x) for x in value.detach().cpu().double().reshape(-1)[:2000]]]
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        value = numpy.asarray(value)
        return ["array", list(value.shape), [float(x) for x in value.astype(float).reshape(-1)[:2000]]]
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, (list, tuple)) and depth < 3:
        return [plain(one, depth + 1) for one in value[:100]]
    return None
def left_by(path):
    end, printed, failed = {}, io.StringIO(), None
    names = {"__name__": "__main__", "__file__": path}
    os.chdir(os.path.dirname(path))
    sys.path.insert(0, os.path.dirname(path))
    signal.alarm(int(sys.argv[1]))
    try:
        source = compile(open(path).read(), path, "exec")
        sys.setprofile(watch)
        with contextlib.redirect_stdout(printed):
            exec(source, names)
    except BaseException as error:
        failed = f"{type(error).__name__}: {str(error)[:200]}"
    sys.setprofile(None)
    names.update(inner)
    names.update(names.get("store") if isinstance(names.get("store"), dict) else {})
    for name, value in names.items():
        if not name.startswith("__"):
            with contextlib.suppress(Exception):
                kept = plain(value)
                if kept is not None:
                    end[name] = kept
    return {"failed": failed, "printed": printed.getvalue(), "end": end}
def late(number, frame):
    raise TimeoutError("takes too long")
signal.signal(signal.SIGALRM, late)
# One process each, so that none changes what another one sees; the libraries are loaded once.
for line in sys.stdin:
    path = line.strip()
    child = os.fork()
    if child == 0:
        with open(path + ".left", "w") as file:
            json.dump(left_by(path), file)
        os._exit(0)
    os.waitpid(child, 0)
'''


def run(python, programs, folder):
    """What each of some programs leaves, or none where that is not known. Programs are given by their files."""
    paths = []
    for number, files in enumerate(programs):
        place = pathlib.Path(folder, str(number))
        place.mkdir()
        for name, (text, _, _) in files.items():
            (place / name).write_text(text)
        paths.append(place / next(iter(files)))
    command = [python, "-W", "ignore", "-c", RUNNER, str(SECONDS)]
    subprocess.run(command, cwd=folder, capture_output=True, text=True, input="\n".join(map(str, paths)), check=False)
    return [left(path.with_name(path.name + ".left")) for path in paths]


def left(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def close(one, other):
    if isinstance(one, float) and isinstance(other, (int, float)) or isinstance(other, float) and isinstance(one, int):
        return one == other or one != one and other != other or abs(one - other) <= 1e-4 * max(1.0, abs(one), abs(other))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


def same_text(one, other):
    """Printed numbers may differ in the last digits."""
    words, others = one.split(), other.split()
    return len(words) == len(others) and all(map(same_word, words, others))


def same_word(one, other):
    if one == other:
        return True
    try:
        return close(float(one.strip("[](),tensor")), float(other.strip("[](),tensor")))
    except ValueError:
        return one.startswith("<") and other.startswith("<")


def compare(options, found):
    """Runs a sample of the variants beside their examples. Returns 1 where any differs."""
    plain = {(case.example.rule, case.example.number): case for case in found if case.variant is None}
    changed = [case for case in found if case.variant is not None]
    sample = random.Random(options.seed).sample(changed, min(options.sample, len(changed)))
    keys = [(case.example.rule, case.example.number) for case in sample]
    originals = list(dict.fromkeys(keys))
    with tempfile.TemporaryDirectory() as folder:
        done = run(options.execute, [plain[key].files for key in originals] + [case.files for case in sample], folder)
    known = dict(zip(originals, done))
    counts = {"same": 0, "differs": 0, "does not run here": 0}
    for case, key, after in zip(sample, keys, done[len(originals) :]):
        before = known[key]
        # Programs of these rules fail, which their variants must, too.
        if before is None or before["failed"] and not (case.example.rule.startswith("torch/") and "CUDA" not in before["failed"]):
            counts["does not run here"] += 1
            continue
        reason = difference(before, after, counters(case) if case.way == "while" else set())
        counts["differs" if reason else "same"] += 1
        if reason:
            print(f"differs: {case.title()}: {reason}")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return int(counts["differs"] > 0)


def counters(case):
    """Variables of loops: one that nothing reads ends with another number in a `while`."""
    loops = [node for node in ast.walk(ast.parse(case.example.text)) if isinstance(node, ast.For)]
    return {part.id for loop in loops for part in ast.walk(loop.target) if isinstance(part, ast.Name)}


def difference(before, after, apart):
    if after is None:
        return "takes too long or says nothing"
    if (before["failed"] or "").split(":")[0] != (after["failed"] or "").split(":")[0]:
        return f"failed: {before['failed']}; then: {after['failed']}"
    if not same_text(before["printed"], after["printed"]):
        return "prints something else"
    for name in before["end"].keys() & after["end"].keys() - apart:
        if not close(before["end"][name], after["end"][name]):
            return f"`{name}` is another"
    return None
