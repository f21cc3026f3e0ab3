"""Runs a program before and after an edit, in processes of their own, and compares what its variables are."""

import ast
import contextlib
import io
import math
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import warnings

import numpy as np
import torch

torch.set_num_threads(1)


def plain(value, depth=0):
    """What can be compared in another process; None for anything else."""
    if isinstance(value, torch.Tensor):
        return ("tensor", str(value.dtype), value.detach().cpu().numpy())
    if isinstance(value, np.ndarray) and value.dtype != object:
        return ("array", str(value.dtype), value)
    if isinstance(value, (bool, int, float, complex, str, np.generic)):
        return ("number", type(value).__name__, value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, (list, tuple)) and depth < 4 and len(value) < 5000:
        return (type(value).__name__, "", [plain(one, depth + 1) for one in value])
    if isinstance(value, dict) and depth < 4:
        return ("dict", "", [(str(key), plain(one, depth + 1)) for key, one in value.items()])
    if isinstance(value, torch.nn.Module):
        return ("module", "", [plain(one, depth + 1) for one in value.state_dict().values()])
    if type(value).__module__.startswith("pandas") and hasattr(value, "to_dict"):
        return ("table", "", str(value.to_dict()))
    return None


def variables(text, seconds):
    """The variables of a program and what it prints, or what it raises."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(seconds)
        os.chdir(tempfile.mkdtemp())
        sys.argv = ["program.py"]
        torch.manual_seed(0)
        np.random.seed(0)
        random.seed(0)
        made_files()
        space, output = {"__name__": "__main__", "reveal_type": lambda value: value}, io.StringIO()
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(text, "program.py", "exec"), space)
            found = {name: plain(value) for name, value in space.items() if not name.startswith("__")}
            answer = ("ran", {name: value for name, value in found.items() if value is not None}, output.getvalue())
        except BaseException as error:
            answer = ("raises", f"{type(error).__name__}: {error}"[:300], "")
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else ("raises", "it takes too long", "")


def made_files():
    """Files that examples read."""
    for name in ["mean", "vectors", "rows", "a"]:
        np.save(f"{name}.npy", np.arange(128 * 128, dtype=float).reshape(128, 128))
    torch.save(torch.arange(1000 * 10, dtype=torch.float32).reshape(1000, 10), "rows.pt")
    with open("names.txt", "w") as file:
        file.write("\n".join(f"name{number}" for number in range(500)))
    with open("prices.csv", "w") as file:
        file.write("price,count,kind\n" + "\n".join(f"{n * 0.5},{n % 7},{'book' if n % 2 else 'pen'}" for n in range(200)))


def are_close(before, after):
    """Whether arrays are equal but for rounding: by their largest element, as sums may cancel each other."""
    finite = np.isfinite(before)
    if not np.array_equal(before[~finite], after[~finite], equal_nan=True):
        return False
    scale = np.abs(before[finite]).max(initial=0)
    return bool(np.abs(before[finite] - after[finite]).max(initial=0) <= 1e-4 * max(scale, 1e-3))


NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def reads_alike(before, after):
    """Whether two outputs are equal but for rounding, and for the mark of a graph behind a tensor."""
    before, after = (re.sub(r", grad_fn=<\w+>|, requires_grad=True", "", text) for text in (before, after))
    if re.sub(r"\s+", " ", NUMBER.sub("0", before)) != re.sub(r"\s+", " ", NUMBER.sub("0", after)):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after))
    return all(math.isclose(float(one), float(other), rel_tol=1e-3, abs_tol=1e-3) for one, other in pairs)


def names_of_loops(text):
    """Variables that occur in loops alone: what a loop leaves in them is no result."""
    tree, inner = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While)):
            inner.update(id(part) for part in ast.walk(node))
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    outside = {node.id for node in names if id(node) not in inner}
    return {node.id for node in names} - outside


def likeness(left, right):
    """`equal`, `close` or `differs`, of two values."""
    if left is None or right is None:
        return "equal"
    if left[0] != right[0]:
        return "differs"
    kind, before, after = left[0], left[2], right[2]
    if kind in ("tensor", "array"):
        if before.shape != after.shape or left[1] != right[1]:
            return "differs"
        if np.array_equal(before, after, equal_nan=before.dtype.kind in "fc"):
            return "equal"
        is_float = before.dtype.kind in "fc"
        return "close" if is_float and are_close(before, after) else "differs"
    if kind == "number":
        if before == after or isinstance(before, float) and isinstance(after, float) and math.isnan(before) and math.isnan(after):
            return "equal"
        numbers = isinstance(before, (int, float)) and isinstance(after, (int, float))
        return "close" if numbers and math.isclose(before, after, rel_tol=1e-3, abs_tol=1e-4) else "differs"
    if kind == "table":
        return "equal" if before == after else "differs"
    if kind == "dict":
        # An edit may bring names of its own into `locals()`.
        others = dict(after)
        return worst(likeness(value, others[key]) for key, value in before if key in others)
    if len(before) != len(after):
        return "differs"
    return worst(likeness(one, other) for one, other in zip(before, after))


def worst(results):
    order = ["equal", "close", "differs"]
    return max(results, key=order.index, default="equal")


def executed(before, after, seconds):
    """What comes of running both: `equal`, `close`, `differs`, `raises` (the edited one alone) or `not run`; and why."""
    first = variables(before, seconds)
    if first[0] == "raises":
        return "not run", first[1]
    second = variables(after, seconds)
    if second[0] == "raises":
        return "raises", second[1]
    # What the edit makes, and a name that it takes out of the program, are no results; loops may leave their variables out.
    left_out = names_of_loops(before)
    results = {name: likeness(value, second[1][name]) for name, value in first[1].items() if name in second[1] and name not in left_out}
    result = worst(results.values())
    if result != "differs" and not reads_alike(first[2], second[2]):
        return "differs", f"it prints {second[2][-300:]!r} and not {first[2][-300:]!r}"
    return result, "; ".join(f"{name}: {first[1][name]} => {second[1][name]}"[:400] for name, value in results.items() if value == result and result == "differs")
