#!/usr/bin/env python3
"""Makes the edits of rules on the examples of their pages, and runs the examples before and after with the real libraries.

    python3 tests/tools/rule_edits.py target/debug/harp [--rules rules/perf …] [--programs FOLDER …] [--execute] [--together] [--spellings] [--report OUT.md] [--list]

The programs are the Python blocks of the rules' pages that stand alone, and the files of other folders. Each edit is made alone: the program must parse
afterwards, the finding must be gone, and no other may come. With `--execute` it is run before and after, and its variables are compared: *equal*, *close*
(as where sums are rounded otherwise), *differs*, or *not run*, where it raises before, as without an accelerator or a file, or takes too long. With `--spellings` each program is tried in other spellings, too: longer lines broken, tabs, CRLF, comments, further parentheses.
Rules that mend mistakes of training are to differ; they must run.
"""

import argparse
import ast
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import edits.compare as compare  # noqa: E402
import edits.spellings as spellings  # noqa: E402

PACKS = ("harp", "perf", "torch", "training")
# What these rules find is a mistake: the program is to compute something else afterwards.
MEANT_TO_DIFFER = ("training/", "torch/", "perf/layer-made-in-forward")


def blocks(folders):
    """The Python blocks of pages that are programs of their own, with the page and the line."""
    for folder in folders:
        for page in sorted(pathlib.Path(folder).glob("*.md")):
            text = page.read_text()
            for found in re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M):
                before = text[:found.start()].rstrip().splitlines()
                states = re.search(r"# (expect|error|warning|note):", found[1])
                if states and (not before or not re.fullmatch(r"`[\w./]+`:", before[-1])):
                    yield f"{page.parent.name}/{page.stem}:{text[:found.start()].count(chr(10)) + 1}", without_statements(found[1])


def without_statements(text):
    """The block without the comments that state what Harp says, which are for tests alone."""
    kind = r"#\s*(expect|error|warning|note|assumes|ok|revealed|verdict)\b(:[^#\n]*)?"
    text = re.sub(rf"^[ \t]*({kind}\s*)+\n", "", text, flags=re.M)
    return re.sub(rf"[ \t]+({kind}\s*)+$", "", text, flags=re.M)


def files(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.py")):
            yield f"{path.parent.name}/{path.name}", path.read_text()


def findings(harp, text):
    """What Harp says of a program, and which edits it does not show."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, ".git").mkdir()
        pathlib.Path(folder, "program.py").write_bytes(text.encode())
        found = subprocess.run([harp, "check", ".", "--no-cache", "--format", "json"], cwd=folder, capture_output=True, text=True)
        report = json.loads(found.stdout)
    withheld = [(one["rule"], one["place"]["start"]["line"], one["reason"]) for one in report["summary"]["rewrites"]["withheld"]]
    return report["findings"], withheld


def edited(text, finding):
    data = text.encode()
    for edit in sorted(finding["edits"], key=lambda edit: -edit["bytes"]["start"]):
        data = data[:edit["bytes"]["start"]] + edit["replacement"].encode() + data[edit["bytes"]["end"]:]
    return data.decode()


def fixed(harp, text):
    """The program after `harp check --fix --unsafe-fixes`, which makes all of its edits."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, ".git").mkdir()
        path = pathlib.Path(folder, "program.py")
        path.write_bytes(text.encode())
        subprocess.run([harp, "check", ".", "--no-cache", "--fix", "--unsafe-fixes"], cwd=folder, capture_output=True)
        return path.read_bytes().decode()


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def said(found):
    return collections.Counter((finding["rule"], finding["message"]) for finding in found)


class Tally:
    def __init__(self, options, harp):
        self.options, self.harp = options, harp
        self.rows = collections.defaultdict(collections.Counter)

    def together(self, name, text):
        """Makes all edits of a program at once."""
        found, _ = findings(self.harp, text)
        row, after = self.rows["all edits of a program"], fixed(self.harp, text)
        row["findings"] += len(found)
        row["with an edit"] += sum(bool(finding["edits"]) for finding in found)
        if after == text:
            return
        row["programs"] += 1
        if not parses(after):
            row["broken"] += 1
            print("-" * 60, f"{name}: it does not parse", after, sep="\n")
            return
        new = said(findings(self.harp, after)[0]) - said(found)
        row["something new" if new else "good"] += 1
        if new and self.options.list:
            print("-" * 60, f"{name}: brings {new}", after, sep="\n")
        if self.options.execute:
            result, why = compare.executed(text, after, self.options.seconds)
            row[result] += 1
            if result in ("differs", "raises") or self.options.list and result == "not run":
                print("-" * 60, f"{name}: {result}: {why}", text, "=>", after, sep="\n")

    def program(self, name, text):
        """Tries the edits of one program, each for itself."""
        found, withheld = findings(self.harp, text)
        if self.options.list:
            for rule, line, reason in withheld:
                print(f"{name}: {rule} in line {line}: {reason}")
        for finding in found:
            if finding["rule"].split("/")[0] not in PACKS:
                continue
            row = self.rows[finding["rule"]]
            row["findings"] += 1
            if not finding["edits"]:
                if self.options.list:
                    print(f"{name}: {finding['rule']} in line {finding['place']['start']['line']}: no edit")
                continue
            row["with an edit"] += 1
            row[finding["applicability"]] += 1
            self.one(name, text, finding, edited(text, finding), found)

    def one(self, name, text, finding, after, found):
        row = self.rows[finding["rule"]]
        if not parses(after):
            row["broken"] += 1
            print("-" * 60, f"{name}: {finding['rule']} does not parse", after, sep="\n")
            return
        new, old = said(findings(self.harp, after)[0]), said(found)
        if new[finding["rule"], finding["message"]] >= old[finding["rule"], finding["message"]] or new - old:
            row["something new"] += 1
            print("-" * 60, f"{name}: {finding['rule']} brings {new - old}", after, sep="\n")
            return
        row["good"] += 1
        if self.options.execute:
            result, why = compare.executed(text, after, self.options.seconds)
            row[result] += 1
            meant = finding["rule"].startswith(MEANT_TO_DIFFER)
            if result == "differs" and not meant or result == "raises" or self.options.list and result == "not run":
                print("-" * 60, f"{name}: {finding['rule']} ({finding['unsafe_because']}): {result}: {why}", text, "=>", after, sep="\n")


COLUMNS = ["programs", "findings", "with an edit", "safe", "unsafe", "good", "something new", "broken", "equal", "close", "differs", "raises", "not run"]


def table(tally):
    lines = ["| rule | " + " | ".join(COLUMNS) + " |", "|" + "---|" * (len(COLUMNS) + 1)]
    total = collections.Counter()
    for rule, row in sorted(tally.rows.items()):
        total.update(row)
        lines.append(f"| `{rule}` | " + " | ".join(str(row[column]) for column in COLUMNS) + " |")
    lines.append("| **all** | " + " | ".join(str(total[column]) for column in COLUMNS) + " |")
    return lines, total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harp")
    parser.add_argument("--rules", nargs="*", default=[f"rules/{pack}" for pack in PACKS])
    parser.add_argument("--programs", nargs="*", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--execute", action="store_true")
    parser.add_argument("--together", action="store_true", help="make all edits of a program at once, with `--fix --unsafe-fixes`")
    parser.add_argument("--spellings", nargs="?", const="", help="try other spellings, or those whose name has this in it")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--report")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    programs = [one for one in [*blocks(options.rules), *files(options.programs)] if options.only in one[0]]
    if options.spellings is not None:
        harp = str(pathlib.Path(options.harp).resolve())
        programs = [(name, text) for name, text in programs if any(finding["edits"] for finding in findings(harp, text)[0])]
        programs = [(f"{name} ({how})", new) for name, text in programs for how, new in spellings.of(text) if options.spellings in how]
    tally = Tally(options, str(pathlib.Path(options.harp).resolve()))
    for name, text in programs:
        (tally.together if options.together else tally.program)(name, text)
        print(name, file=sys.stderr)
    lines, total = table(tally)
    print("\n".join(lines))
    share = 100 * total["with an edit"] / max(total["findings"], 1)
    with_edits = sum(row["with an edit"] > 0 for row in tally.rows.values())
    print(f"{len(programs)} programs; {share:.1f}% of findings have an edit; {with_edits} of {len(tally.rows)} rules that find something have edits")
    if options.report:
        pathlib.Path(options.report).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
