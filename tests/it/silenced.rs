//! What filters silence is listed by `harp check --verbose`, and the page on the output names every filter.

use std::path::Path;
use std::process::Command;

use harp::interp::filter_names;

use crate::common::folder;

const PROGRAM: &str = "import torch
from torch import nn

try:
    x = torch.rand(2, 3) @ torch.rand(4, 5)
except RuntimeError:
    x = torch.rand(2, 5)

layer = nn.Linear(6, 6)
y = torch.rand(4, 5) + layer(torch.rand(4, 7))

def select(values, index: int):
    return values.reshape(1, -1, 4)[index]

def rows(table: torch.Tensor):
    weights = torch.rand(1, 3)
    for i in range(table.size(0)):
        table[i] * weights[i, 1]

def read(path):
    with open(path) as file:
        try:
            return torch.rand(2) + torch.rand(3)
        except (ValueError, RuntimeError):
            return None
";

fn harp(path: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_harp")).current_dir(path).args(arguments).output();
    String::from_utf8(output.expect("harp runs").stdout).expect("UTF-8")
}

#[test]
fn the_page_on_the_output_names_every_filter_in_their_order() {
    let page = include_str!("../../docs/output.md");
    let (_, section) = page.split_once("\n## What is suppressed\n").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let named = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(named.collect::<Vec<_>>(), filter_names().collect::<Vec<_>>());
}

#[test]
fn silenced_alarms_are_listed_with_their_places_and_filters() {
    let folder = folder(&[("main.py", PROGRAM)]);
    let out = harp(folder.path(), &["check", "main.py", "--verbose"]);
    let section = out.split_once("\nsuppressed, ").map_or("", |(_, section)| section);
    let lines: Vec<&str> = section.lines().collect();
    assert_eq!(
        lines[0], "5 places: expected-exception (2), consequence (1), integer-of-callers (1), later-iteration (1)",
        "{out}"
    );
    let places: Vec<&str> = lines[1..].iter().take_while(|line| line.starts_with("  ")).copied().collect();
    let begins = [
        "  main.py:5:9: expected-exception: `torch.matmul`: `input` [2, 3] and `other` [4, 5] cannot be multiplied",
        "  main.py:10:5: consequence: `torch.add`: ",
        "  main.py:13:12: integer-of-callers: `torch.Tensor.__getitem__`: index index is out of range",
        "  main.py:18:20: later-iteration: `torch.Tensor.__getitem__`: index i is out of range",
        "  main.py:23:20: expected-exception: `torch.add`: ",
    ];
    assert_eq!(places.len(), begins.len(), "{out}");
    for (line, begin) in places.iter().zip(begins) {
        assert!(line.starts_with(begin), "{line}\n{begin}");
    }
}

#[test]
fn what_is_reported_on_another_way_is_not_silenced() {
    let program = "import torch

def f(a, b, careful):
    try:
        return a @ b
    except RuntimeError:
        return None

def g(a, b):
    return a @ b

f(torch.rand(2, 3), torch.rand(4, 5), True)
g(torch.rand(2, 3), torch.rand(4, 5))
";
    let folder = folder(&[("main.py", program)]);
    let out = harp(folder.path(), &["check", "main.py", "--verbose"]);
    assert!(out.contains("suppressed, 1 place: expected-exception (1)\n  main.py:5:16: expected-exception: "), "{out}");
    assert!(!out.contains("main.py:10:12: expected-exception"), "{out}");
}

#[test]
fn brief_output_and_the_forms_for_programs_do_not_list_them() {
    let folder = folder(&[("main.py", PROGRAM)]);
    for arguments in [&["check", "main.py"][..], &["check", "main.py", "--verbose", "--format", "json"]] {
        let out = harp(folder.path(), arguments);
        assert!(!out.contains("expected-exception"), "{out}");
    }
}

#[test]
fn names_in_requirements_are_written_out() {
    let program = "import torch\ntry:\n    torch.rand(2).reshape('\\n::error::x', 3)\nexcept TypeError:\n    pass\n";
    let folder = folder(&[("main.py", program)]);
    let out = harp(folder.path(), &["check", "main.py", "--verbose"]);
    assert!(out.lines().all(|line| !line.starts_with("::")), "{out}");
}
