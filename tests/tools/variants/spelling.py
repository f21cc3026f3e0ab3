"""Other loops and other spellings of the same calls."""

import ast

from meaning.source import DEFINITIONS, FUNCTIONS
from variants.names import BUILTINS, COMPREHENSIONS, IMPORTS, LOOPS, Flow, Place, Unfit, binds, leaves_loop, made, own_statements, placed, reads, targets

# Operations that are both a function of the library and a method of its arrays, with the same arguments behind the array.
BOTH = {
    "torch": """abs add argmax argmin bmm clamp cos cumsum div exp flatten log log_softmax matmul max mean min mm mul norm pow relu reshape
        sigmoid sin softmax sort sqrt squeeze sub sum t tanh topk transpose unsqueeze var""".split(),
    "numpy": "argmax argmin clip cumsum dot max mean min ravel reshape std sum trace transpose var".split(),
}
# The name of the second parameter of functions that take an array and a dimension.
DIMENSION = {
    "torch": dict.fromkeys("argmax argmin cat cumsum log_softmax mean softmax stack sum unsqueeze".split(), "dim"),
    "numpy": dict.fromkeys("argmax argmin concatenate cumsum mean stack sum".split(), "axis"),
}


def loops(program):
    """`for x in y` as `for i, x in enumerate(y)`; over a `range` also as a `while`."""
    place = Place(program.tree, program.target)
    owners = [program.target, *(owner for _, _, owner in place.blocks)]
    comprehension = next((part for part in ast.walk(program.target) if isinstance(part, COMPREHENSIONS)), None)
    if isinstance(program.target, (*DEFINITIONS, *IMPORTS)):
        raise Unfit("a definition")
    loop = next((owner for owner in owners if isinstance(owner, ast.For)), None)
    if not isinstance(program.target, LOOPS) and comprehension is not None:
        loop = None
    if loop is None and comprehension is None:
        raise Unfit("no loop")
    if loop is None:
        first = comprehension.generators[0]
        first.target, first.iter = counted(first.target, first.iter, "position_")
        yield "", program
        return
    again = program.again()
    twin = same_node(program.tree, loop, again.tree)
    loop.target, loop.iter = counted(loop.target, loop.iter, "position_")
    yield "", program
    if is_range(twin.iter):
        as_while(again, twin)
        yield "while", again


def same_node(tree, node, other):
    return list(ast.walk(other))[list(ast.walk(tree)).index(node)]


def counted(target, values, name):
    line = values.lineno
    pair = placed(ast.Tuple([ast.Name(name, ast.Store()), target], ast.Store()), line)
    return pair, placed(ast.Call(ast.Name("enumerate", ast.Load()), [values], []), line)


def is_range(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range" and len(node.args) <= 2 and not node.keywords


def as_while(program, loop):
    place = Place(program.tree, loop)
    if not isinstance(loop.target, ast.Name) or loop.orelse or leaves_loop([one for one in loop.body]) and has_continue(loop.body):
        raise Unfit("no plain loop")
    name, line = loop.target.id, loop.lineno
    begin, end = (ast.Constant(0), loop.iter.args[0]) if len(loop.iter.args) == 1 else loop.iter.args
    bound = {one for statement in loop.body for one in binds(statement)}
    inside = {id(part) for part in ast.walk(loop)}
    outside = {part.id for part in ast.walk(program.tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and id(part) not in inside}
    if name in bound or (name in outside and not assigned_before_reads(program.tree, name, inside)):
        raise Unfit("the number is used besides")
    before = made(f"{name} = 0", line)
    before[0].value = placed(begin, line)
    if not isinstance(end, ast.Constant):
        limit = made(f"limit_ = 0", line)
        limit[0].value = end
        before += limit
        end = placed(ast.Name("limit_", ast.Load()), line)
    again = made(f"while {name} < 0:\n    pass", line)[0]
    again.test.comparators = [placed(end, line)]
    again.body = [*loop.body, *made(f"{name} += 1", line)]
    again.made = False
    block, index, _ = place.blocks[0]
    block[index : index + 1] = [*before, again]
    if program.target is loop:
        program.target = again


def assigned_before_reads(tree, name, inside):
    """Whether every read of the name outside of the loop is in another loop over it, or in a comprehension."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For) and name in targets(node.target)]
    loops += [node for node in ast.walk(tree) if isinstance(node, COMPREHENSIONS) and any(name in targets(one.target) for one in node.generators)]
    covered = {id(part) for loop in loops for part in ast.walk(loop)} | inside
    return all(id(part) in covered for part in ast.walk(tree) if isinstance(part, ast.Name) and part.id == name)


def has_continue(block):
    return any(isinstance(part, ast.Continue) for statement in block for part in ast.walk(statement))


def spellings(program):
    """One program for each other spelling that changes something."""
    done = 0
    for name, change in SPELLINGS.items():
        one = program.again()
        if change(one):
            done += 1
            yield name, one
    if not done:
        raise Unfit("one spelling only")


def modules(program):
    """The names of imported libraries: `np` is `numpy`."""
    found = {}
    for statement in program.tree.body:
        if isinstance(statement, ast.Import):
            found.update({alias.asname or alias.name: alias.name for alias in statement.names if alias.asname or "." not in alias.name})
    return found


def alias_imports(program):
    """`import numpy as np` as `import numpy as np_`."""
    taken, changed = set(), {}
    for statement in program.tree.body:
        if isinstance(statement, IMPORTS):
            for alias in statement.names:
                if alias.name != "*" and (alias.asname or "." not in alias.name):
                    name = alias.asname or alias.name
                    changed[name] = name + "_"
                    alias.asname = name + "_"
                else:
                    taken.add(alias.name.split(".")[0])
    if set(changed) & taken:
        return False
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Name) and node.id in changed:
            node.id = changed[node.id]
    return bool(changed)


def import_names(program):
    """`torch.cat(x)` as `from torch import cat` and `cat(x)`."""
    libraries = modules(program)
    taken = BUILTINS | {part.id for part in ast.walk(program.tree) if isinstance(part, ast.Name)}
    taken |= {part.name for part in ast.walk(program.tree) if isinstance(part, DEFINITIONS)} | {name for one in own_statements(program.tree.body) for name in binds(one)}
    needed = {}
    # What the program assigns has another value later.
    stored = {part.attr for part in ast.walk(program.tree) if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)}

    class Names(ast.NodeTransformer):
        def visit_Attribute(self, node):
            self.generic_visit(node)
            if isinstance(node.value, ast.Name) and node.value.id in libraries and isinstance(node.ctx, ast.Load) and node.attr not in stored:
                key = (libraries[node.value.id], node.attr)
                is_taken = node.attr in taken or node.attr in needed.values() and key not in needed
                own = needed.setdefault(key, f"{key[0].replace('.', '_')}_{node.attr}" if is_taken else node.attr)
                return placed(ast.Name(own, ast.Load()), node.lineno)
            return node

    Names().visit(program.tree)
    last = max((index for index, one in enumerate(program.tree.body) if isinstance(one, IMPORTS)), default=-1) + 1
    for (library, name), own in reversed(needed.items()):
        text = f"from {library} import {name}" + (f" as {own}" if own != name else "")
        program.tree.body[last:last] = made(text, program.line)
    return bool(needed)


def only_library(program):
    found = [(name, library) for name, library in modules(program).items() if library in BOTH]
    return found[0] if len(found) == 1 else None


def to_functions(program):
    """`x.sum(a)` as `torch.sum(x, a)`, in programs of one library."""
    known = only_library(program)
    if known is None:
        return False
    changed = 0
    for node in ast.walk(program.target):
        is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BOTH[known[1]]
        if is_method and not is_library(node.func.value, program):
            node.args.insert(0, node.func.value)
            node.func.value = placed(ast.Name(known[0], ast.Load()), node.lineno)
            changed += 1
    return bool(changed)


def is_library(node, program):
    """Whether an expression is a module, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    names = {name for statement in program.tree.body if isinstance(statement, IMPORTS) for name in binds(statement)}
    return isinstance(node, ast.Name) and node.id in names


def to_methods(program):
    """`torch.sum(x, a)` as `x.sum(a)`."""
    libraries = modules(program)
    changed = 0
    for node in ast.walk(program.target):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        library = libraries.get(node.func.value.id) if is_call else None
        if library in BOTH and node.func.attr in BOTH[library] and node.args and is_array(node.args[0]):
            node.func.value = node.args.pop(0)
            changed += 1
    return bool(changed)


def is_array(node):
    """Lists and numbers have no such methods."""
    return not isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Starred, ast.GeneratorExp, ast.ListComp))


def keywords(program):
    """`f(a)` as `f(x=a)` for functions of the program, and dimensions of those of a library with or without their name."""
    definitions = {one.name: one for one in program.tree.body if isinstance(one, FUNCTIONS)}
    libraries = modules(program)
    changed = 0
    for node in ast.walk(program.tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in definitions and node.args:
            own = definitions[node.func.id].args
            names = [one.arg for one in own.args]
            if not any(isinstance(one, ast.Starred) for one in node.args) and len(node.args) <= len(names) and not own.posonlyargs:
                node.keywords[0:0] = [ast.keyword(name, value) for name, value in zip(names, node.args)]
                node.args = []
                changed += 1
        elif isinstance(node.func, ast.Attribute):
            library = libraries.get(getattr(node.func.value, "id", None), "")
            changed += dimension(node, DIMENSION.get(library, {}).get(node.func.attr))
    return bool(changed)


def dimension(node, name):
    if name and len(node.args) == 2 and not isinstance(node.args[1], ast.Starred):
        node.keywords.insert(0, ast.keyword(name, node.args.pop()))
        return 1
    if name and len(node.args) == 1 and node.keywords and node.keywords[0].arg == name:
        node.args.append(node.keywords.pop(0).value)
        return 1
    return 0


def sums(program):
    """`a += b` as `a = a + b` and the other way round, for numbers that begin as one and for elements at a name."""
    place = Place(program.tree, program.target)
    numbers = {
        statement.targets[0].id
        for statement in own_statements(place.body)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and isinstance(statement.value, ast.Constant)
    }
    changed = 0
    for owner in ast.walk(program.target if isinstance(program.target, LOOPS) else ast.Module([], [])):
        for field in ("body", "orelse"):
            block = getattr(owner, field, None)
            for index, statement in enumerate(block if isinstance(block, list) else []):
                new = otherwise_summed(statement, numbers)
                if new is not None:
                    block[index] = new
                    changed += 1
    new = otherwise_summed(program.target, numbers)
    if new is not None:
        block, index, _ = place.blocks[0]
        block[index] = new
        changed += 1
    return bool(changed)


def otherwise_summed(statement, numbers):
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        is_element = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and isinstance(target.slice, ast.Name)
        if is_element or isinstance(target, ast.Name) and target.id in numbers:
            read = ast.parse(ast.unparse(target), mode="eval").body
            value = placed(ast.BinOp(read, statement.op, statement.value), statement.lineno)
            return placed(ast.Assign([target], value), statement.lineno)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.value, ast.BinOp):
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and isinstance(value.left, ast.Name) and value.left.id == target.id and target.id in numbers:
            return placed(ast.AugAssign(target, value.op, value.right), statement.lineno)
    return None


def comprehension_as_loop(program):
    """`x = f([e for v in y])` as a loop that appends."""
    target = program.target
    if not isinstance(target, (ast.Assign, ast.Expr, ast.Return)) or target.value is None:
        return False
    place = Place(program.tree, target)
    parts = [part for part in ast.walk(target.value) if isinstance(part, ast.ListComp) and len(part.generators) == 1]
    inner = {id(one) for part in ast.walk(target.value) if isinstance(part, (ast.Lambda, *COMPREHENSIONS)) for one in ast.walk(part) if one is not part}
    part = next((one for one in parts if id(one) not in inner), None)
    if part is None or targets(part.generators[0].target) & place.variables():
        return False
    line, generator = target.lineno, part.generators[0]
    new = made("items_ = []\nfor i_ in i_:\n    items_.append(0)", line)
    new[1].target, new[1].iter = generator.target, generator.iter
    new[1].body[0].value.args = [part.elt]
    for test in reversed(generator.ifs):
        new[1].body = [placed(ast.If(test, new[1].body, []), line)]
    target.value = InPlace(part).visit(target.value)
    block, index, _ = place.blocks[0]
    block[index:index] = new
    return True


class InPlace(ast.NodeTransformer):
    def __init__(self, node):
        self.node = node

    def visit_ListComp(self, node):
        return placed(ast.Name("items_", ast.Load()), node.lineno) if node is self.node else node


def loop_as_comprehension(program):
    """`x = []` and a loop that does nothing but append to it, as a comprehension."""
    loop = program.target
    if not isinstance(loop, ast.For) or len(loop.body) != 1 or loop.orelse:
        return False
    place = Place(program.tree, loop)
    block, index, _ = place.blocks[0]
    call = getattr(loop.body[0], "value", None)
    is_append = isinstance(loop.body[0], ast.Expr) and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append"
    before = block[index - 1] if index else None
    is_list = isinstance(before, ast.Assign) and isinstance(before.value, ast.List) and not before.value.elts
    if not is_append or not is_list or ast.unparse(before.targets[0]) != ast.unparse(call.func.value) or len(call.args) != 1:
        return False
    if set(reads(call.args[0])) & targets(before.targets[0]) or targets(loop.target) & read_later(place, index):
        return False
    value = ast.ListComp(call.args[0], [ast.comprehension(loop.target, loop.iter, [], 0)])
    block[index - 1 : index + 1] = [placed(ast.Assign([before.targets[0]], placed(value, loop.lineno)), loop.lineno)]
    return True


def read_later(place, index):
    block = place.blocks[0][0]
    return set(Flow([one for one in block[index + 1 :] if not isinstance(one, (*DEFINITIONS, *IMPORTS))]).exposed)


SPELLINGS = {
    "alias": alias_imports,
    "from": import_names,
    "function": to_functions,
    "method": to_methods,
    "keyword": keywords,
    "sum": sums,
    "loop": comprehension_as_loop,
    "comprehension": loop_as_comprehension,
}
