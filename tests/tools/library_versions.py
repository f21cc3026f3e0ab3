"""Reads off releases of a library when its APIs and their parameters came and went, as the `versions` of an annotation file.

    python tests/tools/library_versions.py api_annotations torch RELEASES > api_annotations/torch/versions.yaml

RELEASES is a folder with unpacked wheels, named like `torch-1.9.1`; nothing of them is executed. What is asked about is what the
annotations of the library describe. A name counts as present in a release where the sources and stubs of its module there mention it, so that
a doubt makes an API older than it is, never newer; a parameter, where a definition of its function or class has it. A name that the installed library lacks
counts as removed by the first release in which no definition is left, or only one that raises. What was there in the oldest release is not told.
"""

import ast
import functools
import importlib
import os
import re
import sys
import warnings

import yaml

warnings.simplefilter("ignore")

# Files that hold what a module's names are made of, where they are not in the module's own folder.
NATIVE = {
    "torch": ["_C/__init__.pyi", "_C/_VariableFunctions.pyi", "__init__.pyi"],
    "torch.Tensor": ["_C/__init__.pyi", "__init__.pyi", "tensor.py", "_tensor.py", "_tensor_docs.py"],
    "torch.nn.functional": ["_C/_nn.pyi", "nn/functional.pyi"],
    "torch.linalg": ["_C/_linalg.pyi"],
    "torch.fft": ["_C/_fft.pyi"],
    "torch.special": ["_C/_special.pyi"],
    "numpy.ndarray": ["__init__.pyi"],
}

# Parameters that stubs of former releases leave out, or name otherwise.
UNTOLD = {"out", "input", "self", "args", "kwargs", "other", "tensors", "size", "pin_memory", "layout", "dim", "memory_format",
          "source", "storage_offset", "index", "value", "exponent", "_freeze", "_restore_shapes", "_disable_byteorder_record"}


# These were removed and came back, for which there is no notation.
RETURNED = {"numpy.bool"}


def annotated(folder):
    """The names that a library's annotations describe, with the parameters of each."""
    names = {}

    def add(name, entry):
        parameters = re.findall(r"(?:^|,)\s*(\w+)", entry.get("parameters") or "")
        names.setdefault(name, set()).update(parameters)

    for place, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            if not file.endswith(".yaml"):
                continue
            with open(os.path.join(place, file), encoding="utf-8") as opened:
                entries = (yaml.safe_load(opened) or {}).get("apis") or []
            for entry in entries:
                for key in ("function", "method", "property", "class", "aliases"):
                    listed = entry.get(key) or []
                    for name in [listed] if isinstance(listed, str) else listed:
                        add(name, entry)
    return names


def exists(name):
    """Whether the installed library has a name."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        try:
            for part in parts[length:]:
                found = getattr(found, part)
            return True
        except (AttributeError, RuntimeError):
            return False
    return False


class Release:
    """The sources of one release."""

    def __init__(self, root, library, number):
        self.root, self.library = os.path.join(root, library), library
        self.number = tuple(int(part) for part in number.split(".")[:2])

    @functools.cache
    def files(self, module):
        """The files of a module: its own, those beside it in its folder, and the native ones."""
        relative = module.split(".")[1:]
        base = os.path.join(self.root, *relative)
        found = [base + ending for ending in (".py", ".pyi") if os.path.isfile(base + ending)]
        if os.path.isdir(base):
            found += sorted(os.path.join(base, file) for file in os.listdir(base) if file.endswith((".py", ".pyi")))
            below = [os.path.join(base, name) for name in ("modules", "core", "lib", "_core", "segmentation", "detection", "video", "quantization", "optical_flow")]
            for folder in (folder for folder in below if os.path.isdir(folder) and module != "torch"):
                found += sorted(os.path.join(folder, file) for file in os.listdir(folder) if file.endswith((".py", ".pyi")))
        found += [os.path.join(self.root, file) for file in NATIVE.get(module, [])]
        return [file for file in found if os.path.isfile(file)]

    @functools.cache
    def home(self, name):
        """The module that has a name, or the class with native files; `None` where the name is of a member of another class."""
        module = name.rpartition(".")[0]
        is_class = module.rpartition(".")[2][:1].isupper() or module == "numpy.ndarray"
        if module in NATIVE or not is_class:
            return module
        return "torch.nn.modules.module" if module == "torch.nn.Module" else None

    @functools.cache
    def words(self, module):
        text = "".join(read(file) for file in self.files(module))
        return set(re.findall(r"\w+", text))

    @functools.cache
    def bound(self, module):
        """The names that the stub of a module binds; `None` where there is no complete one."""
        if self.library != "numpy" or self.number < (1, 22):
            return None
        stub = os.path.join(self.root, *module.split(".")[1:], "__init__.pyi")
        if not os.path.isfile(stub) or module == "numpy.ndarray":
            return None
        names = set()
        for node in ast.walk(tree(stub)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, (ast.ImportFrom, ast.Import)):
                names.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
        # Stubs have gaps; what the sources define or assign is there, too.
        for file in self.files(module):
            if file.endswith(".py"):
                assigned = (target for node in tree(file).body if isinstance(node, ast.Assign) for target in node.targets)
                names.update(target.id for target in assigned if isinstance(target, ast.Name))
        return names | self.definitions(module).keys()

    def has(self, name):
        home = self.home(name)
        if home is None or home == "numpy.ndarray" and self.number < (1, 20):
            return True
        bound = self.bound(home)
        return name.rpartition(".")[2] in (self.words(home) if bound is None else bound)

    @functools.cache
    def definitions(self, module):
        """Definitions by name: the set of their parameters, `None` where they take any keyword. Those that only raise are left out."""
        known = {}
        for file in self.files(module):
            if re.search(r"(records|defchararray|_methods|_internal)\.py", file):
                continue
            if module == "torch" and not re.search(r"_C/|functional\.py$|torch/__init__\.pyi?$|_tensor|_linalg_utils|_lowrank", file):
                continue
            for node in outermost(tree(file), is_class=module in ("torch.Tensor", "numpy.ndarray", "torch.nn.modules.module")):
                functions = []
                if isinstance(node, ast.ClassDef):
                    functions = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
                elif isinstance(node, ast.FunctionDef) and not raises(node):
                    functions = [node]
                for function in functions:
                    arguments = function.args
                    listed = {item.arg for item in arguments.posonlyargs + arguments.args + arguments.kwonlyargs}
                    former = known.get(node.name, set())
                    known[node.name] = None if arguments.kwarg or former is None else former | listed
        return known

    def parameters(self, name):
        """The parameters of a name; `None` where they are not known, or any keyword will do."""
        home = self.home(name)
        return None if home is None else self.definitions(home).get(name.rpartition(".")[2])

    def defines(self, name):
        home = self.home(name)
        if home is None:
            return True
        bound = self.bound(home)
        own = name.rpartition(".")[2]
        return own in (self.definitions(home) if bound is None else bound)


def outermost(node, is_class):
    """The definitions of a module, or those of its classes."""
    for item in ast.iter_child_nodes(node):
        if isinstance(item, ast.ClassDef) and is_class:
            yield from outermost(item, is_class=False)
        elif isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            if not is_class:
                yield item
        elif isinstance(item, (ast.If, ast.Try)):
            yield from outermost(item, is_class)


def raises(function):
    body = [item for item in function.body if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


@functools.cache
def read(file):
    with open(file, encoding="utf-8", errors="replace") as opened:
        return opened.read()


@functools.cache
def tree(file):
    try:
        return ast.parse(read(file))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def releases(folder, library):
    found = []
    for name in os.listdir(folder):
        package, _, number = name.rpartition("-")
        if package == library:
            found.append(Release(os.path.join(folder, name), library, number))
    return sorted(found, key=lambda release: release.number)


def first_with(present):
    """The number of the first release since which all have something; `None` where the newest lacks it."""
    first = None
    for place in range(len(present) - 1, -1, -1):
        if not present[place]:
            break
        first = place
    return first


def facts(folder, library, known):
    added, removed = {}, {}
    for name, parameters in sorted(annotated(folder).items()):
        if not name.startswith(library + ".") or name in RETURNED or re.search(r"\._|[a-z0-9]Tensor$", name):
            continue
        if not exists(name):
            defined = [place for place, release in enumerate(known) if release.defines(name)]
            if defined and defined[-1] + 1 < len(known):
                removed.setdefault(known[defined[-1] + 1].number, []).append(name)
            continue
        came = first_with([release.has(name) for release in known])
        if came is None:
            continue
        if came > 0:
            added.setdefault(known[came].number, []).append(name)
        told = [release.parameters(name) for release in known[came:]]
        for parameter in sorted(parameters - UNTOLD):
            # Where a release takes any keyword, or is not understood, nothing can be said.
            present = [taken is None or parameter in taken for taken in told]
            first = first_with(present)
            # `weights` took the place of `pretrained`, beside which the constructors of models had `**kwargs` for the model itself.
            if parameter == "weights" and name.startswith("torchvision.models.") and known[came].number < (0, 13):
                added.setdefault((0, 13), []).append(f"{name}(weights)")
            elif first and not any(present[:first]):
                added.setdefault(known[came + first].number, []).append(f"{name}({parameter})")
    return added, removed


def main():
    root, library, folder = sys.argv[1:]
    known = releases(folder, library)
    added, removed = facts(os.path.join(root, library), library, known)
    print(f"library: {library}")
    print("versions:")
    for number in sorted(added.keys() | removed.keys()):
        print(f'  "{".".join(map(str, number))}":')
        for key, changed in (("added", added), ("removed", removed)):
            if number in changed:
                print(f"    {key}:")
                print("".join(f"      - {name}\n" for name in changed[number]), end="")


main()
