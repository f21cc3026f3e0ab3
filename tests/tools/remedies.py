#!/usr/bin/env python3
"""Does what Harp's help says of wrong programs, and runs them before and after with the real libraries.

    python3 tests/tools/remedies.py target/debug/harp [--mutants 400] [--generated 300] [--seed 1] [--report OUT.md]

The programs are the Python blocks of `tests/markdown/` and `rules/` that state an error, the mutants of `tests/data/programs/`, and generated ones.
Only findings with a `remedy` in JSON are tried. The statements of a program are run one by one, those that raise are passed over, and a finding with
a condition is run with the options of its counter-example. A remedy is *wrong* where, after it, the line of the finding raises still, or a line that
did not before and of which Harp says nothing. It is *not tried* where that line does not raise before, as where a library or a file is missing.
"""

import argparse
import ast
import collections
import contextlib
import io
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import program_mutants  # noqa: E402

SECONDS = 20


def markdown_blocks(folders):
    """The single-file Python blocks that state an error, without their comments of expectations."""
    for folder in folders:
        for page in sorted(pathlib.Path(folder).rglob("*.md")):
            for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)):
                if re.search(r"# (error|expect|warning):", block) and re.search(r"import (torch|numpy)|from torch", block):
                    yield f"{page}#{number}", block


def mutants(count, choose):
    found = []
    for program in program_mutants.programs("tests/data/programs", []):
        if program.is_file():
            found += [(f"{case['program']}:{case['line']}: {case['new']}", files[program.name])
                      for case, files in list(program_mutants.mutants(program))[1:]]
    choose.shuffle(found)
    return found[:count]


class Generator:
    """Small programs that fail, through options, methods, functions, dictionaries and classes."""

    def __init__(self, choose):
        self.choose = choose

    def program(self):
        c = self.choose
        a, b, k = c.sample([2, 3, 4, 5, 6, 8, 12, 16], 3)
        n = c.choice([4, 7, 32])
        option = c.random() < 0.35
        size = "args.hidden" if option else str(a)
        layer, data = c.choice([
            (f"nn.Linear({b}, 3)", f"torch.rand({n}, {size})"), (f"nn.Linear({b}, 3)", f"torch.rand({n}, 5, {size})"),
            (f"nn.Linear({b}, 3)", f"torch.rand({size}, {b})" if c.random() < 0.2 else f"torch.rand({b}, {size})"),
            (f"nn.Conv2d({b}, 8, 3)", f"torch.rand({n}, {size}, 9, 9)"), (f"nn.Conv2d({b}, 8, 3)", f"torch.rand({n}, 9, 9, {b})"),
            (f"nn.Conv1d({b}, 8, 1)", f"torch.rand({n}, 9, {b})"), (f"nn.Conv1d({b}, 8, 1)", f"torch.rand({n}, {size}, 9)"),
            (f"nn.Linear({a * b * k}, 3)", f"torch.rand({n}, {a}, {b}, {k})"), (f"nn.BatchNorm1d({b})", f"torch.rand({n}, {size})"),
            (f"nn.BatchNorm2d({b})", f"torch.rand({n}, {size}, 4, 4)"), (f"nn.LayerNorm({b})", f"torch.rand({n}, {size})"),
            (f"nn.LSTM({b}, 6)", f"torch.rand({n}, 5, {size})"), (f"nn.GRU({b}, 6, batch_first=True)", f"torch.rand({n}, 5, {size})"),
            (f"nn.Embedding(10, {b})", f"torch.zeros({n}, 4)"), (f"nn.Linear({b}, 3)", f"torch.zeros({n}, {b}, dtype=torch.long)"),
            (f"nn.Conv2d(1, 4, 3)", f"torch.rand({n}, 9, 9)"),
        ])
        calls = [("layer", layer, data)]
        tensors = [
            (f"torch.rand({n}, {a})", f"torch.rand({n}, {b})", "x @ y"), (f"torch.rand({n}, {size})", f"torch.rand({b}, 4)", "x @ y"),
            (f"torch.rand(2, {n}, {a})", f"torch.rand(2, {b}, {a})", "torch.bmm(x, y)"), (f"torch.rand({n}, {a})", f"torch.rand({n})", "x * y"),
            (f"torch.rand({n}, {size})", f"torch.rand({n}, {b})", "x + y"), (f"torch.rand({n})", f"torch.rand({b})", "x - y"),
            (f"torch.rand({n}, {a})", f"torch.rand({n}, {b})", "torch.cat([x, y])"), (f"torch.rand({n}, {a})", f"torch.rand(2)", "x.sum(2)"),
            (f"torch.rand({n}, {a}, {b})", "torch.rand(2)", f"x.view(-1, {a * b + 1})"), (f"torch.rand({n}, {a}, {b})", "torch.rand(2)", f"x.view({n}, {k}, {b})"),
            (f"torch.rand({n}, 1, {a})", f"torch.rand({n}, {a}, {b})", "torch.mm(x, y)"), (f"torch.rand({n}, 3)", f"torch.zeros({n}, 1).long()", "F.cross_entropy(x, y)"),
            (f"torch.rand({n}, 3)", f"torch.zeros({n})", "F.cross_entropy(x, y)"), (f"torch.rand({n}, {a})", f"torch.rand({n})", "F.mse_loss(x, y)"),
            (f"torch.rand({n}, {a})", f"torch.rand({a}, {n})", "x + y"), (f"torch.rand({n}, {a})", f"torch.rand({n}, {a})", "x @ y"),
            (f"torch.rand({n}, {a})", f"torch.rand({n}, {a}, {b})", "torch.bmm(x, y)"), (f"torch.rand({n}, {a}, {b})", f"torch.rand({n}, {a})", "x + y"),
        ]
        head = ["import argparse", "import torch", "import torch.nn as nn", "import torch.nn.functional as F", ""]
        if option:
            head += ["parser = argparse.ArgumentParser()", f"parser.add_argument('--hidden', type=int, default={b})", "args = parser.parse_args()"]
        if c.random() < 0.55:
            lines = self.layer_call(*calls[0][1:])
        else:
            lines = self.operation(*c.choice(tensors))
        return "\n".join(head + lines) + "\n"

    def layer_call(self, layer, data):
        c = self.choose
        form = c.randrange(5)
        if form == 0:
            return [f"layer = {layer}", f"x = {data}", "y = layer(x)"]
        if form == 1:
            return [f"print({layer}({data}))"]
        if form == 2:
            return [f"layers = {{'a': {layer}}}", f"x = {data}", "y = layers['a'](x)"]
        if form == 3:
            return ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()", f"        self.a = {layer}",
                    "    def forward(self, x):", "        return self.a(x)", f"y = Net()({data})"]
        return [f"layer = {layer}", "def run(x):", "    return layer(x)", f"y = run({data})"]

    def operation(self, left, right, text):
        c = self.choose
        form = c.randrange(4)
        if form == 0:
            return [f"x = {left}", f"y = {right}", f"z = {text}"]
        if form == 1:
            return ["def f(x, y):", f"    return {text}", f"z = f({left}, {right})"]
        if form == 2:
            text = re.sub(r"\b([xy])\b", r"held['\1']", text)
            return [f"held = {{'x': {left}, 'y': {right}}}", f"z = {text}"]
        text = re.sub(r"\b([xy])\b", r"self.\1", text)
        return ["class Pair:", "    def __init__(self, x, y):", "        self.x, self.y = x, y", "    def both(self):", f"        return {text}",
                f"z = Pair({left}, {right}).both()"]


def failures(text, arguments):
    """The lines of the statements that raise, with what they raise, in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.chdir(tempfile.mkdtemp())
        sys.argv = ["program.py", *arguments]
        space, failed = {"__name__": "__main__", "reveal_type": lambda value: value}, []
        try:
            import torch
            torch.manual_seed(0)
            tree = ast.parse(text)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for statement in tree.body:
                    try:
                        exec(compile(ast.Module([statement], []), "program.py", "exec"), space)
                    except BaseException as error:
                        frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
                        failed.append((frames[-1] if frames else 0, type(error).__name__, str(error).split("\n")[0][:160]))
        except BaseException as error:
            failed.append((-1, type(error).__name__, str(error)[:160]))
        os.write(write, json.dumps(failed).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def options_of(finding, text):
    """The command line of a counter-example: the options that have the names of its sizes."""
    arguments = []
    for name, value in re.findall(r"(\w+) = (-?\d+)", finding["counterexample"] or ""):
        option = re.search(r"--" + name.replace("_", "[-_]") + r"\b", text)
        if option:
            arguments += [option.group(), value]
    return arguments


def edited(text, edit):
    data = text.encode()
    return (data[:edit["bytes"]["start"]] + edit["replacement"].encode() + data[edit["bytes"]["end"]:]).decode()


def tried(text, finding, told):
    """What comes of a remedy: `right`, `wrong` or `not tried`, and why."""
    arguments = options_of(finding, text)
    lines = set(range(finding["place"]["start"]["line"], finding["place"]["end"]["line"] + 1))
    before = failures(text, arguments)
    missing = ("NameError", "ModuleNotFoundError", "FileNotFoundError")
    if not before or not any(line in lines and kind not in missing for line, kind, _ in before):
        return "not tried", ""
    after = failures(edited(text, finding["remedy"]), arguments)
    if after is None:
        return "not tried", ""
    known = {line for line, *_ in before} | told
    new = [one for one in after if one[0] in lines or one[0] not in known and one[1] != "NameError"]
    return ("wrong", f"{before} => {after}") if new else ("right", "")


def findings(harp, texts):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, ".git").mkdir()
        for name, text in texts.items():
            pathlib.Path(folder, name).write_text(text)
        found = subprocess.run([harp, "check", ".", "--no-cache", "--format", "json"], cwd=folder, capture_output=True, text=True)
        return json.loads(found.stdout)["findings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harp")
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--generated", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report")
    options = parser.parse_args()
    harp = str(pathlib.Path(options.harp).resolve())
    choose = random.Random(options.seed)
    generator = Generator(choose)
    kinds = {
        "blocks of pages": list(markdown_blocks(["tests/markdown", "rules"])),
        "mutants": mutants(options.mutants, choose),
        "generated": [(f"generated {number}", generator.program()) for number in range(options.generated)],
    }
    import torch
    torch.set_num_threads(1)
    rows = []
    for kind, programs in kinds.items():
        counts = collections.Counter(programs=len(programs))
        for first in range(0, len(programs), 50):
            part = programs[first:first + 50]
            texts = {f"p{number}.py": text for number, (_, text) in enumerate(part)}
            found = findings(harp, texts)
            told = collections.defaultdict(set)
            for finding in found:
                told[finding["place"]["file"]].add(finding["place"]["start"]["line"])
            for finding in found:
                if not finding["rule"].startswith("shape/"):
                    continue
                counts["findings"] += 1
                counts["with help"] += finding["help"] is not None
                if not finding["remedy"] or not finding["remedy"]["bytes"]:
                    continue
                counts["with a remedy"] += 1
                name = finding["place"]["file"].removeprefix("./")
                if finding["remedy"]["place"]["file"].removeprefix("./") != name:
                    continue
                result, why = tried(texts[name], finding, told[finding["place"]["file"]])
                counts[result] += 1
                if result == "wrong":
                    print("-" * 60, part[int(name[1:-3])][0], texts[name] if len(texts[name]) < 1500 else "", finding["message"], finding["help"], why, sep="\n")
        rows.append((kind, counts))
    columns = ["programs", "findings", "with help", "with a remedy", "right", "not tried", "wrong"]
    lines = ["| | " + " | ".join(columns) + " |", "|" + "---|" * (len(columns) + 1)]
    lines += ["| " + " | ".join([kind] + [str(counts[column]) for column in columns]) + " |" for kind, counts in rows]
    print("\n".join(lines))
    if options.report:
        head = f"# Remedies\n\n`tests/tools/remedies.py`, seed {options.seed}, PyTorch {torch.__version__}: what Harp's help says was done, and the programs were run before and after.\n\n"
        pathlib.Path(options.report).write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
