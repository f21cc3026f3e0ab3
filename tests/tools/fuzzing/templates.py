"""Files that data files are made of, and programs that read them."""

PROGRAM = b"""import torch

def step(x, w):
    return x @ w

total = torch.zeros(3)
for i in range(50):
    total = total + torch.eye(300) @ torch.ones(300, 3)
step(torch.rand(2, 3), torch.rand(4, 5))
"""
OTHER_PROGRAM = b"import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n"
OF_LIBRARY = b"""import acme
from acme import layers
g = layers.Gate(3)
y = g(torch.rand(2, 3))
layers.project(y, torch.rand(4, 3))
acme.f(y)
"""

# A file, and what reads it into a dictionary `c`.
READERS = (
    ("c.yaml", "import yaml\nc = yaml.safe_load(open('c.yaml'))"),
    ("c.yaml", "import yaml\nc = yaml.load(open('c.yaml'), Loader=yaml.FullLoader)"),
    ("c.yaml", "from omegaconf import OmegaConf\nc = OmegaConf.load('c.yaml')\nOmegaConf.resolve(c)\n"
               "c = OmegaConf.merge(c, OmegaConf.from_cli(['a=3']))"),
    ("conf/c.yaml", "import hydra\n@hydra.main(config_path='conf', config_name='c')\ndef main(c):\n    m = torch.nn.Linear(c.a, c.b)\n"
                    "    m(torch.rand(2, c.a))\n    hydra.utils.instantiate(c)\nmain()\nc = {}"),
    ("c.json", "import json\nc = json.load(open('c.json'))"),
    ("c.json", "import json, types\nc = vars(json.loads(open('c.json').read(), object_hook=lambda d: types.SimpleNamespace(**d)))"),
    ("c.toml", "import tomllib\nc = tomllib.load(open('c.toml', 'rb'))"),
    ("c.ini", "import configparser\np = configparser.ConfigParser()\np.read('c.ini')\nc = {s: dict(p[s]) for s in p.sections()}\n"
              "c['a'] = p.getint('s', 'a', fallback=3)"),
    ("c.env", "import os, dotenv\ndotenv.load_dotenv('c.env')\nc = {'a': int(os.environ['A']), 'b': int(os.getenv('B', 4))}"),
    ("c.csv", "import pandas as pd\nt = pd.read_csv('c.csv')\nc = {'a': len(t), 'b': len(t.columns)}\nx = torch.tensor(t.values)"),
    ("c.csv", "import csv\nrows = list(csv.reader(open('c.csv')))\nc = {'a': len(rows), 'b': len(rows[0])}"),
    ("c.jsonl", "import json\nrows = [json.loads(line) for line in open('c.jsonl')]\nc = rows[0]"),
    ("c.txt", "words = open('c.txt').read().split()\nvocabulary = {w: i for i, w in enumerate(sorted(set(words)))}\n"
              "c = {'a': len(vocabulary), 'b': len(words)}"),
)
USES = """
a, b = c['a'], c['b']
m = torch.nn.Linear(a, b)
y = m(torch.rand(4, a))
for k, v in c.items():
    y = y + torch.rand(b)
    reveal_type(v)
torch.rand(2, a) @ torch.rand(b, 5)
"""

MANIFEST = 'name = "acme"\nversion = "0.1.0"\nschema_version = 1\nlicence = "MIT"\ndescription = "x"\n'
RULE = """/// Found.
/// @id acme/rule @severity warning @message "found {m}" @at r
.decl finding(r: Requirement, m: symbol)
finding(r, m) :- violated(r), requirement(r, _, m).
"""
DECLARATIONS = ".decl p(x: number, y: number)\n.decl q(x: number)\n.decl e(x: number, y: number)\n"
BASELINE = """{"version": 1, "findings": [
  {"path":"main.py","rule":"shape/mismatch","code":"torch.rand23@torch.rand45","message":"`input` and `other`","fingerprint":"1bbe2f252940a52ba22d86ee0a1edcab"},
  {"path":"sub/b.py","rule":"harp/loop-invariant","code":"torch.eye300","message":"the same","fingerprint":"00","count":3}
]}
"""
PATCH = """diff --git a/main.py b/main.py
index 1111111..2222222 100644
--- a/main.py
+++ b/main.py
@@ -1,5 +1,6 @@
 import torch
 
 def step(x, w):
-    return x @ w
+    y = x @ w
+    return y.view(-1, 3)
 
@@ -8,4 +9,4 @@
 for i in range(50):
     total = total + torch.eye(300) @ torch.ones(300, 3)
-step(torch.rand(2, 3), torch.rand(4, 5))
+step(torch.rand(2, 3), torch.rand(3, 5))
diff --git a/sub/b.py b/sub/c.py
similarity index 90%
rename from sub/b.py
rename to sub/c.py
--- a/sub/b.py
+++ b/sub/c.py
@@ -1,2 +1 @@
-import torch
 torch.rand(2, 3) @ torch.rand(4, 5)
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+import main
\\ No newline at end of file
"""
PAGE = """# acme/rule

```python
import torch
torch.rand(2, 3) @ torch.rand(4, 5)  # expect: rule "found"
x = 1  # ok
```

```toml harp.toml
ignore = []
```

`a/b.py`:

```python
x = 2
```
"""

CONFIGURATION = """exclude = ["third_party", "*_pb2.py"]
max-file-size = "5MiB"
args = "--batch-size 32"
target-torch = "2.1"
target-numpy = ">=1.20,<2.0"
ignore = ["shape/possible"]
[severity]
"harp" = "note"
[[assume]]
kind = "default-value"
[[deny]]
kind = "trip-count"
file = "src/*.py"
[speculate]
disable = ["S3", "size"]
"""

REQUIREMENTS = {
    "requirements.txt": "torch>=1.8,<2.2\nnumpy==1.24.*\ntorchvision ~= 0.16 ; python_version < '3.12'\n-r other.txt\n"
                        "-e git+https://x/y#egg=z\ntorch[extra]!=2.0 --hash=sha256:ab\n# c\n",
    "requirements-dev.txt": "torch==1.12.1+cu113\npytest\nnumpy<2,>=1.20,!=1.21.0\n\\\ntorch\n",
    "pyproject.toml": '[project]\nname = "x"\ndependencies = ["torch>=2.1", "numpy<2"]\n[tool.poetry.dependencies]\ntorch = "^2.1"\n'
                      'numpy = { version = "~1.24", python = "3.9" }\n[tool.harp]\nignore = ["harp"]\n',
    "setup.cfg": "[metadata]\nname = x\n[options]\ninstall_requires =\n    torch>=1.8\n    numpy<2; python_version<'3'\n",
    "environment.yml": "name: x\nchannels: [pytorch]\ndependencies:\n  - python=3.9\n  - pytorch=1.12.1\n  - numpy>=1.20\n  - pip:\n"
                       "      - torchvision==0.13\n",
}
