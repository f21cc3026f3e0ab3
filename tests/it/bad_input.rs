//! Programs, rules and annotations that are wrong or extreme: each gets a clear message and the right exit code, and the rest of the work
//! is done.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder;
use tempfile::TempDir;

/// A line that every analysis of these files must still report.
const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder).output().expect("the program starts")
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

/// Analyses one program; the error that `WRONG` has is found in spite of what stands around it.
#[track_caller]
fn finds_the_error(source: &str) {
    let folder = folder(&[("main.py", source)]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}\n{}", String::from_utf8_lossy(&output.stderr));
    contains(&out, "error[shape/mismatch]");
}

#[test]
fn an_import_cycle_is_followed_once() {
    let folder = folder(&[
        ("a.py", "import b\nx = 2\nfrom c import *\n"),
        ("b.py", "import a\ndef size():\n    return a.x\n"),
        ("c.py", "from a import *\nfrom c import *\n"),
        ("main.py", "import b\nimport torch\ntorch.rand(2, 3) @ torch.rand(b.size(), 5)\n"),
    ]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    assert_eq!(output.status.code(), Some(1));
    contains(&String::from_utf8_lossy(&output.stdout), "error[shape/mismatch]");
}

#[test]
fn recursion_ends() {
    let functions = "def forever(x):\n    return forever(x + [x])\n\
                     def even(n):\n    return n == 0 or odd(n - 1)\n\
                     def odd(n):\n    return n != 0 and even(n - 1)\n\
                     class Mirror:\n    def __getattr__(self, name):\n        return getattr(self, name)\n\
                     double = lambda n: double(n - 1) + double(n - 2)\n";
    let calls = "even(10 ** 6)\nMirror().x\ndouble(100)\n";
    finds_the_error(&format!("{functions}{calls}{WRONG}"));
    finds_the_error(&format!("{functions}try:\n    forever([])\nexcept RecursionError:\n    pass\n{WRONG}"));
    finds_the_error(&format!(
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return self(x)\n{WRONG}"
    ));
}

#[test]
fn what_runs_within_a_recursion_is_counted() {
    // Each call adds hundreds of expressions or statements to those that run.
    let sum = format!("def f(n):\n    return {}f(n - 1){}\nf(1000)\n", "(".repeat(150), " + 1)".repeat(150));
    let chain = format!("def f(n):\n    return f(n){}\nf(1)\n", ".b".repeat(900));
    let calls = format!("def f(n):\n    return f(n){}\nf(1)\n", "(1)".repeat(900));
    let blocks: String = (1..90).map(|depth| format!("{}if n:\n", " ".repeat(depth))).collect();
    let blocks = format!("def f(n):\n{blocks}{}f(n - 1)\nf(1000)\n", " ".repeat(90));
    for source in [sum, chain, calls, blocks] {
        finds_the_error(&format!("{source}{WRONG}"));
    }
}

#[test]
fn special_methods_that_ask_for_themselves_end() {
    let kinds = ["AttributeError()", "object()", "Exception", "property()", "Own()", "Own"];
    let uses = [
        "e['key']", "len(e)", "e + 1", "1 in e", "e == e", "e < e", "next(e)", "e.x", "e(1)", "f'{e}'", "e[e]", "-e",
        "int(e)",
    ];
    let class = "class Own(Exception):\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\n    \
                 def __eq__(self, other):\n        return other == self\n    def __len__(self):\n        return len(self)\n    \
                 def __call__(self, n):\n        return self(n)\n    @property\n    def p(self):\n        return self.p\n";
    for kind in kinds {
        let uses: String = uses.iter().map(|used| format!("try:\n    {used}\nexcept Exception:\n    pass\n")).collect();
        finds_the_error(&format!("{class}e = {kind}\n{uses}{WRONG}"));
    }
}

#[test]
fn long_chains_of_modules_are_followed_to_their_end() {
    let link = |at: usize| format!("from m{} import *\nclass C{at}(C{}):\n    pass\n", at + 1, at + 1);
    let mut files: Vec<(String, String)> = (0..400).map(|at| (format!("m{at}.py"), link(at))).collect();
    files.push(("m400.py".to_owned(), "class C400:\n    pass\n".to_owned()));
    files.push(("main.py".to_owned(), format!("from m0 import C0\nC0().x\n{WRONG}")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = folder(&files);
    let output = harp(folder.path(), &["check", "."]);
    assert_eq!(output.status.code(), Some(1));
    contains(&String::from_utf8_lossy(&output.stdout), "main.py:4:1");
}

#[test]
fn endless_and_long_loops_end() {
    finds_the_error(&format!(
        "n = 0\nwhile n < 10 ** 9:\n    n += 1\n\
         for i in range(10 ** 9):\n    for j in range(10 ** 9):\n        if i == j:\n            n += i\n\
         items = [i for i in range(10 ** 9)]\ntotal = sum(range(10 ** 9))\nlist(range(10 ** 9))\n{WRONG}"
    ));
    finds_the_error(&format!(
        "import torch\nx = torch.rand(1)\nfor _ in range(10 ** 9):\n    x = torch.cat([x, x])\n{WRONG}"
    ));
    finds_the_error(&format!(
        "import itertools\ndef endless():\n    while True:\n        yield 1\nlist(endless())\nlist(itertools.count())\n\
         list(itertools.product(range(1000), repeat=100))\nlist(itertools.permutations(range(100)))\nmax(itertools.cycle([1]))\n\
         dict(zip(itertools.count(), itertools.count()))\n[i for i in itertools.count() for j in itertools.count()]\n\
         def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(100)\n\
         def ackermann(m, n):\n    if m == 0:\n        return n + 1\n    return ackermann(m - 1, ackermann(m, n - 1) if n else 1)\n\
         ackermann(4, 4)\n{WRONG}"
    ));
}

#[test]
fn huge_values_are_not_built() {
    finds_the_error(&format!(
        "a = [0] * 10 ** 9\nb = 'a' * 10 ** 9\nc = (1, 2) * 10 ** 9\nd = 10 ** 10 ** 9\ne = 1 << 10 ** 9\nf = -1 << 63\n\
         g = 9223372036854775807 + 1\nh = '%1000000000d' % 1\ni = f'{{1:>1000000000}}'\nj = 5 // 0\nk = 5 % 0\n{WRONG}"
    ));
    let numbers: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    finds_the_error(&format!("numbers = [{}]\n{WRONG}", numbers.join(", ")));
    let zeros = vec!["0"; 1_000_000].join(",");
    finds_the_error(&format!("zeros = [{zeros}]\n{WRONG}"));
    let entries: Vec<String> = numbers.iter().map(|number| format!("'{number}': {number}")).collect();
    finds_the_error(&format!("table = {{{}}}\n{WRONG}", entries.join(", ")));
}

#[test]
fn sequences_that_double_are_not_held_item_by_item() {
    for doubled in ["y = y + y", "y += y", "y.extend(y)", "y = [*y, *y]", "z = z + z", "z += z", "z = (*z, *z)"] {
        finds_the_error(&format!("y = [0]\nz = (0,)\nfor _ in range(64):\n    {doubled}\n{WRONG}"));
    }
}

#[test]
fn values_that_contain_themselves_are_walked_once() {
    let made = "import copy, itertools, torch\nfrom torch import nn\nx = []\nx.append(x)\nd = {}\nd['d'] = d\n\
                s = nn.Sequential()\ns.append(s)\n";
    let uses = [
        "x == x\nx == [x, x]\nx in x",
        "torch.stack(x)\ntorch.tensor(x)\ntorch.zeros(2, 2)[x]\ntorch.save(x, 'f')",
        "str(x)\nprint(d)\ncopy.deepcopy(x)\ncopy.deepcopy(d)\nreveal_type(x)",
        "list(itertools.chain.from_iterable(x))\nunknown(x)\nsorted(x)",
        "list(s.modules())\nlist(s.parameters())\ns.to('cuda')\ncopy.deepcopy(s)",
    ];
    for used in uses {
        finds_the_error(&format!("{made}{used}\n{WRONG}"));
    }
    let folder = folder(&[("main.py", format!("{made}s(torch.rand(2, 3))\n{WRONG}"))]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "error[shape/mismatch]");
    contains(&out, "recursion too deep");
}

#[test]
fn values_whose_parts_are_shared_are_not_walked_part_by_part() {
    for doubled in ["(y, y)", "[y, y]", "{'a': y, 'b': y}", "nn.Sequential(y, y)"] {
        let made =
            format!("from torch import nn\ny, z = nn.ReLU(), nn.ReLU()\nfor _ in range(60):\n    y = {doubled}\n");
        let again = made.replace("y = ", "z = ").replace("(y, y)", "(z, z)").replace("[y, y]", "[z, z]");
        finds_the_error(&format!("{made}{again}y == z\nreveal_type(y)\nunknown(y)\nstr(y)\n{WRONG}"));
    }
    finds_the_error(&format!("y = ()\nfor _ in range(100000):\n    y = (y,)\ny == (y,)\nhash(y)\n{WRONG}"));
}

#[test]
fn long_texts_and_copies_of_long_lists_are_bounded() {
    for doubled in ["z + z", "z.join([z, z, z])", "f'{z}{z}'", "z.replace('a', 'aa')", "'%s%s' % (z, z)"] {
        finds_the_error(&format!("z = 'a'\nfor _ in range(100):\n    z = {doubled}\n{WRONG}"));
    }
    let zeros = vec!["0"; 50_000].join(", ");
    let changes: String = (0..500).map(|at| format!("x[{at}] = {at} + 1\n")).collect();
    let source = format!("x = [{zeros}]\n{changes}{WRONG}");
    let folder = folder(&[("long.py", source.as_str()), ("main.py", WRONG)]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "main.py:2:1");
    contains(&out, "copied items");
}

#[test]
fn loops_that_fill_a_container_without_end_are_bounded() {
    finds_the_error(&format!("d = {{}}\nfor k in range(10**7):\n    d[k] = 1\n{WRONG}"));
    finds_the_error(&format!("s = set()\nfor k in range(10**7):\n    s.add(k)\n{WRONG}"));
    finds_the_error(&format!("x = []\nfor k in range(10**7):\n    x.append(k)\n{WRONG}"));
}

#[test]
fn branches_in_sequence_are_linear() {
    let branches: String =
        (0..24).map(|at| format!("if random.random() < 0.5:\n    x{at} = 1\nelse:\n    x{at} = 2\n")).collect();
    let plain = folder(&[("main.py", format!("import random\n{branches}{WRONG}"))]);
    let output = harp(plain.path(), &["check", "."]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "error[shape/mismatch]");
    assert!(!out.contains("limits that were reached"), "{out}");
    let grown: String =
        (1..25).map(|at| format!("if random.random() < 0.5:\n    x = torch.cat([x, torch.rand({at}, 3)])\n")).collect();
    finds_the_error(&format!("import random, torch\nx = torch.rand(2, 3)\n{grown}{WRONG}"));
    let nested: String = (0..24)
        .map(|at| {
            format!("def f{at}():\n    if random.random() < 0.5:\n        return f{0}()\n    return f{0}()\n", at + 1)
        })
        .collect();
    // Every function calls the next on both ways: as many calls as ways, which are more than are followed, and it is said. The module goes
    // on behind the call.
    let nested = format!("import random, torch\n{nested}def f24():\n    return 1\n");
    let source = format!("{nested}f0()\ntorch.rand(1, 2) @ torch.rand(1, 2)\n");
    let folder = folder(&[("calls.py", source.as_str()), ("main.py", WRONG)]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "main.py:2:1");
    contains(&out, "calls.py:101:1");
    contains(&out, "a call with more ways through it than are followed");
    // So do scripts and functions behind a helper like that.
    let main = "def main():\n    f0()\n    return torch.rand(1, 2) @ torch.rand(1, 2)\n";
    for call in ["", "if __name__ == '__main__':\n    main()\n"] {
        let folder = self::folder(&[("calls.py", format!("{nested}{main}{call}"))]);
        let output = harp(folder.path(), &["check", ".", "--verbose"]);
        let out = String::from_utf8_lossy(&output.stdout);
        contains(&out, "calls.py:102:12");
        contains(&out, "a call with more ways through it than are followed");
    }
}

#[test]
fn long_call_chains_are_followed_or_said_not_to_be() {
    let check = |length: usize| {
        let chain: String = (0..length).map(|at| format!("def f{at}(x):\n    return f{}(x)\n", at + 1)).collect();
        let end =
            format!("def f{length}(x):\n    return x @ torch.rand(4, 5)\nimport torch\nf0(torch.rand(2, 3))\n{WRONG}");
        let folder = folder(&[("main.py", format!("{chain}{end}"))]);
        let output = harp(folder.path(), &["check", ".", "--verbose"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let followed = check(300);
    contains(&followed, "main.py:602:12");
    contains(&followed, "2 errors");
    let cut = check(1000);
    contains(&cut, "1 error");
    contains(&cut, "recursion too deep");
}

#[test]
fn functions_that_call_others_twice_take_linear_time() {
    let level =
        |at: usize| format!("def f{at}(x):\n    a = f{}(x)\n    b = f{}(x)\n    return a + b\n", at + 1, at + 1);
    let levels: String = (0..200).map(level).collect();
    let end = format!(
        "def f200(x):\n    return torch.relu(x)\nimport torch\nf0(torch.rand(2, 3)) @ torch.rand(4, 5)\n{WRONG}"
    );
    let folder = folder(&[("main.py", format!("{levels}{end}"))]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    contains(&text, "main.py:804:1");
    contains(&text, "2 errors");
    assert!(!text.contains("not understood"), "{text}");
}

#[test]
fn modules_go_on_after_calls_that_cost_too_much() {
    let walk = "def walk(path):\n    found = []\n".to_owned()
        + &"    found.append(walk(path + '/x'))\n".repeat(12)
        + "    return found\n";
    let module = format!(
        "import torch\n{walk}FOUND = walk('a')\nAGAIN = walk('b')\n\
         class Net(torch.nn.Module):\n    def forward(self):\n        return torch.rand(2, 3) @ torch.rand(4, 5)\n"
    );
    let folder = folder(&[("module.py", &module)]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "error[shape/mismatch]");
    contains(&out, "a call that takes more steps than the analysis has");
}

/// Each method that nobody calls is run on the object as its constructor left it, as if no other had been called.
#[test]
fn methods_of_a_class_do_not_see_what_others_did() {
    let source = "import torch\n\
                  class Net:\n    count = 0\n\n\
                  \x20   def __init__(self):\n        self.width = 3\n        self.seen = torch.rand(self.width, 4)\n\
                  \x20       Net.count += 1\n\n\
                  \x20   def first(self):\n        reveal_type(self.seen)\n        self.__dict__['width'] = 7\n        Net.count += 8\n\
                  \x20       self.seen.resize_(7, 7)\n\n\
                  \x20   def second(self):\n        reveal_type(torch.rand(Net.count, self.width))\n        return self.seen @ torch.rand(5, 5)\n\n\
                  \x20   def third(self):\n        return torch.rand(2, self.width) @ self.seen\n";
    let folder = folder(&[("net.py", source)]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "[3, 4]");
    contains(&out, "[1, 3]");
    assert_eq!(out.matches("error[shape/mismatch]").count(), 1, "{out}");
}

#[test]
fn classes_and_modules_in_circles_end() {
    finds_the_error(&format!(
        "class A:\n    pass\nclass B(A):\n    pass\nclass A(B):\n    pass\nA().x\nclass C:\n    pass\nC.__bases__ = (C,)\nC().y\n\
         class M(type):\n    def __call__(cls, *a):\n        return cls(*a)\nclass D(metaclass=M):\n    pass\nD()\n{WRONG}"
    ));
    let names: Vec<(String, String)> = (0..60)
        .map(|at| (format!("m{at}.py"), format!("from m{0} import *\nimport m{0}\nx = m{0}.x\n", (at + 1) % 60)))
        .chain([("main.py".to_owned(), WRONG.to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = folder(&files);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    contains(&String::from_utf8_lossy(&output.stdout), "main.py:2:1");
}

#[test]
fn long_lines_of_ancestors_are_looked_through_once() {
    let method = "    def forward(self, x):\n        return super().forward(x)\n";
    let line: String = (1..200).map(|at| format!("class C{at}(C{}):\n{method}", at - 1)).collect();
    let diamonds: String = (1..60)
        .map(|at| {
            format!(
                "class L{at}(D{0}):\n{method}class R{at}(D{0}):\n{method}class D{at}(L{at}, R{at}):\n{method}",
                at - 1
            )
        })
        .collect();
    for (classes, made) in [(line, "C199"), (diamonds, "D59")] {
        let first = format!("class {}0:\n    def forward(self, x):\n        return x\n", &made[..1]);
        finds_the_error(&format!("{first}{classes}{made}().forward(1)\n{WRONG}"));
    }
}

#[test]
fn special_methods_of_python_s_types_end() {
    let classes = "class S(str):\n    pass\nclass T(tuple):\n    def __getitem__(self, i):\n        return super().__getitem__(i)\n\
                   class N(int):\n    pass\nclass F(frozenset):\n    pass\n";
    let uses = [
        "c[0]",
        "len(c)",
        "c + c",
        "1 in c",
        "c == c",
        "c < c",
        "str(c)",
        "list(c)",
        "abs(c)",
        "c.__getitem__(0)",
        "c % 3",
        "f'{c:>4}'",
    ];
    let calls: String =
        uses.iter().map(|used| format!("    try:\n        {used}\n    except Exception:\n        pass\n")).collect();
    finds_the_error(&format!("{classes}for c in (S('a'), T((1, 2)), N(3), F([1])):\n{calls}{WRONG}"));
}

#[test]
fn arguments_that_double_are_bounded() {
    let source = format!("def f(*a, **k):\n    return f(*a, *a, **k)\nf(1)\n{WRONG}");
    let folder = folder(&[("long.py", source.as_str()), ("main.py", WRONG)]);
    let output = harp(folder.path(), &["check", ".", "--verbose"]);
    let out = String::from_utf8_lossy(&output.stdout);
    contains(&out, "main.py:2:1");
    // Whichever bound comes first, it is told.
    assert!(out.contains("copied items") || out.contains("recursion too deep"), "{out}");
}

#[test]
fn deep_trees_are_bounded() {
    let deep = [
        format!("x = {}1{}\n", "(".repeat(2000), ")".repeat(2000)),
        format!("x = {}{}\n", "[".repeat(2000), "]".repeat(2000)),
        format!("x = {}1\n", "-".repeat(5000)),
        format!("x = 1{}\n", " + 1".repeat(20_000)),
        format!("x = f{}\n", "(1)".repeat(3000)),
        format!("x = a{}\n", ".b".repeat(5000)),
        format!("x = a{}\n", ".b".repeat(100_000)),
        format!("x = {}1{}\n", "(".repeat(5000), ")".repeat(5000)),
        format!("x = {}\n", vec!["a"; 1_000_000].join(" + ")),
        (0..5000).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<String>(),
        format!("x = {}1\n", "lambda: ".repeat(2000)),
        format!("x = {}1\n", "1 if y else ".repeat(2000)),
        (0..300).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<String>() + &" ".repeat(300) + "pass\n",
        "if n:\n    pass\n".to_owned() + &"elif n:\n    pass\n".repeat(3000),
    ];
    for source in deep {
        let folder = folder(&[("deep.py", source.as_str()), ("main.py", WRONG)]);
        let output = harp(folder.path(), &["check", ".", "--verbose"]);
        assert_eq!(output.status.code(), Some(1), "{}", source.chars().take(40).collect::<String>());
        contains(&String::from_utf8_lossy(&output.stdout), "main.py:2:1");
    }
}

/// A pack of one rule, written after a declaration of `finding(r, message)`.
fn with_rule(rule: &str) -> TempDir {
    let rules = format!(
        "/// A rule.\n/// @id acme/rule   @severity warning   @tags test\n/// @message \"{{message}}\"\n/// @at r\n\
         .decl finding(r: Requirement, message: symbol)\n{rule}\n"
    );
    let manifest = "name = 'acme'\nversion = '0.1.0'\nschema_version = 1\nlicence = 'MIT'\ndescription = 'Ours'\n";
    folder(&[("main.py", WRONG), ("acme/harp-pack.toml", manifest), ("acme/rules/rule.dl", &rules)])
}

/// A broken rule is shown where it is, and the built-in rules run.
#[track_caller]
fn rule_is_refused(rule: &str, message: &str, place: &str) {
    let folder = with_rule(rule);
    let output = harp(folder.path(), &["check", "main.py", "--pack", "acme"]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    contains(&err, message);
    contains(&err, place);
    contains(&String::from_utf8_lossy(&output.stdout), "error[shape/mismatch]");
}

#[test]
fn broken_rules_are_shown_and_the_rest_is_done() {
    rule_is_refused("finding(r, m) :- violated(r, m).", "`violated` has 1 column, not 2", "rule.dl:6:18");
    rule_is_refused("finding(r, m) :- violated(r).", "the variable `m` is not bound", "rule.dl:6:12");
    rule_is_refused("finding(r, m) :- violate(r, m).", "unknown relation `violate`", "rule.dl:6:18");
    rule_is_refused("finding(r, m) :- violated(r", "expected", "rule.dl:");
    rule_is_refused(
        "finding(r, m) :- requirement(r, _, m), !other(r).\n.decl other(r: Requirement)\n\
         other(r) :- requirement(r, _, m), !finding(r, m).",
        "the cycle is",
        "rule.dl:6:",
    );
}

#[test]
fn a_sound_rule_of_ones_own_runs() {
    let folder = with_rule("finding(r, m) :- violated(r), requirement(r, _, m).");
    let output = harp(folder.path(), &["check", "main.py", "--pack", "acme"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    contains(&String::from_utf8_lossy(&output.stdout), "warning[acme/rule]");
}

#[test]
fn a_pack_that_is_none_is_shown() {
    let folder = folder(&[("main.py", WRONG), ("empty/readme.txt", "")]);
    for pack in ["empty", "none"] {
        let output = harp(folder.path(), &["check", "main.py", "--pack", pack]);
        assert_eq!(output.status.code(), Some(2));
        contains(&String::from_utf8_lossy(&output.stderr), &format!("{pack} is not a rule pack"));
        contains(&String::from_utf8_lossy(&output.stdout), "error[shape/mismatch]");
    }
}

#[test]
fn long_chains_of_relations_are_followed_to_their_end() {
    let chain: String = (1..20_000).map(|n| format!(".decl r{n}(x: symbol)\nr{n}(x) :- r{}(x).\n", n - 1)).collect();
    let folder = with_rule(&format!(".decl r0(x: symbol)\nr0(\"a\").\n{chain}"));
    let output = harp(folder.path(), &["check", "main.py", "--pack", "acme"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_unbound_shape_variable_is_shown() {
    let annotations =
        "library: ours\napis:\n  - function: ours.f\n    parameters: \"x\"\n    signature: \"(x: s@[n]) -> s@[m]\"\n";
    let folder = folder(&[("main.py", WRONG), ("ours.yaml", annotations)]);
    let output = harp(folder.path(), &["check", "main.py", "--annotations", "ours.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr);
    contains(&err, "ours.yaml:5:");
    contains(&err, "`m`");
    contains(&String::from_utf8_lossy(&output.stdout), "error[shape/mismatch]");
}
