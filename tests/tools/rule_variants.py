#!/usr/bin/env python3
"""Rewrites the examples of rules' pages in ten ways that keep their meaning, and counts which findings Harp still has.

    python3 tests/tools/rule_variants.py HARP
    python3 tests/tools/rule_variants.py HARP --rule perf/full-sort --variant return --keep /tmp/kept --list
    python3 tests/tools/rule_variants.py HARP --floor 60 --json /tmp/matrix.json
    python3 tests/tools/rule_variants.py HARP --first --floors tests/data/rule_variants.txt
    python3 tests/tools/rule_variants.py HARP --edited rules --packs perf
    python3 tests/tools/rule_variants.py HARP --execute /path/to/python --sample 200

An example is a line of a page that must be found, or that must not. Of each example and each variant there are programs. Those of one block are
one project. A finding is kept where the rule finds the line in its new place, told where another rule now does, lost otherwise. A variant that
changes nothing of an example is not applicable. Examples that Harp does not find even when they are only written anew (comments are left out) are
listed and not counted. `--edited DIR` takes the rules of packs from a folder in place of those that HARP was built with. With `--execute` nothing
is checked: programs and their variants are run, and what they print and their variables compared.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from variants import execution, functions, spelling, values
from variants.checking import batches, check, edited_packs, write
from variants.examples import Program, examples, placed_at, rendered, rules
from variants.names import Unfit

VARIANTS = {
    "function": functions.function,
    "method": functions.method,
    "property": values.property_,
    "dict": values.dictionary,
    "tuple": values.packed,
    "argument": functions.argument,
    "return": functions.halves,
    "file": functions.file,
    "enumerate": spelling.loops,
    "spelling": spelling.spellings,
}
# Names that variants give; an example that has one itself gets no variants.
NEW_NAMES = {"moved_part", "MovedPart", "moved_main", "mover", "store", "Held", "position_", "limit_", "items_"}
PACKS = ("harp", "jax", "perf", "tensorflow", "torch", "training")


class Case:
    """One program: an example as it is (`variant` is none) or after a change."""

    def __init__(self, example, line, variant, way, files, number):
        self.example, self.line, self.variant, self.way = example, line, variant, way
        self.is_silent = line in example.silent
        self.prefix = f"p{number:05}"
        self.files = placed_at(files, self.prefix)
        self.key = texts(files)
        self.findings = []

    def title(self):
        way = f"/{self.way}" if self.way else ""
        return f"{self.example.rule} block {self.example.number} line {self.line} {self.variant or 'as it is'}{way}"

    def origins(self, finding):
        """Lines of the example that a finding's line comes from, and whether a statement there is new."""
        place = finding["place"]
        # The finding may be of the same program under another name.
        _, origins, new = self.files[self.prefix + os.path.basename(place["file"])[len(self.prefix) :]]
        line = place["start"]["line"]
        return origins.get(line, set()), line in new

    def result(self, before):
        """What became of the example; `before` is the case of the example as it is."""
        own = [self.origins(one) for one in self.findings if one["rule"] == self.example.rule]
        if self.is_silent:
            known = {line for one in before.findings if one["rule"] == self.example.rule for line in before.origins(one)[0]}
            if self.example.fires:
                return "fires" if any(self.line in lines and not lines & known for lines, _ in own) else "silent"
            return "fires" if own else "silent"
        others = self.example.fires - {self.line}
        if any(self.line in lines or is_new or not lines & others for lines, is_new in own):
            return "kept"
        known = {one["rule"] for one in before.findings}
        told = [self.origins(one) for one in self.findings if one["rule"] not in known]
        return "told" if any(self.line in lines or is_new for lines, is_new in told) else "lost"


def texts(files):
    return tuple(text for text, _, _ in files.values())


def cases(options):
    """All programs; what does not apply is counted by rule and variant."""
    found, missing, numbers = [], collections.Counter(), iter(range(10**6))
    for rule, page in rules(options.root, options.packs):
        if options.rule and rule not in options.rule:
            continue
        wanted = {True, False}
        for example in examples(rule, page):
            for line in sorted(example.fires | example.silent):
                if options.first and (line in example.fires) not in wanted:
                    continue
                if options.first:
                    wanted.discard(line in example.fires)
                plain = rendered(Program(example.text, line))
                found.append(Case(example, line, None, "", plain, next(numbers)))
                for variant in options.variant or VARIANTS:
                    made = list(variants_of(example, line, variant, texts(plain)))
                    found += [Case(example, line, variant, way, files, next(numbers)) for way, files in made]
                    if not made:
                        missing[rule, variant, line in example.fires] += 1
    return found, missing


def variants_of(example, line, variant, plain):
    """Ways that apply and give other Python."""
    if NEW_NAMES & set(re.findall(r"\w+", example.text)):
        return
    programs = iter(VARIANTS[variant](Program(example.text, line)))
    while True:
        try:
            way, program = next(programs)
            files = rendered(program)
            if texts(files) != plain:
                yield way, files
        except (StopIteration, Unfit):
            return
        except ValueError as error:
            print(f"{example.rule} block {example.number} line {line} {variant}: {error}", file=sys.stderr)
            return


def judged(found):
    """Each case of a variant with its result, and titles of examples that are not as the page says when written anew."""
    plain = {(case.example.rule, case.example.number, case.line): case for case in found if case.variant is None}
    wrong = {key for key, case in plain.items() if case.result(case) not in ("kept", "silent")}
    results = []
    for case in found:
        key = (case.example.rule, case.example.number, case.line)
        if case.variant is not None and key not in wrong:
            results.append((case, case.result(plain[key])))
    return results, [plain[key].title() for key in sorted(wrong)]


class Matrix:
    """Counts by rule and variant."""

    def __init__(self, results, missing):
        self.cells = collections.defaultdict(collections.Counter)
        for case, result in results:
            for rule in (case.example.rule, "all"):
                for variant in (case.variant, "all"):
                    self.cells[rule, variant][result] += 1
        for (rule, variant, must_fire), count in missing.items():
            for one in (rule, "all"):
                for other in (variant, "all"):
                    self.cells[one, other]["inapplicable" if must_fire else "inapplicable silent"] += count

    def share(self, rule, variant="all"):
        cell = self.cells[rule, variant]
        kept = cell["kept"] + cell["told"]
        return kept, kept + cell["lost"]

    def cell(self, rule, variant):
        """`3/4` are kept; `3+1/4`: one of them is told by another rule; `!2` silent examples are found."""
        cell = self.cells[rule, variant]
        total = cell["kept"] + cell["told"] + cell["lost"]
        text = "–" if not total else f"{cell['kept']}" + (f"+{cell['told']}" if cell["told"] else "") + f"/{total}"
        return text + (f" !{cell['fires']}" if cell["fires"] else "")

    def table(self, names, columns):
        rows = [["rule", *columns, "all"]]
        for rule in [*names, "all"]:
            rows.append([rule, *(self.cell(rule, variant) for variant in [*columns, "all"])])
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return [lines[0], "|---" + "|---:" * (len(columns) + 1) + "|", *lines[1:]]


def parsed_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("harp")
    parser.add_argument("--root", default=".", help="the repository")
    parser.add_argument("--edited", metavar="DIR", help="take the packs' rules from the folders of their names there")
    parser.add_argument("--packs", type=lambda text: text.split(","), default=PACKS)
    parser.add_argument("--rule", action="append", help="only this rule; may be given several times")
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="only this variant; may be given several times")
    parser.add_argument("--keep", metavar="DIR", help="write the programs, and what became of them, into a folder")
    parser.add_argument("--list", action="store_true", help="list what is lost and what is found wrongly")
    parser.add_argument("--json", metavar="FILE", help="write the counts of each rule and variant")
    parser.add_argument("--floor", type=float, help="fail where less than so many percent are kept, or a silent example is found")
    parser.add_argument("--first", action="store_true", help="of each page only the first line that must be found, and the first that must not")
    parser.add_argument("--floors", metavar="FILE", help="fail where a rule keeps less than the file says, or finds a silent example that is not in it")
    parser.add_argument("--execute", metavar="PYTHON", help="run programs and variants with an interpreter that has the libraries, and compare")
    parser.add_argument("--sample", type=int, default=100, help="how many variants `--execute` runs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = parsed_options()
    names = [rule for rule, _ in rules(options.root, options.packs)]
    found, missing = cases(options)
    if options.execute:
        sys.exit(execution.compare(options, found))
    with ThreadPoolExecutor(options.jobs) as pool, tempfile.TemporaryDirectory() as folder:
        packs = edited_packs(options.packs, options.edited, folder) if options.edited else {}
        list(pool.map(lambda some: check(options.harp, some, names, packs), batches(found)))
    results, wrong = judged(found)
    if options.keep:
        for case, result in results:
            write(case, pathlib.Path(options.keep, f"{case.title().replace('/', '-').replace(' ', '_')}--{result}"))
    if options.list:
        for case, result in results:
            if result in ("lost", "fires"):
                print(f"{result}: {case.title()}")
    for title in wrong:
        print(f"not as its page says when written anew: {title}")
    matrix = Matrix(results, missing)
    chosen = [rule for rule in names if not options.rule or rule in options.rule]
    print("\n".join(matrix.table(chosen, options.variant or list(VARIANTS))))
    if options.json:
        cells = {f"{rule} {variant}": dict(cell) for (rule, variant), cell in sorted(matrix.cells.items())}
        pathlib.Path(options.json).write_text(json.dumps(cells, indent=1) + "\n")
    sys.exit(finish(options, matrix))


def finish(options, matrix):
    """Says the totals, and whether they are under the floor."""
    kept, total = matrix.share("all")
    cell = matrix.cells["all", "all"]
    percent = 100 * kept / total if total else 100.0
    print(f"{kept} of {total} kept ({percent:.1f}%), {cell['told']} of them told by another rule; not applicable: {cell['inapplicable']}")
    print(f"silent examples: {cell['silent']} variants stay silent, {cell['fires']} are found; not applicable: {cell['inapplicable silent']}")
    failed = options.floor is not None and (percent < options.floor or cell["fires"] > 0)
    if options.floors:
        told = list(below(matrix, {rule for rule, _ in matrix.cells} - {"all"}, floors(options.floors)))
        print("\n".join(told))
        failed |= bool(told)
    return int(failed)


# What a rule keeps at least, in percent, and how many silent examples it finds at most, where the file has no line for it.
USUAL = (80, 0)


def floors(path):
    """By rule, what it keeps at least and finds wrongly at most: lines of a rule, a percentage and a count."""
    lines = (line.split("#")[0].split() for line in pathlib.Path(path).read_text().splitlines())
    return {rule: (int(percent), int(count)) for rule, percent, count in filter(None, lines)}


def below(matrix, names, known):
    """Rules that are below their floor, and those whose floor is too low by now."""
    for rule in sorted(names | set(known)):
        least, most = known.get(rule, USUAL)
        kept, total = matrix.share(rule)
        fires = matrix.cells[rule, "all"]["fires"]
        percent = 100 * kept / total if total else 100.0
        if percent < least:
            yield f"{rule} keeps {kept} of {total} variants ({percent:.0f}%), and not {least}%"
        if fires > most:
            yield f"{rule} finds {fires} variants of silent examples, and not {most}"
        if rule in known and total and percent >= USUAL[0] and fires <= USUAL[1]:
            yield f"{rule} keeps {percent:.0f}%: it needs no line in the file any more"


if __name__ == "__main__":
    main()
