"""Records what the real libraries say of random expressions.

    python record.py torch.txt --seed 1 --count 5000 > ../torch_more.jsonl
    python record.py --again ../torch_ops.jsonl --seed 7 --count 4000 > ../torch_again.jsonl

A file of templates has sections, `# name`, and a template a line, in a small language that becomes a Python expression:

    $a to $h        a size from 1 to 5, the same wherever it stands in the template; $p, $q, $r: from 6 to 12; $k: 1 to 3; $s: 1 to 2
    $i, $j, $n      from 0 to 2; from -3 to 3; from 0 to 4, another one at each place
    {x|y|z}         one of these
    X               a tensor of any shape
    T(…)            a tensor of this shape, of floats; I, L, B, D, C, H, M: of int32, int64, bool, float64, complex64, float16; an array
    @ …             a template whose shape depends on values, or on a function that is passed: a static analysis may leave it open

Of the expressions some are then spoiled: a number is changed, a dimension added or dropped, an element type exchanged. `--again` makes
expressions of another seed out of recorded ones: each number is replaced, equal ones by equal ones, and some are spoiled.

Each expression is evaluated; the outcome is a line, as `README.md` describes it. `--meta` evaluates on the meta device, which computes
shapes alone: for models. The output depends on the templates, the seed, and the libraries alone.
"""

import argparse
import json
import os
import random
import re
import signal
import sys
import warnings

SIZES = {**dict.fromkeys("abcdefgh", (1, 5)), **dict.fromkeys("pqr", (6, 12)), "k": (1, 3), "s": (1, 2)}
EACH = {"i": (0, 2), "j": (-3, 3), "n": (0, 4)}
TYPES = {
    "I": "torch.int32", "L": "torch.long", "B": "torch.bool", "D": "torch.double", "C": "torch.cfloat", "H": "torch.half",
}
OTHER_TYPES = ["torch.long", "torch.bool", "torch.double", "torch.int"]
IMPORTS = """
import torch, torch.nn as nn, torch.nn.functional as F
import torchvision, torchvision.ops as ops
import torchvision.transforms as TT, torchvision.transforms.functional as TF, torchvision.transforms.v2 as T2
import torchvision.transforms.v2.functional as T2F
import numpy as np
import einops, einops.layers.torch
"""


def read_templates(path):
    templates, section = [], ""
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("# "):
            section = line[2:]
        elif line:
            templates.append((section, line))
    return templates


def any_shape(rng):
    return ", ".join(str(rng.randint(1, 5)) for _ in range(rng.choice([1, 2, 2, 3, 3, 4])))


def filled(template, rng):
    """A template with its choices and sizes made, and its tensors left as they are."""
    chosen = {}

    def size(match):
        letter = match[1]
        if letter in EACH:
            return str(rng.randint(*EACH[letter]))
        if letter not in chosen:
            chosen[letter] = str(rng.randint(*SIZES[letter]))
        return chosen[letter]

    text = template
    while (inner := re.search(r"\{([^{}]*)\}", text)) is not None:
        text = text[: inner.start()] + rng.choice(inner[1].split("|")) + text[inner.end() :]
    text = re.sub(r"\$([a-z])", size, text)
    return re.sub(r"\bX\b", lambda _: f"T({any_shape(rng)})", text)


def expand(template, rng):
    """A template as a Python expression."""
    text = filled(template, rng)
    text = re.sub(r"\bT\(", lambda _: f"torch.{rng.choice(['rand', 'ones', 'zeros'])}(", text)
    text = re.sub(r"\bM\(([^()]*)\)", lambda match: f"np.{rng.choice(['ones', 'zeros'])}(({match[1]},))", text)
    return re.sub(r"\b([ILBDCH])\(([^()]*)\)", lambda match: f"torch.zeros({match[2]}, dtype={TYPES[match[1]]})", text)


def spoil(code, rng):
    """An expression that is probably wrong."""
    kind = rng.random()
    creations = list(re.finditer(r"torch\.(?:rand|ones|zeros)\(([0-9, ]+)", code))
    creations += re.finditer(r"np\.(?:ones|zeros)\(\(([0-9, ]+)", code)
    if kind < 0.3 and creations:
        chosen = rng.choice(creations)
        dims = [dim for dim in chosen[1].replace(" ", "").split(",") if dim]
        trailing = "," if chosen[1].rstrip().endswith(",") else ""
        if rng.random() < 0.5 and len(dims) > 1:
            dims.pop(rng.randrange(len(dims)))
        else:
            dims.insert(rng.randrange(len(dims) + 1), str(rng.randint(1, 4)))
        return code[: chosen.start(1)] + ", ".join(dims) + trailing + code[chosen.end(1) :]
    if kind < 0.4 and creations and "torch." in code:
        chosen = rng.choice(creations)
        end = code.find(")", chosen.end(1))
        if "dtype" not in code[chosen.start() : end]:
            return code[:end] + f", dtype={rng.choice(OTHER_TYPES)}" + code[end:]
    numbers = list(re.finditer(r"(?<![\w.])-?\d+(?![\w.])", code))
    if not numbers:
        return code
    chosen = rng.choice(numbers)
    value = int(chosen[0])
    new = rng.choice([value + 1, value - 1, value + 2, -value, 0, value + 1])
    return code[: chosen.start()] + str(new) + code[chosen.end() :]


def again(code, rng):
    """An expression like another, of other sizes."""
    changed = {}

    def number(match):
        value = match[0]
        if value in "01" and rng.random() < 0.8:
            return value
        if value not in changed:
            changed[value] = str(rng.randint(1, 6) if int(value) < 7 else rng.randint(7, 12))
        return changed[value]

    return re.sub(r"(?<![\w.])\d+(?![\w.])", number, code)


def described(value, torch, np):
    """The shape and the element types of a value."""
    if isinstance(value, torch.Tensor):
        return list(value.shape), str(value.dtype).removeprefix("torch.")
    if isinstance(value, np.ndarray):
        return list(value.shape), str(value.dtype)
    if isinstance(value, np.generic):
        return {"v": None}, None
    if isinstance(value, torch.Size):
        return {"size": list(value)}, None
    if isinstance(value, (tuple, list)):
        items = [described(item, torch, np) for item in value]
        return {"t": [shape for shape, _ in items]}, [dtype for _, dtype in items]
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return {"v": value}, None
    return {"v": None}, None


def too_long(*_):
    raise TimeoutError("too long")


def has_open_parts(shape):
    return isinstance(shape, dict) and ("v" in shape and shape["v"] is None or any(map(has_open_parts, shape.get("t", []))))


def evaluate(code, scope):
    """The outcome of an expression, or `None` where it says nothing about shapes."""
    torch = scope["torch"]
    torch.manual_seed(0)
    scope["np"].random.seed(0)
    signal.alarm(20)
    try:
        value = eval(code, scope)
        shape, dtype = described(value, torch, scope["np"])
    except (TimeoutError, MemoryError, NotImplementedError):
        return None
    except Exception as error:
        text = str(error)
        if "not implemented for" in text or "NYI" in text or "too large" in text or "internal assert" in text.lower():
            return None
        return {"ok": False, "error": " ".join(text.split())[:160], "exc": type(error).__name__}
    finally:
        signal.alarm(0)
    if has_open_parts(shape) or len(json.dumps(shape)) > 400:
        return None
    return {"ok": True, "shape": shape, "dtype": dtype}


def candidates(arguments, rng):
    """Endless (section, expression, whether it depends on values)."""
    if arguments.again:
        cases = [json.loads(line) for line in open(arguments.again, encoding="utf-8")]
        while True:
            case = rng.choice(cases)
            yield case["op"], again(case["code"], rng), bool(case.get("value_dependent"))
    templates = read_templates(arguments.templates)
    while True:
        rng.shuffle(templates)
        for section, template in templates:
            yield section, expand(template.lstrip("@ "), rng), template.startswith("@")


DRAWN = re.compile(r"\brandom\b|\.(allclose|equal|is_nonzero|array_equal)\(|\.nonzero\(|linalg\.lstsq\(")


def is_drawn(code, outcome):
    """Whether an outcome depends on numbers that are drawn, or on the values of elements, though nothing in the template says so."""
    shape = outcome.get("shape")
    is_number = isinstance(shape, dict) and "v" in shape
    return outcome["ok"] and DRAWN.search(code) is not None and (is_number or "nonzero" in code or "lstsq" in code)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("templates", nargs="?")
    parser.add_argument("--again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--spoil", type=float, default=0.3)
    parser.add_argument("--meta", action="store_true")
    parser.add_argument("--broken", action="store_true", help="print templates that never succeed")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    scope = {}
    exec(IMPORTS, scope)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_long)
    scope["torch"].set_num_threads(1)
    if arguments.meta:
        scope["torch"].set_default_device("meta")
    if arguments.broken:
        for section, template in read_templates(arguments.templates):
            outcomes = [evaluate(expand(template.lstrip("@ "), rng), scope) for _ in range(6)]
            if not any(outcome and outcome["ok"] for outcome in outcomes):
                print(section, template, outcomes[-1], file=sys.stderr)
        return
    # Libraries in C print warnings of their own.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    seen, tries, made = set(), 0, 0
    for section, code, depends in candidates(arguments, rng):
        tries += 1
        if made >= arguments.count or tries > 40 * arguments.count:
            break
        if rng.random() < arguments.spoil:
            code = spoil(code, rng)
        if code in seen or len(code) > 300:
            continue
        seen.add(code)
        outcome = evaluate(code, scope)
        if outcome is None:
            continue
        case = {"op": section, "code": code, **outcome}
        if depends or is_drawn(code, outcome):
            case["value_dependent"] = True
        print(json.dumps(case, separators=(",", ":")), file=output)
        made += 1


if __name__ == "__main__":
    main()
