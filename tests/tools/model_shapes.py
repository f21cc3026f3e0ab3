#!/usr/bin/env python3
"""Compares the output shapes that Harp infers for models with those that the real libraries gave.

    python3 tests/tools/model_shapes.py --harp target/release/harp --packages target/models tests/data/models.jsonl tests/data/models_drawn.jsonl

Of each recorded model (`tests/data/record/models.py`) a program is written that makes it and calls it with an input of the recorded size. Harp
reads the sources of the version of the library that the model was recorded with: pip puts it into a folder of `--packages`, without what it depends
on. What is there already is not asked for again; a version that cannot be had is told and left out. `--python` takes one environment for all. A model is *right* where all its outputs have the recorded shapes, *unknown* where some size is
not known and none is wrong, *wrong* where a size differs or something is reported of the program. With `--floor`, so many models of a hundred of each version must be right.
"""

import argparse
import collections
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

OUTCOMES = ("right", "unknown", "wrong")
PROGRAM = """import torch
import {library}

model = {code}.eval()
with torch.no_grad():
    y = model(torch.rand({size}))
"""


def leaves(output, path="y"):
    """The expressions of an output's tensors, with their shapes."""
    if isinstance(output, list):
        yield path, output
    elif isinstance(output, dict):
        items = output.get("d", {}).items() if "d" in output else enumerate(output["t"])
        for key, item in items:
            yield from leaves(item, f"{path}[{key!r}]")


def dimensions(text):
    """The dimensions of a shape as Harp writes it; `None` where the rank is not known."""
    if not text.startswith("["):
        return None
    dims, depth = [""], 0
    for character in text[1:]:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth < 0:
            break
        if character == "," and depth == 0:
            dims.append("")
        else:
            dims[-1] += character
    return [dim.strip() for dim in dims if dim.strip()] if "@" not in text else None


def judge_one(revealed, expected):
    dims = dimensions(revealed)
    if dims is None:
        return "unknown"
    known = [(int(dim), size) for dim, size in zip(dims, expected) if dim.isdigit()]
    if len(dims) != len(expected) or any(dim != size for dim, size in known):
        return "wrong"
    return "right" if len(known) == len(expected) else "unknown"


def judge(revealed, expected):
    """`right`, `unknown` or `wrong`, for one tensor; where it may have several shapes, for all of them."""
    verdicts = {judge_one(one, expected) for one in (revealed or "").split(" or ")}
    # One of several is the tensor's.
    if verdicts == {"wrong"}:
        return "wrong"
    return "right" if verdicts == {"right"} else "unknown"


def environment(folder, library, version):
    """The folder with the sources of a version; `None` where it cannot be had."""
    place = folder / f"{library}-{version}"
    if (place / library).is_dir():
        return place
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(place), f"{library}=={version}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return place
    reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    print(f"{library} {version} could not be had, its models are left out: {reason}", flush=True)
    return None


def run(arguments, python, models, folder):
    """Analyses programs of some models in one run; returns the outcome and what was said of each."""
    lines = {}
    for number, model in enumerate(models):
        text = PROGRAM.format(library=model["library"], code=model["code"], size=", ".join(map(str, model["input"])))
        first = text.count("\n") + 1
        lines[f"m{number:03}.py"] = [shape for _, shape in leaves(model["output"])]
        text += "".join(f"reveal_type({path})\n" for path, _ in leaves(model["output"]))
        (folder / f"m{number:03}.py").write_text(text)
    command = [arguments.harp, "check", str(folder), "--python", str(python), "--format", "json", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
    report = json.loads(done.stdout)
    said, alarms = collections.defaultdict(dict), collections.defaultdict(list)
    for finding in report["findings"]:
        place = finding["place"]
        file = pathlib.Path(place["file"]).name
        if finding["rule"] == "reveal-type":
            said[file][place["start"]["line"] - first] = finding["message"]
        elif finding["severity"] != "note":
            alarms[file].append(f"{finding['rule']}: {finding['message']}")
    for number, model in enumerate(models):
        file = f"m{number:03}.py"
        verdicts = {judge(said[file].get(index), shape) for index, shape in enumerate(lines[file])}
        outcome = "wrong" if "wrong" in verdicts or alarms[file] else "unknown" if "unknown" in verdicts else "right"
        yield model, outcome, list(said[file].values()), alarms[file]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recorded", nargs="+")
    parser.add_argument("--harp", default="target/release/harp")
    parser.add_argument("--python", help="an environment that has the libraries")
    parser.add_argument("--packages", type=pathlib.Path, default=pathlib.Path("target/models"), help="a folder for versions of the libraries")
    parser.add_argument("--floor", type=float, default=0, help="so many models of a hundred must be right")
    parser.add_argument("--only", default="", help="models whose library, family or name contains this")
    parser.add_argument("--chunk", type=int, default=16)
    parser.add_argument("--timeout", type=float, default=600)
    arguments = parser.parse_args()
    models = [json.loads(line) for recorded in arguments.recorded for line in open(recorded)]
    models = [model for model in models if arguments.only in f"{model['library']}/{model['family']}/{model['model']}"]
    versions = collections.defaultdict(list)
    for model in models:
        versions[model["library"], model["version"]].append(model)
    counts, families = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for (library, version), models in sorted(versions.items()):
        python = arguments.python or environment(arguments.packages, library, version)
        for start in range(0, len(models) if python else 0, arguments.chunk):
            with tempfile.TemporaryDirectory() as folder:
                for model, outcome, said, alarms in run(arguments, python, models[start : start + arguments.chunk], pathlib.Path(folder)):
                    counts[library, version][outcome] += 1
                    families[library, version, model["family"]][outcome] += 1
                    if outcome != "right":
                        print(f"{outcome}: {library} {version} {model['code']}: {said} instead of {model['output']}", *alarms[:3], flush=True)
    show(counts, families, arguments.floor)


def show(counts, families, floor):
    """Prints what became of the models, and ends with an error where too few are right."""
    print()
    for (library, version, family), outcomes in sorted(families.items()):
        print(f"{library:12} {version:8} {family:28}", "  ".join(f"{outcomes[name]:3} {name}" for name in OUTCOMES))
    print()
    for (library, version), outcomes in sorted(counts.items()):
        print(f"{library} {version}, {outcomes.total()} models:", ", ".join(f"{outcomes[name]} {name}" for name in OUTCOMES))
    count = sum(outcomes.total() for outcomes in counts.values())
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{(cpu.ru_utime + cpu.ru_stime) / max(count, 1):.2f} CPU seconds a model")
    low = [key for key, outcomes in counts.items() if outcomes["right"] < floor / 100 * outcomes.total()]
    if low:
        sys.exit(f"fewer than {floor:g} of a hundred are right: {', '.join(' '.join(key) for key in low)}")


if __name__ == "__main__":
    main()
