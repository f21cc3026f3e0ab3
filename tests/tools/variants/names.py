"""Which names a piece of a program reads and binds, and where the values that a statement reads come from."""

import ast
import builtins

from meaning.source import DEFINITIONS, FUNCTIONS

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.While)
IMPORTS = (ast.Import, ast.ImportFrom)
BUILTINS = set(dir(builtins))
# What a piece of code that is moved into a function must not have.
TIED = (*DEFINITIONS, *IMPORTS, ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Delete, ast.NamedExpr)


class Unfit(Exception):
    """A change does not apply to an example, with the reason."""


def targets(node):
    """The names that an assignment to `node` binds."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def parameters(function):
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument.arg for argument in every if argument is not None]


def reads(node, hidden=frozenset()):
    """The names that an expression reads, without those of its comprehensions and lambdas, in the order of the text."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in hidden:
            yield node.id
        return
    if isinstance(node, ast.Lambda):
        hidden = hidden | set(parameters(node))
    if isinstance(node, COMPREHENSIONS):
        hidden = hidden | {name for part in node.generators for name in targets(part.target)}
    for child in ast.iter_child_nodes(node):
        yield from reads(child, hidden)


def hidden_names(node):
    """Names of comprehensions and lambdas within a node: there another variable may have the same name."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, COMPREHENSIONS):
            found |= {name for one in part.generators for name in targets(one.target)}
        elif isinstance(part, (ast.Lambda, *FUNCTIONS)):
            found |= set(parameters(part))
    return found


class Flow:
    """What statements read of what was there before (`exposed`), what they bind, and what they bind in any case (`sure`)."""

    def __init__(self, statements, sure=()):
        self.exposed, self.bound, self.sure = {}, set(), set(sure)
        for statement in statements:
            self.add(statement)

    def read(self, *nodes):
        for node in nodes:
            if node is not None:
                self.exposed.update((name, None) for name in reads(node) if name not in self.sure)

    def bind(self, target):
        self.read(target)
        self.bound |= targets(target)
        self.sure |= targets(target)

    def inner(self, statements, *bound):
        """Statements that may run or not. Returns what they bind in any case."""
        part = Flow([], self.sure.union(*(targets(one) for one in bound)))
        for statement in statements:
            part.add(statement)
        self.exposed.update(part.exposed)
        self.bound |= part.bound.union(*(targets(one) for one in bound))
        return part.sure

    def add(self, statement):
        if isinstance(statement, ast.Assign):
            self.read(statement.value)
            for target in statement.targets:
                self.bind(target)
        elif isinstance(statement, ast.AugAssign):
            self.read(statement.value)
            if isinstance(statement.target, ast.Name):
                self.read(ast.Name(statement.target.id, ast.Load()))
            self.bind(statement.target)
        elif isinstance(statement, ast.For):
            self.read(statement.iter)
            self.inner(statement.body, statement.target)
            self.inner(statement.orelse)
        elif isinstance(statement, ast.While):
            self.read(statement.test)
            self.inner(statement.body)
            self.inner(statement.orelse)
        elif isinstance(statement, ast.If):
            self.read(statement.test)
            self.sure |= self.inner(statement.body) & self.inner(statement.orelse)
        elif isinstance(statement, ast.With):
            for item in statement.items:
                self.read(item.context_expr)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars)
            self.sure |= self.inner(statement.body)
        elif isinstance(statement, (ast.Expr, ast.Assert, ast.Raise, ast.Pass, ast.Break, ast.Continue, ast.Return)):
            self.read(*ast.iter_child_nodes(statement))
        else:
            raise Unfit(f"{type(statement).__name__} is not moved")


def leaves_loop(statements):
    """Whether a `break` or `continue` belongs to a loop around the statements."""
    for statement in statements:
        if isinstance(statement, (ast.Break, ast.Continue)):
            return True
        if isinstance(statement, LOOPS):
            if leaves_loop(statement.orelse):
                return True
            continue
        for field in ("body", "orelse", "finalbody"):
            if leaves_loop(getattr(statement, field, [])):
                return True
    return False


def own_statements(block):
    """All statements of a scope, without those of functions and classes within."""
    for statement in block:
        yield statement
        if not isinstance(statement, DEFINITIONS):
            for field in ("body", "orelse", "finalbody"):
                yield from own_statements(getattr(statement, field, []))


def binds(statement):
    """Names that a statement binds, with those of the statements within."""
    if isinstance(statement, DEFINITIONS):
        return {statement.name}
    found = set()
    for part in own_statements([statement]):
        if isinstance(part, DEFINITIONS):
            found.add(part.name)
        elif isinstance(part, IMPORTS):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in part.names}
        elif isinstance(part, ast.Assign):
            found |= {name for target in part.targets for name in targets(target)}
        elif isinstance(part, (ast.For, ast.AugAssign, ast.AnnAssign)):
            found |= targets(part.target)
        elif isinstance(part, ast.With):
            found |= {name for item in part.items if item.optional_vars is not None for name in targets(item.optional_vars)}
    return found


class Place:
    """Where the statement stands that a finding points at: `blocks` leads from it outwards, as (list, index, owner)."""

    def __init__(self, tree, target):
        self.tree, self.target = tree, target
        self.blocks = list(reversed(self.way(tree, target)))
        owners = [owner for _, _, owner in self.blocks]
        self.functions = [owner for owner in owners if isinstance(owner, FUNCTIONS)]
        self.function = self.functions[0] if self.functions else None
        self.body = self.function.body if self.function else tree.body

    @classmethod
    def way(cls, owner, target):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(owner, field, [])
            for index, statement in enumerate(block if isinstance(block, list) else []):
                if statement is target:
                    return [(block, index, owner)]
                inner = cls.way(statement, target)
                if inner:
                    return [(block, index, owner), *inner]
        return []

    def variables(self):
        """Names of local variables, or of the module's where the statement is at the top level."""
        found = {name for statement in own_statements(self.body) for name in binds(statement)}
        fixed = {name for statement in own_statements(self.tree.body) if isinstance(statement, (*DEFINITIONS, *IMPORTS)) for name in binds(statement)}
        for function in self.functions:
            found |= set(parameters(function))
            found |= {name for statement in own_statements(function.body) for name in binds(statement)}
        return found - fixed if not self.function else found

    def read_by_functions(self):
        """Names that functions and classes of the module read."""
        definitions = [node for node in ast.walk(self.tree) if isinstance(node, (*DEFINITIONS, ast.Lambda))]
        return {part.id for node in definitions for part in ast.walk(node) if isinstance(part, ast.Name)}

    def sources(self):
        """Of each variable that the statement reads and does not bind: the assignment that its value comes from, or none where it is a parameter."""
        if isinstance(self.target, (*DEFINITIONS, *IMPORTS)):
            raise Unfit("a definition")
        flow = Flow([self.target])
        apart = flow.bound | hidden_names(self.target)
        for name in flow.exposed:
            if name in self.variables() and name not in apart and name != "self":
                found = self.source(name)
                if found is not None:
                    yield (name, *found)

    def source(self, name):
        """The assignment with the block that has it; a parameter's is the function's own block."""
        for block, index, owner in self.blocks:
            for before in range(index - 1, -1, -1):
                if name in binds(block[before]):
                    return (block[before], block) if is_plain(block[before]) else None
            if isinstance(owner, LOOPS) and name in binds(owner):
                return None
            if isinstance(owner, FUNCTIONS):
                return (None, owner.body) if name in parameters(owner) else None
        return None

    def top(self):
        """The statement at the top level that has the target, as its index."""
        return self.blocks[-1][1]


def is_plain(statement):
    """`x = …` or `x, y = …`."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return all(isinstance(part, ast.Name) for part in parts)


def after(statement, block):
    """The index behind a statement, or behind the docstring where there is none."""
    if statement is not None:
        return block.index(statement) + 1
    is_text = bool(block) and isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant)
    return 1 if is_text else 0


class Replace(ast.NodeTransformer):
    """Reads of names, or names wherever they stand, as other expressions."""

    def __init__(self, expressions, stores=False):
        self.expressions, self.stores = expressions, stores

    def visit_Name(self, node):
        if node.id not in self.expressions or not (self.stores or isinstance(node.ctx, ast.Load)):
            return node
        new = ast.parse(self.expressions[node.id], mode="eval").body
        new.ctx = type(node.ctx)()
        return placed(new, node.lineno)


def placed(node, line):
    """Gives new nodes the line of what they were made from, and says that they were made."""
    for part in ast.walk(node):
        # Contexts such as `Load` are shared by all trees.
        if "lineno" in part._attributes and not hasattr(part, "origin"):
            part.origin, part.lineno, part.col_offset, part.made = line, line, 0, True
    return node


def made(text, line):
    """New statements of a text."""
    return [placed(statement, line) for statement in ast.parse(text).body]


def first_index(tree):
    """Behind the imports and the docstring of a module."""
    last = [index for index, statement in enumerate(tree.body) if isinstance(statement, IMPORTS)]
    return last[-1] + 1 if last else after(None, tree.body)
