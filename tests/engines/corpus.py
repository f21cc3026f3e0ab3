"""A small corpus: programs with and without findings, and what a table of files may have besides."""
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

HEAD = "import torch\nfrom torch import nn\n\n"


def model(inner, given, size=8, count=16):
    """A model whose second layer expects `given` of `inner` features."""
    return (
        HEAD + f"class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.first = nn.Linear({size}, {inner})\n        self.second = nn.Linear({given}, 4)\n\n"
        "    def forward(self, x):\n        return self.second(torch.relu(self.first(x)))\n\n\n"
        f"model = Model()\nprint(model(torch.zeros({count}, {size})))\n"
    )


def training(body):
    return (
        HEAD + "model = nn.Linear(8, 2)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nlosses = []\n"
        "for step in range(100):\n    x = torch.randn(32, 8)\n    y = torch.randint(0, 2, (32,))\n"
        "    loss = nn.functional.cross_entropy(model(x), y)\n"
        + "".join(f"    {line}\n" for line in body)
    )


NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "source": ["import torch\\n", "x = torch.zeros(3, 4)\\n"]}, '
    '{"cell_type": "code", "source": ["y = x @ torch.zeros(5, 6)\\n"]}], "metadata": {}, "nbformat": 4}'
)

STEP = ["optimizer.zero_grad()", "loss.backward()", "optimizer.step()"]


def repositories():
    """The files of each repository: pairs of a path and a text, which may be `None`."""
    digits = [(path.name, path.read_text()) for path in sorted((ROOT / "examples/digits").glob("*.py"))]
    return {
        "acme/digits": digits,
        "fork/digits": digits,
        "acme/mismatch": [("model.py", model(32, 48))],
        "acme/fits": [("model.py", model(32, 32))],
        "acme/two": [("a.py", model(16, 24)), ("sub/b.py", model(16, 12)), ("README.md", "# Two\n")],
        "acme/keeps-graph": [("train.py", training([*STEP, "losses.append(loss)"]))],
        "acme/syncs": [("train.py", training([*STEP, "losses.append(loss.item())", "print(loss.item())"]))],
        "acme/no-zero-grad": [("train.py", training(STEP[1:]))],
        "acme/notebook": [("look.ipynb", NOTEBOOK)],
        "acme/settings": [
            ("conf/model.yaml", "inner: 32\n"),
            ("run.py", HEAD + "import yaml\n\nsettings = yaml.safe_load(open('conf/model.yaml'))\n"
                       "layer = nn.Linear(8, settings['inner'])\nprint(layer(torch.zeros(2, 9)))\n"),
        ],
        "bella/import": [("main.py", "from layers import width\n" + HEAD + "print(nn.Linear(4, width)(torch.zeros(2, 5)))\n"),
                         ("layers.py", "width = 3\n")],
        "bella/numpy": [("a.py", "import numpy as np\n\nprint(np.zeros((3, 4)) @ np.zeros((5, 2)))\n")],
        # Without code to analyse, or with some that is odd.
        "odd/empty": [("__init__.py", "")],
        "odd/no-python": [("README.md", "nothing\n"), ("a.c", "int x;\n")],
        "odd/syntax": [("wrong.py", "def f(:\n    pass\n"), ("right.py", model(32, 31))],
        "odd/paths": [("../x.py", model(8, 9)), ("/etc/y.py", model(8, 9)), ("in.py", model(8, 7))],
        "odd/no-content": [("gone.py", None), ("there.py", model(8, 5))],
        "odd/Ünicode name": [("grün/modell.py", model(12, 13))],
    }


def rows():
    """A row for each file, those of a repository in the order of `repositories`."""
    return [
        {"repository": name, "revision": "r1" if name.startswith("acme") else None, "path": path, "content": text}
        for name, files in repositories().items()
        for path, text in files
    ]


def scattered():
    """The same rows, those of a repository not together."""
    all_rows = rows()
    return [all_rows[at] for start in range(3) for at in range(start, len(all_rows), 3)]
