"""Programs of a small grammar of PyTorch and NumPy: most of their sizes fit, so that what comes later is reached."""

SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 8, 16)
RARE_SIZES = (0, -1, 7, 1000, 2**31, 2**31 - 1, 10**9, 10**18, 2**63 - 1)
COUNTS = (0, 1, 2, 3, 5, 10, 100, 3000, 10**6, 10**18)
UNARY = (
    "relu", "sigmoid", "tanh", "exp", "abs", "neg", "sqrt", "clone", "detach", "contiguous", "float", "double", "long", "bool",
    "softmax",
)
REDUCTIONS = (
    "sum", "mean", "amax", "prod", "std", "argmax", "norm", "logsumexp", "any", "cumsum", "sort", "max", "median", "unbind",
    "topk",
)
BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "<", ">=", "==", "!=", "&", "|")
POINTWISE = ("torch.add", "torch.mul", "torch.maximum", "torch.where", "torch.atan2", "torch.lerp", "np.add", "np.maximum", "torch.matmul",
             "torch.cdist", "torch.bmm", "np.dot", "F.mse_loss", "F.cross_entropy", "F.cosine_similarity", "torch.kron", "torch.outer")
LAYERS = (
    "nn.Linear({a}, {b})", "nn.Conv2d({a}, {b}, {k}, stride={s}, padding={p})", "nn.Conv1d({a}, {b}, {k})", "nn.LSTM({a}, {b}, {k})",
    "nn.GRU({a}, {b}, batch_first=True, bidirectional=True)", "nn.BatchNorm2d({a})", "nn.LayerNorm({a})", "nn.LayerNorm([{a}, {b}])",
    "nn.Embedding({a}, {b})", "nn.MultiheadAttention({a}, {k})", "nn.Flatten()", "nn.ReLU()", "nn.Dropout(0.5)", "nn.MaxPool2d({k})",
    "nn.Sequential(nn.Linear({a}, {b}), nn.ReLU(), nn.Linear({b}, {a}))", "nn.ModuleList([nn.Linear({a}, {b}) for _ in range({k})])",
    "nn.ModuleDict(dict(a=nn.Linear({a}, {b})))", "nn.Sequential(*[nn.Linear({a}, {a}) for _ in range({n})])", "nn.Identity()",
    "nn.TransformerEncoderLayer({a}, {k}, batch_first=True)", "nn.ConvTranspose2d({a}, {b}, {k}, {s}, {p}, output_padding=1)",
    "nn.Unfold({k}, stride={s})", "nn.PixelShuffle({k})", "nn.Upsample(scale_factor={k})", "nn.AdaptiveAvgPool2d(({k}, None))",
    "nn.Parameter(torch.zeros({a}, {b}))", "nn.LazyLinear({b})", "nn.Bilinear({a}, {b}, {k})", "nn.GroupNorm({k}, {a})",
)
JOINING = (
    "torch.cat", "torch.stack", "np.concatenate", "torch.vstack", "torch.block_diag", "torch.meshgrid", "torch.broadcast_tensors",
)
LETTERS = "abcdefghijkl"
HEADER = """import math, itertools, functools, collections, copy, random, json, re, sys
from dataclasses import dataclass, field
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset
from einops import rearrange, reduce, repeat, einsum, pack, unpack
S = "ab"
"""


class Generator:
    """Writes one program."""

    def __init__(self, draw):
        self.draw = draw
        self.lines = HEADER.split("\n")
        self.depth = 0
        self.count = 0
        # The sizes of tensors by name; what else there is, by kind.
        self.tensors = {}
        self.numbers, self.lists, self.tables, self.texts, self.calls, self.modules = ["1"], [], [], [], [], []
        self.statements = (
            (8, self.tensor), (8, self.operation), (4, self.reshaping), (4, self.subscript), (4, self.reduction), (4, self.einsum),
            (4, self.einops), (3, self.number), (4, self.listed), (3, self.table), (3, self.text), (4, self.module), (4, self.applied),
            (5, self.loop), (3, self.branch), (3, self.function), (3, self.klass), (3, self.comprehension), (2, self.dataset),
            (2, self.training), (2, self.attempt), (1, self.generator), (1, self.matched), (2, self.joined), (1, self.oddity),
        )

    def program(self):
        for _ in range(self.draw.choice((6, 12, 25, 40, 80))):
            self.statement()
        return "\n".join(self.lines) + "\n"

    def statement(self):
        weights, makers = zip(*self.statements)
        self.draw.choices(makers, weights)[0]()

    # Words of the grammar.

    def say(self, line):
        self.lines.append("    " * self.depth + line)

    def new(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def size(self):
        return self.draw.choice(RARE_SIZES) if self.draw.random() < 0.03 else self.draw.choice(SIZES)

    def sizes(self, most=4):
        return [self.size() for _ in range(self.draw.randint(0 if self.draw.random() < 0.1 else 1, most))]

    def whole(self):
        """An expression of a whole number."""
        draw = self.draw
        options = [str(self.size()), draw.choice(self.numbers), f"{draw.choice(self.numbers)} {draw.choice('+-*')} {self.size()}"]
        if self.tensors:
            name = draw.choice(list(self.tensors))
            options += [f"{name}.size({draw.randint(-2, 2)})", f"{name}.shape[-1]", f"len({name})", f"{name}.numel() // {self.size()}"]
        options += [f"len({name})" for name in self.lists[-1:] + self.texts[-1:]]
        return draw.choice(options)

    def any_tensor(self):
        if not self.tensors or self.draw.random() < 0.03:
            return self.tensor()
        return self.draw.choice(list(self.tensors)[-8:])

    def anything(self):
        pools = [pool for pool in (list(self.tensors), self.numbers, self.lists, self.tables, self.texts, self.modules, self.calls) if pool]
        return self.draw.choice(self.draw.choice(pools))

    def block(self, head, least=1, most=4):
        """A head with statements below; what they bind is not counted on afterwards."""
        if self.depth > 7:
            return False
        self.say(head)
        self.depth += 1
        before = dict(self.tensors)
        for _ in range(self.draw.randint(least, most)):
            self.statement()
        self.tensors = before
        self.depth -= 1
        return True

    # Statements.

    def tensor(self):
        draw, name, sizes = self.draw, self.new("t"), self.sizes()
        shown = ", ".join(map(str, sizes))
        if sizes and draw.random() < 0.15:
            shown = ", ".join(self.whole() if draw.random() < 0.4 else str(size) for size in sizes)
        maker = draw.choice((f"torch.rand({shown})", f"torch.zeros(({shown}{',' if sizes else ''}))", f"torch.randint(0, 5, [{shown}])",
                             f"np.zeros([{shown}])", f"torch.ones({shown}, dtype=torch.int64)", f"torch.from_numpy(np.ones([{shown}]))",
                             f"torch.arange({self.whole()})", f"torch.full([{shown}], {self.whole()})", f"torch.eye({self.whole()})",
                             f"torch.tensor({draw.choice((self.numbers[-1], '[[1, 2], [3, 4]]', '[]', '[[[]]]', '[[1], [2, 3]]'))})"))
        self.say(f"{name} = {maker}")
        self.tensors[name] = sizes
        return name

    def partner(self, name):
        """A tensor that is made to fit another."""
        sizes = self.tensors[name]
        kept = [1 if self.draw.random() < 0.2 else size for size in sizes[self.draw.randint(0, len(sizes)) :]]
        return f"torch.rand({', '.join(map(str, kept))})"

    def operation(self):
        draw, name, made = self.draw, self.any_tensor(), self.new("t")
        other = self.partner(name) if draw.random() < 0.6 else self.any_tensor()
        if draw.random() < 0.1:
            other = self.anything()
        if draw.random() < 0.3:
            self.say(f"{made} = {name}.{draw.choice(UNARY)}()")
        elif draw.random() < 0.6:
            self.say(f"{made} = {name} {draw.choice(BINARY)} {other}")
        elif draw.random() < 0.3:
            self.say(f"{name} {draw.choice(BINARY[:8])}= {other}")
            return
        else:
            self.say(f"{made} = {draw.choice(POINTWISE)}({name}, {other})")
        self.tensors[made] = self.tensors[name]

    def reshaping(self):
        draw, name, made = self.draw, self.any_tensor(), self.new("t")
        sizes = self.tensors[name]
        axis = draw.randint(-len(sizes) - 1, len(sizes))
        order = draw.sample(range(len(sizes)), len(sizes))
        whole, size = self.whole, self.size
        forms = (
            f"view({whole()}, -1)", f"reshape({', '.join(map(str, reversed(sizes))) or '-1'})", f"unsqueeze({axis})", "flatten()",
            f"squeeze({axis})", f"permute({', '.join(map(str, order)) or '()'})", f"transpose({axis}, 0)",
            f"expand({size()}, *{name}.shape)", f"repeat({whole()}, {whole()})", f"chunk({whole()}, {axis})", f"split({whole()}, {axis})",
            f"unfold({axis}, {size()}, {size()})", f"view(*{name}.shape[:-1], {whole()}, {whole()})", "numpy()", "tolist()", "item()",
            f"reshape({whole()}, {whole()}, -1)", f"movedim({axis}, 0)", f"roll({whole()}, {axis})", "T", "mT",
            f"repeat_interleave({whole()}, {axis})", f"as_strided(({size()}, {size()}), ({size()}, 1))",
        )
        self.say(f"{made} = {name}.{draw.choice(forms)}")
        self.tensors[made] = sizes

    def subscript(self):
        draw, name, made = self.draw, self.any_tensor(), self.new("t")
        items = (
            "0", "-1", ":", "None", "...", "1:", ":-1", "::2", "::-1", f"{self.whole()}", f":{self.whole()}",
            f"{self.whole()}::{self.size()}", f"{name} > 0", "[0, 1]", f"torch.arange({self.size()})", "True", "[]", "slice(None)",
            "()", f"{self.any_tensor()}.long()",
        )
        index = ", ".join(draw.choice(items) for _ in range(draw.choice((1, 1, 2, 2, 3, 5, 70 if draw.random() < 0.02 else 4))))
        if draw.random() < 0.3:
            self.say(f"{name}[{index}] = {draw.choice(('0', self.any_tensor(), name))}")
        else:
            self.say(f"{made} = {name}[{index}]")
            self.tensors[made] = self.tensors[name][1:]

    def reduction(self):
        draw, name, made = self.draw, self.any_tensor(), self.new("t")
        axis = draw.randint(-len(self.tensors[name]), max(len(self.tensors[name]) - 1, 0))
        arguments = draw.choice((
            "", str(axis), f"dim={axis}", f"dim={axis}, keepdim=True", f"({axis}, 0)", f"axis={axis}", f"dim=({axis},)",
        ))
        self.say(f"{made} = {name}.{draw.choice(REDUCTIONS)}({arguments})")
        self.tensors[made] = self.tensors[name][:-1]

    def einsum(self):
        draw = self.draw
        names = [self.any_tensor() for _ in range(draw.choice((1, 2, 2, 3)))]
        by_size = {}
        terms = []
        for name in names:
            letters = []
            for size in self.tensors[name]:
                known = [letter for letter, held in by_size.items() if held == size and letter not in letters]
                letter = draw.choice(known) if known and draw.random() < 0.6 else LETTERS[len(by_size) % len(LETTERS)]
                by_size[letter] = size
                letters.append(letter)
            terms.append("".join(letters) if draw.random() < 0.9 else "..." + "".join(letters[1:]))
        result = "".join(draw.sample(list(by_size), draw.randint(0, len(by_size))))
        text = ",".join(terms) + draw.choice((f"->{result}", f"->{result}", f" -> {result}", "", f"->...{result}", "->->", f",->{result}"))
        made = self.new("t")
        self.say(f"{made} = {draw.choice(('torch.einsum', 'torch.einsum', 'np.einsum'))}({text!r}, {', '.join(names)})")
        self.tensors[made] = [by_size[letter] for letter in result]

    def einops(self):
        draw, name, made = self.draw, self.any_tensor(), self.new("t")
        letters = [LETTERS[at % 12] for at in range(len(self.tensors[name]))]
        left = list(letters)
        known = ""
        if letters and draw.random() < 0.5:
            at = draw.randrange(len(letters))
            left[at] = draw.choice((
                f"({letters[at]} z)", f"(z {letters[at]})", f"({letters[at]} z y)", f"({letters[at]} {self.size()})", "...",
            ))
            known = f", z={self.whole()}"
        right = draw.sample(letters, len(letters)) if draw.random() < 0.7 else [letter for letter in letters if draw.random() < 0.6]
        if len(right) > 1 and draw.random() < 0.5:
            at = draw.randrange(len(right) - 1)
            right[at : at + 2] = [f"({right[at]} {right[at + 1]})"]
        if known and draw.random() < 0.8:
            right.insert(draw.randint(0, len(right)), draw.choice(("z", "z", "1", "...", "(z 1)", "()")))
        function = draw.choice(("rearrange", "rearrange", "repeat", "reduce"))
        extra = ", 'mean'" if function == "reduce" else ""
        self.say(f"{made} = {function}({name}, {' '.join(left) + ' -> ' + ' '.join(right)!r}{extra}{known})")
        self.tensors[made] = self.tensors[name]

    def number(self):
        name, value = self.new("n"), self.draw.choice((
            self.whole(), self.whole(), f"int({self.whole()} ** 0.5)", f"{self.whole()} << {self.whole()}",
            f"max({self.whole()}, {self.whole()})", f"sum(range({self.whole()}))", f"({self.whole()}) ** ({self.whole()})",
            f"math.prod([{self.whole()}] * 3)", f"{self.whole()} if {self.anything()} else {self.whole()}", f"int(sys.argv[1])",
        ))
        self.say(f"{name} = {value}")
        self.numbers.append(name)

    def listed(self):
        draw, name = self.draw, self.new("l")
        things = ", ".join(self.anything() for _ in range(draw.randint(0, 5)))
        forms = [
            f"[{things}]", f"[{things}] * {self.whole()}", f"[[{things}]] * {self.whole()}", f"list(range({self.whole()}))",
            f"({things},)" if things else "()", f"[[0] * {self.whole()} for _ in range({self.whole()})]",
            f"sorted([{things}], key=str)", f"collections.deque([{things}], {self.whole()})",
        ]
        if self.lists:
            other = draw.choice(self.lists)
            forms += [
                f"{other} + {other}", f"{other}[::-1]", f"list(zip({other}, {other}))", f"[{other}, {other}]",
                f"list(itertools.product({other}, {other}))", f"list(itertools.chain(*{other}))", f"[*{other}, *{other}]",
                f"functools.reduce(lambda a, b: a + b, {other}, [])",
            ]
        self.say(f"{name} = {draw.choice(forms)}")
        self.lists.append(name)
        for _ in range(draw.randint(0, 2)):
            self.say(draw.choice((
                f"{name}.append({self.anything()})", f"{name} += {draw.choice(self.lists)}",
                f"{name}[{self.whole()}] = {self.anything()}", f"{name}.append({name})", f"{name}[1:] = {name}",
                f"del {name}[{self.whole()}]", f"{name}.sort()", f"{name}.extend({name})",
            )))

    def table(self):
        draw, name = self.draw, self.new("d")
        items = ", ".join(f"{draw.choice(('a', 'b', 'c', 'size', ''))!r}: {self.anything()}" for _ in range(draw.randint(0, 4)))
        forms = [
            f"{{{items}}}", f"dict(a={self.anything()}, b={self.whole()})", f"{{i: {self.anything()} for i in range({self.whole()})}}",
            f"collections.defaultdict(list, a=[{self.anything()}])", f"dict.fromkeys(range({self.whole()}), {self.anything()})",
            "collections.Counter('aab')",
        ]
        if self.tables:
            other = draw.choice(self.tables)
            forms += [
                f"{{**{other}, 'x': {other}}}", f"{other} | {other}", f"dict({other}.items())", f"copy.deepcopy({other})",
                f"json.loads(json.dumps({other}))",
            ]
        self.say(f"{name} = {draw.choice(forms)}")
        self.tables.append(name)
        self.say(draw.choice((
            f"{name}['a'] = {self.anything()}", f"{name}[{self.anything()}] = {name}", f"{name}.update(b={self.anything()})",
            f"{name}.setdefault('q', []).append({self.anything()})", f"for k, v in {name}.items(): {name}[k] = v", "pass",
        )))

    def text(self):
        draw, name = self.draw, self.new("s")
        old = self.texts[-1] if self.texts else "S"
        forms = (
            f"'x' * {self.whole()}", f"{old} + {old}", f"f'{{{self.anything()}}}-{{{old}:>{{{self.whole()}}}}}'",
            f"str({self.anything()})", f"{old}.split('b')", f"'%s %d' % ({self.anything()}, {self.whole()})",
            f"{old}.replace('', {old})", f"','.join(map(str, range({self.whole()})))", f"{old}[::{self.whole()}]",
            f"re.sub('(a*)*b', {old}, {old})", f"'{{0:{{1}}}}'.format({self.anything()}, {self.whole()})", f"{old}.encode().hex()",
            f"{old}.center({self.whole()})",
        )
        self.say(f"{name} = {draw.choice(forms)}")
        self.texts.append(name)

    def layer(self, first=None):
        fields = {
            "a": first or self.size(), "b": self.size(), "k": self.draw.choice((1, 2, 3, self.size())),
            "s": self.draw.choice((1, 2)), "p": self.draw.choice((0, 1)), "n": self.draw.choice((1, 2, 6, self.size())),
        }
        return self.draw.choice(LAYERS).format(**fields)

    def module(self):
        sizes = self.tensors.get(self.any_tensor(), [])
        name = self.new("m")
        self.say(f"{name} = {self.layer(sizes[-1] if sizes else None)}")
        self.modules.append(name)

    def applied(self):
        called = self.draw.choice(self.modules + self.calls) if self.modules + self.calls else "F.relu"
        made, name = self.new("t"), self.any_tensor()
        self.say(f"{made} = {called}({', '.join([name] + [self.anything() for _ in range(self.draw.choice((0, 0, 0, 1, 2)))])})")
        self.tensors[made] = self.tensors[name]

    def loop(self):
        draw = self.draw
        count = draw.choice((*map(str, COUNTS), self.whole(), self.whole()))
        grown = self.new("l")
        self.say(f"{grown} = []")
        self.lists.append(grown)
        head = draw.choice((
            f"for i{self.count} in range({count}):", f"for i{self.count} in range({count}):", "while True:",
            f"while len({grown}) < {count}:", f"for x{self.count} in ({self.anything()}):",
            f"for i{self.count}, x{self.count} in enumerate({self.anything()}):",
            f"for a{self.count}, b{self.count} in itertools.product(range({count}), repeat=2):",
        ))
        if not self.block(head):
            return
        name = next(iter(self.tensors), "t0")
        growing = (
            f"{grown}.append({self.anything()})", f"{grown} = {grown} + [{self.anything()}]",
            f"{name} = torch.cat([{name}, {name}])", f"{grown} += {grown} or [1]", f"{grown}.append([{grown}])",
            f"{name} = {name} + {name}[:1]", f"{grown} = [{grown}, {grown}]", f"{name} = F.pad({name}, (1, 1))",
            f"{name} = {name}.unsqueeze(0)", f"{name} = torch.stack([{name}] * 2)",
        )
        self.depth += 1
        self.say(draw.choice(growing))
        if draw.random() < 0.2:
            self.say(draw.choice((
                f"if {self.anything()}: break", "continue", f"if len({grown}) > {count}: break",
                f"yield {grown}" if self.depth > 3 else "pass",
            )))
        self.depth -= 1
        self.say(draw.choice((
            f"{self.new('t')} = torch.stack({grown})", f"{self.new('t')} = torch.cat({grown}, dim=-1)", f"reveal_type({grown})",
            "pass",
        )))

    def branch(self):
        condition = self.draw.choice((
            self.anything(), f"{self.whole()} == {self.whole()}", f"{self.any_tensor()}.sum() > 0", "random.random() > 0.5",
        ))
        if self.block(f"if {condition}:") and self.draw.random() < 0.6:
            self.say("else:")
            self.depth += 1
            self.operation()
            self.depth -= 1

    def function(self):
        name = self.new("f")
        decorator = self.draw.choice((
            "", "", "", "@torch.no_grad()", "@functools.lru_cache", "@torch.jit.script", "@staticmethod", "@torch.compile",
        ))
        if decorator:
            self.say(decorator)
        self.say(f"def {name}(x, *args, y={self.whole()}, **kwargs):")
        self.depth += 1
        self.say(self.draw.choice((
            "pass", f"return {name}(x)", f"if y > 0: return {name}(x, y=y - 1)", f"x = {name}(*args) + x",
            "x = x.view(x.size(0), -1)", "args = args + args",
        )))
        for _ in range(self.draw.randint(0, 4) if self.depth < 6 else 0):
            self.statement()
        self.say(f"return {self.draw.choice(('x', 'x, y', self.anything(), 'kwargs', f'lambda z: x + z', f'[x] * y'))}")
        self.depth -= 1
        self.calls.append(name)

    def klass(self):
        draw, name = self.draw, self.new("C")
        self.say(f"class {name}(nn.Module):")
        self.depth += 1
        fields = [f"layer{number}" for number in range(draw.randint(1, 4))]
        self.say(f"def __init__(self, width={self.whole()}, depth={draw.choice(COUNTS[:7])}):")
        self.depth += 1
        self.say("super().__init__()")
        for one in fields:
            self.say(f"self.{one} = {self.layer()}")
        self.say(draw.choice((
            "self.rest = nn.ModuleList()", "self.rest = [self]", f"self.rest = {self.anything()}",
            f"self.inner = {name}(width, depth - 1)", "self.rest = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])",
            "for i in range(depth): setattr(self, f'x{i}', nn.Linear(i, width))",
        )))
        self.depth -= 1
        self.say("def forward(self, x, mask=None):")
        self.depth += 1
        for one in fields:
            self.say(draw.choice((
                f"x = self.{one}(x)", f"x = x + self.{one}(x)", f"x, _ = self.{one}(x)", f"for one in self.{one}: x = one(x)",
                f"x = self.{one}['a'](x)",
            )))
        for _ in range(draw.randint(0, 2) if self.depth < 6 else 0):
            self.statement()
        self.say(draw.choice((
            "return x", "return x, mask", "return self(x)", "return {'out': x}", "return x.view(x.size(0), -1)",
            "return torch.cat([x, x], dim=1)",
        )))
        self.depth -= 2
        made = self.new("m")
        self.say(f"{made} = {name}({draw.choice(('', self.whole(), f'width={self.whole()}'))})")
        self.modules.append(made)

    def comprehension(self):
        draw, name = self.draw, self.new("l")
        forms = (
            f"[{self.anything()} for i in range({self.whole()})]",
            f"[[i * j for j in range({self.whole()})] for i in range({self.whole()})]",
            f"{{k: v for k, v in enumerate({self.anything()}) if k}}",
            f"tuple(x for x in {self.anything()} for y in {self.anything()})",
            f"[torch.rand(i, {self.size()}) for i in range({self.whole()})]", f"{{x for x in range({self.whole()})}}",
            f"list(map(lambda x: {self.anything()}, {self.anything()}))",
            f"[x for x in {self.anything()} if x for x in range({draw.choice(COUNTS)})]",
            f"torch.stack([{self.any_tensor()} for _ in range({self.whole()})])",
        )
        self.say(f"{name} = {draw.choice(forms)}")
        self.lists.append(name)

    def dataset(self):
        name, batch = self.new("loader"), self.whole()
        data = f"TensorDataset({self.any_tensor()}, {self.any_tensor()})"
        self.say(f"{name} = DataLoader({data}, batch_size={batch}, drop_last={self.draw.choice(('True', 'False'))})")
        self.block(f"for x, y in {name}:")
        self.lists.append(name)

    def training(self):
        if self.modules:
            model, name = self.draw.choice(self.modules), self.new("o")
            self.say(f"{name} = torch.optim.Adam({model}.parameters(), lr={self.whole()})")
            loss = f"F.cross_entropy({model}({self.any_tensor()}), {self.any_tensor()}.long())"
            if self.block(f"for epoch in range({self.draw.choice(COUNTS)}):", 1, 3):
                self.say(f"    loss = {loss}; {name}.zero_grad(); loss.backward(); {name}.step()")

    def attempt(self):
        if self.block("try:"):
            self.say(self.draw.choice((
                "except Exception as e: pass", "except (ValueError, RuntimeError): raise", "finally: pass", "except: pass",
            )))

    def generator(self):
        name = self.new("g")
        self.say(f"def {name}(n={self.whole()}):")
        self.depth += 1
        self.say(f"for i in range({self.draw.choice(COUNTS)}): yield {self.anything()}")
        self.say(self.draw.choice((f"yield from {name}(n)", f"while True: yield n", "return n", "x = yield n")))
        self.depth -= 1
        self.say(self.draw.choice((
            f"{self.new('l')} = list({name}())", f"for x in {name}(): pass", f"next({name}())", f"a, *b = {name}()",
            f"sum({name}())",
        )))

    def matched(self):
        self.say(f"match {self.anything()}:")
        self.depth += 1
        for case in self.draw.sample((
            "[]", "[x, *rest]", "{'a': a, **rest}", "int(n) | float(n)", "str()", "nn.Module(weight=w)", "(1 | 2) as n if n > 1",
            "[[x, _], y]",
        ), 3):
            self.say(f"case {case}: {self.draw.choice(('pass', f'z = {self.anything()}', 'reveal_type(x)'))}")
        self.say("case _: pass")
        self.depth -= 1

    def joined(self):
        made, name = self.new("t"), self.any_tensor()
        others = ", ".join(name if self.draw.random() < 0.7 else self.any_tensor() for _ in range(self.draw.choice((1, 2, 2, 3, 30))))
        self.say(f"{made} = {self.draw.choice(JOINING)}([{others}])")
        self.tensors[made] = self.tensors[name]

    def oddity(self):
        thing, other, pad = self.anything(), self.anything(), "    " * self.depth
        is_name = thing.isidentifier()
        record = (
            f"@dataclass\n{pad}class D{self.count}:\n{pad}    a: int = {self.whole()}\n"
            f"{pad}    b: list = field(default_factory=lambda: {thing})"
        )
        self.say(self.draw.choice((
            f"global {thing}" if is_name and self.depth else "pass", f"del {thing}" if is_name else "pass",
            f"({thing} := {other})" if is_name else "pass", f"reveal_type({thing})", f"print({thing}, {other})",
            f"assert {thing} == {other}", f"x = y = z = {thing}", f"a, (b, *c), d = {thing}", f"exec(str({thing}))",
            f"globals()[{thing}] = {other}", record, f"type('K', (nn.Module,), {{'f': {thing}}})()",
            f"functools.partial({thing}, {other})()", f"getattr({thing}, 'a' * {self.whole()})", f"vars({thing}).update(a={other})",
            f"torch.vmap({thing})({other})", f"torch.save({thing}, 'f')", f"copy.deepcopy({thing})", f"list({thing}.modules())",
            f"{thing}.load_state_dict({other}.state_dict())",
        )))
