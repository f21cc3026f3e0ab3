"""Real programs, taken apart into pieces that can be put into other programs, and the projects of the tests with all their files."""

import ast
import builtins
import re
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
LARGEST_FILE = 200_000
# Of a folder that a user names, so many files are taken at most: each is parsed at the beginning.
MOST_FILES = 6000

SETTINGS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".env", ".csv", ".tsv", ".jsonl", ".ndjson", ".txt")

FENCE = re.compile(r"^(`{3,})\s*(\w*)\s*(\S*)\s*$")
NAME_BEFORE = re.compile(r"^`([^`\s]+)`:\s*$")
MARK = re.compile(r"\s#!.*$", re.MULTILINE)
BUILTINS = frozenset(dir(builtins))


@dataclass
class Piece:
    """A statement: its lines, without the indentation that they have in common."""

    first: int
    last: int
    depth: int
    lines: list
    bound: tuple
    read: tuple


@dataclass
class Program:
    """A program that Python can parse, and its pieces, the outer before the inner."""

    name: str
    lines: list
    pieces: list = field(default_factory=list)
    names: list = field(default_factory=list)
    # The line of an import by the name that it binds.
    imports: dict = field(default_factory=dict)


@dataclass
class Project:
    """Files that belong together, by their path, and the command line of the program."""

    files: dict
    args: str = ""

    def settings(self):
        return [path for path in self.files if path.endswith(SETTINGS)]


def statements(tree):
    for node in ast.walk(tree):
        for body in ("body", "orelse", "finalbody"):
            children = getattr(node, body, None)
            if isinstance(children, list):
                yield from (child for child in children if isinstance(child, ast.stmt))


def names_of(node):
    bound, read = {}, {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            (read if isinstance(inner.ctx, ast.Load) else bound)[inner.id] = None
        elif isinstance(inner, ast.arg):
            bound[inner.arg] = None
        elif isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            bound[inner.name] = None
        elif isinstance(inner, ast.alias):
            bound[(inner.asname or inner.name).split(".")[0]] = None
    return tuple(bound), tuple(name for name in read if name not in bound and name not in BUILTINS)


def piece_of(node, lines):
    decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", [])]
    first, last = min([node.lineno, *decorators]) - 1, node.end_lineno
    text = lines[first:last]
    depth = len(text[0]) - len(text[0].lstrip())
    # What shares its line with something else cannot be moved by lines.
    if not decorators and depth != node.col_offset:
        return None
    return Piece(first, last, depth, [line[depth:] if not line[:depth].strip() else line for line in text], *names_of(node))


def parse(name, text):
    """`None` for what Python cannot parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.split("\n")
    program = Program(name, lines)
    # Lines are cut at other characters than those that end a line for Python.
    if any(mark in text for mark in "\r\f\v"):
        return None
    known, taken = {}, set()
    for node in statements(tree):
        piece = piece_of(node, lines)
        if piece is None or (piece.first, piece.last) in taken:
            continue
        taken.add((piece.first, piece.last))
        known.update(dict.fromkeys(piece.bound))
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if not isinstance(node, ast.ImportFrom) or node.module != "__future__":
                program.imports.update({bound: "\n".join(piece.lines) for bound in piece.bound})
            continue
        program.pieces.append(piece)
    program.names = list(known)
    return program if program.pieces else None


def blocks(path):
    """The blocks of a Markdown file: heading, language, name, text."""
    heading, before, fence, block = "", "", None, []
    for line in path.read_text(encoding="utf-8").split("\n"):
        match = FENCE.match(line)
        if fence is None and match:
            named = NAME_BEFORE.match(before)
            fence, language = match.group(1), match.group(2)
            name, block = match.group(3) or (named.group(1) if named else ""), []
        elif fence is not None and line.strip() == fence:
            yield heading, language, name, "\n".join(block) + "\n"
            fence = None
        elif fence is not None:
            block.append(line)
        elif line.startswith("#"):
            heading = line
        if line.strip():
            before = line


def markdown_projects(path):
    """As the tests take them: blocks with names under one heading belong together, any other block of Python is on its own."""
    together = {}
    for heading, language, name, text in blocks(path):
        if language == "text" and name == "args":
            together.setdefault(heading, Project({})).args = " ".join(text.split())
        elif name and not name.startswith("/") and ".." not in name:
            together.setdefault(heading, Project({})).files[name] = text
        elif language == "python":
            yield Project({"main.py": text})
    yield from (project for project in together.values() if project.files)


def feature_programs(path):
    """Short programs below lines with `###`; `@=` stands for what they reveal."""
    for section in ("\n" + path.read_text(encoding="utf-8")).split("\n### ")[1:]:
        lines = section.split("\n")[1:]
        revealed = (f"reveal_type({line[2:].strip()})" if line.startswith("@=") else line for line in lines)
        yield Project({"main.py": "\n".join(revealed)})


def text_of(path):
    if path.stat().st_size > LARGEST_FILE:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def folder_project(folder):
    files = {}
    for path in sorted(folder.rglob("*")):
        text = text_of(path) if path.suffix in (".py", *SETTINGS) and path.is_file() else None
        if text is not None:
            files[path.relative_to(folder).as_posix()] = MARK.sub("", text)
    return Project(files)


def own_projects():
    tests = REPOSITORY / "tests"
    yield from (folder_project(folder) for folder in sorted((REPOSITORY / "examples").iterdir()) if folder.is_dir())
    for path in sorted((tests / "data/programs").iterdir()):
        if path.is_dir():
            yield folder_project(path)
        elif path.suffix == ".py":
            yield Project({"main.py": MARK.sub("", path.read_text(encoding="utf-8"))})
    for path in sorted([*(tests / "markdown").rglob("*.md"), *(REPOSITORY / "rules").rglob("*.md")]):
        yield from markdown_projects(path)
    for path in sorted((tests / "data/features").glob("*.txt")):
        yield from feature_programs(path)


class Corpus:
    """What is mutated."""

    def __init__(self, folders=()):
        self.projects = list(own_projects())
        self.programs = []
        for number, project in enumerate(self.projects):
            for path, text in project.files.items():
                if path.endswith(".py"):
                    self.add(f"{number}/{path}", text)
        for folder in folders:
            for path in sorted(Path(folder).rglob("*.py"))[:MOST_FILES]:
                self.add(str(path), text_of(path) or "")
        self.with_settings = [project for project in self.projects if project.settings()]
        self.rules = texts("rules", "*.dl") + texts("src/graph", "*.dl") + texts("tests/data/rule_errors", "*.dl")
        self.annotations = texts("api_annotations", "*.yaml")
        self.configurations = []
        for path in sorted([*(REPOSITORY / "docs").glob("*.md"), *(REPOSITORY / "tests/markdown").rglob("*.md")]):
            self.configurations += [text for _, language, _, text in blocks(path) if language == "toml"]
            self.annotations += [text for _, language, _, text in blocks(path) if language == "yaml" and "library:" in text]

    def add(self, name, text):
        program = parse(name, text)
        if program is not None:
            self.programs.append(program)


def texts(folder, pattern):
    found = (text_of(path) for path in sorted((REPOSITORY / folder).rglob(pattern)))
    return [text for text in found if text]
