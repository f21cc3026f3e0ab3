"""Generated programs with loops, for `rewrite_programs.py`: PyTorch and NumPy side by side, element types, gradients, and what is changed under
another name: through a list, a dictionary, an object, a view, a property."""


class MixedMaker:
    """Loops over elements of tensors, arrays and lists of several types."""

    SOURCES = [
        "np.linspace(0.5, 3, {n})", "np.linspace(0, 1, {n}).astype(np.float32)", "np.arange({n}, dtype=np.uint8)", "np.arange({n}, dtype=np.int32)",
        "np.ones({n}, dtype=np.float16)", "np.arange({n}) % 2 == 0", "torch.linspace(0, 1, {n})", "torch.arange({n})", "torch.ones({n}, dtype=torch.float64)",
        "torch.arange({n}, dtype=torch.uint8)", "torch.nn.Parameter(torch.rand({n}))", "torch.rand({n}, requires_grad=True) * 2", "[1.5] * {n}", "list(range({n}))",
    ]
    OUTS = ["np.zeros({n})", "np.zeros({n}, dtype=np.float32)", "np.zeros({n}, dtype=np.int64)", "torch.zeros({n})", "torch.zeros({n}, dtype=torch.int64)", "[0.0] * {n}"]
    STEADY = ["2", "0.5", "k", "w", "s", "np.float64(1.5)", "i", "i", "(i * 0.5)"]

    def __init__(self, choose):
        self.choose = choose

    def program(self):
        c = self.choose
        n = c.choice([60, 64, 200, 300])
        library = c.choice(["np.", "torch.", ""])
        sources = [source for source in self.SOURCES if library in source] if c.random() < 0.75 else self.SOURCES
        outs = [out for out in self.OUTS if library in out] if c.random() < 0.75 else self.OUTS
        lines = ["import numpy as np", "import torch", "torch.manual_seed(0)", f"n, k, w = {c.choice([n, n, n, 0])}, 2, 0.5", f"s = {c.choice(['torch.tensor(2.0)', '3.0', 'np.float32(0.1)'])}"]
        if c.random() < 0.2:
            lines += [f"base = {c.choice(sources).format(n=n + 1)}", c.choice(["x, y = base[1:], base[:-1]", "x = base[1:]\ny = base[:-1]", "x, y = base[:-1], base[:-1]", "x = y = base[:-1]"])]
            lines += [f"out = {c.choice(['x', 'y', c.choice(outs).format(n=n)])}"]
        else:
            lines += [f"x = {c.choice(sources).format(n=n)}", f"y = {c.choice(sources).format(n=n)}", f"out = {c.choice(outs).format(n=n)}"]
        loop = [f"for i in range({c.choice([str(n), str(n), 'n', 'len(x)'])}):"]
        for _ in range(c.choice([1, 1, 2])):
            sign = c.choice(["=", "=", "=", "+=", "*="])
            loop.append(f"    {c.choice(['out', 'out', 'out', 'x'])}[i] {sign} {self.expression()}")
        if c.random() < 0.3:
            lines += ["def run(x, y, out, n, k, w, s):"] + ["    " + line for line in loop] + ["run(x, y, out, n, k, w, s)"]
        else:
            lines += loop
        return "\n".join(lines) + "\n"

    def expression(self, depth=0):
        c = self.choose
        if depth > 1 or c.random() < 0.3:
            return c.choice(["x[i]", "y[i]", "x[i]", "x[i]", "float(x[i])"])
        other = c.choice(self.STEADY) if c.random() < 0.5 else self.expression(depth + 1)
        pair = [self.expression(depth + 1), other]
        c.shuffle(pair)
        return f"({pair[0]} {c.choice(['+', '-', '*', '*', '/'])} {pair[1]})"


class InvariantMaker:
    """Loops with products that look the same in every iteration, and mostly are."""

    def __init__(self, choose):
        self.choose = choose

    def program(self):
        c = self.choose
        count = c.choice(["8", "8", "12", "n", "0"])
        product = c.choice(["x @ w", "torch.matmul(x, w)", "x.mm(w)", "(x @ w).sum()", "torch.relu(x @ w)", "layer(x)", "x @ w @ v", "(x @ w) @ (v @ w)", "(x + v) @ w"])
        header = ["import torch", "torch.manual_seed(0)", f"n = {c.choice([8, 0])}", "x, w, v = torch.rand(64, 64), torch.rand(64, 64), torch.rand(64, 64)",
                  "layer = torch.nn.Linear(64, 64)", "total = torch.zeros(64, 64)"]
        setup, before, after = self.change()
        bodies = [f"    y = {product}"]
        if c.random() < 0.3:
            bodies = ["    z = x + v", f"    y = {product.replace('x', 'z', 1) if product[0] == 'x' else product}"]
        ends = c.choice([["    total = total + y"], ["    total += y"], ["    total.add_(y)"], ["    total = total + y * i"], []])
        body = ["    " + line for line in before] + bodies + ["    " + line for line in after] + ends
        if c.random() < 0.15:
            body = bodies
        loop = [f"for i in range({count}):"] + body
        if c.random() < 0.25 and not any("class" in line for line in setup):
            loop = ["def run(x, w, v, total, n):"] + ["    " + line for line in setup + loop] + ["    return total", "total = run(x, w, v, total, n)"]
            setup = []
        if c.random() < 0.2:
            loop = ["for epoch in range(2):"] + ["    " + line for line in loop]
        return "\n".join(header + setup + loop) + "\n"

    def change(self):
        """What changes an operand under another name, or changes something else: lines before the loop, and at its start or its end."""
        c = self.choose
        name = c.choice(["w", "w", "x", "v", "other"])
        act = c.choice(["add_(1)", "mul_(0.5)", "zero_()", "fill_(2)"])
        setup, line = c.choice([
            ([], ""), ([], ""), ([], ""),
            ([f"held = {{'a': {name}}}"], f"held['a'].{act}"), ([f"held = {{'a': {name}}}"], "held['a'][0] = i"), ([f"held = [{name}]"], f"held[0].{act}"),
            ([f"held = [{name}]"], f"for p in held: p.{act}"), ([f"view = {name}[1:]"], f"view.{act}"), ([f"view = {name}.view(-1)"], "view[0] = i"),
            ([f"view = {name}.T"], "view[0] += 1"), ([f"first, second = {name}[:2], {name}[2:]"], f"second.{act}"), ([], f"{name}.{act}"), ([], f"{name} += 1"),
            (["class Holder:", "    def __init__(self, w):", "        self.w = w", "    def grow(self):", f"        self.w.{act}", f"h = Holder({name})"], "h.grow()"),
            (["class Holder:", "    def __init__(self, w):", "        self.w = w", f"h = Holder({name})"], f"h.w.{act}"),
            (["class Drawn:", "    @property", "    def w(self):", "        return torch.rand(64, 64)", "d = Drawn()"], "z = d.w @ d.w"),
            (["class Drawn:", "    def __getitem__(self, i):", "        return torch.rand(64, 64)", "d = Drawn()"], "z = d[0] @ d[0]"),
            (["class Kept:", "    def __init__(self, a):", "        self.a = a", "    @property", "    def w(self):", "        return self.a.T", "k = Kept(w)"], "z = k.w @ k.w"),
            ([f"def grow(p):", f"    p.{act}"], f"grow({name})"), (["import functools", f"grow = functools.partial(torch.Tensor.add_, {name})"], "grow(1)"),
            ([f"held = dict(a={name})", "alias = held['a']"], f"alias.{act}"), ([f"pairs = [(0, {name})]"], f"for _, p in pairs: p.{act}"),
        ])
        if name == "other":
            setup = ["other = torch.rand(64, 64)"] + setup
        lines = [line] if line else []
        return (setup, lines, []) if c.random() < 0.3 else (setup, [], lines)
