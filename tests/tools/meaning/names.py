"""Other names for variables, parameters and imports."""

import ast

from meaning.source import DEFINITIONS, FUNCTIONS, bound_names, names_bound_by, uses_reflection

SCOPES = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Frameworks call methods of these classes by the names of parameters, or look at them.
PLAIN_BASES = {"Module", "object"}


def parameters(function):
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument for argument in every if argument is not None]


def own_names(function):
    """The variables of a function that nothing within it has once more, with those that are no plain assignments left out."""
    stored, left_out = {argument.arg for argument in parameters(function)}, set()
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stored.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            left_out.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.Match, *DEFINITIONS)):
            bound = names_bound_by(node) if isinstance(node, ast.stmt) else {node.name}
            left_out |= bound
        if isinstance(node, SCOPES):
            left_out |= bound_within(node)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return stored - left_out


def bound_within(scope):
    """All names that a scope within a function or a part of it binds in any way."""
    found = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom, *DEFINITIONS)):
            found |= names_bound_by(node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.Match):
            found |= names_bound_by(node)
    return found


def classes_of_methods(tree):
    return {method: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for method in node.body if isinstance(method, FUNCTIONS)}


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def parameters_are_free(function, class_):
    """Whether nobody but the program may call a function by the names of its parameters."""
    if function.decorator_list or function.name.startswith("test"):
        return False
    if class_ is None:
        return True
    is_plain = all(last_name(base) in PLAIN_BASES for base in class_.bases) and not class_.keywords
    return is_plain and not class_.decorator_list and function.name != "call"


def rename_variables(program, name, random):
    """Variables and parameters of functions get other names."""
    source = program[name]
    nodes = [node for other in program.values() for node in ast.walk(other.tree)]
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword)}
    # Names of parameters may come from dictionaries, command lines and files, and be asked for.
    asked = {"signature", "getfullargspec", "get_type_hints", "__code__", "__annotations__", "__kwdefaults__", "instantiate", "vars", "command", "option"}
    words = {node.id for node in nodes if isinstance(node, ast.Name)} | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    imported = {alias.name.split(".")[0] for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    imported |= {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    are_asked = None in keywords or bool(asked & words) or bool({"inspect", "click", "typer", "tyro", "fire", "hydra"} & imported)
    methods = classes_of_methods(source.tree)
    edits, renames, taken = [], {}, set()
    for function in [node for node in ast.walk(source.tree) if isinstance(node, FUNCTIONS)]:
        inside = set(ast.walk(function))
        if inside & taken or uses_reflection(function) or random.random() < 0.3:
            continue
        fixed = source.said(function.lineno, function.end_lineno)
        own_parameters = {argument.arg for argument in parameters(function)}
        for variable in sorted(own_names(function)):
            is_parameter = variable in own_parameters
            is_fixed = variable in fixed or variable.startswith("__") or variable in ("self", "cls", "mcs", "_")
            if is_parameter and (are_asked or variable in keywords or not parameters_are_free(function, methods.get(function))):
                is_fixed = True
            if is_fixed or random.random() < 0.3:
                continue
            new = f"{variable}_v{len(renames)}"
            renames[new] = variable
            places = [argument for argument in parameters(function) if argument.arg == variable]
            for statement in function.body:
                places += [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == variable]
            for node in places:
                row, column = node.lineno, source.column(node.lineno, node.col_offset)
                edits.append(((row, column), (row, column + len(variable)), new))
            taken |= inside
    if not edits:
        return None
    return {name: source.edited(edits)}, renames, len(renames)


def rename_imports(program, name, random):
    """`import torch` becomes `import torch as torch_a0`, `from x import y` becomes `from x import y as y_a1`."""
    source = program[name]
    others = [other for other in program.values() if other is not source]
    imports = [node for other in others for node in ast.walk(other.tree) if isinstance(node, ast.ImportFrom)]
    used = {alias.name for node in imports for alias in node.names}
    used |= {node.attr for other in others for node in ast.walk(other.tree) if isinstance(node, ast.Attribute)}
    # A name that another module may take from this one stays.
    if uses_reflection(source.tree) or "*" in used or name.endswith("__init__.py"):
        return None
    bound = bound_names(source.tree)
    everywhere = [node for node in ast.walk(source.tree)]
    inner = set()
    for node in everywhere:
        if isinstance(node, SCOPES):
            inner |= bound_within(node)
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            inner.update(node.names)
    edits, renames = [], {}
    for statement in source.tree.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) or getattr(statement, "module", "") == "__future__":
            continue
        for alias in statement.names:
            old = alias.asname or alias.name
            is_fixed = "." in old or old == "*" or len(bound.get(old, ())) != 1 or old in inner or old in used
            if is_fixed or old in source.said(1, len(source.lines)) or random.random() < 0.3:
                continue
            new = f"{old}_a{len(renames)}"
            renames[new] = old
            start, end = source.span(alias)
            edits.append((start, end, f"{alias.name} as {new}"))
            for node in everywhere:
                if isinstance(node, ast.Name) and node.id == old:
                    edits.append((*source.span(node), new))
    if not edits:
        return None
    return {name: source.edited(edits)}, renames, len(renames)
