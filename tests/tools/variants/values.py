"""Changes that keep the values which a pattern reads in something other than a local variable."""

import ast

from meaning.source import FUNCTIONS
from variants.names import Flow, Place, Replace, Unfit, after, binds, first_index, hidden_names, made, own_statements, parameters, placed, targets

HELD = """
class Held:
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        return self._value
"""


def property_(program):
    """What the statement reads is read from a property."""
    place, line = Place(program.tree, program.target), program.line
    found = list(place.sources())
    if not found:
        yield "", attribute_as_property(program, place)
        return
    Replace({name: f"held_{name}.value" for name, _, _ in found}).visit(program.target)
    for name, statement, block in found:
        at = after(statement, block)
        block[at:at] = made(f"held_{name} = Held({name})", getattr(statement, "lineno", line))
    top = first_index(program.tree)
    program.tree.body[top:top] = made(HELD, line)
    yield "", program


def own_class(place):
    """The class without bases whose method has the statement."""
    owners = [owner for _, _, owner in place.blocks if isinstance(owner, ast.ClassDef)]
    if not owners or owners[0].bases or not place.function:
        raise Unfit("reads no variable")
    return owners[0]


def is_of_self(node, names=None):
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return is_own and (names is None or node.attr in names)


def data_of(program, owner):
    """Attributes of `self` that the statement reads and `__init__` sets."""
    begin = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    if begin is None:
        raise Unfit("reads no variable")
    kept = {part.attr for part in ast.walk(begin) if is_of_self(part) and isinstance(part.ctx, ast.Store)}
    found = sorted({part.attr for part in ast.walk(program.target) if is_of_self(part, kept)})
    if not found:
        raise Unfit("reads no variable")
    return begin, found


def attribute_as_property(program, place):
    owner = own_class(place)
    begin, found = data_of(program, owner)
    for part in ast.walk(begin):
        if is_of_self(part, found):
            part.attr = "_" + part.attr
    stores = {part.attr for part in ast.walk(program.tree) if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)}
    for name in found:
        text = f"@property\ndef {name}(self):\n    return self._{name}\n"
        if name in stores:
            text += f"@{name}.setter\ndef {name}(self, value):\n    self._{name} = value\n"
        owner.body += made(text, program.line)
    return program


def dictionary(program):
    """Variables that the statement reads or assigns are items of a dictionary."""
    place, line = Place(program.tree, program.target), program.line
    names = replaceable(program, place)
    if not names:
        yield "", attributes_in_dictionary(program, place)
        return
    known = [name for name in names if place.function and name in parameters(place.function)]
    Body = Replace({name: f"store[{name!r}]" for name in names}, stores=True)
    place.body[:] = [Body.visit(statement) for statement in place.body]
    at = after(None, place.body) if place.function else first_index(program.tree)
    items = ", ".join(f"{name!r}: {name}" for name in known)
    place.body[at:at] = made(f"store = {{{items}}}", line)
    yield "", program


def replaceable(program, place):
    """Variables of the scope that assignments alone bind, and that no function reads."""
    if isinstance(program.target, (ast.ClassDef, *FUNCTIONS, ast.Import, ast.ImportFrom)):
        raise Unfit("a definition")
    flow = Flow([program.target])
    statements = list(own_statements(place.body))
    plain, other = set(), place.read_by_functions() if not place.function else set()
    for statement in statements:
        if isinstance(statement, (ast.Assign, ast.AugAssign)):
            plain |= binds(statement)
        elif isinstance(statement, ast.For):
            other |= targets(statement.target)
        elif not isinstance(statement, (ast.If, ast.While, ast.Try)):
            other |= {name for name in binds(statement) if not isinstance(statement, ast.With)}
        if isinstance(statement, ast.With):
            other |= {name for item in statement.items if item.optional_vars is not None for name in targets(item.optional_vars)}
        if isinstance(statement, ast.Delete):
            other |= {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
    for statement in place.body:
        other |= hidden_names(statement)
    if place.function:
        plain |= set(parameters(place.function)) - {"self"}
    return sorted(((set(flow.exposed) | flow.bound) & plain) - other)


def attributes_in_dictionary(program, place):
    owner = own_class(place)
    begin, found = data_of(program, owner)
    inside = {id(part) for part in ast.walk(owner)}
    if any(isinstance(part, ast.Attribute) and part.attr in found and id(part) not in inside for part in ast.walk(program.tree)):
        raise Unfit("read from outside")
    InClass(found).visit(owner)
    begin.body[0:0] = made("self.store = {}", begin.lineno)
    return program


class InClass(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if not is_of_self(node, self.names):
            return node
        new = ast.parse(f"self.store[{node.attr!r}]", mode="eval").body
        new.ctx = type(node.ctx)()
        return placed(new, node.lineno)


def packed(program):
    """What the statement reads is packed into a tuple, and unpacked before it."""
    place, line = Place(program.tree, program.target), program.line
    found = list(place.sources())
    if not found:
        raise Unfit("reads no variable")
    block, index, _ = place.blocks[0]
    Replace({name: f"{name}_" for name, _, _ in found}).visit(program.target)
    groups = {}
    for name, statement, where in found:
        groups.setdefault(id(where), (where, []))[1].append((name, statement))
    unpacked = []
    for number, (where, members) in enumerate(groups.values(), start=1):
        names = [name for name, _ in members]
        end = "," if len(names) == 1 else ""
        unpacked += made(f"{', '.join(name + '_' for name in names)}{end} = pack_{number}", line)
        members.sort(key=lambda member: after(member[1], where))
        at = after(members[-1][1], where)
        where[at:at] = made(f"pack_{number} = ({', '.join(names)}{end})", getattr(members[-1][1], "lineno", line))
    index = block.index(program.target)
    block[index:index] = unpacked
    yield "", program
