#!/usr/bin/env python3
"""Whether `harp check` vouches where execution never came: one failing line at a time is put into a copy of each training script.

    tests/tools/failing_lines.py [--harp target/debug/harp] [--places 25] [--seed 1] SCRIPT_OR_FOLDER…

The line is put before each `backward`, and at the head of each arm of a branch, each body of a loop, and each handler, and behind branches that leave, of the script and of the files of its
repository that it imports and that train. It is right where Harp tells the error, or where the verdict of the script does not vouch. Otherwise the place is
"vouched and unseen", which `--list` shows alone. A verdict of `no error possible` with a condition is "conditional": who reads the list judges whether the
condition excludes the place.

Scripts are files that test `__name__`, or whose first `backward` stands in no function; a folder is a repository in which they are looked for, and a file
`FOLDER:SCRIPT` is one of them. The scripts are neither changed nor executed. Arms that the program's own constants exclude have no place.
"""

import argparse
import ast
import collections
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from training_steps import first_step, is_backward

ROOT = Path(__file__).resolve().parents[2]
FAILING = "import torch as _failing; _failing.zeros(2, 3) @ _failing.zeros(4, 5)"
SECONDS = 300
LARGEST_COPIED = 4 << 20
SCRIPTS = ("script", "module", "notebook")
TESTS_OF_NAME = ("__name__",)


class Constants:
    """Names and attributes that the files of a script bind once to a literal, and that nothing else could bind: no parameter, keyword or text."""

    def __init__(self, trees):
        self.bindings, literals = collections.Counter(), {}
        for node in (node for tree in trees for node in ast.walk(tree)):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                literals.update({self.name(target): node.value.value for target in targets})
            self.count(node)
        self.values = {name: value for name, value in literals.items() if name and self.bindings[name] == 1}

    @staticmethod
    def name(node):
        return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None

    def count(self, node):
        if isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            self.bindings[self.name(node)] += 1
        elif isinstance(node, (ast.keyword, ast.arg)) and node.arg:
            self.bindings[node.arg] += 2
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self.bindings.update({name: 2 for name in node.names})
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60:
            self.bindings[node.value.lstrip("-").replace("-", "_")] += 2


class Mentioned:
    """Which functions of a script's files may run: those that code mentions that may run itself, by any name, also as a text."""

    def __init__(self, trees):
        self.names, self.entered = set(), set()
        waiting = [(tree, None) for tree in trees]
        definitions = []
        while waiting:
            for node, owner in waiting:
                definitions += self.read(node, owner)
            known = [(node, owner) for node, owner in definitions if self.may_run(node, owner)]
            definitions = [it for it in definitions if it not in known]
            self.entered |= {id(node) for node, _ in known}
            waiting = known

    def may_run(self, node, owner):
        return node.name in self.names or owner is not None and node.name.startswith(("__", "forward"))

    def read(self, root, owner):
        """Takes the names of a body but for those of the functions in it, which it gives."""
        found, waiting = [], [(child, root) for child in ast.iter_child_nodes(root)]
        while waiting:
            node, parent = waiting.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if node.decorator_list:
                    self.names.add(node.name)
                found.append((node, parent if isinstance(parent, ast.ClassDef) else None))
                waiting += [(it, node) for it in getattr(node, "decorator_list", [])]
                continue
            if isinstance(node, (ast.Name, ast.Attribute)):
                self.names.add(Constants.name(node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.names.update(node.value.replace(".", " ").split()[:20])
            elif isinstance(node, ast.alias):
                self.names.update(node.name.split(".") if isinstance(parent, ast.Import) else ())
            waiting += [(child, node) for child in ast.iter_child_nodes(node)]
        return found


def truth(test, constants, is_script):
    """Whether a condition holds, by the program's constants alone; `None` where that is not plain."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, (ast.Name, ast.Attribute)):
        name = Constants.name(test)
        return False if name == "TYPE_CHECKING" else bool(constants[name]) if name in constants else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand, constants, is_script)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [truth(part, constants, is_script) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in parts else None if None in parts else not decisive
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        left, right = test.left, test.comparators[0]
        if isinstance(left, ast.Name) and left.id in TESTS_OF_NAME and isinstance(right, ast.Constant):
            return is_script == (right.value == "__main__") == isinstance(test.ops[0], ast.Eq)
        values = [it.value if isinstance(it, ast.Constant) else constants.get(Constants.name(it), it) for it in (left, right)]
        if not any(isinstance(value, ast.AST) for value in values):
            return (values[0] == values[1]) == isinstance(test.ops[0], ast.Eq)
    return None


def ends(statement):
    """Whether nothing behind a statement of the same block runs."""
    if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) in ("sys.exit", "exit", "quit", "os._exit")


class Places:
    """Lines of a file before which the failing line is put: `(line, column, what)`."""

    def __init__(self, text, tree, is_script, constants, mentioned):
        self.lines = text.splitlines()
        self.is_script, self.constants, self.mentioned = is_script, constants, mentioned
        self.found = {}
        self.block(tree.body)

    def head(self, body, what):
        if body:
            first = body[0]
            line = min([first.lineno, *(it.lineno for it in getattr(first, "decorator_list", []))])
            if not self.lines[line - 1].encode()[: first.col_offset].strip():
                self.found.setdefault((line, first.col_offset), what)

    def block(self, body):
        for statement, following in zip(body, [*body[1:], None]):
            self.statement(statement)
            if ends(statement):
                break
            is_left = isinstance(statement, ast.If) and not statement.orelse and ends(statement.body[-1])
            if is_left and following is not None and truth(statement.test, self.constants, self.is_script) is not True:
                self.head([following], "behind an exit")

    def statement(self, node):
        if is_backward(node):
            self.head([node], "backward")
        elif isinstance(node, (ast.If, ast.While)):
            holds = truth(node.test, self.constants, self.is_script)
            kind = "branch" if isinstance(node, ast.If) else "loop"
            is_elif = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            if holds is not False:
                self.arm(node.body, kind)
            if holds is not True and is_elif:
                self.block(node.orelse)
            elif holds is not True:
                self.arm(node.orelse, "else")
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            is_empty = isinstance(node.iter, (ast.List, ast.Tuple)) and not node.iter.elts
            self.arm([] if is_empty else node.body, "loop")
            self.arm(node.orelse, "else of loop")
        elif isinstance(node, (ast.Try, getattr(ast, "TryStar", ast.Try))):
            self.block(node.body)
            for handler in node.handlers:
                self.arm(handler.body, "handler")
            self.arm(node.orelse, "else of try")
            self.arm(node.finalbody, "finally")
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self.arm(case.body, "case")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not self.is_script:
            # Of an imported file the rest is no part of the script.
            self.block(node.body if id(node) in self.mentioned.entered else [])
        elif hasattr(node, "body"):
            self.block(node.body)

    def arm(self, body, what):
        self.head(body, what)
        self.block(body)


def imported_names(tree, package):
    """Dotted names that a file may import, as parts; relative ones from the package that the file is in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            yield base
            yield from ([*base, alias.name] for alias in node.names)


def files_of(root, script):
    """The script and the files of its repository that it imports, also through others, with their texts and trees."""
    files, waiting = {}, [script]
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        files[path] = (text, tree)
        for parts in imported_names(tree, list(path.parent.relative_to(root).parts)):
            for base in {root, script.parent, root / "src"}:
                candidate = base.joinpath(*parts).with_suffix(".py") if parts else base
                waiting += [it for it in (candidate, base.joinpath(*parts, "__init__.py")) if it.is_file()]
    return files


def places_of(root, script):
    """Places of the script, and of the files that it imports and that train."""
    files = files_of(root, script)
    trees = [tree for _, tree in files.values()]
    constants, mentioned = Constants(trees).values, Mentioned(trees)
    for path, (text, tree) in sorted(files.items()):
        if path == script or any(is_backward(node) for node in ast.walk(tree)):
            places = Places(text, tree, path == script, constants, mentioned)
            for (line, column), what in sorted(places.found.items()):
                yield path, line, column, what


def enclosing_definitions(path, line):
    """First lines of the functions and classes around a line, of the text before the failing line."""
    tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [node for node in ast.walk(tree) if isinstance(node, kinds) and node.lineno <= line <= node.end_lineno]
    return {it for node in around for it in range(min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.body[0].lineno)}


def judged(report, script, file, line, definitions):
    """What Harp said of a place: a class, and the verdicts that it rests on."""
    findings = [it for it in report["findings"] if it["place"]["file"] == file and it["place"]["start"]["line"] == line]
    if any(it["rule"].startswith("shape/") for it in findings):
        return "told", ""
    entries = report["summary"]["entries"]
    mine = [it for it in entries if it["place"]["file"] == script and it["name"].split()[0] in SCRIPTS]
    own = [it for it in entries if it["place"]["file"] == file and it["place"]["start"]["line"] in definitions]
    for entry in own:
        if not entry["verdict"].startswith("no-error"):
            return "open in its function", entry["verdict"]
        defaults = [it["text"] for it in entry["assumptions"] if it["kind"] == "default-value"]
        if entry["name"].split()[0] not in SCRIPTS and (defaults or entry["condition"]):
            return "conditional", entry["condition"] or defaults[0]
    if not mine:
        return "no entry", ""
    verdict = mine[0]["verdict"]
    if not verdict.startswith("no-error"):
        return "open", verdict
    if mine[0]["condition"]:
        return "conditional", mine[0]["condition"]
    return ("vouched beside calls" if verdict == "no-error-beside" else "vouched and unseen"), "; ".join(mine[0]["reasons"])


def ask(harp, root, script, place):
    path, line, column, what = place
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / root.resolve().name
        linked(root, copy)
        target = copy / path.relative_to(root)
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        lines.insert(line - 1, " " * column + FAILING)
        target.unlink()
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
        named = str(script.relative_to(root))
        command = [harp, "check", "--no-cache", "--threads", "1", "--format", "json", "--verbose", named]
        try:
            done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=SECONDS)
            report = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            return "no report", ""
    definitions = enclosing_definitions(path, line)
    return judged(report, named, str(path.relative_to(root)), line, definitions)


def linked(root, copy):
    """A copy of a repository whose large files are left out; nothing in it is a link."""

    def skipped(folder, names):
        paths = [(name, os.path.join(folder, name)) for name in names]
        return [name for name, path in paths if name == ".git" or os.path.islink(path) or os.path.isfile(path) and os.path.getsize(path) > LARGEST_COPIED]

    shutil.copytree(root, copy, ignore=skipped)


def scripts_of(argument):
    folder, colon, name = argument.partition(":")
    root = Path(folder)
    if colon:
        return root, [root / name]
    if root.is_file():
        return root.parent, [root]
    if not root.is_dir():
        sys.exit(f"{argument} is neither a folder nor a file")
    paths = [path for path in sorted(root.rglob("*.py")) if path.is_file() and not path.is_symlink()]
    return root, [path for path in paths if first_step(path.read_text(encoding="utf-8", errors="replace"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harp", default=str(ROOT / "target/debug/harp"), help="the build that is asked")
    parser.add_argument("--places", type=int, default=25, help="places of a script at most")
    parser.add_argument("--seed", type=int, default=1, help="which places are drawn")
    parser.add_argument("--jobs", type=int, default=1, help="runs of Harp at a time")
    parser.add_argument("--list", action="store_true", help="show only what is vouched and unseen, or conditional")
    parser.add_argument("scripts", nargs="+", help="a script, FOLDER:SCRIPT of a repository, or a repository")
    options = parser.parse_args()
    harp = str(Path(options.harp).resolve())
    counts, scripts = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for argument in options.scripts:
            root, found = scripts_of(argument)
            for script in found:
                scripts += 1
                places = list(places_of(root, script))
                drawn = random.Random(f"{options.seed} {script.name}").sample(places, min(options.places, len(places)))
                drawn.sort(key=lambda place: place[:2])
                asked = pool.map(lambda place: ask(harp, root, script, place), drawn)  # noqa: B023 (read before the next script)
                for (path, line, _, what), (how, reason) in zip(drawn, asked):
                    counts[how] += 1
                    if not options.list or how.startswith(("vouched", "conditional")):
                        by = "" if path == script else f" (of {script.relative_to(root)})"
                        print(f"{how}: {what} at {path.relative_to(root.parent)}:{line}{by}{reason and ': ' + reason}", flush=True)
    print(f"{scripts} scripts, {counts.total()} places: " + ", ".join(f"{count} {how}" for how, count in counts.most_common()))


if __name__ == "__main__":
    main()
