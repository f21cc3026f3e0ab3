//! A library of one's own, described by what `docs/annotations.md` says alone, beside a project that uses it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts")
}

/// A project whose configuration names the folder `annotations`.
fn project(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    let configuration: (&str, &[u8]) = ("pyproject.toml", b"[tool.harp]\nannotations = [\"annotations\"]\n");
    for (path, bytes) in files.iter().chain([&configuration]) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
    folder
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

/// The annotation file that the documentation shows from start to end.
fn documented() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/annotations.md");
    let text = fs::read_to_string(path).expect("the documentation is part of the repository");
    let block = text.split("```yaml\n").nth(1).expect("a file in YAML");
    block.split("```").next().unwrap_or_default().to_owned()
}

const PROGRAM: &str = "import torch
import acme
from acme.data import Digits
from acme.layers import Gate, join, peaks, pieces, project

w = torch.rand(6, 5)
reveal_type(project(torch.rand(2, 5), w, scale=2))
reveal_type(acme.project(torch.rand(2, 3, 5), w))
gate = Gate(8)
reveal_type(gate.weight)
reveal_type(gate(torch.rand(4, 8)))
reveal_type(gate.inner(torch.rand(1, 8)))
reveal_type(gate.fold(torch.rand(2, 3, 4), axis=1))
reveal_type(len(Digits('data', train=False)))
gate(torch.rand(4, 9))
project(torch.rand(2, 4), w)
reveal_type(gate.scales)
reveal_type(join(torch.rand(2, 3), torch.rand(2, 4)))
values, places = peaks(torch.rand(2, 3, 4), dim=1, return_indices=True)
reveal_type(places)
reveal_type(peaks(torch.rand(2, 3, 4), keepdim=True))
first, second = pieces(torch.rand(7, 2), [3, 4])
reveal_type(second)
join(torch.rand(2, 3), torch.rand(1, 4))
peaks(torch.rand(2, 3), dim=2)
peaks(torch.rand(2, 3), mask=torch.rand(3))
pieces(torch.rand(7, 2), [3, 5])
";

#[test]
fn the_documented_library_is_understood() {
    let folder = project(&[("annotations/acme.yaml", documented().as_bytes()), ("main.py", PROGRAM.as_bytes())]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py"]));
    assert_eq!((code, err.as_str()), (Some(1), ""), "{out}");
    for revealed in [
        "[2, 12] float32",
        "[2, 3, 6] float32",
        "[8, 3, 3] float32",
        "[4, 8] float32",
        "[1, 8] float32",
        "[2, 4] float32",
        "10000",
    ] {
        contains(&out, revealed);
    }
    contains(&out, "must be `width` (8), got 9");
    contains(&out, "main.py:15");
    contains(&out, "main.py:16");
    // The axis, the flag, the variadic and the optional parameter, and the list of results.
    for revealed in ["[16] float32", "[2, 7] float32", "[2, 4] int64", "[2, 3, 1] float32"] {
        contains(&out, revealed);
    }
    contains(&out, "reveal-type]: [4, 2] float32");
    contains(&out, "`parts[0]` ([2, 3]) and `parts[1]` ([1, 4]) must have the same shape except at `dim`");
    contains(&out, "dimension out of range: `dim` is 2, but `x` [2, 3] has only the dimensions -2 to 1");
    contains(&out, "`x` ([2, 3]) and `mask` ([3]) must have the same shape");
    contains(&out, "`sum(n for n in sizes) == s[dim]` must hold, here 8 == 7");
}

#[test]
fn what_is_not_annotated_is_unknown_and_counted_and_no_alarm() {
    let program = "import torch
import acme
from acme.layers import mystery, Gate

x = torch.rand(2, 3)
y = mystery(x, mode='fast') + acme.other(x)[0]
z = Gate(3).secret(y)
reveal_type(x @ torch.rand(3, 4))
torch.rand(2, 4) + y + z
";
    let folder = project(&[("annotations/acme.yaml", documented().as_bytes()), ("main.py", program.as_bytes())]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py", "--verbose"]));
    assert_eq!(err, "");
    assert_eq!(code, Some(0), "{out}");
    contains(&out, "acme.layers.mystery");
    contains(&out, "acme.other");
    contains(&out, "[2, 4] float32");
}

/// What is said of a file of annotations, without the summary of the analysis.
fn said_of(bytes: &[u8]) -> String {
    let folder = project(&[("annotations/acme.yaml", bytes), ("main.py", b"x = 1\n")]);
    let (code, _, err) = told(&harp(folder.path(), &["check", "main.py"]));
    assert_eq!(code, Some(2), "{err}");
    err.replace(&folder.path().display().to_string(), "").replace("/private", "")
}

fn entry(keys: &str) -> String {
    let mut text = "library: acme\napis:\n  - function: acme.project\n".to_owned();
    keys.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    text
}

#[test]
fn mistakes_are_shown_with_line_caret_and_hint() {
    let cases = [
        ("an unknown key", entry("paramters: \"x\"")),
        ("an unbound shape variable", entry("parameters: \"x\"\nsignature: \"(x: [n, k]) -> [n, m]\"")),
        ("a list where a text belongs", entry("parameters: [x, y]")),
        ("a name described twice", format!("{}  - function: acme.project\n", entry("parameters: \"x\""))),
        ("a signature that does not parse", entry("parameters: \"x\"\nsignature: \"(x: [n/2]) -> [n]\"")),
        ("a choice without an alternative", entry("parameters: \"x, f=1\"\nsignature: \"(x: s) -> s if f\"")),
        ("an axis that is not named", entry("parameters: \"x\"\nsignature: \"(x: s) -> drop(s)\"")),
        ("a function that is not there", entry("parameters: \"x\"\nsignature: \"(x: s) -> squash(s, 0)\"")),
        ("an unknown flag", entry("parameters: \"x, flag=1\"\nsignature: \"(x: s) -> s if flags else []\"")),
        ("a parameter that is not optional", entry("parameters: \"x, b\"\nsignature: \"(x: s, b?: s) -> s\"")),
        ("a parameter that is not variadic", entry("parameters: \"x\"\nsignature: \"(*x: s) -> s\"")),
        ("a loop over no parameter", entry("parameters: \"x\"\nsignature: \"(x: s) -> list of s for t in xs\"")),
        ("a condition that compares nothing", entry("parameters: \"x\"\nsignature: \"(x: s) -> s where rank(s)\"")),
        ("a dtype for each result that does not end", entry("parameters: \"x\"\ndtype: (same(x), int64")),
        ("an unknown effect", entry("effects: [pur]")),
        ("an unknown dtype rule", entry("parameters: \"x\"\ndtype: same_as(x)")),
        ("an unknown cost", entry("cost: expensive")),
        ("an alias that is no name", entry("aliases: [acme.2d]")),
        ("a module alias that is no name", "library: acme\nmodule_aliases: {acme.x: \"a c\"}\n".to_owned()),
        ("an earlier default of no parameter", entry("parameters: \"x\"\nbefore: {\"2.0\": \"y=1\"}")),
        ("an earlier version that is none", entry("parameters: \"x=1\"\nbefore: {\"two\": \"x=1\"}")),
        ("a version that is none", "library: acme\nversions:\n  two: {added: [acme.project]}\n".to_owned()),
        ("a transfer function that does not exist", entry("parameters: \"x\"\ntransfer: sumtotal")),
        ("a tab", "library: acme\napis:\n\t- function: acme.project\n".to_owned()),
    ];
    let mut text = String::new();
    for (what, source) in cases {
        text.push_str(&format!("== {what}\n{}\n", said_of(source.as_bytes())));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn hostile_files_are_refused_at_once() {
    let laughs: String = (1..30)
        .map(|level| format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(9)))
        .collect::<String>();
    let laughs = format!("library: acme\na0: &a0 [lol]\n{laughs}");
    contains(&said_of(laughs.as_bytes()), "error");
    let deep = format!("library: acme\napis: {}\n", "[".repeat(100_000));
    contains(&said_of(deep.as_bytes()), "error");
    let large = format!("library: acme\napis: []\n# {}\n", "x".repeat(10 << 20));
    contains(&said_of(large.as_bytes()), "larger than");
    contains(&said_of(b"\xff\xfe\x00\x01library: acme"), "error");
    contains(&said_of(b"library: acme\n\x00\x1b[31m"), "error");
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("main.py"), "x = 1\n").expect("a file can be written");
    let (code, _, err) = told(&harp(folder.path(), &["check", "--annotations", "none.yaml", "main.py"]));
    assert_eq!(code, Some(2));
    contains(&err, "none.yaml");
}

#[test]
fn versions_decide_what_exists_and_which_defaults_hold() {
    let library = "library: acme
versions:
  \"2.0\": {added: [acme.new], removed: [acme.old]}
apis:
  - function: [acme.new, acme.old]
    parameters: \"x\"
    signature: \"(x: s) -> s\"
";
    let program = "import torch
w = torch.ones(8)
reveal_type(torch.stft(torch.rand(32), 8, 4, window=w))
torch.symeig(torch.rand(2, 2))
torch.nn.functional.scaled_dot_product_attention(torch.rand(1, 2, 3), torch.rand(1, 2, 3), torch.rand(1, 2, 4))
";
    let files: [(&str, &[u8]); 3] = [
        ("annotations/acme.yaml", library.as_bytes()),
        ("main.py", program.as_bytes()),
        ("requirements.txt", b"torch==1.7.1\n"),
    ];
    let folder = project(&files);
    let (_, out, err) = told(&harp(folder.path(), &["check", "main.py", "--verbose"]));
    assert_eq!(err, "");
    contains(&out, "[5, 9, 2] float32");
    contains(&out, "torch.nn.functional.scaled_dot_product_attention exists only since 2.0");
    assert!(!out.contains("torch.symeig was removed"), "{out}");

    // The configuration wins over the requirements.
    let configuration = "[tool.harp]\nannotations = [\"annotations\"]\ntarget-torch = \">=2.1\"\n";
    fs::write(folder.path().join("pyproject.toml"), configuration).expect("a file can be written");
    let (_, out, _) = told(&harp(folder.path(), &["check", "main.py", "--verbose"]));
    contains(&out, "torch.symeig was removed in 2.0");
    assert!(!out.contains("exists only since"), "{out}");
}
