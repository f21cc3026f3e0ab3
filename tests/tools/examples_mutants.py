#!/usr/bin/env python3
"""Breaks pytorch/examples in 1,195 ways, one at a time, and tells how many of the errors `harp check` finds.

    python3 tests/tools/examples_mutants.py CHECKOUT HARP [PART …]

CHECKOUT is a checkout of pytorch/examples, HARP the program; with PART, only mutants whose name contains one of the parts are run. Every
mutant replaces one fragment of one file and names the line on which the real program fails: by a fragment of that line, which is looked for
behind `after`, in the same file unless `at` names another. `harp check` runs over a copy of the mutant's project, and what it reports of
the unmodified project does not count. The mutants are in `tests/data/examples_mutants.jsonl`. A mutant is found when there is an error or
warning of a shape rule; it is exact when one stands on the failing line.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass
class Mutant:
    """One error: `old` becomes `new` behind `since` in `file`; the program fails on the line with `fails` behind `after`."""

    file: str
    old: str
    new: str
    fails: str
    at: str = ""
    since: str = ""
    after: str = ""

    @property
    def project(self):
        parts = self.file.split("/")
        depth = {"distributed": 2}.get(parts[0], 1) + (parts[:2] == ["distributed", "rpc"])
        return "/".join(parts[:depth])


MUTANTS = Path(__file__).resolve().parents[1] / "data" / "examples_mutants.jsonl"


def read_mutants():
    """The mutants of the data file, one JSON object a line; fields without a value are left out."""
    with MUTANTS.open(encoding="utf-8") as lines:
        return [Mutant(**json.loads(line)) for line in lines]


def position(text, fragment, behind):
    """Where a fragment begins behind another; it must be there."""
    start = text.index(behind) if behind else 0
    return text.index(fragment, start)


def line_of(text, fragment, behind):
    return text.count("\n", 0, position(text, fragment, behind)) + 1


def findings(harp, folder, project):
    """What `harp check` says of a project: (file, line, rule), errors and warnings alone, of rules that speak of shapes."""
    run = subprocess.run([harp, "check", project, "--format", "json"], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{harp} check failed: {run.stderr}")
    found = json.loads(run.stdout)["findings"]
    return {
        (finding["place"]["file"], finding["place"]["start"]["line"], finding["rule"])
        for finding in found
        if finding["severity"] != "note" and finding["rule"].startswith("shape/")
    }


def copied(checkout, project, folder):
    """A copy of a project of the checkout in a folder."""
    copy = Path(folder) / "examples"
    shutil.copytree(checkout / project, copy / project, ignore=shutil.ignore_patterns("*.jpg", "*.png", "*.gif"))
    return copy


@lru_cache(maxsize=None)
def unmodified(harp, checkout, project):
    """What is said of a project as it is."""
    with tempfile.TemporaryDirectory() as folder:
        return findings(harp, copied(checkout, project, folder), project)


def outcome(mutant, checkout, harp):
    """What becomes of one mutant, in a copy of the checkout."""
    before = unmodified(harp, checkout, mutant.project)
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(checkout, mutant.project, folder)
        path = copy / mutant.file
        text = path.read_text()
        start = position(text, mutant.old, mutant.since)
        path.write_text(text[:start] + mutant.new + text[start + len(mutant.old) :])
        place = mutant.at or mutant.file
        failing = line_of((copy / place).read_text(), mutant.fails, mutant.after)
        own = sorted(findings(harp, copy, mutant.project) - before)
    if any((file, line) == (place, failing) for file, line, _ in own):
        return "exact", f"{place}:{failing}"
    if own:
        others = ", ".join(f"{file}:{line} {rule}" for file, line, rule in own)
        return "other line", f"{place}:{failing}, said of {others}"
    return "missed", f"{place}:{failing}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    checkout, harp, parts = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve()), sys.argv[3:]
    named = [(f"{index:2} {mutant.file}", mutant) for index, mutant in enumerate(read_mutants(), 1)]
    chosen = [(name, mutant) for name, mutant in named if not parts or any(part in name for part in parts)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: outcome(pair[1], checkout, harp), chosen))
    for (name, mutant), (kind, text) in zip(chosen, results):
        print(f"{kind:10} {name}: {mutant.old!r} → {mutant.new!r}: {text}")
    kinds = [kind for kind, _ in results]
    exact, other = kinds.count("exact"), kinds.count("other line")
    print(f"{len(kinds)} errors: {exact + other} found, {exact} at the exact line, {other} at another line, {kinds.count('missed')} missed")


if __name__ == "__main__":
    main()
