"""Writes the forms in which the real libraries let their APIs be called, as annotation files (`docs/annotations.md`, "Calls").

    python tests/tools/call_forms.py api_annotations torch > api_annotations/torch/calls.yaml

For every function, method and class that the annotations of a library describe, the forms are read from the installed library: PyTorch's
stubs (`torch/_C/*.pyi`), the schemas of its operators, and the signatures that Python itself tells of functions. What none of them tells
has no forms, and calls of it are not checked. The output depends on the annotations and the versions of the libraries alone.
"""

import ast
import importlib
import inspect
import os
import re
import sys
import warnings

import yaml

warnings.simplefilter("ignore")

# Other names of parameters: PyTorch's parser takes NumPy's, too.
SYNONYMS = {
    "torch": {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"},
    # What the second version of the transforms calls the image.
    "torchvision": {"inpt": "img"},
}

# What the types of stubs and schemas say of a parameter, by their words.
WORDS = {
    "Tensor": "tensor", "Tensor[]": "tensors", "int": "int", "_int": "int", "SymInt": "int", "int[]": "ints", "_size": "ints",
    "Size": "ints", "float": "number", "_float": "number", "Number": "number", "_complex": "number", "Scalar": "number",
    "complex": "number", "bool": "bool", "_bool": "bool", "SymBool": "bool", "str": "str", "_dtype": "dtype", "ScalarType": "dtype",
    "None": "none", "PySymType": "number",
}

# Keywords and positions that former versions of a library took: they are no mistakes in a program whose versions are not known.
FORMER = {
    "numpy.reshape": ("shape", "newshape"),
    **{f"numpy.{name}": ("method", "interpolation") for name in ("quantile", "percentile", "nanquantile", "nanpercentile")},
}

# What the signatures of these do not tell: objects with calls of their own, and functions that take more than they say.
# Functions that take numbers where tensors are expected (`should_allow_numbers_as_tensors`), and their forms with `alpha` first.
ARITHMETIC = {"add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide", "floor_divide", "copy"}

# Orders of arguments that PyTorch still takes, with a warning: `tools/autograd/deprecated.yaml` in its sources.
SCALED = ["value: number, tensor1: tensor, tensor2: tensor"]
FORMER = {"addcdiv": SCALED, "addcmul": SCALED} | {
    name: [f"beta: number, alpha: number, {one}: tensor, {other}: tensor", f"beta: number, {one}: tensor, {other}: tensor"]
    for name, one, other in [("addbmm", "batch1", "batch2"), ("addmm", "mat1", "mat2"), ("addmv", "mat", "vec"),
                             ("addr", "vec1", "vec2"), ("baddbmm", "batch1", "batch2")]
}

UNTOLD = {"numpy.arange", "numpy.ndarray", "torch.Tensor.to", "torch.Tensor.type", "torch.Tensor.new"}

# What neither stubs nor signatures tell: arguments that Python code hands on to PyTorch's parser, and parameters that stubs leave out.
ACTIVATION = "input, {}: number = ..., inplace = ..."
RECURRENT = (
    "input_size: int, hidden_size: int, num_layers = ..., {}bias = ..., batch_first = ..., dropout = ..., bidirectional = ..., {}device = ..., dtype = ..."
)
TOLD = {
    "torch.Tensor.dim_order": ["*, ambiguity_check = ..."],
    "torch.Tensor.is_contiguous": ["*, memory_format = ..."],
    "torch.Tensor.new_tensor": ["data, *, dtype = ..., device = ..., requires_grad = ..., pin_memory = ..."],
    "torch.Tensor.set_": ["source, storage_offset, size, stride", "source", ""],
    "torch.block_diag": ["*tensors: tensor"],
    "torch.nn.Flatten": ["start_dim: int = ..., end_dim: int = ..."],
    "torch.nn.GRU": [RECURRENT.format("", "")],
    "torch.nn.GRUCell.forward": ["input, hx: tensor | none = ..."],
    "torch.nn.LSTM": [RECURRENT.format("", "proj_size = ..., ")],
    "torch.nn.LSTMCell.forward": ["input, hx: tensors | none = ..."],
    "torch.nn.PReLU": ["num_parameters: int = ..., init: number = ..., device = ..., dtype = ..."],
    "torch.nn.RNN": [RECURRENT.format("nonlinearity = ..., ", "")],
    "torch.nn.RNNCell.forward": ["input, hx: tensor | none = ..."],
    "torch.nn.LogSoftmax": ["dim: int | none = ..."],
    "torch.nn.Softmax": ["dim: int | none = ..."],
    "torch.nn.Softmax2d": [""],
    "torch.tensor": [
        "data, *, dtype: dtype | none = ..., device = ..., requires_grad: bool = ..., pin_memory: bool = ..., names = ..."
    ],
    "torch.nn.functional.celu": [ACTIVATION.format("alpha")],
    "torch.nn.functional.elu": [ACTIVATION.format("alpha")],
    "torch.nn.functional.hardtanh": ["input, min_val: number = ..., max_val: number = ..., inplace = ..."],
    "torch.nn.functional.hinge_embedding_loss": [
        "input, target, margin: number = ..., size_average = ..., reduce = ..., reduction: str = ..."
    ],
    "torch.nn.functional.layer_norm": ["input, normalized_shape: ints, weight = ..., bias = ..., eps = ..."],
    "torch.nn.functional.leaky_relu": [ACTIVATION.format("negative_slope")],
    "torch.nn.functional.poisson_nll_loss": [
        "input, target, log_input: bool | number = ..., full = ..., size_average = ..., eps = ..., reduce = ..., reduction: str = ..."
    ],
    "torch.nn.functional.rms_norm": ["input, normalized_shape: ints, weight = ..., eps = ..."],
}

# Python code whose type hints hold: it fails for a sequence where a tensor is expected. An `Identity` takes anything, a loss with a
# distance of the program's what that takes, and lengths may be a tuple.
HINTED = re.compile(r"torch\.nn\.(functional\.\w+|\w+\.forward)$")
UNHINTED = {
    "torch.nn.CTCLoss.forward", "torch.nn.Identity.forward", "torch.nn.TripletMarginWithDistanceLoss.forward",
    "torch.nn.functional.ctc_loss", "torch.nn.functional.triplet_margin_with_distance_loss",
}

# Signatures of NumPy that name parameters positional which its parser takes as keywords, too.
ALSO_KEYWORDS = re.compile(
    r"numpy\.(ndarray\.(argpartition|dot|partition|put|repeat|searchsorted|take)|\w+\.(accumulate|reduce))$"
)

# The documentation calls parameters of these otherwise than the parser does, which takes what the stubs tell.
TRUSTED = {
    "torch.Tensor.bmm", "torch.Tensor.copy_", "torch.Tensor.div", "torch.Tensor.div_", "torch.Tensor.divide", "torch.Tensor.divide_",
    "torch.Tensor.dot", "torch.Tensor.dsplit", "torch.Tensor.hsplit", "torch.Tensor.matmul", "torch.Tensor.mul", "torch.Tensor.mul_",
    "torch.Tensor.multiply", "torch.Tensor.multiply_", "torch.Tensor.narrow", "torch.Tensor.take", "torch.Tensor.true_divide",
    "torch.Tensor.true_divide_", "torch.Tensor.vsplit", "torch.Tensor.where", "torch.dsplit", "torch.hsplit", "torch.orgqr",
    "torch.vsplit",
}

# Conversions, of which the stubs leave out the parameter.
CONVERSIONS = {
    f"torch.Tensor.{name}"
    for name in ("bfloat16", "bool", "byte", "cdouble", "cfloat", "char", "double", "float", "half", "int", "long", "short")
}


def described(folder):
    """The names of all functions, methods and classes that the files of a folder describe, with those of calls and methods of classes."""
    names = set()
    walked = [os.path.join(root, file) for root, _, files in os.walk(folder) for file in files]
    for path in sorted(walked) or [f"{folder}.yaml"]:
        if path.endswith(".yaml") and not path.endswith("calls.yaml"):
            text = open(path, encoding="utf-8").read()
            for entry in yaml.safe_load(text).get("apis") or []:
                for key in ("function", "method", "class", "aliases"):
                    given = entry.get(key) or []
                    names.update([given] if isinstance(given, str) else given)
                if "class" in entry:
                    classes = [entry["class"]] if isinstance(entry["class"], str) else entry["class"]
                    for name in classes:
                        if "call" in entry:
                            names.add(f"{name}.forward")
                        names.update(f"{name}.{method}" for method in entry.get("methods") or {})
    return sorted(names)


# Where former versions of a library, which programs still use, have their signatures: a call may fit either.
ALSO_UNDER = {
    "tensorflow": [("tensorflow", "tensorflow.compat.v1")],
    "keras": [("keras", "tf_keras")],
}

# What the constructor of a Keras layer takes beside what it names: it hands the rest on to the class of all layers, of Keras 2 or 3.
OF_LAYERS = [
    "activity_regularizer", "trainable", "dtype", "autocast", "name", "input_shape", "batch_input_shape", "input_dim", "batch_size", "batch_shape",
    "input_length", "weights", "implementation", "dynamic", "input_dtype", "experimental_autocast", "input_tensor", "sparse", "ragged",
]


# What a parameter was called by former versions, which take either name and demand one of them as they run.
FORMER_NAMES = {
    "axis": ["dim"], "block_shape": ["block_size"], "box_indices": ["box_ind"], "filters": ["filter"], "rate": ["keep_prob"],
    "input": ["value", "input_tensor", "string_tensor", "source"], "input_bytes": ["bytes"], "labels": ["targets"],
    "logits": ["inputs"],
}


def required(form):
    return [part for part in form.split(", ") if re.fullmatch(r"[A-Za-z_]\w*", part)]


def demanding(form, newest):
    """A form of a former version with what it demands as it runs: what the newest version requires, under either name."""
    forms = [form]
    for name in required(newest):
        if f"{name} = ..." not in form:
            continue
        given = []
        for one in forms:
            given.append(one.replace(f"{name} = ...", name, 1))
            for other in FORMER_NAMES.get(name, []):
                if re.search(rf"\b{other} = \.\.\.", one):
                    given.append(one.replace(f"{other} = ...", other, 1))
        forms = given
    return [in_order(one) for one in forms]


def in_order(form):
    """The form, with what is required behind what is optional given by name."""
    parts, late, has_optional = [], [], False
    for part in form.split(", "):
        has_optional = has_optional or part.endswith("= ...")
        (late if has_optional and part in required(form) else parts).append(part)
    return ", ".join(parts + ([] if not late or "*" in parts else ["*"]) + late)


def entries(folder):
    """The names of functions with the names that mean the same, and with the parameters that the files tell."""
    walked = [os.path.join(root, file) for root, _, files in os.walk(folder) for file in files]
    for path in sorted(walked):
        if not path.endswith(".yaml") or path.endswith("calls.yaml"):
            continue
        for entry in yaml.safe_load(open(path, encoding="utf-8").read()).get("apis") or []:
            for key in ("function", "method", "class"):
                names = entry.get(key) or []
                names = [names] if isinstance(names, str) else names
                aliases = entry.get("aliases") or []
                aliases = [aliases] if isinstance(aliases, str) else aliases
                keywords = entry.get("keywords") or {}
                for name in names:
                    yield name, aliases if name == names[0] else [], entry.get("parameters"), list(keywords)


def names_in(parameters):
    """The names of a parameter list."""
    arguments = ast.parse(f"def f({parameters}): pass").body[0].args
    return {it.arg for it in arguments.posonlyargs + arguments.args + arguments.kwonlyargs}


def without_rest(form):
    """The form of a layer's constructor, with what it hands on in place of any keyword."""
    own = set(re.findall(r"[A-Za-z_]\w*", form))
    parts = [f"{name} = ..." for name in OF_LAYERS if name not in own]
    star = "" if re.search(r"(^|, )\*", form.replace("**kwargs", "")) else "*, "
    return form.replace("**kwargs", star + ", ".join(parts))


def forms_of_versions(library, name, aliases, parameters, keywords):
    """The forms of a function in this version and in the former ones that are installed with it. None where the files know of more parameters:
    some version has taken them."""
    found = []
    for one in [name, *aliases]:
        # A name of a former version means that version alone.
        spellings = [one] + [new + one[len(old):] for old, new in ALSO_UNDER.get(library, []) if not one.startswith(new)]
        for spelling in spellings:
            for form in forms_of(spelling, None) or []:
                if library == "tensorflow" and spelling.startswith("tensorflow.compat.v1.") and found:
                    found += demanding(form, found[0])
                    continue
                owner, value = resolve(spelling)
                if inspect.isclass(value) and "**kwargs" in form and any(base.__name__ == "Layer" for base in value.__mro__):
                    form = without_rest(form)
                found.append(form)
    if not found:
        return None
    known = set(re.findall(r"[A-Za-z_]\w*", " ".join(found)))
    told = (names_in(parameters) if isinstance(parameters, str) else set()) | set(keywords)
    # The receiver of a method is not among the parameters of its forms.
    if any("**kwargs" in form for form in found) or told - known - {"self"}:
        return None
    return found


def kinds_of(annotation):
    """The kinds of a stub's annotation; nothing where it says what no kind expresses."""
    if annotation is None:
        return None
    found = []
    pending = [annotation]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp):
            pending += [node.left, node.right]
            continue
        text = ast.unparse(node)
        text = re.sub(r"\b(torch|types|builtins)\.", "", text)
        if text in ("Sequence[_int | SymInt]", "Sequence[_int]", "Sequence[int]", "Sequence[SymInt]"):
            found.append("ints")
        elif re.fullmatch(r"(tuple\[Tensor, \.\.\.\]|list\[Tensor\]|Sequence\[Tensor\])", text):
            found.append("tensors")
        elif text in WORDS:
            found.append(WORDS[text])
        else:
            return None
    return found


class Form:
    """One parameter list, as text."""

    def __init__(self):
        self.parts, self.stage = [], "positional"

    def add(self, name, stage, optional, kinds=None):
        if stage == "keyword" and self.stage != "keyword":
            self.parts.append("*")
        if stage != "only" and self.stage == "only":
            self.parts.append("/")
        self.stage = stage
        kinds = sorted(set(kinds)) if kinds else []
        kind = f": {' | '.join(kinds)}" if kinds else ""
        self.parts.append(f"{name}{kind}{' = ...' if optional else ''}")

    def variadic(self, name, kinds=None):
        if self.stage == "only":
            self.parts.append("/")
        self.stage = "keyword"
        self.parts.append(f"*{name}" + (f": {' | '.join(sorted(set(kinds)))}" if kinds else ""))

    def rest(self):
        if self.stage == "only":
            self.parts.append("/")
        self.stage = "rest"
        self.parts.append("**kwargs")

    def text(self):
        return ", ".join(self.parts) + (", /" if self.stage == "only" else "")


def from_stub(function, is_method):
    form = Form()
    given = function.args
    positional = given.posonlyargs + given.args
    first_optional = len(positional) - len(given.defaults)
    for place, parameter in enumerate(positional):
        if is_method and place == 0:
            continue
        name = "input" if parameter.arg == "self" else parameter.arg
        stage = "only" if place < len(given.posonlyargs) else "positional"
        form.add(name, stage, place >= first_optional, kinds_of(parameter.annotation))
    if given.vararg is not None:
        form.variadic(given.vararg.arg, kinds_of(given.vararg.annotation))
    for parameter, default in zip(given.kwonlyargs, given.kw_defaults):
        form.add(parameter.arg, "keyword", default is not None, kinds_of(parameter.annotation))
    if given.kwarg is not None:
        form.rest()
    return form.text()


def from_schema(schema):
    form = Form()
    for argument in schema.arguments:
        name = "input" if argument.name == "self" else argument.name
        text = str(argument.type)
        optional = text.startswith("Optional[")
        text = re.sub(r"^Optional\[(.*)\]$", r"\1", text)
        text = re.sub(r"^List\[(.*)\]$", r"\1[]", text)
        kinds = {"Tensor": ["tensor"], "Tensor[]": ["tensors"], "int[]": ["ints", "int"], "number": ["number"], "float": ["number"],
                 "bool": ["bool"], "str": ["str"]}.get(text)
        if text == "int" and name != "dtype":
            kinds = ["int"]
        if name in ("dtype", "layout", "device", "generator", "memory_format"):
            kinds = None
        if kinds and optional:
            kinds.append("none")
        form.add(name, "keyword" if argument.kwarg_only else "positional", argument.has_default_value() or name == "out", kinds)
    if " out" not in form.text():
        form.add("out", "keyword", True)
    return form.text()


def hinted(parameter):
    """What the type hint of a parameter of Python code tells: that it is a tensor, which no sequence is."""
    hint = parameter.annotation
    return ["tensor"] if hint == "Tensor" or getattr(hint, "__name__", None) == "Tensor" else None


def from_signature(signature, skip_first, trusts_hints=False):
    form = Form()
    for place, parameter in enumerate(signature.parameters.values()):
        if skip_first and place == 0:
            continue
        optional = parameter.default is not parameter.empty
        kinds = hinted(parameter) if trusts_hints and not optional else None
        if parameter.kind is parameter.VAR_POSITIONAL:
            form.variadic(parameter.name)
        elif parameter.kind is parameter.VAR_KEYWORD:
            form.rest()
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            form.add(parameter.name, "only", optional, kinds)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            form.add(parameter.name, "keyword", optional, kinds)
        else:
            form.add(parameter.name, "positional", optional, kinds)
    return form.text()


class Torch:
    """What PyTorch's stubs say."""

    def __init__(self):
        import torch

        self.torch = torch
        folder = os.path.join(os.path.dirname(torch.__file__), "_C")
        self.functions, self.methods = {}, {}
        for node in ast.parse(open(os.path.join(folder, "_VariableFunctions.pyi"), encoding="utf-8").read()).body:
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(from_stub(node, False))
        for node in ast.parse(open(os.path.join(folder, "__init__.pyi"), encoding="utf-8").read()).body:
            if isinstance(node, ast.ClassDef) and node.name == "TensorBase":
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        self.methods.setdefault(member.name, []).append(from_stub(member, True))

    def forms(self, name, value):
        module, _, last = name.rpartition(".")
        if module == "torch.Tensor":
            return self.methods.get(last)
        if getattr(self.torch, last, None) is value and last in self.functions:
            return self.functions[last]
        operators = {"torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_", "torch.nn.functional": ""}
        if module in operators and not inspect.isfunction(value):
            told = getattr(value, "__name__", last)
            packet = getattr(self.torch.ops.aten, told if told.startswith(operators[module]) else operators[module] + last, None)
            if packet is not None:
                schemas = [getattr(packet, overload)._schema for overload in packet.overloads()]
                return [from_schema(schema) for schema in schemas if not any(it.is_out for it in schema.arguments)]
        return None


def is_doubtful(value, forms):
    """Whether a function's documentation names a parameter that the stubs do not know: some of these are written by hand."""
    told = re.search(rf"^\s*{re.escape(getattr(value, '__name__', ' '))}\(([^()]*)\)", value.__doc__ or "", re.M)
    if told is None:
        return False
    documented = [part.split("=")[0].strip(" *") for part in told[1].split(",")]
    known = set(re.findall(r"[A-Za-z_]\w*", " ".join(forms))) | {"args", "kwargs", "self", ""}
    return any(re.fullmatch(r"[A-Za-z_]\w*", name) and name not in known for name in documented)


def resolve(name):
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except Exception:
            continue
        owner = None
        try:
            for part in parts[end:]:
                owner, value = value, getattr(value, part)
        except AttributeError:
            return None, None
        return owner, value
    return None, None


def forms_of(name, torch):
    # The models' constructors take what earlier versions took, too.
    if name in UNTOLD or name.startswith("torchvision.models."):
        return None
    # These change from version to version.
    if name.startswith(("torch.distributed.fsdp.", "torch.distributed.checkpoint.")):
        return None
    if name in CONVERSIONS:
        return ["*, memory_format = ..."]
    if name in TOLD:
        return TOLD[name]
    owner, value = resolve(name)
    if value is None or not callable(value):
        return None
    if torch is not None:
        told = torch.forms(name, value)
        if told is not None:
            last = name.split(".")[-1].rstrip("_")
            if last in ARITHMETIC:
                told = [re.sub(r"\btensor\b(?! \|)", "tensor | number", form) for form in told]
            if last in ("add", "sub", "subtract") and name.startswith("torch.Tensor."):
                told = [*told, "alpha: number, other: tensor | number"]
            if last in FORMER and name.startswith("torch.Tensor."):
                told = [*told, *FORMER[last]]
            return None if name not in TRUSTED and is_doubtful(value, told) else told
        # The function behind a flag that chooses between two.
        if name.startswith("torch.nn.functional."):
            _, with_indices = resolve(f"{name}_with_indices")
            value = with_indices or value
    is_method = inspect.isclass(owner) and not isinstance(inspect.getattr_static(owner, name.split(".")[-1]), (staticmethod, classmethod))
    if inspect.isclass(value):
        # What a class takes is what its `__init__` takes; one without has its `__new__`, or a metaclass that decides.
        if type(value) is not type or value.__new__ is not object.__new__ and value.__init__ is object.__init__:
            return None
        if not inspect.isfunction(value.__init__):
            return None
        form = from_signature(inspect.signature(value.__init__), True)
        if form == "" and value.__new__ is not object.__new__:
            # A decorator without parentheses: `__new__` takes the function, and `__init__` is not reached.
            form = from_signature(inspect.signature(value.__new__), True)
    else:
        try:
            signature = inspect.signature(value, follow_wrapped=inspect.isfunction(value))
            form = from_signature(signature, is_method, HINTED.match(name) is not None and name not in UNHINTED)
            if ALSO_KEYWORDS.match(name):
                form = form.replace(" /,", "")
        except (ValueError, TypeError):
            return None
    if "*args" in form and "**kwargs" in form and ":" not in form and form.count(",") == 1:
        return None
    forms = [form]
    if name in FORMER:
        forms.append(re.sub(rf"\b{FORMER[name][0]}\b", FORMER[name][1], form))
    return forms


def write_versions(path, library, module):
    print(f"# The forms in which {library} {module.__version__} lets its APIs be called: written by tests/tools/call_forms.py.")
    print(f"library: {library}")
    print("calls:")
    lines = {}
    for name, aliases, parameters, keywords in entries(path):
        if name.split(".")[0] == library:
            forms = forms_of_versions(library, name, aliases, parameters, keywords)
            if forms:
                lines[name] = ", ".join("'" + form.replace("'", "''") + "'" for form in dict.fromkeys(forms))
    for name in sorted(lines):
        print(f"  {name}: [{lines[name]}]")


def main():
    folder, library = sys.argv[1], sys.argv[2]
    module = importlib.import_module(library)
    torch = Torch() if library == "torch" else None
    path = os.path.join(folder, library)
    if library not in ("torch", "torchvision", "numpy"):
        return write_versions(path, library, module)
    names = described(path)
    print(f"# The forms in which {library} {module.__version__.split('+')[0]} lets its APIs be called: written by tests/tools/call_forms.py.")
    print(f"library: {library}")
    if library in SYNONYMS:
        print("keywords: {" + ", ".join(f"{other}: {own}" for other, own in SYNONYMS[library].items()) + "}")
    print("calls:")
    for name in names:
        if name.split(".")[0] != library:
            continue
        forms = forms_of(name, torch)
        if not forms:
            continue
        forms = list(dict.fromkeys(forms))
        written = ", ".join("'" + form.replace("'", "''") + "'" for form in forms)
        print(f"  {name}: [{written}]")


if __name__ == "__main__":
    main()
