"""Counts the call sites of libraries in Python sources, by qualified name.

    python3 tests/tools/call_sites.py FOLDER... | cargo run --release --example annotated

A call site counts where its name leads to an import of one of the libraries: `F.relu(x)` after `import torch.nn.functional as F` is
one of `torch.nn.functional.relu`. Methods of values (`x.view(…)`) need types and are not counted. Sources are parsed, never run.
A library's calls of itself are its own business: within a folder named as a library, its names do not count, unless `--own` is given.
Prints `count name` lines, the most frequent first.
"""

import ast
import collections
import pathlib
import sys
import warnings

LIBRARIES = ("torch", "torchvision", "numpy", "einops")


class CallSites(ast.NodeVisitor):
    """Collects the calls of one file. Imports count for the whole file, wherever they stand."""

    def __init__(self, tree, counts, libraries):
        self.names = {}
        self.counts = counts
        self.libraries = libraries
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    if name.name.split(".")[0] in self.libraries:
                        bound = name.asname or name.name.split(".")[0]
                        self.names[bound] = name.name if name.asname else bound
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                if node.module.split(".")[0] in self.libraries:
                    for name in node.names:
                        self.names[name.asname or name.name] = f"{node.module}.{name.name}"

    def qualified(self, node):
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.qualified(node.value)
            return base and f"{base}.{node.attr}"
        return None

    def visit_Call(self, node):
        name = self.qualified(node.func)
        if name:
            self.counts[name] += 1
        self.generic_visit(node)


def main(arguments):
    folders = [argument for argument in arguments if argument != "--own"]
    counts_own = "--own" in arguments
    counts = collections.Counter()
    warnings.simplefilter("ignore")
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError, RecursionError) as error:
                print(f"{path}: not parsed: {error}", file=sys.stderr)
                continue
            own = () if counts_own else path.relative_to(folder).parts[:-1]
            CallSites(tree, counts, [name for name in LIBRARIES if name not in own]).visit(tree)
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(count, name)


if __name__ == "__main__":
    main(sys.argv[1:])
