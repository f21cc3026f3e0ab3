"""Other spellings of a program that mean the same: what edits of text must cope with."""

import ast


def of(text):
    """The program, spelled in several ways, those of them that are Python and another text."""
    ways = {"tabs": tabs, "CRLF": crlf, "broken calls": broken, "comments in calls": commented, "values in parentheses": values, "arguments in parentheses": arguments,
            "operators in parentheses": operators, "statements of one line": joined, "bodies of one line": short_bodies, "comments behind lines": behind, "letters": letters, "in a function": within}
    for how, way in ways.items():
        try:
            new = way(text)
            ast.parse(new)
        except (SyntaxError, ValueError):
            continue
        if new != text:
            yield how, new


def offsets(text):
    """The place of the first character of each line, counted from line 1."""
    starts, at = [0, 0], 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        starts.append(at)
    return starts


def inserted(text, insertions):
    """The text with what is put at places of it; of those at one place, the first comes first."""
    parts, last = [], 0
    for at, new in sorted(insertions, key=lambda one: one[0]):
        parts += [text[last:at], new]
        last = at
    return "".join([*parts, text[last:]])


def spans(text, kinds):
    """The nodes of some kinds, with where they begin and end."""
    if not text.isascii():
        raise ValueError("columns are bytes")
    starts = offsets(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds):
            yield node, starts[node.lineno] + node.col_offset, starts[node.end_lineno] + node.end_col_offset


def in_formatted(text):
    """The nodes of formatted strings, which are left as they are."""
    return {id(part) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}


def tabs(text):
    lines = []
    for line in text.splitlines(keepends=True):
        bare = line.lstrip(" ")
        lines.append("\t" * ((len(line) - len(bare)) // 4) + bare)
    return "".join(lines)


def crlf(text):
    return text.replace("\n", "\r\n")


def calls(text):
    """Behind the opening and before the closing parenthesis of the calls of one line that are given something."""
    found, starts = [], offsets(text)
    for node, _, end in spans(text, ast.Call):
        if node.lineno == node.end_lineno and (node.args or node.keywords) and not isinstance(node.func, ast.Lambda):
            open_at = starts[node.func.end_lineno] + node.func.end_col_offset
            if text[open_at] == "(":
                found.append((open_at + 1, end - 1))
    return found


def outermost(found):
    return [one for one in found if not any(other[0] < one[0] and one[1] < other[1] for other in found)]


def broken(text):
    return inserted(text, [part for start, end in outermost(calls(text)) for part in ((start, "\n            "), (end, "\n    "))])


def commented(text):
    return inserted(text, [part for start, end in outermost(calls(text)) for part in ((start, "  # a comment\n            "),)])


def values(text):
    wrapped = []
    for node, _, _ in spans(text, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
        value = node.value
        if value is not None and not isinstance(value, ast.Constant) and not (isinstance(node, ast.Expr) and isinstance(value, (ast.Yield, ast.Await))):
            starts = offsets(text)
            wrapped += [(starts[value.lineno] + value.col_offset, "("), (starts[value.end_lineno] + value.end_col_offset, ")")]
    return inserted(text, wrapped)


def arguments(text):
    wrapped, starts, left_out = [], offsets(text), in_formatted(text)
    for node, _, _ in spans(text, ast.Call):
        for value in node.args:
            if not isinstance(value, (ast.Starred, ast.GeneratorExp)) and id(value) not in left_out:
                wrapped.append((starts[value.lineno] + value.col_offset, starts[value.end_lineno] + value.end_col_offset))
    return inserted(text, [part for start, end in outermost(wrapped) for part in ((start, "("), (end, ")"))])


def operators(text):
    left_out = in_formatted(text)
    wrapped = [(start, end) for node, start, end in spans(text, ast.BinOp) if id(node) not in left_out]
    return inserted(text, [part for start, end in outermost(wrapped) for part in ((start, "("), (end, ")"))])


def joined(text):
    """Each second plain statement goes to the line of the one before."""
    lines, new = text.split("\n"), []
    plain = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)) and node.lineno == node.end_lineno}
    was_joined = False
    for number, line in enumerate(lines, 1):
        indentation = line[:len(line) - len(line.lstrip())]
        fits = number in plain and number - 1 in plain and new and not was_joined and "#" not in new[-1]
        fits = fits and new[-1][:len(new[-1]) - len(new[-1].lstrip())] == indentation
        if fits:
            new[-1] += "; " + line.strip()
        else:
            new.append(line)
        was_joined = fits
    return "\n".join(new)


def short_bodies(text):
    lines, gone = text.split("\n"), set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.For, ast.If, ast.With)) and len(node.body) == 1 and not getattr(node, "orelse", None):
            only = node.body[0]
            if isinstance(only, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)) and only.lineno == only.end_lineno == node.lineno + 1 and "#" not in lines[node.lineno - 1]:
                lines[node.lineno - 1] += " " + lines[only.lineno - 1].strip()
                gone.add(only.lineno - 1)
    return "\n".join(line for number, line in enumerate(lines) if number not in gone)


def behind(text):
    within = {number for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno != node.end_lineno
              for number in range(node.lineno, node.end_lineno)}
    return "\n".join(f"{line}  # line {number}" if line.strip() and number not in within and "#" not in line else line
                     for number, line in enumerate(text.split("\n"), 1))


def letters(text):
    """Letters of several bytes before everything, and in the lines themselves."""
    return "# Übung — größer\n" + inserted(text, [(start, "('ö', ") if not end else (start, ")[1]") for start, end in wrapped_values(text)])


def wrapped_values(text):
    starts = offsets(text)
    for node, _, _ in spans(text, ast.Assign):
        value = node.value
        if isinstance(value, ast.Call):
            yield starts[value.lineno] + value.col_offset, False
            yield starts[value.end_lineno] + value.end_col_offset, True


def within(text):
    """All but the imports in a function that is called."""
    lines = text.rstrip("\n").split("\n")
    first = next(number for number, line in enumerate(lines) if line and not line.startswith(("import ", "from ", "#")))
    if "import *" in text or '"""' in text:
        raise ValueError("it cannot be indented")
    return "\n".join([*lines[:first], "def main():", *(f"    {line}" if line else "" for line in lines[first:]), "    return locals()", "", "result = main()"]) + "\n"
