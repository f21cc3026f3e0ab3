#!/usr/bin/env python3
"""Runs generated programs before and after Harp's rewrites, with NumPy and PyTorch, and compares every variable.

    python3 tests/tools/rewrite_programs.py target/debug/harp --programs 400 --seed 1 [--report OUT.md]

A half of the programs are loops over elements of arrays, the others those of `loop_programs.py`; without PyTorch all are of the first kind.

A rewrite that is said to be safe must leave everything as it was, dtypes and kinds included. One that is unsafe for a reason of its own may
differ; those that differ are counted by their reasons.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import tempfile

import numpy as np

try:
    import torch
    from loop_programs import InvariantMaker, MixedMaker
except ImportError:
    torch = None

MAKERS = [
    "np.linspace(0.5, 3, {n})", "np.ones({n})", "np.arange({n})", "np.arange({n}, dtype=np.int8)", "np.ones({n}, dtype=np.float32)",
    "np.zeros({n}, dtype=np.uint8)", "np.arange({n}) % 2 == 0", "[1.5] * {n}", "[k for k in range({n})]", "[k * 0.5 for k in range({n})]",
    "np.linspace(1, 2, {n} * 3).reshape({n}, 3)", "np.arange({n} * 3).reshape(3, {n})", "np.linspace(1, 2, {n} + 1)[1:]",
    "np.linspace(1, 2, {n} * {n}).reshape({n}, {n})", "tuple(range({n}))", "[[1, 2]] * {n}",
]
RELATED = ["{x}", "{x}[:]", "{x}[1:]", "{x}[:-1]", "{x}[::-1]", "{x}.T", "{x}.copy()"]


class Maker:
    """Makes one random program."""

    def __init__(self, choose):
        self.choose = choose

    def program(self):
        c = self.choose
        n = c.choice([7, 8, 12])
        self.mode = c.choice(["flat", "flat", "rows", "wild"])
        lines = ["import math", "import numpy as np" if c.random() < 0.9 else "import numpy as xp\nimport numpy as np"]
        names = ["a", "b", "c"]
        fits = {"flat": lambda maker: "* 3" not in maker and "{n} * {n}" not in maker and "[[" not in maker and "tuple" not in maker,
                "rows": lambda maker: "{n} * {n}" in maker or ".reshape({n}" in maker, "wild": lambda maker: True}[self.mode]
        makers = [maker for maker in MAKERS if fits(maker)]
        setup = [f"{name} = {c.choice(makers).format(n=n)}" for name in names]
        if c.random() < 0.3:
            setup.append(f"b = {c.choice(RELATED).format(x='a')}")
        setup += [f"n = {c.choice([n, n, n, n - 1, n - 1, 0, -2])}", "k = 2", "w = 0.5", "d = 1"]
        loop = self.loop(names, n)
        after = c.choice([[], [], [], ["e = i"], ["e = t"], ["e = a[0]"], ["e = len(a)"]])
        shape = c.randrange(4)
        if shape == 0:
            body = setup + loop + after
        elif shape == 1:
            inner = setup + ["i, t = -1, -1"] * c.randrange(2) + loop + after + ["return locals()"]
            body = ["def f():"] + ["    " + line for line in inner] + ["result = f()"]
        elif shape == 2:
            inner = loop + after + ["return locals()"]
            body = setup + ["def f(a, b, c, n, k=2, w=0.5, d=1):"] + ["    " + line for line in inner] + ["result = f(a, b, c, n)"]
        else:
            body = setup + ["if k > 1:"] + ["    " + line for line in loop] + after
        return "\n".join(lines + body) + "\n"

    def loop(self, names, n):
        c = self.choose
        header = c.choice(["range(n)", f"range({n})", "range(n)", f"range(1, {n})", "range(n - 1)", f"range({n - 1})", "range(len(a))", "range(len(b))",
                           "range(1, n - 1)", "range(len(a) - 1)", "range(d, n)", "range(a.shape[0])" if c.random() < 0.3 else "range(n)"])
        lines = [f"for i in {header}:"]
        has_temporary = False
        for _ in range(c.choice([1, 1, 1, 2, 2, 3])):
            kind = c.random()
            if kind < 0.2:
                lines.append(f"    t = {self.expression(names, has_temporary)}")
                has_temporary = True
            elif kind < 0.45:
                lines.append(f"    {self.target(names)} {c.choice(['+', '-', '*', '/', '//', '**'])}= {self.expression(names, has_temporary)}")
            else:
                lines.append(f"    {self.target(names)} = {self.expression(names, has_temporary)}")
        if c.random() < 0.05:
            lines += ["else:", "    k = 9"]
        return lines

    def target(self, names):
        c = self.choose
        if self.mode == "flat":
            return c.choice(["{x}[i]"] * 6 + ["{x}[i - 1]", "{x}[i + 1]"]).format(x=c.choice(names))
        if self.mode == "rows":
            return c.choice(["{x}[i]", "{x}[i, 0]", "{x}[i, :]", "{x}[i, k]", "{x}[i + 1]", "{x}[0][i]"]).format(x=c.choice(names))
        return c.choice(["{x}[i]", "{x}[i]", "{x}[i]", "{x}[i]", "{x}[i - 1]", "{x}[i + 1]", "{x}[i, 0]", "{x}[i, :]", "{x}[:, i]", "{x}[0, i]", "{x}[0][i]",
                         "{x}[i][0]", "{x}[k, i]"]).format(x=c.choice(names))

    def element(self, names):
        c = self.choose
        if self.mode == "flat":
            return c.choice(["{x}[i]"] * 10 + ["{x}[i - 1]", "{x}[i + 1]", "{x}[0]", "{x}[k]", "len({x})"]).format(x=c.choice(names))
        if self.mode == "rows":
            return c.choice(["{x}[i]", "{x}[i]", "{x}[i, 0]", "{x}[i, :]", "{x}[i, k]", "{x}[0]", "{x}[:, i]", "{x}[i][0]"]).format(x=c.choice(names))
        return c.choice(["{x}[i]"] * 8 + ["{x}[i - 1]", "{x}[i + 1]", "{x}[0]", "{x}[i, 0]", "{x}[i, :]", "{x}[:, i]", "{x}.T[i]", "{x}[0][i]", "{x}[k]",
                                          "len({x})", "{x}[i, 1]", "{x}[i, k]"]).format(x=c.choice(names))

    def expression(self, names, has_temporary, depth=0):
        c = self.choose
        kind = c.random()
        if depth > 2 or kind < 0.35:
            return self.element(names)
        if kind < 0.5:
            return c.choice(["i", "i", "2", "0.5", "k", "w", "300", "-1", "t" if has_temporary else "i"])
        if kind < 0.8:
            left, right = self.expression(names, has_temporary, depth + 1), self.expression(names, has_temporary, depth + 1)
            return f"({left} {c.choice(['+', '-', '*', '/', '//', '%', '**', '*', '+'])} {right})"
        if kind < 0.85:
            return "-" + self.expression(names, has_temporary, depth + 1)
        inner = self.expression(names, has_temporary, depth + 1)
        return c.choice(["math.sqrt({e})", "abs({e})", "float({e})", "math.exp({e})", "max({e}, 1)", "min({e}, {e})", "np.sqrt({e})", "math.floor({e})"]).format(e=inner)


def run(text):
    """The variables of a program, or what it raises."""
    space = {"__name__": "program"}
    kinds = (np.ndarray, np.generic, list, tuple, int, float) + ((torch.Tensor,) if torch else ())
    with np.errstate(all="ignore"):
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(text, "program", "exec"), space)
            except Exception as error:
                return type(error).__name__
    space = {**space, **space.get("result", {})} if isinstance(space.get("result"), dict) else space
    return {name: value for name, value in space.items() if isinstance(value, kinds)}


def same(left, right):
    if type(left) is not type(right):
        return False
    if torch and isinstance(left, torch.Tensor):
        is_alike = left.dtype == right.dtype and left.shape == right.shape and left.requires_grad == right.requires_grad
        return is_alike and bool(torch.equal(torch.nan_to_num(left.detach()), torch.nan_to_num(right.detach())))
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and left.shape == right.shape and bool(np.array_equal(left, right, equal_nan=left.dtype.kind in "fc"))
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right))
    if isinstance(left, (float, np.floating)):
        return left == right or (math.isnan(left) and math.isnan(right))
    return left == right


def difference(before, after):
    if isinstance(before, str) or isinstance(after, str):
        return None if isinstance(before, str) else f"raises {after}"
    for name, value in before.items():
        if name in ("i", "t", "result", "product") and name not in after:
            continue  # what the loop leaves in its variables and nothing reads
        if name in ("i", "t"):
            continue
        if name not in after or not same(value, after[name]):
            return f"{name} is {after.get(name)!r} and not {value!r}"
    return None


def edited(text, finding):
    data = text.encode()
    for edit in sorted(finding["edits"], key=lambda edit: -edit["bytes"]["start"]):
        data = data[:edit["bytes"]["start"]] + edit["replacement"].encode() + data[edit["bytes"]["end"]:]
    return data.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harp")
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--show-unsafe", action="store_true")
    parser.add_argument("--report")
    options = parser.parse_args()
    harp = str(pathlib.Path(options.harp).resolve())
    choose = random.Random(options.seed)
    makers = [Maker, Maker, MixedMaker, InvariantMaker] if torch else [Maker]
    counts, reasons, withheld, rules, refuted = (collections.Counter() for _ in range(5))
    for first in range(0, options.programs, options.batch):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, ".git").mkdir()
            texts = {}
            for number in range(first, min(first + options.batch, options.programs)):
                name = f"p{number}.py"
                texts[name] = makers[number % len(makers)](choose).program()
                pathlib.Path(folder, name).write_text(texts[name])
            found = subprocess.run([harp, "check", ".", "--format", "json"], cwd=folder, capture_output=True, text=True)
            report = json.loads(found.stdout)
        withheld.update(one["reason"] for one in report["summary"]["rewrites"]["withheld"])
        counts["programs"] += len(texts)
        for finding in report["findings"]:
            counts["findings"] += 1
            if not finding["edits"]:
                continue
            counts[finding["applicability"]] += 1
            rules[finding["rule"], finding["applicability"]] += 1
            text = texts[finding["place"]["file"].removeprefix("./")]
            new = edited(text, finding)
            what = difference(run(text), run(new))
            if what is None:
                continue
            counts[f"{finding['applicability']}, differs"] += 1
            refuted[finding["rule"], finding["applicability"]] += 1
            reasons[finding["unsafe_because"]] += 1
            if finding["applicability"] == "safe" or options.show_unsafe:
                print("-" * 60, finding["unsafe_because"], text, "=>", new, what, sep="\n")
    for table in (counts, reasons, withheld):
        print(json.dumps(dict(table.most_common()), indent=1))
    lines = ["| rule | edit | made | refuted |", "|---|---|---|---|"]
    lines += [f"| `{rule}` | {kind} | {made} | {refuted[rule, kind]} |" for (rule, kind), made in sorted(rules.items())]
    print("\n".join(lines))
    if options.report:
        head = [f"# Edits of {counts['programs']} generated programs", "",
                f"`tests/tools/rewrite_programs.py`, seed {options.seed}, NumPy {np.__version__}, PyTorch {torch.__version__ if torch else '-'}: "
                "each edit was made, and the programs were run before and after. Refuted is one after which a variable is another, or an exception raised.", ""]
        pathlib.Path(options.report).write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()
