//! What a pack says of classes and functions by one word: what they stand for, of which kind their objects are, what they refuse.

use crate::common::folder;
use crate::common::repository::harp_in;

const MANIFEST: &str = "name: acme\ninstalled: acme\nkinds:\n  table: [acme.Table, acme.Column]\n";
const ENTRIES: &str = r#"library: acme
apis:
  - class: [acme.Table, acme.Column]
    parameters: ""
  - class: acme.Optimizer
    stands_for: optimizer
    parameters: "params"
    methods:
      step: {parameters: "closure=None", returns: None, effects: writes self}
  - class: acme.Fast
    bases: acme.Optimizer
    parameters: "params"
  - class: acme.Loader
    stands_for: loader
    parameters: "data, sampler=None"
    attributes:
      sampler: sampler or type int
  - class: acme.Refused
    bases: builtins.ValueError
    parameters: "*args"
  - function: acme.check
    stands_for: assert
    parameters: "condition, message"
    returns: None
  - function: acme.lazy
    stands_for: property
    parameters: "function"
    returns: unknown
  - function: acme.sharpen
    parameters: "image"
    signature: "(image: s) -> s"
    refuses: pictures
"#;

/// What `harp check` says of a program, a finding a line.
fn check(entries: &str, program: &str) -> String {
    let files = [("acme/harp-library.yaml", MANIFEST), ("acme/own.yaml", entries), ("main.py", program)];
    let folder = folder(&files);
    let said = harp_in(
        folder.path(),
        &["check", "--no-cache", "main.py", "--annotations", "acme", "--format", "concise"],
        b"",
    );
    format!("{}{}", said.out, said.err)
}

#[track_caller]
fn reveals(program: &str, wanted: &[&str]) {
    let said = check(ENTRIES, program);
    let revealed: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once("note[reveal-type] ")?.1)).collect();
    assert_eq!(revealed, wanted, "{said}");
}

#[test]
fn an_installed_package_is_not_missing() {
    let program = "try:
    import acme.extras
except ImportError:
    reveal_type('is missing')
try:
    import other
except ImportError:
    reveal_type('may be missing')
";
    reveals(program, &["\"may be missing\""]);
}

#[test]
fn a_library_of_tensors_that_a_module_imports_anyway_is_not_missing() {
    let program = "import jax
try:
    import jax.numpy
except ImportError:
    reveal_type('is missing')
";
    reveals(program, &[]);
    reveals(&program.replace("import jax\n", ""), &["\"is missing\""]);
}

#[test]
fn no_object_is_of_two_kinds() {
    let program = "import acme

def f(x):
    if isinstance(x, acme.Table):
        if isinstance(x, str):
            reveal_type('both')
        if isinstance(x, acme.Column):
            reveal_type('a column')

def g(x):
    if isinstance(x, acme.Table) and isinstance(x, __import__('torch').nn.Conv2d):
        reveal_type('both')
";
    reveals(program, &["\"a column\""]);
}

#[test]
fn optimizers_call_what_they_are_given_and_train() {
    let program = "import acme, torch

def loss():
    return torch.zeros(2, 3)

reveal_type(acme.Fast([]).step(loss))
";
    reveals(program, &["[2, 3] float32 on cpu"]);
}

#[test]
fn exceptions_are_taken_by_handlers_of_their_bases() {
    let program = "import acme

try:
    raise acme.Refused
except KeyError:
    reveal_type('of another class')
except ValueError:
    reveal_type('of its base')
";
    reveals(program, &["\"of its base\""]);
}

#[test]
fn functions_stand_for_parts_of_the_language() {
    let program = "import acme, torch

class Model:
    @acme.lazy
    def width(self):
        return 3

reveal_type(Model().width)

def f(n):
    acme.check(n == 4, 'four')
    reveal_type(torch.zeros(n))
";
    reveals(program, &["3", "[4] float32 on cpu"]);
}

#[test]
fn attributes_that_are_not_given_are_made() {
    let program = "import acme

reveal_type(acme.Loader([1], sampler='mine').sampler)
reveal_type(acme.Loader([1]).sampler)
";
    reveals(program, &["\"mine\"", "sampler"]);
}

#[test]
fn a_function_that_refuses_pictures_fails_for_one() {
    let program = "import acme
from PIL import Image

acme.sharpen(Image.new('RGB', (4, 4)))
";
    let said = check(ENTRIES, program);
    assert!(said.contains("main.py:4:1: error") && said.contains("is given a picture"), "{said}");
    let accepted = check(&ENTRIES.replace("    refuses: pictures\n", ""), program);
    assert!(!accepted.contains("error"), "{accepted}");
}

#[test]
fn words_that_nobody_knows_are_mistakes() {
    for (entry, wrong) in [
        ("  - class: acme.A\n    stands_for: assert\n", "assert"),
        ("  - function: acme.f\n    stands_for: optimizer\n", "optimizer"),
        ("  - function: acme.f\n    refuses: music\n", "music"),
        ("  - class: acme.A\n    parameters: \"a=None\"\n    attributes:\n      a: a or 3\n", "expected `type`"),
    ] {
        let said = check(&format!("library: acme\napis:\n{entry}"), "import acme\n");
        assert!(said.contains(wrong) && said.contains("own.yaml"), "{entry}: {said}");
    }
}
