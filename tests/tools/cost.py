#!/usr/bin/env python3
"""What `harp check` costs on real programs, against what it did cost.

    cost.py [--set small|all] [--harp PROGRAM] [--name NAME] [--record] [--only PART…] [--sources FOLDER…] [--allow-missing]

Counts the instructions of `harp check` under valgrind, without a model of the caches, and takes the greatest resident set of a run without it, on
each program of `cost_programs.txt` that is in the set. Fails (exit code 1) where one takes more than 5 % beyond what `reports/cost/NAME.json` says;
`--record` writes that file. Packages are taken from the package index, applications from GitHub, into `target/cost`, or from `--sources`: folders that
hold `OWNER+NAME` or the unpacked package. What cannot be had is told, and the exit code is 2, with `--allow-missing` 0.

The name says what is not alike from build to build: `debug-small`, `release-all`. Instructions of another compiler are not compared.
"""
import argparse
import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("cost_programs.txt")
# Beyond what was recorded, instructions and memory may grow by this part of it,
ALLOWED = 0.05
# and memory besides by what differs from run to run.
NOISE_KIB = 4096


class Missing(Exception):
    """A program that cannot be had, and why."""


def programs(wanted):
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            group, kind, name, version, part = line.split()
            if group == wanted:
                yield kind, name, version, part


def ran(*command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, **options)
    except OSError as error:
        raise Missing(f"{command[0]}: {error}") from error
    if done.returncode:
        raise Missing((done.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1])


def package(name, version, store):
    """The folder with a package's files, of a wheel that nothing of is run."""
    folder = store / f"{name}-{version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=store) as loaded:
            ran(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", loaded, f"{name}=={version}")
            unpacked = Path(loaded) / "unpacked"
            with zipfile.ZipFile(next(Path(loaded).glob("*.whl"))) as wheel:
                wheel.extractall(unpacked)
            unpacked.rename(folder)
    return folder


def application(name, commit, store):
    folder = store / f"{name.replace('/', '+')}-{commit}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=store) as loaded:
            clone = Path(loaded) / "clone"
            quiet = dict(os.environ, GIT_TERMINAL_PROMPT="0")
            ran("git", "init", "--quiet", str(clone))
            ran("git", "-C", str(clone), "fetch", "--quiet", "--depth", "1", f"https://github.com/{name}", commit, env=quiet)
            ran("git", "-C", str(clone), "checkout", "--quiet", "FETCH_HEAD")
            shutil.rmtree(clone / ".git")
            clone.rename(folder)
    return folder


def found(kind, name, version, part, options):
    """The folder in which `harp` starts, and what it is given there."""
    store = ROOT / "target/cost"
    store.mkdir(parents=True, exist_ok=True)
    lying = [Path(folder) / name.replace("/", "+") for folder in options.sources]
    lying += [Path(folder) / part.split("/")[0] for folder in options.sources if kind == "package"]
    if kind == "here":
        folder = ROOT / name
    elif here := next((path for path in lying if path.is_dir()), None):
        folder = here
    else:
        folder = (package if kind == "package" else application)(name, version, store)
    if "*" in part:
        return folder, sorted(path.name for path in folder.iterdir() if fnmatch.fnmatch(path.name, part))
    return folder, [part]


def digest(folder, paths):
    """Of the sources, so that those of other versions are not compared."""
    sources = []
    for path in paths:
        whole = folder / path
        sources += [whole] if whole.is_file() else [it for ending in ("*.py", "*.ipynb") for it in whole.rglob(ending)]
    total = hashlib.sha256()
    for source in sorted(sources):
        total.update(f"{source.relative_to(folder)}\n".encode() + source.read_bytes())
    return total.hexdigest()[:16]


def measured(harp, folder, paths):
    command = [harp, "check", "--threads", "1", "--no-cache", "--format", "json", *paths]
    with tempfile.TemporaryDirectory() as home:
        alone = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C"}
        process = subprocess.Popen(command, cwd=folder, env=alone, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode} in {folder}")
        counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
        said = subprocess.run(counting, cwd=folder, env=alone, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    counts = [line.split(":")[-1] for line in said.splitlines() if "refs:" in line]
    if not counts:
        raise SystemExit(f"valgrind counted nothing in {folder}:\n{said}")
    return {"instructions": int(counts[-1].replace(",", "")), "memory_kib": usage.ru_maxrss}


def compared(name, new, old):
    """What is to be said of a program, and whether it takes too much."""
    told, is_worse = [], False
    for what, floor in (("instructions", 0), ("memory_kib", NOISE_KIB)):
        change = new[what] / old[what] - 1
        is_more = new[what] > old[what] * (1 + ALLOWED) + floor
        is_worse |= is_more
        told.append(f"{what} {old[what]:,} -> {new[what]:,} ({change:+.1%}){' TOO MUCH' if is_more else ''}")
    if new["instructions"] < old["instructions"] * (1 - ALLOWED):
        told.append("less than before: record it")
    return f"{name}: {'; '.join(told)}", is_worse


def compiler():
    done = subprocess.run(["rustc", "--version"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="group", default="small", choices=["small", "all"])
    parser.add_argument("--harp", default=str(ROOT / "target/debug/harp"), help="the build that is measured")
    parser.add_argument("--name", help="of the file in reports/cost; usually the folder of the build and the set")
    parser.add_argument("--record", action="store_true", help="write what is measured in place of comparing")
    parser.add_argument("--only", nargs="*", default=[], help="programs whose names have one of these parts")
    parser.add_argument("--sources", nargs="*", default=[], help="folders in which sources lie already")
    parser.add_argument("--allow-missing", action="store_true", help="tell what cannot be had, and do not fail for it")
    options = parser.parse_args()
    harp = str(Path(options.harp).resolve())
    file = ROOT / "reports/cost" / f"{options.name or f'{Path(harp).parent.name}-{options.group}'}.json"
    recorded = json.loads(file.read_text()) if file.is_file() else {"compiler": compiler(), "programs": {}}
    is_comparable = recorded["compiler"] == compiler()
    if not is_comparable and not options.record:
        print(f"{file.name} is of {recorded['compiler']}, this build of {compiler()}: nothing is compared, record it anew", file=sys.stderr)
    missing, worse = [], []
    for kind, name, version, part in programs(options.group):
        if options.only and not any(it in name for it in options.only):
            continue
        try:
            folder, paths = found(kind, name, version, part, options)
        except Missing as reason:
            missing.append(name)
            print(f"{name}: MISSING: {reason}", flush=True)
            continue
        new = {"version": version, "sources": digest(folder, paths), **measured(harp, folder, paths)}
        old = recorded["programs"].get(name)
        if options.record:
            recorded["programs"][name] = new
            print(f"{name}: instructions {new['instructions']:,}; memory_kib {new['memory_kib']:,}", flush=True)
        elif old is None or old["sources"] != new["sources"]:
            missing.append(name)
            print(f"{name}: MISSING: {'nothing' if old is None else 'other sources'} in {file.name}", flush=True)
        else:
            said, is_worse = compared(name, new, old)
            print(said, flush=True)
            if is_worse and is_comparable:
                worse.append(name)
    if options.record:
        recorded["compiler"] = compiler()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(recorded, indent=2) + "\n")
    if missing:
        print(f"not measured: {', '.join(missing)}", file=sys.stderr)
    if worse:
        print(f"these take more than 5 % beyond {file.name}: {', '.join(worse)}", file=sys.stderr)
        return 1
    return 2 if missing and not options.allow_missing else 0


if __name__ == "__main__":
    sys.exit(main())
