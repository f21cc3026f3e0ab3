//! `--python`: the packages that a program imports are read, followed, and not reported.

use std::path::Path;
use std::process::Command;

/// A library with a registry of models, in an environment beside a program.
const LIBRARY: [(&str, &str); 5] = [
    ("env/lib/python3.12/site-packages/nets/__init__.py", "from .factory import create\nfrom .blocks import *\n"),
    (
        "env/lib/python3.12/site-packages/nets/factory.py",
        "import sys\n\n_makers = {}\n\n\
         def register(function):\n    sys.modules[function.__module__].__all__.append(function.__name__)\n    \
         _makers[function.__name__] = function\n    return function\n\n\
         def create(name, **options):\n    return _makers[name](**options)\n",
    ),
    (
        "env/lib/python3.12/site-packages/nets/blocks.py",
        "import torch\nfrom torch import nn\nfrom .factory import register\n\n__all__ = ['Net']\n\n\
         class Net(nn.Module):\n    def __init__(self, width=8, classes=10):\n        super().__init__()\n        \
         self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1)\n        self.head = nn.Linear(width, classes)\n\n    \
         def forward(self, x):\n        return self.head(self.stem(x).mean((2, 3)))\n\n\
         @register\ndef small(**options):\n    return Net(width=4, **options)\n\n\
         def broken():\n    return torch.rand(2, 3) @ torch.rand(4, 5)\n",
    ),
    ("env/lib/python3.12/site-packages/torch/__init__.py", "rand = None\n"),
    ("env/lib/python3.12/site-packages/deep/__init__.py", "import deep.a\n"),
];

fn check(files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut all: Vec<(&str, &[u8])> = LIBRARY.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    all.extend(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let folder = crate::common::folder(&all);
    run(folder.path(), arguments)
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder).output();
    let output = output.expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

const PROGRAM: &str =
    "import torch, nets\nnet = nets.create('small', classes=7)\ny = net(torch.rand(2, 3, 32, 32))\nreveal_type(y)\n";

#[test]
fn a_model_of_a_package_is_followed() {
    let (code, out, _) = check(&[("main.py", PROGRAM)], &["check", "main.py", "--python", "env", "--verbose"]);
    assert_eq!(code, Some(0), "{out}");
    contains(&out, "[2, 7] float32");
    contains(&out, "in 1 file (4 lines)");
    contains(&out, "no shape error possible");
    let (_, out, _) = check(&[("main.py", PROGRAM)], &["check", "main.py", "--verbose"]);
    contains(&out, "reveal-type]: unknown");
    contains(&out, "incomplete");
}

#[test]
fn the_configuration_names_the_environment() {
    let files = [("main.py", PROGRAM), ("harp.toml", "python = 'env'\n")];
    let (_, out, _) = check(&files, &["check", "main.py", "--verbose"]);
    contains(&out, "[2, 7] float32");
}

#[test]
fn what_fails_inside_a_package_is_reported_at_the_call() {
    let program = "import torch, nets\nnet = nets.small()\ny = net(torch.rand(2, 1, 32, 32))\n";
    let (code, out, _) = check(&[("main.py", program)], &["check", "main.py", "--python", "env"]);
    assert_eq!(code, Some(1));
    contains(&out, "--> main.py:3:5");
    contains(&out, "`torch.nn.Conv2d` fails inside this call");
    contains(&out, "env/lib/python3.12/site-packages/nets/blocks.py:10:21");
    contains(&out, "this fails inside the package");
}

#[test]
fn a_package_s_own_mistakes_are_not_the_program_s() {
    let (code, out, _) = check(&[("main.py", "import nets\n")], &["check", "main.py", "--python", "env"]);
    assert_eq!(code, Some(0), "nobody calls what is broken: {out}");
    contains(&out, "no findings in 1 file");
}

#[test]
fn annotated_libraries_are_not_read() {
    let program = "import torch\nreveal_type(torch.rand(2))\n";
    let (_, out, _) = check(&[("main.py", program)], &["check", "main.py", "--python", "env"]);
    contains(&out, "[2] float32");
}

/// A pack of `nets`, whose functions give other sizes than the package.
const PACK: [(&str, &str); 2] = [
    ("pack/python/nets.py", "import torch\n\ndef create(name, **options):\n    return lambda x: torch.zeros(5)\n"),
    ("main.py", PROGRAM),
];

#[test]
fn a_pack_goes_before_the_package() {
    let arguments = ["check", "main.py", "--annotations", "pack", "--verbose", "--python", "env"];
    let manifest = ("pack/harp-library.yaml", "name: nets\n");
    let (_, out, _) = check(&[PACK[0], PACK[1], manifest], &arguments);
    contains(&out, "[5] float32");
}

#[test]
fn a_pack_may_stand_in_only_where_the_package_is_missing() {
    let arguments = ["check", "main.py", "--annotations", "pack", "--verbose"];
    let manifest = ("pack/harp-library.yaml", "name: nets\nfollows: nets\nonly_where_missing: nets\n");
    let files = [PACK[0], PACK[1], manifest];
    let (_, out, _) = check(&files, &arguments);
    contains(&out, "[5] float32");
    let (_, out, _) = check(&files, &[&arguments[..], &["--python", "env"]].concat());
    contains(&out, "[2, 7] float32");
}

#[test]
fn what_is_missing_is_a_package() {
    let manifest = ("pack/harp-library.yaml", "name: nets\nonly_where_missing: nets.blocks\n");
    let arguments = ["check", "main.py", "--annotations", "pack"];
    let (code, _, err) = check(&[PACK[0], PACK[1], manifest], &arguments);
    assert_eq!(code, Some(2), "{err}");
    contains(&err, "`nets.blocks` is a module, no package");
}

#[test]
fn the_program_s_own_modules_go_before_packages() {
    let files = [("main.py", "import nets\nreveal_type(nets.size)\n"), ("nets.py", "size = 3\n")];
    let (_, out, _) = check(&files, &["check", "main.py", "nets.py", "--python", "env"]);
    contains(&out, "reveal-type]: 3");
}

#[test]
fn a_result_of_a_package_is_one_operation_of_the_program() {
    let arguments = ["query", "operation(o, e, \"nets.blocks.Net.forward\")", "main.py", "--python", "env"];
    let (code, out, err) = check(&[("main.py", PROGRAM)], &arguments);
    assert_eq!(code, Some(0), "{err}");
    contains(&out, "main.py:3:5");
}

#[test]
fn imports_in_circles_and_of_what_is_not_there_end() {
    let files = [
        ("main.py", "import deep\nimport deep.none\nreveal_type(deep.a.b)\n"),
        (
            "env/lib/python3.12/site-packages/deep/a.py",
            "import deep\nfrom deep.a import b\nb = 1\nfrom . import gone\n",
        ),
    ];
    let (code, out, _) = check(&files, &["check", "main.py", "--python", "env"]);
    assert_eq!(code, Some(0), "{out}");
    contains(&out, "reveal-type]: 1");
}

#[test]
fn what_is_no_environment_is_an_error() {
    for path in ["nowhere", "main.py"] {
        let (code, _, err) = check(&[("main.py", "x = 1\n")], &["check", "main.py", "--python", path]);
        assert_eq!(code, Some(2), "{err}");
        contains(&err, "help: give the environment's folder");
    }
}

/// A package that replaces itself by an object that imports on demand, and says under `TYPE_CHECKING` what it gives.
const LAZY: [(&str, &str); 6] = [
    (
        "env/lib/python3.12/site-packages/lazy/__init__.py",
        "import sys\nfrom typing import TYPE_CHECKING\nfrom .tools import Lazy, structure\n\n\
         if TYPE_CHECKING:\n    from .config import Config as Config\n    from .models import *\n\
         else:\n    sys.modules[__name__] = Lazy(__name__, structure(__file__))\n",
    ),
    (
        "env/lib/python3.12/site-packages/lazy/tools.py",
        "import importlib\n\nclass Lazy:\n    def __getattr__(self, name):\n        return importlib.import_module(name)\n\n\
         def structure(file):\n    return open(file).read()\n",
    ),
    (
        "env/lib/python3.12/site-packages/lazy/config.py",
        "from dataclasses import dataclass\nfrom .models.narrow import NarrowNet\n\n\
         @dataclass\nclass Config:\n    width: int = 8\n    classes: int = 10\n",
    ),
    (
        "env/lib/python3.12/site-packages/lazy/models/__init__.py",
        "import sys\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .wide import *\n    from .narrow import *\n\
         else:\n    sys.modules[__name__] = None\n",
    ),
    (
        "env/lib/python3.12/site-packages/lazy/models/narrow.py",
        "import nets.factory\nfrom torch import nn\nfrom ..config import Config\n\n__all__ = ['NarrowNet']\n\n\
         class NarrowNet(nn.Module):\n    def __init__(self, config: Config):\n        super().__init__()\n        \
         self.head = nn.Linear(config.width, config.classes)\n\n    def forward(self, x):\n        return self.head(x)\n",
    ),
    ("env/lib/python3.12/site-packages/lazy/models/wide.py", "__all__ = ['WideNet']\n\nclass WideNet:\n    pass\n"),
];

#[test]
fn a_package_that_imports_on_demand_gives_what_it_says_to_type_checkers() {
    let program = "import torch\nfrom lazy import Config, NarrowNet\nimport lazy\n\n\
                   net = NarrowNet(Config(classes=3))\nreveal_type(net(torch.rand(2, 8)))\n\
                   reveal_type(lazy.NarrowNet(Config(width=5))(torch.rand(4, 5)))\nnet(torch.rand(2, 9))\n";
    let mut files = LAZY.to_vec();
    files.push(("main.py", program));
    let (_, out, _) = check(&files, &["check", "main.py", "--python", "env"]);
    contains(&out, "[2, 3] float32");
    contains(&out, "[4, 10] float32");
    contains(&out, "main.py:8:");
}

const CIRCLE: [(&str, &str); 4] = [
    ("env/lib/python3.12/site-packages/circle/__init__.py", "from .models import *\nfrom .factory import create\n"),
    (
        "env/lib/python3.12/site-packages/circle/factory.py",
        "import importlib\n\ndef create(name, **options):\n    \
         return getattr(importlib.import_module('circle.models.' + name), 'Net')(**options)\n",
    ),
    (
        "env/lib/python3.12/site-packages/circle/models/__init__.py",
        "from .small import Net, width\nfrom .base import Base\n\n__all__ = ['Net', 'Base']\n",
    ),
    (
        "env/lib/python3.12/site-packages/circle/models/small.py",
        "from torch import nn\nfrom .base import Base\n\nwidth = 4\n\nclass Net(Base):\n    def __init__(self, classes=2):\n        \
         super().__init__()\n        self.head = nn.Linear(width, classes)\n\n    def forward(self, x):\n        return self.head(x)\n",
    ),
];
/// It imports a name of the package around it, which has it by then only where the package came first.
const BASE: (&str, &str) = (
    "env/lib/python3.12/site-packages/circle/models/base.py",
    "from torch import nn\nimport circle.models as models\n\nclass Base(nn.Module):\n    def sizes(self):\n        return models.width\n",
);

#[test]
fn modules_that_import_each_other_have_their_names_whichever_comes_first() {
    let call = "reveal_type(Net(3)(torch.rand(2, 4)))\n";
    for import in [
        "from circle.models.small import Net",
        "from circle.models import Net",
        "from circle.models.base import Base\nfrom circle import Net",
        "import circle.models.base\nNet = circle.models.small.Net",
        "import circle.factory\nNet = lambda n: circle.create('small', classes=n)",
    ] {
        let program = format!("import torch\n{import}\n{call}");
        let mut files = CIRCLE.to_vec();
        files.extend([BASE, ("main.py", program.as_str())]);
        let (_, out, _) = check(&files, &["check", "main.py", "--python", "env", "--verbose"]);
        contains(&out, "[2, 3] float32");
        contains(&out, "no shape error possible");
    }
}

#[test]
fn an_import_costs_the_program_nothing() {
    let part = "table = {}\nfor i in range(2500):\n    table[i] = [i, (i, [i])]\n\nclass Item:\n    def __init__(self, n):\n        self.n = n\n\n\
                items = [Item(i) for i in range(2500)]\n\nwidth = 5\n\ndef size():\n    return width\n";
    let names: Vec<String> =
        (0..8).map(|number| format!("env/lib/python3.12/site-packages/heavy/part{number}.py")).collect();
    let whole: String = (0..8).map(|number| format!("from .part{number} import size\n")).collect();
    let rest = "def first(x):\n    from heavy import size\n    return x.view(2, 3) @ torch.rand(size(), 2)\n\n\
                def second(x):\n    import heavy\n    return torch.rand(2, 3) @ torch.rand(heavy.size(), 2)\n";
    let programs = [
        format!("import torch\nimport heavy\n\ntorch.rand(2, 3) @ torch.rand(heavy.size(), 2)\n\n{rest}"),
        format!("import torch\n\n{rest}"),
        format!(
            "import torch\n\n{rest}\nif __name__ == \"__main__\":\n    from heavy import size\n    torch.rand(2, 3) @ torch.rand(size(), 2)\n"
        ),
    ];
    for program in &programs {
        let mut files = vec![("main.py", program.as_str())];
        files.push(("env/lib/python3.12/site-packages/heavy/__init__.py", whole.as_str()));
        files.extend(names.iter().map(|name| (name.as_str(), part)));
        let (code, out, _) = check(&files, &["check", "main.py", "--python", "env", "--verbose"]);
        assert_eq!(code, Some(1), "{out}");
        let errors = out.matches("error[shape/mismatch]").count();
        assert_eq!(errors, program.matches('@').count(), "{out}");
        assert!(!out.contains("incomplete"), "{out}");
    }
}
