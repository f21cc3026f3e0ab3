//! `harp check --coverage`: what was followed, what not, and what to do about it.

use std::path::Path;
use std::process::Command;

use crate::common::folder;

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output =
        command.args(["check", "--coverage"]).args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const CLEAN: &str = "import torch\n\nprint(torch.rand(2, 3) @ torch.rand(3, 4))\n";
const OPEN: &str = "\
import argparse
import torch
import elsewhere

def f(x: torch.Tensor):
    return elsewhere.change(x) @ x

def g(x: torch.Tensor, h):
    made = open(h).made
    return (made(x) @ x) + (torch.unknown_api(made(x)) @ x)

parser = argparse.ArgumentParser()
parser.add_argument('--more', action='store_true')
parser.add_argument('--size', type=int, default=3)
args = parser.parse_args()
x = torch.rand(args.size, 3)
if args.more:
    print(len('once'))
";

#[test]
fn each_file_has_a_row_and_each_gap_something_to_do() {
    let folder = folder(&[("a.py", CLEAN), ("open.py", OPEN), ("broken.py", "x = (\n")]);
    let (code, out, err) = harp(folder.path(), &["--verbose"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "file       statements followed  entry points complete");
    assert_eq!(lines[1], "a.py       1 of 1 (100%)        1 of 1");
    assert!(lines[3].starts_with("open.py    ") && lines[3].ends_with("1 of 3"), "{out}");
    for (gap, advice) in [
        (
            "open.py:6:12: elsewhere.change (1 entry point)",
            "install `elsewhere` into an environment and give it: `--python ENV`",
        ),
        (
            "open.py:10:13: call of `made`, of which nothing is known (1 entry point)",
            "annotate the parameter or variable",
        ),
        (
            "open.py:10:29: torch.unknown_api (1 entry point)",
            "describe `torch.unknown_api` in a file for `--annotations`",
        ),
        ("broken.py:1:1: a syntax error (1 entry point)", "fix the syntax error"),
    ] {
        let at = lines.iter().position(|line| *line == gap).unwrap_or_else(|| panic!("{gap}: {out}"));
        assert!(lines[at + 1].trim_start().starts_with(advice), "{out}");
    }
}

#[test]
fn programs_get_the_same_as_json() {
    let folder = folder(&[("a.py", OPEN), ("large.py", &format!("#{}\n", "x".repeat(3000)))]);
    let (code, out, _) = harp(folder.path(), &["--format", "json", "--max-file-size", "2000"]);
    assert_eq!(code, Some(0));
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let file = &report["files"][0];
    assert_eq!((&file["file"], &file["entries"], &file["complete"]), (&"a.py".into(), &3.into(), &1.into()));
    let gaps = file["gaps"].as_array().expect("a list");
    let kinds: Vec<&str> = gaps.iter().filter_map(|gap| gap["kind"].as_str()).collect();
    assert!(["package", "value", "api"].iter().all(|kind| kinds.contains(kind)), "{report:#}");
    assert_eq!(report["skipped"][0]["path"], "large.py");
    assert_eq!(harp(folder.path(), &["--format", "sarif"]).0, Some(2));
}

#[test]
fn nothing_in_it_changes_a_terminal() {
    let name = "a\u{1b}[31m.py";
    let folder = folder(&[(
        name,
        "import torch\n\ndef f(x: torch.Tensor, h):\n    made = open(h).made['\u{1b}[2J']\n    return made(x) @ x\n",
    )]);
    for format in ["text", "json"] {
        let (code, out, err) = harp(folder.path(), &["--format", format]);
        assert_eq!(code, Some(0), "{err}");
        assert!(!out.contains('\u{1b}') && out.contains("of which nothing is known"), "{out}");
    }
}
