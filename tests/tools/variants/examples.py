"""The examples of rules' pages, and programs whose lines know which line of the example they come from."""

import ast
import collections
import pathlib
import re

Example = collections.namedtuple("Example", "rule number text lines fires silent files")
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.M | re.S)
NAMED = re.compile(r"`([\w./]+)`:\s*$")
MARK = re.compile(r"#\s*(error|warning|note|expect|ok)\b:?\s*(\[[\w/-]+\]|[\w/-]+)?")


def rules(root, packs):
    """Each rule with its page."""
    for pack in packs:
        for page in sorted(pathlib.Path(root, "rules", pack).glob("*.md")):
            yield f"{pack}/{page.stem}", page


def examples(rule, page):
    """One example for each line that must be found, and one for each that must not. Blocks of several files are left out."""
    text = page.read_text()
    for number, match in enumerate(BLOCK.finditer(text), start=1):
        language, rest, code = match.groups()
        if language != "python" or rest.strip() or NAMED.search(text[: match.start()].rstrip()):
            continue
        fires, silent = marks(code, rule)
        if fires or silent:
            yield Example(rule, number, code, code.split("\n"), fires, silent, {})


def marks(code, rule):
    """Lines with a finding of the rule, and lines that the page says are silent."""
    fires, silent, waiting = set(), set(), []
    for number, line in enumerate(code.split("\n"), start=1):
        found = [(kind, (name or "").strip("[]")) for kind, name in MARK.findall(line[line.find("#") :] if "#" in line else "")]
        if line.strip().startswith("#"):
            waiting += found
            continue
        if not line.strip():
            continue
        for kind, name in [*waiting, *found]:
            is_own = name in ("", rule, rule.split("/")[1])
            if kind == "ok":
                silent |= {number} if is_own else set()
            elif is_own:
                fires.add(number)
        waiting = []
    return fires, silent - fires


class Program:
    """Trees by the names of their files. `target` is the innermost statement at the example's line."""

    def __init__(self, text, line):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if "lineno" in node._attributes:
                node.origin = node.lineno
        self.trees = {"main": tree}
        self.target = None
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and first_line(node) <= line <= node.end_lineno:
                self.target = node
        self.text, self.line = text, line

    @property
    def tree(self):
        return self.trees["main"]

    def again(self):
        """The same, as it was before any change."""
        return Program(self.text, self.line)


def first_line(statement):
    """The line of a definition is that of its `def`; its decorators stand above."""
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])


def rendered(program):
    """Of each file its text, and of each of its lines which lines of the example it comes from, and whether it has something new. Files import
    each other as `PART_name`, which `placed_at` replaces."""
    files = {}
    for name, tree in program.trees.items():
        ast.fix_missing_locations(tree)
        text = ast.unparse(tree) + "\n"
        again = ast.parse(text)
        origins, new = collections.defaultdict(set), set()
        old_nodes, new_nodes = list(ast.walk(tree)), list(ast.walk(again))
        if [type(node) for node in old_nodes] != [type(node) for node in new_nodes]:
            raise ValueError("written otherwise than it was made")
        for old, node in zip(old_nodes, new_nodes):
            if "lineno" in node._attributes and hasattr(old, "origin"):
                origins[node.lineno].add(old.origin)
                if getattr(old, "made", False) and isinstance(old, ast.stmt):
                    new.add(node.lineno)
        files[name] = (text, dict(origins), new)
    return files


def placed_at(files, prefix):
    """Rendered files under names that begin with the prefix."""
    named = {}
    for name, (text, origins, new) in files.items():
        own = f"{prefix}.py" if name == "main" else f"{prefix}_{name}.py"
        named[own] = (text.replace("PART_", f"{prefix}_"), origins, new)
    return named
