"""Compares inferred signatures with the real functions.

    harp infer FOLDER --format json --output signatures.json
    python tests/tools/check_signatures.py signatures.json [--root FOLDER] [--draws 6] [--only NAME]

Each signature of a function or of a module's `forward` is instantiated with random sizes that meet what it requires, the function is
called with tensors of these shapes, and what it returns is compared with what the signature says. A signature is wrong where the function
returns another shape, and doubtful where it raises; both are listed. A doubtful one that is called certain, and has no condition that the check
had to leave open, is too general. Nothing is known of signatures that cannot be instantiated, such as
those of functions that take other things than tensors, numbers and flags; they are counted.
"""

import argparse
import collections
import importlib
import inspect
import itertools
import json
import random
import re
import signal
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)

NAME = re.compile(r"[A-Za-z_]\w*")
FUNCTIONS = {"min", "max", "ceil_div", "prod", "rank", "broadcast"}


class Skip(Exception):
    """The signature cannot be instantiated here."""


def ceil_div(a, b):
    return -(-a // b)


def prod(shape):
    result = 1
    for size in shape:
        result *= size
    return result


class Sizes(dict):
    """The values of a signature's names: dimensions are numbers, shape variables are tuples."""

    def evaluate(self, text):
        text = text.replace("\n", " ")
        scope = {"min": min, "max": max, "ceil_div": ceil_div, "prod": prod, "rank": len, "__builtins__": {}}
        return eval(text, scope, dict(self))


def split(text, separator):
    """Splits at the separators outside brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += character in "([" 
        depth -= character in ")]"
        if character == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part.strip() for part in parts + [text[start:]]]


def shape_of(text, sizes):
    """The sizes of a shape in the notation."""
    result = []
    for part in split(text, "@"):
        if part.startswith("["):
            inner = part[1:-1].strip()
            for dim in split(inner, ",") if inner else []:
                result.append(None if dim == "*" else sizes.evaluate(dim))
        elif part.startswith("broadcast("):
            operands = [shape_of(operand, sizes) for operand in split(part[len("broadcast("):-1], ",")]
            try:
                result.extend(torch.broadcast_shapes(*operands))
            except RuntimeError as error:
                raise Skip(f"not broadcastable: {operands}") from error
        else:
            result.extend(sizes[part])
    return tuple(result)


def names_in(text):
    """The names of a shape: dimensions, shape variables."""
    dims, shapes = [], []
    for part in split(text, "@"):
        if part.startswith("["):
            for name in NAME.findall(part):
                if name not in FUNCTIONS:
                    dims.append(name)
        elif part.startswith("broadcast("):
            for operand in split(part[len("broadcast("):-1], ","):
                more_dims, more_shapes = names_in(operand)
                dims += more_dims
                shapes += more_shapes
        else:
            shapes.append(part)
    for inner in re.findall(r"(?:prod|rank)\((\w+)\)", text):
        shapes.append(inner)
    return [name for name in dims if name not in shapes], shapes


def tensors_of(pattern):
    if pattern["kind"] == "tensor":
        yield pattern["shape"]
    elif pattern["kind"] == "tuple":
        for item in pattern["items"]:
            yield from tensors_of(item)


def holds(requirement, sizes):
    """Whether a requirement is met; None where it cannot be evaluated."""
    try:
        if "broadcast(" in requirement or "@" in requirement or "[" in requirement:
            left, operator, right = re.match(r"(.*) (==|!=) (.*)", requirement).groups()
            same = shape_of(left, sizes) == shape_of(right, sizes)
            return same if operator == "==" else not same
        return bool(sizes.evaluate(requirement))
    except (Skip, KeyError, NameError, AttributeError, SyntaxError, ZeroDivisionError, TypeError, ValueError):
        return None


def draw(names, shapes, numbers, signature, generator, tries=3000):
    """Sizes that meet the requirements."""
    for attempt in range(tries):
        sizes = Sizes()
        high = generator.choice([3, 6, 12, 16])
        for name in names:
            sizes[name] = generator.choice([generator.randint(1, high), 2 ** generator.randint(0, 4)])
        for name in numbers:
            sizes.setdefault(name, generator.choice([generator.randint(1, high), 2 ** generator.randint(0, 4)]))
        for name in shapes:
            sizes[name] = tuple(generator.randint(1, 4) for _ in range(generator.randint(0, 2)))
        # Simple equalities are solved, the rest is left to chance.
        for requirement in signature["requirements"]:
            match = re.fullmatch(r"([A-Za-z_]\w*) == (.+)", requirement)
            if match and match[1] in sizes and not isinstance(sizes[match[1]], tuple):
                try:
                    value = sizes.evaluate(match[2])
                except Exception:
                    continue
                if isinstance(value, int) and value >= 1:
                    sizes[match[1]] = value
        verdicts = [holds(requirement, sizes) for requirement in signature["requirements"]]
        if None in verdicts:
            raise Skip("a requirement that cannot be evaluated: " + signature["requirements"][verdicts.index(None)])
        try:
            all_shapes = [shape_of(text, sizes) for pattern in signature["parameters"] for text in tensors_of(pattern)]
            # Operands that are broadcast must fit.
            for text in tensors_of(signature["result"]):
                if all(name in sizes for names in names_in(text) for name in names):
                    shape_of(text, sizes)
                else:
                    for known in re.findall(r"broadcast\(([^()]*)\)", text):
                        operands = [it for it in split(known, ",") if all(n in sizes for ns in names_in(it) for n in ns)]
                        if len(operands) > 1:
                            shape_of(f"broadcast({', '.join(operands)})", sizes)
        except (Skip, ZeroDivisionError):
            continue
        if all(verdicts) and all(size is not None and 0 < size < 4096 for shape in all_shapes for size in shape):
            if all(prod(shape) < 2_000_000 for shape in all_shapes):
                return sizes
    raise Skip("no sizes were found that meet the requirements")


def argument(pattern, sizes, parameter):
    """A value for a parameter; the parameter itself where it keeps its default."""
    kind = pattern["kind"]
    if kind == "tensor":
        return torch.rand(shape_of(pattern["shape"], sizes), dtype=torch.float32)
    if kind == "integer":
        return sizes.evaluate(pattern["value"])
    if kind == "tuple" and any(True for _ in tensors_of(pattern)):
        return tuple(argument(item, sizes, None) for item in pattern["items"])
    raise Skip("a parameter that is no tensor")


def flag(conditions, name):
    """What the conditions say of a parameter by that name: True, False, "none", "given", or nothing."""
    for condition in conditions:
        for part in condition.split(" and "):
            if part == name:
                return True
            if part == f"not {name}":
                return False
            if part == f"{name} is None":
                return "none"
            if part == f"{name} is not None":
                return "given"
    return None


def is_about_values(requirement):
    """Whether a requirement speaks of other things than sizes."""
    return " is not None" in requirement or " is None" in requirement or requirement.startswith("not ") or "isinstance" in requirement


def understood(conditions, names):
    """Whether the conditions speak of flags alone."""
    for condition in conditions:
        for part in condition.split(" and "):
            part = part.removeprefix("not ").removesuffix(" is None").removesuffix(" is not None")
            if part not in names and part not in ("self.training",):
                return False
    return True


def resolve(name):
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except Exception:
            continue
        owner = None
        for part in parts[end:]:
            owner = value
            value = inspect.getattr_static(value, part) if inspect.isclass(value) else getattr(value, part)
            if isinstance(value, (staticmethod, classmethod)):
                raise Skip("a static method")
        return owner, value
    raise Skip("cannot be imported")


def arguments_for(parameters, patterns, sizes, conditions, callable_parameters):
    positional, keywords = [], {}
    for parameter, pattern in zip(parameters, patterns):
        name = parameter["name"]
        if parameter["kind"].startswith("variadic"):
            continue
        stated = flag(conditions, name)
        if stated in (True, False):
            value = stated
        elif stated == "none":
            value = None
        elif pattern["kind"] in ("tensor", "integer") or (pattern["kind"] == "tuple" and any(tensors_of(pattern))):
            if parameter["has_default"] and pattern["kind"] == "integer" and not NAME.fullmatch(pattern["value"]):
                continue
            value = argument(pattern, sizes, parameter)
        elif parameter["has_default"]:
            continue
        else:
            raise Skip("a parameter that is no tensor")
        keywords[name] = value
    return keywords


def shapes_of(value):
    if isinstance(value, torch.Tensor):
        return tuple(value.shape)
    if isinstance(value, (tuple, list)):
        return [shapes_of(item) for item in value]
    return type(value).__name__


def compare(pattern, value, sizes, path="result"):
    """What is wrong with a result; names that only results have are bound to what they are."""
    kind = pattern["kind"]
    if kind == "tensor":
        if not isinstance(value, torch.Tensor):
            return f"{path} is {type(value).__name__}, not a tensor"
        unknown = [name for names in names_in(pattern["shape"]) for name in names if name not in sizes]
        if unknown:
            # A size that only a run knows: the number of dimensions is compared where it is said.
            if re.fullmatch(r"\[[^@]*\]", pattern["shape"]) and "broadcast" not in pattern["shape"]:
                dims = split(pattern["shape"][1:-1], ",")
                if len(dims) != value.dim():
                    return f"{path} is {tuple(value.shape)}, not {pattern['shape']}"
                for dim, size in zip(dims, value.shape):
                    if not any(name in NAME.findall(dim) for name in unknown) and sizes.evaluate(dim) != size:
                        return f"{path} is {tuple(value.shape)}, not {pattern['shape']} with {dim} = {sizes.evaluate(dim)}"
            return None
        expected = shape_of(pattern["shape"], sizes)
        if expected != tuple(value.shape):
            return f"{path} is {tuple(value.shape)}, not {pattern['shape']} = {expected}"
        return None
    if kind == "integer":
        try:
            expected = sizes.evaluate(pattern["value"])
        except Exception:
            return None
        if isinstance(value, (int, float)) and value != expected:
            return f"{path} is {value}, not {pattern['value']} = {expected}"
        return None
    if kind == "tuple" and any(True for _ in tensors_of(pattern)):
        if not isinstance(value, (tuple, list)) or len(value) != len(pattern["items"]):
            return f"{path} is {shapes_of(value)}, not {len(pattern['items'])} values"
        for index, (item, part) in enumerate(zip(pattern["items"], value)):
            wrong = compare(item, part, sizes, f"{path}[{index}]")
            if wrong:
                return wrong
    return None


class Timeout(Exception):
    pass


def alarm(*_):
    raise Timeout()


def settings_of(owner, function, signature, sizes, conditions):
    """The constructor's arguments of a module: numbers by name, flags by condition."""
    keywords = {}
    for name, parameter in list(inspect.signature(owner.__init__).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        stated = flag(conditions, name)
        if stated in (True, False):
            keywords[name] = stated
        elif stated == "none":
            keywords[name] = None
        elif stated == "given":
            raise Skip("a setting that is given")
        elif name in sizes:
            keywords[name] = sizes[name]
        elif parameter.default is parameter.empty:
            annotation = str(parameter.annotation)
            if "int" in annotation or parameter.annotation is parameter.empty:
                keywords[name] = sizes.setdefault(name, 4)
            else:
                raise Skip("a setting without a default")
        elif isinstance(parameter.default, int) and not isinstance(parameter.default, bool) and parameter.default > 1:
            if name in signature["text"] or any(name in NAME.findall(it) for it in signature["requirements"]):
                keywords[name] = sizes.setdefault(name, parameter.default)
    return keywords


def try_signature(function, signature, generator, draws):
    owner, target = resolve(function["name"])
    conditions = signature["conditions"]
    parameter_names = {parameter["name"] for parameter in function["parameters"]}
    is_method = inspect.isclass(owner)
    if is_method:
        if not issubclass(owner, torch.nn.Module) or function["name"].split(".")[-1] != "forward":
            raise Skip("a method")
        setting_names = set(inspect.signature(owner.__init__).parameters)
    else:
        if not inspect.isfunction(target):
            raise Skip("not a plain function")
        setting_names = set()
    if not understood(conditions, parameter_names | setting_names):
        raise Skip("conditions on more than flags")
    if any(is_about_values(requirement) for requirement in signature["requirements"]):
        raise Skip("a requirement on other things than sizes")
    dims, shapes = [], []
    for pattern in signature["parameters"]:
        for text in tensors_of(pattern):
            more_dims, more_shapes = names_in(text)
            dims += more_dims
            shapes += more_shapes
    numbers = [pattern["value"] for pattern in signature["parameters"] if pattern["kind"] == "integer" and NAME.fullmatch(pattern["value"])]
    for requirement in signature["requirements"]:
        for name in NAME.findall(requirement):
            if name not in FUNCTIONS | {"and", "or", "not", "is", "None"} and name not in shapes:
                numbers.append(name)
    outcomes = collections.Counter()
    problems = []
    for _ in range(draws):
        sizes = draw(list(dict.fromkeys(dims)), list(dict.fromkeys(shapes)), list(dict.fromkeys(numbers)), signature, generator)
        keywords = None
        try:
            signal.alarm(20)
            keywords = arguments_for(function["parameters"], signature["parameters"], sizes, conditions, None)
            if is_method:
                settings = settings_of(owner, function, signature, sizes, conditions)
                training = flag(conditions, "self.training")
                module = owner(**settings)
                module.train(training is not False)
                result = module(**keywords)
            else:
                settings = {}
                result = target(**keywords)
        except Skip:
            raise
        except Timeout:
            outcomes["slow"] += 1
            continue
        except Exception as error:
            outcomes["raised"] += 1
            problems.append(("raised", dict(sizes), settings if is_method else {}, f"{type(error).__name__}: {str(error)[:300]}"))
            continue
        finally:
            signal.alarm(0)
        wrong = compare(signature["result"], result, sizes)
        outcomes["wrong" if wrong else "right"] += 1
        if wrong:
            problems.append(("wrong", dict(sizes), settings, wrong))
    return outcomes, problems


def verdict_of(outcomes, standing):
    """What the draws say of a signature. Conditions are flags here, which the call obeyed."""
    if outcomes["wrong"]:
        return "wrong"
    if outcomes["raised"]:
        return "too general" if standing == "certain" else "doubtful"
    return "right" if outcomes["right"] else "slow"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("signatures")
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--only")
    parser.add_argument("--root", action="append", default=[], help="a folder to import from")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    sys.path[:0] = options.root
    signal.signal(signal.SIGALRM, alarm)
    generator = random.Random(0)
    document = json.load(open(options.signatures))
    totals, skipped, shown = collections.Counter(), collections.Counter(), []
    for function in document["functions"]:
        if options.only and options.only not in function["name"]:
            continue
        for signature in function["signatures"]:
            if signature["standing"] == "fails":
                totals["fails"] += 1
                continue
            try:
                outcomes, problems = try_signature(function, signature, generator, options.draws)
            except Skip as reason:
                skipped[str(reason).split(":")[0]] += 1
                if options.verbose:
                    print("skipped", function["name"], reason)
                continue
            except Exception as error:
                skipped[f"the check failed: {type(error).__name__}"] += 1
                if options.verbose:
                    print("check failed", function["name"], repr(error))
                continue
            verdict = verdict_of(outcomes, signature["standing"])
            totals[f"{verdict}, {signature['standing']}"] += 1
            if problems:
                shown.append((verdict, signature["standing"], function["name"], signature["text"], signature["conditions"], signature["requirements"], outcomes, problems[0]))
    for verdict, standing, name, text, conditions, requirements, outcomes, problem in sorted(shown, key=lambda it: it[:3], reverse=True):
        print(f"{verdict} ({standing}): {name}\n    {text}")
        if conditions:
            print("    when", " and ".join(conditions))
        for requirement in requirements:
            print("    requires", requirement)
        print(f"    {dict(outcomes)}; {problem[0]} with {problem[1]} {problem[2]}: {problem[3]}")
    print("\nsignatures:", dict(sorted(totals.items())))
    print("not checked:", dict(skipped.most_common()))


if __name__ == "__main__":
    main()
