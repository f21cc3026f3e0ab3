"""Changes that put a part of an example into a function, a method or another file."""

import ast

from meaning.source import DEFINITIONS, REFLECTION
from variants.names import BUILTINS, IMPORTS, LOOPS, TIED, Flow, Place, Unfit, binds, first_index, is_plain, leaves_loop, made, placed, reads


class Part:
    """Statements that can be a function: its parameters, what it returns, and where they stand."""

    def __init__(self, program):
        self.place = Place(program.tree, program.target)
        target = program.target
        self.is_loop = isinstance(target, LOOPS)
        self.statements = target.body if self.is_loop else [target]
        self.returned_value = target.value if isinstance(target, ast.Return) else None
        self.check(target)
        statements = [placed(ast.Expr(self.returned_value), target.lineno)] if self.returned_value is not None else self.statements
        flow = Flow(statements)
        variables = self.place.variables()
        shared = flow.bound & self.place.read_by_functions() if not self.place.function else set()
        if shared:
            raise Unfit("functions read what it assigns")
        self.results = sorted(flow.bound & self.needed(flow, target))
        kept = [name for name in self.results if name not in flow.sure]
        self.parameters = [name for name in dict.fromkeys([*flow.exposed, *kept]) if name in variables]
        self.others = [name for name in flow.exposed if name not in variables and name not in BUILTINS]

    def check(self, target):
        function = self.place.function
        if function is not None and function.decorator_list:
            raise Unfit("in a function with a decorator")
        if self.returned_value is None and isinstance(target, ast.Return):
            raise Unfit("returns nothing")
        for statement in [self.returned_value] if self.returned_value is not None else self.statements:
            names = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
            if names & ({"super"} | REFLECTION) or any(isinstance(part, TIED) for part in ast.walk(statement)):
                raise Unfit("cannot be moved")
        if leaves_loop(self.statements):
            raise Unfit("leaves the loop")

    def needed(self, flow, target):
        """Names that are read elsewhere in the scope, or by the next round of the loop."""
        inside = set(map(id, (part for statement in self.statements for part in ast.walk(statement))))
        inside -= {id(target)} if self.is_loop else set()
        found = set(flow.exposed)
        for statement in self.place.body:
            outside = [part for part in ast.walk(statement) if id(part) not in inside]
            found |= {part.id for part in outside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
            found |= {part.target.id for part in outside if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)}
        # A variable of the module may be imported by another file.
        return found if self.is_loop or self.place.function else found | flow.bound

    def body(self, line):
        if self.returned_value is not None:
            return [placed(ast.Return(self.returned_value), line)]
        results = ", ".join(self.results)
        return [*self.statements, *(made(f"return {results}", line) if results else [])]

    def replaced(self, callee, line):
        """Puts the call in the place of the statements."""
        call = f"{callee}({', '.join(self.parameters)})"
        if self.returned_value is not None:
            new = made("return " + call, line)
        else:
            new = made(f"{', '.join(self.results)} = {call}" if self.results else call, line)
        block, index, _ = self.place.blocks[0]
        if self.is_loop:
            self.place.target.body = new
        else:
            block[index : index + 1] = new


def function(program):
    """The body of the loop, or the statement, as a function of the module."""
    part, line = Part(program), program.line
    definition = made(f"def moved_part({', '.join(part.parameters)}):\n    pass", line)[0]
    definition.body = part.body(line)
    top = part.place.top()
    part.replaced("moved_part", line)
    program.tree.body.insert(top, definition)
    yield "", program


def method(program):
    """The same as a method of an object that is made before."""
    part, line = Part(program), program.line
    if "self" in part.parameters:
        raise Unfit("has a `self` of its own")
    words = ", ".join(["self", *part.parameters])
    definition = made(f"class MovedPart:\n    def run({words}):\n        pass", line)[0]
    definition.body[0].body = part.body(line)
    top = part.place.top()
    part.replaced("mover.run", line)
    program.tree.body[top:top] = [definition, *made("mover = MovedPart()", line)]
    yield "", program


def halves(program):
    """What the pattern's statement reads is made by functions and returned: variables, and an operand of the outermost operation."""
    place, line = Place(program.tree, program.target), program.line
    definitions, done = [], set()
    for _, statement, _ in place.sources():
        if statement is None or statement in done or isinstance(statement.value, ast.Constant):
            continue
        done.add(statement)
        definitions.append(as_function(place, statement, "value", f"make_{len(definitions) + 1}"))
    holder = inner_operand(program.target)
    if holder is not None:
        owner, field, index = holder
        wrapped = Wrapped(owner, field, index)
        definitions.append(as_function(place, wrapped, "value", f"make_{len(definitions) + 1}"))
        wrapped.store()
    definitions = [one for one in definitions if one is not None]
    if not definitions:
        raise Unfit("reads nothing that is computed")
    top = first_index(program.tree)
    program.tree.body[top:top] = definitions
    yield "", program


class Wrapped:
    """An operand as if it were the value of a statement."""

    def __init__(self, owner, field, index):
        self.owner, self.field, self.index = owner, field, index
        held = getattr(owner, field)
        self.value = held if index is None else held[index]
        self.lineno = self.value.lineno

    def store(self):
        if self.index is None:
            setattr(self.owner, self.field, self.value)
        else:
            getattr(self.owner, self.field)[self.index] = self.value


def as_function(place, statement, field, name):
    """A function that returns what a statement computes, which then calls it."""
    value = getattr(statement, field)
    if any(isinstance(part, TIED) for part in ast.walk(value)) or "super" in set(reads(value)):
        return None
    names = {one for node in place.tree.body for one in binds(node) if isinstance(node, (*DEFINITIONS, *IMPORTS))}
    words = [one for one in dict.fromkeys(reads(value)) if one not in names and one not in BUILTINS]
    definition = made(f"def {name}({', '.join(words)}):\n    pass", value.lineno)[0]
    definition.body = [placed(ast.Return(value), value.lineno)]
    setattr(statement, field, placed(ast.parse(f"{name}({', '.join(words)})", mode="eval").body, value.lineno))
    return definition


def inner_operand(statement):
    """The first computed operand of the outermost operation of a statement, as who has it, in which field, at which index."""
    value = statement.iter if isinstance(statement, ast.For) else getattr(statement, "value", None)
    while value is not None:
        fields = operands(value)
        if not fields:
            return None
        found = [place for place in fields if operands(held(*place))]
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "print" and found:
            value = held(*found[0])
            continue
        return found[0] if found else None
    return None


def held(owner, field, index):
    value = getattr(owner, field)
    return value if index is None else value[index]


def operands(value):
    """Where the operands of an operation stand."""
    if isinstance(value, ast.BinOp):
        return [(value, "left", None), (value, "right", None)]
    if isinstance(value, ast.Subscript):
        return [(value, "value", None)]
    if isinstance(value, ast.Call):
        own = [(value.func, "value", None)] if isinstance(value.func, ast.Attribute) else []
        return own + [(value, "args", index) for index, part in enumerate(value.args) if not isinstance(part, ast.Starred)]
    return []


def argument(program):
    """All that runs as a function, with the first assignments as its arguments."""
    tree = program.tree
    kept = [statement for statement in tree.body if isinstance(statement, (*DEFINITIONS, *IMPORTS))]
    running = [statement for statement in tree.body if statement not in kept]
    used = {part.id for statement in kept for part in ast.walk(statement) if isinstance(part, ast.Name)}
    inputs = []
    while running and is_plain(running[0]) and running[0] is not program.target:
        inputs.append(running.pop(0))
    if not running:
        raise Unfit("nothing runs")
    bound = {name for statement in running for name in binds(statement)}
    if bound & used or any(isinstance(part, (ast.Global, ast.Nonlocal)) for part in ast.walk(tree)):
        raise Unfit("functions read what it assigns")
    if any(tree.body.index(one) > tree.body.index(running[0]) for one in kept if needs_before(one, inputs)):
        raise Unfit("definitions between")
    first = {name for statement in inputs for name in binds(statement)}
    words = sorted(first & {part.id for statement in running for part in ast.walk(statement) if isinstance(part, ast.Name)})
    definition = made(f"def moved_main({', '.join(words)}):\n    pass", program.line)[0]
    # Variables that nothing reads were the module's, where another file may import them; those of loops are overwritten.
    read = {part.id for statement in running for part in ast.walk(statement) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    outer = {name for statement in running if not isinstance(statement, LOOPS) for name in binds(statement)}
    unread = ", ".join(sorted(outer - read))
    definition.body = [*running, *(made(f"return {unread}", program.line) if unread else [])]
    order = [one for one in tree.body if one in kept or one in inputs]
    tree.body = [*order, definition, *made(f"moved_main({', '.join(words)})", program.line)]
    yield "", program


def needs_before(definition, inputs):
    """Whether a definition reads variables when it is made: then its place matters."""
    names = {name for statement in inputs for name in binds(statement)}
    return isinstance(definition, DEFINITIONS) and bool(names & set(reads_at_definition(definition)))


def reads_at_definition(definition):
    parts = list(getattr(definition, "decorator_list", []))
    parts += definition.args.defaults if hasattr(definition, "args") else [*definition.bases]
    return [name for part in parts for name in reads(part)]


def file(program):
    """Functions and classes, or the statement as a function, or constants, in a second file that is imported."""
    tree = program.tree
    imports = [statement for statement in tree.body if isinstance(statement, IMPORTS)]
    variables = {name for statement in tree.body if not isinstance(statement, (*DEFINITIONS, *IMPORTS)) for name in binds(statement)}
    moved = [statement for statement in tree.body if isinstance(statement, DEFINITIONS) and not free_of(statement) & variables]
    moved = closed(moved, tree)
    if not moved:
        if any(isinstance(statement, DEFINITIONS) for statement in tree.body):
            raise Unfit("definitions read variables of the module")
        moved, names = moved_values(program, imports)
    else:
        names = [statement.name for statement in moved]
    if not moved:
        raise Unfit("nothing to move")
    tree.body = [statement for statement in tree.body if statement not in moved]
    line = f"from PART_part import {', '.join(names)}"
    last = first_index(tree)
    tree.body[last:last] = made(line, program.line)
    other = ast.Module([placed(ast.parse(ast.unparse(one)).body[0], one.lineno) for one in imports] + moved, [])
    program.trees["part"] = other
    yield "", program


def moved_values(program, imports):
    """The statement as a function; or the assignments that the module begins with."""
    try:
        list(function(program))
        definition = next(one for one in program.tree.body if isinstance(one, ast.FunctionDef))
        return [definition], [definition.name]
    except Unfit:
        inputs = []
        for statement in program.tree.body:
            if statement in imports:
                continue
            if not is_plain(statement) or statement is program.target:
                break
            inputs.append(statement)
        return inputs, sorted({name for statement in inputs for name in binds(statement)})


def free_of(definition):
    return {part.id for part in ast.walk(definition) if isinstance(part, ast.Name)}


def closed(moved, tree):
    """Definitions that read no definition that stays."""
    while True:
        staying = {one.name for one in tree.body if isinstance(one, DEFINITIONS) and one not in moved}
        rest = [one for one in moved if not free_of(one) & staying]
        if len(rest) == len(moved):
            return rest
        moved = rest
