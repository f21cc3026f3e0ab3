"""Programs that are made of real ones: their statements moved, exchanged, nested and repeated."""

import re

from .tokens import NUMBERS, OPERATORS, renumber, retokenise

IDENTIFIER = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")
BINARY = re.compile(r" (?:[-+*/%@<>&|^]|//|\*\*|==|!=|<=|>=) ")
TEXT = re.compile(r"\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'")
# What is made of others gets no longer than this.
MOST_CHARACTERS = 60_000
MOST_LINES = 1500
# Statements that a piece is put into; `{i}` is a number of its own, so that nested ones have names of their own.
AROUND = (
    "for _i{i} in range({n}):",
    "for _i{i} in range({n}):",
    "while True:",
    "while _i{i} < {n}:",
    "while {name}:",
    "if {name}:",
    "if {name} == {n}:",
    "with torch.no_grad():",
    "try:",
    "def _f{i}({name}=None, *args, **kwargs):",
    "class _C{i}(torch.nn.Module):",
    "for {name} in {other}:",
    "for _i{i}, {name} in enumerate({other}):",
    "async def _f{i}({name}):",
    "match {name}:",
)
# Statements that grow something, for bodies of loops.
GROWING = (
    "_grown.append({name})",
    "_grown.append(_grown)",
    "_grown += [{name}] * {n}",
    "_grown = _grown + _grown",
    "_grown = [*_grown, *_grown, {name}]",
    "_grown = (_grown, _grown)",
    "_grown = [_grown for _ in range({n})]",
    "_table[{name}] = _table",
    "_table[len(_table)] = [{name}, _table]",
    "_table = {{**_table, str(len(_table)): _table}}",
    "_text = _text + _text",
    "_text += '{{:>{{}}}}'.format({name}, {n})",
    "_text = f'{{_text}}{{_text}}{{{name}}}'",
    "_text = '%s%s' % (_text, _text)",
    "_text = ','.join([_text] * {n})",
    "{name} = torch.cat([{name}, {name}])",
    "{name} = torch.stack([{name}, {name}])",
    "{name} = {name}.repeat(2, {n})",
    "{name} = {name}[None]",
    "{name} = {name} * {name} + {n}",
    "{name} = {name} ** {n}",
    "{name} = {name} << {n}",
    "{name} = ({name}, {other})",
    "{name} = lambda x={name}: {name}",
    "{name} = torch.nn.Sequential({name}, {name})",
    "{name} = {name} + {other}",
    "setattr({name}, 'a' + str(_i), {other})",
    "_grown.extend(_grown)",
    "_grown.insert(0, dict(a={name}, b=_grown))",
    "_grown = sorted(_grown) + list(_table)",
    "_set = {{*_table, {name}}}",
    "_text = str(_grown) + repr(_table)",
)
GROWN = "_grown, _table, _text, _set, _i = [], {}, 'ab', set(), 0"
RECURSIONS = (
    "def {f}(n, x={name}):\n    return {f}(n - 1, x) + {f}(n - 2, x)\n{f}({n})",
    "def {f}(x):\n    {name} = x\n    return [{f}(y) for y in x] + [{f}([x, x])]\n{f}([{name}])",
    "{f} = lambda n: {f}(n - 1) if n else {name}\n{f}({n})",
    "class {f}:\n    def __init__(self, n):\n        self.inner = {f}(n - 1)\n        self.all = [{f}(i) for i in range(n)]\n{f}({n})",
    "class {f}(torch.nn.Module):\n    def forward(self, x):\n        return self(self(x)) + self.forward({name})\n{f}()(torch.rand({n}))",
    "class {f}:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\n{f}().a.b.c",
    "def {f}(n):\n    yield from {f}(n + 1)\n    yield n\nlist({f}({n}))\nfor _x in {f}(0):\n    {name} = _x",
    "def {f}(g):\n    def h(*a):\n        return {f}(g)(*a, h)\n    return h\n{f}({f})({name})",
    "def {f}(n, *args, **kwargs):\n    return {f}(n, *args, *args, n, **{{**kwargs, str(n): args}})\n{f}({n})",
)


def depth_of(line):
    return len(line) - len(line.lstrip())


def indented(lines, depth):
    return [" " * depth + line if line.strip() else line for line in lines]


class Splicer:
    """Makes one program after another of those of a corpus."""

    def __init__(self, draw, corpus):
        self.draw = draw
        self.corpus = corpus
        self.large = [program for program in corpus.programs if len(program.lines) >= 40] or corpus.programs
        self.made = 0

    def any_program(self):
        return self.draw.choice(self.large if self.draw.random() < 0.6 else self.corpus.programs)

    def number(self):
        return self.draw.choice(NUMBERS[:24])

    def program(self):
        """A new program."""
        draw, target = self.draw, self.any_program()
        imports, lines, taken = {}, list(target.lines), []
        pieces = draw.sample(target.pieces, min(len(target.pieces), draw.choice((1, 2, 3, 5, 8))))
        # From the last to the first, so that the places of those to come stay right.
        for piece in sorted(pieces, key=lambda piece: (-piece.first, piece.last)):
            if any(piece.last > first for first in taken[-1:]):
                continue
            taken.append(piece.first)
            lines[piece.first : piece.last] = indented(self.changed(piece, target, imports), piece.depth)
        after_future = next((at for at, line in enumerate(lines) if not line.startswith(("from __future__", "#"))), 0)
        if '"""' not in "".join(lines[:after_future + 1]):
            lines[after_future:after_future] = [*imports, GROWN]
        else:
            lines = [*imports, GROWN, *lines]
        return self.finished("\n".join(lines[:MOST_LINES]))

    def finished(self, text):
        draw = self.draw
        if draw.random() < 0.4:
            text = renumber(draw, text)
        if draw.random() < 0.15:
            text = self.operators_changed(text)
        if draw.random() < 0.1:
            text = TEXT.sub(lambda match: f"({match[0]} * {self.number()})" if draw.random() < 0.1 else match[0], text)
        if draw.random() < 0.12:
            text = retokenise(draw, text)
        return text[:MOST_CHARACTERS]

    def operators_changed(self, text):
        return BINARY.sub(lambda match: self.draw.choice(OPERATORS) if self.draw.random() < 0.1 else match[0], text)

    def changed(self, piece, target, imports):
        """What takes the place of a piece, without its indentation."""
        draw, own = self.draw, piece.lines
        what = draw.randrange(11)
        if what == 0:
            return self.borrowed(target, imports)
        if what == 1:
            return own + self.borrowed(target, imports)
        if what == 2:
            return self.borrowed(target, imports) + own
        if what == 3:
            return own * draw.choice((2, 2, 3, 10, 60))
        if what == 4:
            return ["pass"]
        if what == 5:
            return self.surrounded(own, target, draw.choice((1, 1, 2, 3, 6, 25)))
        if what == 6:
            return self.growing(own, target)
        if what == 7:
            return own + self.filled(draw.choice(RECURSIONS), target).split("\n")
        if what == 8:
            return self.surrounded(self.borrowed(target, imports), target, 1) + own
        if what == 9:
            return draw.choice(target.pieces).lines
        return self.renamed("\n".join(own), target, 0.2).split("\n")

    def borrowed(self, target, imports):
        """A piece of another program, whose free names are names of this one."""
        donor = self.any_program()
        piece = self.draw.choice(donor.pieces)
        mapping = {}
        for name in piece.read:
            if name in donor.imports:
                if name not in target.imports:
                    imports[donor.imports[name]] = None
            elif target.names and name not in target.names and self.draw.random() < 0.9:
                mapping[name] = self.draw.choice(target.names)
        if self.draw.random() < 0.2:
            mapping |= {name: self.draw.choice(target.names) for name in piece.bound if target.names}
        text = IDENTIFIER.sub(lambda match: mapping.get(match[0], match[0]), "\n".join(piece.lines))
        return text.split("\n")

    def renamed(self, text, target, part):
        """Some of the names exchanged for others of the program."""
        known = set(target.names)
        names = target.names

        def other(match):
            return self.draw.choice(names) if match[0] in known and self.draw.random() < part else match[0]

        return IDENTIFIER.sub(other, text)

    def filled(self, template, target):
        names = target.names or ["x"]
        self.made += 1
        fields = {"i": self.made % 100, "n": self.number(), "f": f"_r{self.made % 100}"}
        return template.format(name=self.draw.choice(names), other=self.draw.choice(names), **fields)

    def surrounded(self, lines, target, times):
        lines = list(lines)
        for _ in range(times):
            head = self.filled(self.draw.choice(AROUND), target)
            body = indented(lines, 4)
            if head.startswith("match"):
                body = ["    case [_, *_] | {'a': _} | _:", *indented(body, 4)]
            lines = [head, *body]
            if head == "try:":
                lines += ["except Exception:", "    pass"]
            elif head.startswith("def"):
                lines.append(head[4 : head.index("(")] + "()")
        return lines

    def growing(self, own, target):
        draw = self.draw
        body = own if draw.random() < 0.5 else []
        for _ in range(draw.choice((1, 1, 2, 4))):
            body = body + [self.filled(draw.choice(GROWING), target)]
        if draw.random() < 0.3:
            body = [f"global {', '.join(('_grown', '_table', '_text', '_set'))}", *body]
            body = [f"def _g{self.made % 100}():", *indented(body, 4), f"_g{self.made % 100}()"]
        loops = (f"for _i in range({self.number()}):", f"for _i in range({draw.randint(2, 70)}):", "while True:",
                 f"while len(_grown) < {self.number()}:", "for _i in _grown:")
        for _ in range(draw.choice((1, 1, 2, 4))):
            body = [draw.choice(loops), *indented(body, 4)]
        return body + (own if draw.random() < 0.5 else [])
