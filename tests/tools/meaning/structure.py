"""Statements and definitions in other places: within `if True:`, before others, in another module."""

import ast
import pathlib

from meaning.source import (
    DEFINITIONS,
    Source,
    blocks,
    bound_names,
    first_line,
    needed_at_import,
    read_names,
    stands_alone,
    uses_reflection,
)

# What runs at the import and cannot ask for what the module defines.
HARMLESS = {"torch", "nn", "np", "numpy", "functools", "dataclass", "dataclasses", "field", "staticmethod", "classmethod", "property", "super"}


def is_fixed_in_place(statement):
    """A text at the beginning is a docstring, and `__future__` comes first."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    return is_text or isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def wrap_in_if(program, name, random):
    """Statements get an `if True:` around them."""
    source = program[name]
    if any("\t" in text[: len(text) - len(text.lstrip())] for text, _ in source.lines):
        return None
    lines = [[text, origin] for text, origin in source.lines]
    inserted, taken = {}, set()
    candidates = [block for _, block in blocks(source.tree)]
    random.shuffle(candidates)
    for block in candidates[: max(3, len(candidates) // 4)]:
        first = random.randrange(len(block))
        part = block[first : first + random.randint(1, 4)]
        begin, end = first_line(part[0]), part[-1].end_lineno
        rows = range(begin, end + 1)
        is_plain = all(stands_alone(source, statement) and not is_fixed_in_place(statement) for statement in part)
        if not is_plain or any(source.has_long_string[row] for row in rows) or taken & set(rows):
            continue
        taken |= set(rows)
        text = lines[begin - 1][0]
        inserted[begin] = text[: len(text) - len(text.lstrip())] + "if True:"
        for row in rows:
            if lines[row - 1][0].strip():
                lines[row - 1][0] = "    " + lines[row - 1][0]
    if not inserted:
        return None
    out = []
    for row, (text, origin) in enumerate(lines, start=1):
        if row in inserted:
            out.append((inserted[row], None))
        out.append((text, origin))
    return {name: Source(name, out)}, {}, len(inserted)


def add_blank_lines(program, name, random):
    """Blank lines and comments between statements."""
    source = program[name]
    before = set()
    for _, block in blocks(source.tree):
        for statement in block:
            row = first_line(statement)
            above = source.lines[row - 2][0].strip() if row > 1 else ""
            # A comment may speak of the next line.
            if stands_alone(source, statement) and not above.startswith("#") and random.random() < 0.3:
                before.add(row)
    if not before:
        return None
    out = []
    for row, (text, origin) in enumerate(source.lines, start=1):
        if row in before:
            indent = text[: len(text) - len(text.lstrip())]
            out += [(choice, None) for choice in random.choice((["", ""], [""], [indent + "# and then"], ["", indent + "# next"]))]
        out.append((text, origin))
    return {name: Source(name, out)}, {}, len(before)


def depends_on_order(definition):
    """Whether something may run at the import that asks for other definitions than those that it names."""
    calls = [node.func for part in needed_at_import(definition) for node in ast.walk(part) if isinstance(node, ast.Call)]
    calls += [decorator for node in ast.walk(definition) for decorator in getattr(node, "decorator_list", [])]
    return any(not read_names(call) & HARMLESS for call in calls)


def registers_classes(tree):
    """Whether the order of classes may be seen: something runs when one is defined, or they are listed."""
    hooks = {"__init_subclass__", "__set_name__", "__prepare__"}
    is_hook = any(isinstance(node, ast.FunctionDef) and node.name in hooks for node in ast.walk(tree))
    is_listed = any(isinstance(node, ast.Attribute) and node.attr == "__subclasses__" for node in ast.walk(tree))
    metaclasses = [one.value for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.keywords if one.arg == "metaclass"]
    return is_hook or is_listed or any(not read_names(one) & {"ABCMeta", "abc"} for one in metaclasses)


def is_movable(definition, bound):
    return isinstance(definition, DEFINITIONS) and len(bound[definition.name]) == 1 and not depends_on_order(definition)


def with_texts_above(source, statements):
    """The lines of each of some statements that follow each other, with what stands above it."""
    first = first_line(statements[0])
    while first > 1 and source.lines[first - 2][0].startswith(("#", "@")):
        first -= 1
    parts = []
    for statement in statements:
        parts.append(source.lines[first - 1 : statement.end_lineno])
        first = statement.end_lineno + 1
    return parts


def move_definitions(program, name, random):
    """Functions and classes that stand beside each other change places."""
    source = program[name]
    if any(registers_classes(other.tree) for other in program.values()):
        return None
    bound = bound_names(source.tree)
    runs, run = [], []
    for statement in [*source.tree.body, None]:
        if statement is not None and is_movable(statement, bound) and stands_alone(source, statement):
            run.append(statement)
        else:
            runs.append(run)
            run = []
    lines, moved = list(source.lines), 0
    for run in (run for run in runs if len(run) > 1):
        needs = {part.name: set().union(*(read_names(need) for need in needed_at_import(part)), set()) for part in run}
        texts = dict(zip((part.name for part in run), with_texts_above(source, run)))
        first = min(first_line(run[0]), *(part.lineno for part in run))
        while first > 1 and source.lines[first - 2][0].startswith(("#", "@")):
            first -= 1
        waiting, order = [part.name for part in run], []
        while waiting:
            ready = [part for part in waiting if not needs[part] & (set(waiting) - {part})]
            if not ready:
                return None
            chosen = random.choice(ready)
            waiting.remove(chosen)
            order.append(chosen)
        moved += sum(one != part.name for one, part in zip(order, run))
        new = [line for chosen in order for line in texts[chosen]]
        if len(new) != run[-1].end_lineno - first + 1:
            return None
        lines[first - 1 : run[-1].end_lineno] = new
    if not moved:
        return None
    return {name: Source(name, lines)}, {}, moved


def split_module(program, name, random):
    """Some functions and classes move to a module of their own, and are imported from there."""
    source = program[name]
    path = pathlib.PurePosixPath(name)
    if any(registers_classes(other.tree) for other in program.values()):
        return None
    in_package = str(path.parent / "__init__.py") in program
    is_apart = path.name in ("__init__.py", "setup.py", "conftest.py") or path.name.startswith("test")
    if is_apart or uses_reflection(source.tree) or not in_package and str(path.parent) != ".":
        return None
    others = [node for other in program.values() for node in ast.walk(other.tree) if isinstance(node, ast.Attribute)]
    if any(path.stem == getattr(node.value, "id", None) for node in others):
        # What others change in the module would not be changed there.
        return None
    bound = bound_names(source.tree)
    imports = {}
    for statement in source.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and getattr(statement, "module", "") != "__future__":
            for alias in statement.names:
                imports[(alias.asname or alias.name).split(".")[0]] = statement
    changed = {name for node in ast.walk(source.tree) if isinstance(node, ast.Global) for name in node.names}
    definitions = {part.name: part for part in source.tree.body if is_movable(part, bound) and stands_alone(source, part)}
    known = set(bound)

    def closure(start):
        found, waiting = set(), [start]
        while waiting:
            part = waiting.pop()
            if part in found or part in imports and len(bound[part]) == 1:
                continue
            if part not in definitions or part in changed:
                return None
            found.add(part)
            waiting += sorted(read_names(definitions[part]) & known)
        return found

    choices = [found for found in (closure(part) for part in definitions) if found and len(found) < len(definitions)]
    if not choices:
        return None
    chosen = random.choice(choices)
    parts = [part for part in source.tree.body if isinstance(part, DEFINITIONS) and part.name in chosen]
    reads = set().union(*(read_names(part) for part in parts))
    needed = [imports[part] for part in sorted(reads & set(imports))]
    heads = [part for part in source.tree.body if is_fixed_in_place(part) and isinstance(part, ast.ImportFrom)]
    copied = []
    for statement in sorted({id(part): part for part in [*heads, *needed]}.values(), key=lambda part: part.lineno):
        copied += [(text, None) for text in ast.unparse(statement).split("\n")]
    stem = f"{path.stem}_parts"
    new = str(path.parent / f"{stem}.py") if str(path.parent) != "." else f"{stem}.py"
    moved, rest = list(copied), list(source.lines)
    for part in parts:
        moved += source.lines[first_line(part) - 1 : part.end_lineno]
    for part in reversed(parts):
        rest[first_line(part) - 1 : part.end_lineno] = []
    line = f"from {'.' if in_package else ''}{stem} import {', '.join(part.name for part in parts)}"
    rest.insert(first_line(parts[0]) - 1, (line, None))
    return {name: Source(name, rest), new: Source(new, moved)}, {}, len(parts)
