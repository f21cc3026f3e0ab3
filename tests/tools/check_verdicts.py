"""Runs what `harp check` vouches for.

    harp infer FOLDER --format json --output signatures.json
    harp check FOLDER --format json --verbose > report.json
    python tests/tools/check_verdicts.py signatures.json report.json [--root FOLDER] [--draws 8] [--only NAME]

An entry whose verdict is "no error possible" promises that none of its operations fails for inputs of the forms that it states, which meet its
condition. For each such function and `forward`, inputs are drawn from its inferred signatures; half of them are then spoiled: a size or the
number of dimensions of one is changed. Inputs that the stated forms, the condition or an assumption exclude are thrown away, the others are given
to the real function. What raises is listed: either the verdict is wrong, or the inputs are something that it does not speak of, which a person
has to say.
"""

import argparse
import collections
import json
import random
import re
import signal
import sys
import types
import builtins

import torch

import check_signatures as signatures
from check_signatures import Skip, Sizes

builtins.reveal_type = lambda value, *_: value
KINDS = {"float": torch.float32, "integer": torch.int64}


class Undecided(Exception):
    """A condition that speaks of something that is not at hand."""


class Scope(dict):
    """The names of a verdict's condition: `x_1`, `x_last`, `x_last2`, and numbers by their own name."""

    def __init__(self, inputs, settings):
        super().__init__({"ceil_div": signatures.ceil_div, "min": min, "max": max, "prod": signatures.prod, "__builtins__": {}, "callable": callable, "isinstance": isinstance})
        self.inputs, self.settings = inputs, settings

    def __missing__(self, name):
        values = {**self.settings, **self.inputs}
        if name in values:
            value = values[name]
            return value if isinstance(value, (bool, str)) or not isinstance(value, list) else tuple(value)
        match = re.fullmatch(r"(\w+)_(last(\d*)|\d+)", name)
        if match and hasattr(values.get(match[1]), "shape"):
            shape = values[match[1]].shape
            index = -int(match[3] or 1) if match[2].startswith("last") else int(match[2])
            if not -len(shape) <= index < len(shape):
                raise Undecided(f"{name} of {tuple(shape)}")
            return shape[index]
        raise Undecided(name)


def meets(condition, inputs, settings, names):
    """Whether inputs meet a verdict's condition."""
    if not condition:
        return True
    if " where " in condition:
        raise Skip("a condition of one way")
    broadcasts = re.findall(r"(\S+(?:, \S+)*) and (\S+(?:, \S+)*) broadcast", condition)
    for both in broadcasts:
        try:
            torch.broadcast_shapes(*[signatures.shape_of(text, Sizes(names)) for text in both])
        except RuntimeError:
            return False
    condition = re.sub(r"(^|(?: and )?)\S+(?:, \S+)* and \S+(?:, \S+)* broadcast", "", condition).removeprefix(" and ")
    if not condition:
        return True
    try:
        scope = Scope(inputs, {**settings, **names})
        return bool(eval(compile(condition, "condition", "eval"), scope, scope))
    except Undecided as error:
        raise Skip(f"a condition on other things: {error}") from error
    except (SyntaxError, TypeError, AttributeError, NameError) as error:
        raise Skip(f"a condition that cannot be evaluated: {condition}") from error
    except ZeroDivisionError:
        return False


def parts_of(text):
    """The parts of a shape in the notation: a list of sizes, or the name of a shape variable."""
    parts = []
    for part in signatures.split(text, "@"):
        if part.startswith("["):
            inner = part[1:-1].strip()
            parts.append([dim for dim in signatures.split(inner, ",")] if inner else [])
        else:
            parts.append(part)
    return parts


def taken_apart(parts, shape, shapes, sizes):
    """Every way in which a shape has a form: what the names are then. Sizes that are formulas are compared later."""
    if not parts:
        if not shape:
            yield shapes, sizes
        return
    first, rest = parts[0], parts[1:]
    if isinstance(first, list):
        if len(shape) < len(first):
            return
        bound = dict(sizes)
        for dim, size in zip(first, shape):
            if re.fullmatch(r"\w+", dim) and not dim.isdigit():
                if bound.setdefault(dim, size) != size:
                    return
        yield from taken_apart(rest, shape[len(first):], shapes, bound)
        return
    for length in range(len(shape) + 1):
        if shapes.get(first, tuple(shape[:length])) == tuple(shape[:length]):
            yield from taken_apart(rest, shape[length:], {**shapes, first: tuple(shape[:length])}, sizes)


def has_forms(inputs, settings, forms):
    """The names that make inputs have the stated forms, or nothing where they have not."""
    found = [({}, {name: value for name, value in {**settings, **inputs}.items() if isinstance(value, int)})]
    tensors, numbers = [], []
    for form in forms:
        value = {**settings, **inputs}
        match = re.fullmatch(r"(\w+)((?:\[\d+\])*)", form["name"])
        if not match or match[1] not in value:
            raise Skip(f"a part of an argument: {form['name']}")
        value = value[match[1]]
        for index in re.findall(r"\d+", match[2]):
            value = value[int(index)]
        if hasattr(value, "shape"):
            tensors.append((form["form"], tuple(value.shape)))
        elif isinstance(value, int):
            numbers.append((form["form"], value))
        else:
            raise Skip("a form of something else")
    for form, shape in tensors:
        found = [way for shapes, sizes in found for way in taken_apart(parts_of(form), shape, shapes, sizes)]
    for shapes, sizes in found:
        scope = {"ceil_div": signatures.ceil_div, "min": min, "max": max, "prod": signatures.prod, "__builtins__": {}, **sizes, **shapes}
        try:
            is_met = all(eval(form, scope) == value for form, value in numbers)
            for form, shape in tensors:
                is_met = is_met and signatures.shape_of(form, Sizes({**sizes, **shapes})) == shape
        except (NameError, KeyError, ZeroDivisionError) as error:
            raise Skip(f"a form that cannot be evaluated: {error}") from error
        if is_met:
            return {**sizes, **shapes}
    return None


def excluded(assumptions, inputs, settings):
    """Whether an assumption excludes the inputs: it says how many dimensions one has, or that one keeps its default."""
    given = {**settings, **inputs}
    for assumption in assumptions:
        match = re.fullmatch(r"`(\w+)` has its default (.*)", assumption["text"], re.S)
        if match and match[1] in given and str(given[match[1]]) != match[2]:
            return True
        match = re.match(r"`(\w+)`.* has (at least )?(\d+) dimensions?", assumption["text"])
        if match and match[1] in inputs and hasattr(inputs[match[1]], "shape"):
            rank = len(inputs[match[1]].shape)
            if rank < int(match[3]) if match[2] else rank != int(match[3]):
                return True
    return False


def spoiled(inputs, generator):
    """The inputs with one of the shapes changed."""
    tensors = [name for name, value in inputs.items() if isinstance(value, torch.Tensor)]
    if not tensors:
        return inputs
    name = generator.choice(tensors)
    shape = list(inputs[name].shape)
    if not shape or generator.random() < 0.15:
        shape.insert(0, generator.randint(1, 3))
    elif generator.random() < 0.15:
        shape.pop(0)
    else:
        at = generator.randrange(len(shape))
        shape[at] = max(1, shape[at] + generator.choice([-1, 1, 2]))
    return {**inputs, name: torch.rand(shape)}


def forms(inputs, uses_torch):
    """The inputs as float tensors, as whole numbers, and as arrays where the program has no PyTorch."""
    def each(change):
        return {name: change(value) if isinstance(value, torch.Tensor) else value for name, value in inputs.items()}
    if uses_torch:
        yield inputs
        yield each(lambda it: torch.randint(0, 2, it.shape))
    yield each(lambda it: it.numpy())
    names = [name for name, value in inputs.items() if isinstance(value, torch.Tensor)]
    for name in names if uses_torch and len(names) > 1 else []:
        yield {**inputs, name: torch.randint(0, 2, inputs[name].shape)}


def instance(function, signature, generator):
    """One set of arguments for a signature: inputs, settings."""
    owner, target = signatures.resolve(function["name"])
    method = isinstance(owner, type)
    if method and (not issubclass(owner, torch.nn.Module) or function["name"].split(".")[-1] != "forward"):
        raise Skip("a method")
    if not method and not isinstance(target, types.FunctionType):
        raise Skip("not a plain function")
    if any(parameter["kind"].startswith("variadic") for parameter in function["parameters"]):
        raise Skip("any number of parameters")
    dims, shapes, numbers = [], [], []
    for pattern in signature["parameters"]:
        for text in signatures.tensors_of(pattern):
            more_dims, more_shapes = signatures.names_in(text)
            dims += more_dims
            shapes += more_shapes
        if pattern["kind"] == "integer" and signatures.NAME.fullmatch(pattern["value"]):
            numbers.append(pattern["value"])
    kept = [it for it in signature["requirements"] if not signatures.is_about_values(it)]
    for requirement in kept:
        numbers += [name for name in signatures.NAME.findall(requirement) if name not in signatures.FUNCTIONS | {"and", "or", "not", "is", "None"} and name not in shapes]
    sizes = signatures.draw(list(dict.fromkeys(dims)), list(dict.fromkeys(shapes)), list(dict.fromkeys(numbers)), {**signature, "requirements": kept}, generator)
    inputs = {}
    for parameter, pattern in zip(function["parameters"], signature["parameters"]):
        name = parameter["name"]
        stated = signatures.flag(signature["conditions"], name)
        if stated in (True, False):
            inputs[name] = stated
        elif stated == "none":
            inputs[name] = None
        elif pattern["kind"] in ("tensor", "integer") or pattern["kind"] == "tuple" and any(signatures.tensors_of(pattern)):
            inputs[name] = signatures.argument(pattern, sizes, parameter)
        elif not parameter["has_default"]:
            raise Skip("a parameter that is no tensor")
    settings = signatures.settings_of(owner, function, signature, sizes, signature["conditions"]) if method else {}
    return owner if method else None, target, inputs, settings


def call(owner, target, inputs, settings, positional):
    signal.alarm(20)
    try:
        if owner is not None:
            module = owner(**settings)
            return module(**inputs)
        count = len(positional)
        return target(*[inputs[name] for name in positional[:count]], **{name: value for name, value in inputs.items() if name not in positional})
    finally:
        signal.alarm(0)


def tried(function, signature, entry, generator, draws, outcomes):
    """What the draws of one signature raise, as (inputs, settings, error)."""
    positional = [it["name"] for it in function["parameters"] if it["kind"] == "positional-only"]
    for attempt in range(draws):
        owner, target, inputs, settings = instance(function, signature, generator)
        uses_torch = "torch" in sys.modules[target.__module__].__dict__ or any(getattr(it, "__module__", "").startswith("torch") for it in vars(sys.modules[target.__module__]).values() if isinstance(getattr(it, "__module__", ""), str)) or owner is not None
        if attempt % 2:
            inputs = spoiled(inputs, generator)
        names = has_forms(inputs, settings, entry["inputs"])
        if names is None or excluded(entry["assumptions"], inputs, settings) or not meets(entry["condition"], inputs, settings, names):
            outcomes["excluded"] += 1
            continue
        first = None
        for form in forms(inputs, uses_torch):
            try:
                call(owner, target, form, settings, positional)
                first = None
                break
            except Exception as error:
                first = first or error
        if first and is_about_kinds(first):
            outcomes["raised for what arguments are"] += 1
            continue
        outcomes["raised" if first else "ran"] += 1
        if first:
            yield inputs, settings, first


def is_about_kinds(error):
    """Whether a call failed by what an argument is, and not by its shape: a number for a list, a float tensor for indices, no such file."""
    words = ("dtype", "scalar type", "must be long", "indices", "Python scalars", "Type must be", "bool tensor")
    return isinstance(error, (TypeError, AttributeError, OSError, EOFError, ImportError)) or any(word in str(error) for word in words)


def described(inputs):
    return {name: tuple(value.shape) if hasattr(value, "shape") else value for name, value in inputs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("signatures")
    parser.add_argument("report")
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--only")
    parser.add_argument("--root", action="append", default=[], help="a folder to import from")
    options = parser.parse_args()
    sys.path[:0] = options.root
    signal.signal(signal.SIGALRM, signatures.alarm)
    torch._dynamo.config.disable = True
    generator = random.Random(0)
    report = json.load(open(options.report))
    entries = {(it["place"]["file"], it["name"]): it for it in report["summary"]["entries"]}
    totals, skipped = collections.Counter(), collections.Counter()
    for function in json.load(open(options.signatures))["functions"]:
        if options.only and options.only not in function["name"]:
            continue
        name = ".".join(function["name"].split(".")[-2:])
        path = function["place"]["path"]
        entry = entries.get((path, name)) or entries.get((path, name.split(".")[-1]))
        if entry is None:
            skipped["no entry"] += 1
            continue
        totals[entry["verdict"]] += 1
        if not entry["verdict"].startswith("no-error"):
            continue
        outcomes, raised = collections.Counter(), []
        for signature in function["signatures"]:
            if signature["standing"] == "fails":
                continue
            try:
                raised += tried(function, signature, entry, generator, options.draws, outcomes)
            except Skip as reason:
                skipped[str(reason).split(":")[0]] += 1
            except Exception as error:
                skipped[f"the check failed: {error!r}"[:60]] += 1
        totals.update(outcomes)
        if outcomes["ran"] or outcomes["raised"]:
            totals["entries that were run"] += 1
        if raised:
            inputs, settings, error = raised[0]
            totals["entries that raised"] += 1
            print(f"{function['name']} ({entry['verdict']}, when {entry['condition']})")
            print(f"    {dict(outcomes)}; with {described(inputs)} {settings}: {type(error).__name__}: {str(error)[:200]}")
    print("\n", dict(sorted(totals.items())), sep="")
    print("not run:", dict(skipped.most_common(12)))


if __name__ == "__main__":
    main()
