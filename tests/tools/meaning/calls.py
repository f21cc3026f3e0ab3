"""Functions without a name, and arguments in a tuple."""

import ast

from meaning.names import parameters
from meaning.source import FUNCTIONS, Source, bound_names, stands_alone, uses_reflection


def in_strings(tree):
    """Nodes within f-strings, whose places are not those in the file."""
    return {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}


def calls_of_own(source, random, share):
    """Calls of functions and classes that the module defines once, no call within another one."""
    bound = bound_names(source.tree)
    own = {name for name, places in bound.items() if len(places) == 1 and isinstance(places[0], (*FUNCTIONS, ast.ClassDef))}
    apart = in_strings(source.tree)
    decorators = {part for node in ast.walk(source.tree) for one in getattr(node, "decorator_list", ()) for part in ast.walk(one)}
    taken = set()
    for node in ast.walk(source.tree):
        is_plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node not in apart and node not in decorators
        if is_plain and node.func.id in own and node not in taken and random.random() < share:
            taken |= set(ast.walk(node))
            yield node


def pass_as_tuple(program, name, random):
    """`f(a, b)` becomes `f(*(a, b))`."""
    source = program[name]
    edits = []
    for call in calls_of_own(source, random, 0.6):
        if not call.args or any(isinstance(argument, (ast.Starred, ast.GeneratorExp)) for argument in call.args):
            continue
        if has_plain_parentheses(source, call):
            start, end = source.span(call.args[0])[0], source.span(call.args[-1])[1]
            edits += [(start, start, "*("), (end, end, ",)")]
    return ({name: source.edited(edits)}, {}, len(edits) // 2) if edits else None


def has_plain_parentheses(source, call):
    """Whether no argument stands in parentheses of its own, which are in no tree."""
    row, column = source.span(call.func)[1]
    start, _ = source.span(call.args[0])
    _, end = source.span(call.args[-1])
    opening = between(source, (row, column), start)
    closing = between(source, end, source.span(call)[1])
    return opening.strip() == "(" and closing.lstrip()[:1] in (")", ",")


def between(source, start, end):
    if start[0] == end[0]:
        return source.lines[start[0] - 1][0][start[1] : end[1]]
    parts = [source.lines[start[0] - 1][0][start[1] :]]
    parts += [source.lines[row - 1][0] for row in range(start[0] + 1, end[0])]
    return "\n".join([*parts, source.lines[end[0] - 1][0][: end[1]]])


def call_through_lambda(program, name, random):
    """`f(a)` becomes `(lambda *p, **k: f(*p, **k))(a)`."""
    source = program[name]
    edits = []
    for call in calls_of_own(source, random, 0.4):
        start, end = source.span(call.func)
        edits.append((start, end, f"(lambda *p_, **k_: {call.func.id}(*p_, **k_))"))
    return ({name: source.edited(edits)}, {}, len(edits)) if edits else None


def define_as_lambda(program, name, random):
    """`def f(a): return a` becomes `f = lambda a: a`."""
    source = program[name]
    if uses_reflection(source.tree):
        return None
    apart = in_strings(source.tree)
    lines, changed = list(source.lines), 0
    methods = {part for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef) for part in node.body}
    functions = [node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef) and node not in methods]
    for function in sorted(functions, key=lambda node: -node.lineno):
        is_return = len(function.body) == 1 and isinstance(function.body[0], ast.Return) and function.body[0].value is not None
        hints = [argument.annotation for argument in parameters(function)] + [function.returns]
        if not is_return or any(hints) or function.decorator_list or not stands_alone(source, function) or function in apart:
            continue
        value = function.body[0].value
        first, last = function.lineno, function.end_lineno
        is_short = value.lineno == value.end_lineno and first + 1 == value.lineno and last == value.lineno
        is_generator = any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in ast.walk(value))
        if not is_short or is_generator or random.random() < 0.2:
            continue
        (_, start), (_, end) = source.span(value)
        indent = lines[first - 1][0][: function.col_offset]
        arguments = ast.unparse(function.args)
        head = f"{indent}{function.name} = lambda {arguments}: (" if arguments else f"{indent}{function.name} = lambda: ("
        tail = lines[last - 1][0][end:]
        # What fails in it fails in the line of its value.
        lines[first - 1 : last] = [(head, None), (indent + "    " + lines[last - 1][0][start:end] + ")" + tail, lines[last - 1][1])]
        changed += 1
    if not changed:
        return None
    return {name: Source(name, lines)}, {}, changed
