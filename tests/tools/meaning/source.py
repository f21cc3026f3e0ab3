"""A Python file as lines that know where they come from, so that a finding after a change has a place before it."""

import ast
import io
import re
import tokenize

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
# They read variables by name, or ask how the program is written.
REFLECTION = {"dir", "eval", "exec", "globals", "inspect", "locals", "vars"}


class Source:
    """The text of a file. `lines` has each line with its origin: the file and the number that it had at first, or none."""

    def __init__(self, name, lines):
        self.name = name
        self.lines = lines
        self.text = "\n".join(text for text, _ in lines)
        self.tree = ast.parse(self.text)
        self.words = []
        self.has_long_string = [False] * (len(lines) + 2)
        for token in tokenize.generate_tokens(io.StringIO(self.text + "\n").readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                self.words.append((token.start[0], token.end[0], set(re.findall(r"\w+", token.string))))
            if token.start[0] != token.end[0] and token.type == tokenize.STRING:
                for line in range(token.start[0], token.end[0] + 1):
                    self.has_long_string[line] = True

    @classmethod
    def of_text(cls, name, text):
        return cls(name, [(line, (name, number)) for number, line in enumerate(text.split("\n"), start=1)])

    def column(self, row, offset):
        """`ast` counts bytes."""
        return len(self.lines[row - 1][0].encode()[:offset].decode())

    def span(self, node):
        """Line and column of the first character of a node, and of the one behind it."""
        start = (node.lineno, self.column(node.lineno, node.col_offset))
        return start, (node.end_lineno, self.column(node.end_lineno, node.end_col_offset))

    def said(self, first, last):
        """The words of comments and texts between two lines."""
        return {word for start, end, words in self.words if start <= last and first <= end for word in words}

    def edited(self, edits):
        """With texts in the place of spans. The lines of a text within a line have its origin."""
        lines = [list(line) for line in self.lines]
        for (row, column), (last, end), text in sorted(edits, reverse=True):
            head, tail = lines[row - 1][0][:column], lines[last - 1][0][end:]
            lines[row - 1 : last] = [[head + text + tail, lines[row - 1][1]]]
        return Source(self.name, [tuple(line) for line in lines])

    def origin(self, line):
        return self.lines[line - 1][1] if 0 < line <= len(self.lines) else None


def first_line(statement):
    """The line of the first decorator, or of the statement."""
    return min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", []))])


def blocks(tree):
    """All lists of statements, each with what it belongs to."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield node, block


def stands_alone(source, statement):
    """Whether nothing else is on the first and the last line of a statement."""
    row = first_line(statement)
    text = source.lines[row - 1][0]
    start = len(text) - len(text.lstrip())
    is_first = text.lstrip().startswith("@") or start == source.column(statement.lineno, statement.col_offset)
    rest = source.lines[statement.end_lineno - 1][0][source.column(statement.end_lineno, statement.end_col_offset) :].strip()
    return is_first and not text.lstrip().startswith("elif") and (not rest or rest.startswith("#"))


def bound_names(tree):
    """Names that the statements of a module bind, each with the statements at the top level that do."""
    found = {}
    for statement in tree.body:
        for name in names_bound_by(statement):
            found.setdefault(name, []).append(statement)
    return found


def names_bound_by(statement):
    """Names that a statement binds in its own scope."""
    if isinstance(statement, DEFINITIONS):
        return {statement.name}
    found = set()
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        if isinstance(node, DEFINITIONS):
            found.add(node.name)
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def read_names(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def needed_at_import(definition):
    """What of a definition runs when it is defined: decorators, defaults, annotations, bases, and the body of a class."""
    if isinstance(definition, FUNCTIONS):
        arguments = definition.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        annotations = [argument.annotation for argument in every if argument is not None]
        parts = [*definition.decorator_list, *arguments.defaults, *arguments.kw_defaults, *annotations, definition.returns]
        return [part for part in parts if part is not None]
    if isinstance(definition, ast.ClassDef):
        parts = [*definition.decorator_list, *definition.bases, *(keyword.value for keyword in definition.keywords)]
        return [*parts, *(part for statement in definition.body for part in needed_at_import(statement))]
    return [definition]


def uses_reflection(node):
    return bool(read_names(node) & REFLECTION)
