"""Records what TensorFlow, Keras, JAX, Flax and Optax say of random expressions.

    python frameworks.py tensorflow --seed 41 --count 500 > ../tensorflow.jsonl

The templates are in the language of `record.py`. `T(…)` is a tensor of floats of this shape, `I(…)` one of integers, `B(…)` one of truths, and `S(…)` a
symbolic input of Keras. A third of TensorFlow's expressions are the body of a traced function, whose parameters the tensors are: some sizes, and a few
shapes as a whole, are not known when it is traced. The lines are as `harp test --oracle` reads them; `docs/libraries.md` describes them.
"""

import argparse
import json
import os
import pathlib
import random
import re
import sys
import warnings

from record import filled, read_templates

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

OF_TENSORFLOW = {"T": "tf.ones([{}])", "I": "tf.zeros([{}], tf.int32)", "B": "tf.ones([{}], tf.bool)", "S": "keras.Input(({}))"}
OF_JAX = {"T": "jnp.ones(({}))", "I": "jnp.zeros(({}), jnp.int32)", "B": "jnp.ones(({}), bool)"}
# How a replay looks into objects: data sets, specs, shapes, sparse and ragged tensors.
INSIDE = """
def content(value):
    if isinstance(value, tf.data.Dataset):
        value = value.element_spec
    return tf.nest.map_structure(inside, value)

def inside(part):
    if isinstance(part, tf.TensorSpec):
        return tf.compat.v1.placeholder(part.dtype, part.shape)
    if isinstance(part, (tf.SparseTensor, tf.RaggedTensor)):
        return tuple(part.shape)
    if isinstance(part, tf.TensorShape):
        return tuple(part)
    return tf.identity(part)
"""
LIBRARIES = {
    "tensorflow": ("import numpy as np, tensorflow as tf" + INSIDE, OF_TENSORFLOW),
    "keras": ("import numpy as np, tensorflow as tf, keras" + INSIDE, OF_TENSORFLOW),
    "jax": ("import functools, jax, jax.numpy as jnp\nfrom jax import lax", OF_JAX),
    "flax": ("import jax, jax.numpy as jnp, flax.linen as nn\nfrom flax import nnx", OF_JAX),
    "optax": ("import jax, jax.numpy as jnp, optax", OF_JAX),
}
PARAMETER = "tf.compat.v1.placeholder(tf.{dtype}, {shape})"
DTYPES = {"T": "float32", "I": "int32", "B": "bool"}
TENSOR = re.compile(r"\b([TIBS])\(([0-9, ]*)\)")


def spoiled(text, rng):
    """An expression that is probably wrong: a tensor has another rank or size, or a number is another one."""
    tensors = list(TENSOR.finditer(text))
    if tensors and rng.random() < 0.7:
        chosen = rng.choice(tensors)
        sizes = [size for size in chosen[2].replace(" ", "").split(",") if size]
        kind = rng.random()
        if kind < 0.3 and sizes:
            sizes.pop(rng.randrange(len(sizes)))
        elif kind < 0.5 or not sizes:
            sizes.insert(rng.randrange(len(sizes) + 1), str(rng.randint(2, 5)))
        else:
            place = rng.randrange(len(sizes))
            sizes[place] = str(int(sizes[place]) + rng.randint(1, 3))
        return f"{text[: chosen.start(2)]}{', '.join(sizes)}{text[chosen.end(2) :]}"
    numbers = list(re.finditer(r"(?<![\w.])-?\d+(?![\w.])", text))
    if not numbers:
        return text
    chosen = rng.choice(numbers)
    value = int(chosen[0])
    return text[: chosen.start()] + str(rng.choice([value + 1, value + 2, value + 5, -value - 1])) + text[chosen.end() :]


def with_tensors(text, forms):
    def made(match):
        sizes = match[2].strip()
        closed = f"{sizes}," if sizes and "," not in sizes and "((" in forms[match[1]] else sizes
        return forms[match[1]].format(closed)

    return TENSOR.sub(made, text)


def with_parameters(text, rng):
    """The body of a function, its parameters, and the sizes of a run."""
    args, sizes = [], []

    def parameter(match):
        known = [int(size) for size in match[2].replace(" ", "").split(",") if size]
        name = f"x{len(args)}"
        given = None if rng.random() < 0.08 else [None if rng.random() < 0.3 else size for size in known]
        args.append([name, DTYPES[match[1]], given])
        sizes.append(known)
        return name

    return TENSOR.sub(parameter, text), args, sizes


def described(value):
    """The shape and the element type of a value; `None` of what is no value of these libraries."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        if value.shape is None or getattr(value.shape, "rank", 0) is None:
            return "?", value.dtype.name
        dtype = getattr(value.dtype, "name", str(value.dtype))
        sizes = [None if size is None else int(size) for size in value.shape]
        return ({"key": sizes}, None) if dtype.startswith("key<") else (sizes, dtype)
    if hasattr(value, "as_list"):
        return {"size": value.as_list()}, None
    if value is None or isinstance(value, (bool, int)):
        return {"v": value}, None
    if hasattr(value, "items"):
        return {"d": {str(key): described(item)[0] for key, item in value.items()}}, None
    if isinstance(value, (tuple, list)):
        if value and all(item is None or type(item) is int for item in value):
            return {"size": list(value)}, None
        return {"t": [described(item)[0] for item in value]}, None
    raise NotImplementedError


def outcome(evaluate):
    try:
        shape, dtype = described(evaluate())
    except NotImplementedError:
        return None
    except Exception as error:
        text = " ".join(str(error).split())
        if "not implemented" in text or "UNIMPLEMENTED" in text or "not supported" in text:
            return None
        return {"ok": False, "error": text[:70]}
    return {"ok": True, "shape": shape, **({"dtype": dtype} if dtype else {})}


def traced(code, args, sizes, scope):
    """What the library says when it traces a function, and when it is called."""
    tf = scope["tf"]
    names = ", ".join(name for name, _, _ in args)
    body = eval(f"lambda {names}: {code}", scope)
    # The structure of results tells no ranks of what is no tensor, so that what the body gives is looked at.
    given = []
    signature = [tf.TensorSpec(shape, tf.dtypes.as_dtype(dtype)) for _, dtype, shape in args]
    function = tf.function(lambda *values: given.append(body(*values)), input_signature=signature, autograph=False)

    def trace():
        function.get_concrete_function()
        return given[0]

    case = outcome(trace)
    if case is None or not case["ok"]:
        return case
    run = outcome(lambda: body(*[tf.ones(size, tf.dtypes.as_dtype(dtype)) for (_, dtype, _), size in zip(args, sizes)]))
    if run is None:
        return None
    case["run_ok"] = run["ok"]
    return {**case, "run_shape": run["shape"]} if run["ok"] else case


def symbolic(text, forms, scope):
    """What the library says of symbolic inputs, and of tensors in their places."""
    case = outcome(lambda: eval(with_tensors(text, forms), scope))
    # A model takes no tensors where it is made.
    if case is None or not case["ok"] or "S(" not in text or "keras.Model" in text:
        return case
    run = outcome(lambda: eval(with_tensors(text, {**forms, "S": "tf.ones([4, {}])"}), scope))
    if run is None:
        return None
    case["run_ok"] = run["ok"]
    return {**case, "run_shape": run["shape"]} if run["ok"] else case


def apart(evaluate):
    """What a call gives in a process of its own: some wrong calls end the program."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(evaluate()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--spoil", type=float, default=0.3)
    parser.add_argument("--broken", action="store_true", help="print templates that never succeed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    imports, forms = LIBRARIES[arguments.library]
    rng, scope = random.Random(arguments.seed), {}
    exec(imports, scope)
    templates = read_templates(pathlib.Path(__file__).parent / f"{arguments.library}.txt")
    if arguments.broken:
        for _, template in templates:
            tries = [outcome(lambda: eval(with_tensors(filled(template.lstrip("@ "), rng), forms), scope)) for _ in range(5)]
            if not any(case and case["ok"] for case in tries):
                print(template, tries[-1])
        return
    header = {"imports": imports, "parameter": PARAMETER}
    if INSIDE in imports:
        header["content"] = "content({code})"
    print(json.dumps(header))
    seen, made = set(), 0
    for _ in range(40 * arguments.count):
        if made % len(templates) == 0:
            rng.shuffle(templates)
        section, template = templates[made % len(templates)]
        text = filled(template.lstrip("@ "), rng)
        text = spoiled(text, rng) if rng.random() < arguments.spoil else text
        is_traced = arguments.library == "tensorflow" and rng.random() < 0.35 and re.search(r"\b[TIB]\(", text)
        args = None
        if is_traced:
            code, args, sizes = with_parameters(text, rng)
            case = apart(lambda: traced(code, args, sizes, scope))
        else:
            code = with_tensors(text, forms)
            case = (apart if "tf" in scope else lambda call: call())(lambda: symbolic(text, forms, scope))
        key = code + json.dumps(args)
        if case is None or key in seen or len(json.dumps(case)) > 700:
            continue
        seen.add(key)
        case = {"op": section, "code": code, **({"args": args} if args else {}), **case}
        if template.startswith("@"):
            case["value_dependent"] = True
        print(json.dumps(case, separators=(",", ":")))
        made += 1
        if made >= arguments.count:
            break


if __name__ == "__main__":
    sys.exit(main())
