//! `harp suppress`: comments for what is found, where formatters keep them.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::folder;

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a file")
}

const PROGRAM: &str = "\
import torch

x = torch.rand(2, 3) @ torch.rand(4, 5)  # noqa
y = torch.cat(
    [torch.zeros(2, 3), torch.ones(4, 5)],
    dim=0,
)
z = torch.rand(2, 3) @ torch.rand(4, 5)  # harp: ignore[perf] slow
reveal_type(torch.rand(2))
";

#[test]
fn what_is_found_is_silent_afterwards() {
    let folder = folder(&[("a.py", PROGRAM), ("clean.py", "x = 1\n"), ("broken.py", "x = (\n")]);
    let (code, out, _) = harp(folder.path(), &["suppress", "--diff"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("--- a.py\n+++ a.py\n") && read(&folder, "a.py") == PROGRAM, "{out}");
    let (code, out, err) = harp(folder.path(), &["suppress", "--reason", "known since 2024"]);
    assert_eq!((code, out.as_str()), (Some(0), "3 findings suppressed in 1 file\n"), "{err}");
    let comment = "  # harp: ignore[shape/mismatch] known since 2024\n";
    let expected = PROGRAM
        .replace("# noqa\n", &format!("# noqa{comment}"))
        .replace("\n)\n", &format!("\n){comment}"))
        .replace("[perf]", "[perf, shape/mismatch]");
    assert_eq!(read(&folder, "a.py"), expected);
    let (code, out, _) = harp(folder.path(), &["check", "a.py", "--format", "concise"]);
    assert_eq!(code, Some(0));
    assert!(out.ends_with("1 note in 1 file (9 lines); 3 suppressed\n"), "{out}");
    assert_eq!(harp(folder.path(), &["suppress"]).1, "0 findings suppressed in 0 files\n");
    let (_, out, _) = harp(folder.path(), &["check", "a.py", "--format", "sarif"]);
    let log: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let kinds: Vec<&serde_json::Value> = results.iter().map(|result| &result["suppressions"][0]["kind"]).collect();
    let silenced = serde_json::Value::from("inSource");
    assert_eq!(kinds, [&serde_json::Value::Null, &silenced, &silenced, &silenced]);
    let said = results.iter().filter(|result| result["suppressions"][0]["justification"] == "known since 2024");
    assert_eq!(said.count(), 2, "the third has a comment that was there before: {results:#?}");
}

#[test]
fn rules_are_selected_and_line_ends_stay() {
    let program = format!(
        "{PROGRAM}import numpy as np\na, b = np.zeros(1000), np.ones(1000)\nfor i in range(1000):\n    a[i] = b[i] * 2\nprint(a)\n"
    );
    let program = program.replace('\n', "\r\n");
    let folder = folder(&[("a.py", program.as_str())]);
    assert_eq!(harp(folder.path(), &["suppress", "--select", "harp"]).1, "1 finding suppressed in 1 file\n");
    let header = "for i in range(1000):";
    let expected = program.replace(header, &format!("{header}  # harp: ignore[harp/vectorisable-loop]"));
    assert_eq!(read(&folder, "a.py"), expected);
    let (code, _, err) = harp(folder.path(), &["suppress", "--select", "shap"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("there is no rule, pack or tag `shap`") && read(&folder, "a.py") == expected, "{err}");
}

#[test]
fn cells_of_notebooks_get_comments() {
    let notebook = "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"import torch\\n\", \"torch.rand(2, 3) @ torch.rand(4, 5)\"]}, \
                    {\"cell_type\": \"code\", \"source\": \"torch.rand(2, 3) @ torch.rand(6, 7)\\n\"}], \"x\": 1.0, \"nbformat\": 4}";
    let folder = folder(&[("a.ipynb", notebook)]);
    assert_eq!(harp(folder.path(), &["suppress"]).1, "2 findings suppressed in 1 file\n");
    let expected = notebook
        .replace("(4, 5)", "(4, 5)  # harp: ignore[shape/mismatch]")
        .replace("(6, 7)", "(6, 7)  # harp: ignore[shape/mismatch]");
    assert_eq!(read(&folder, "a.ipynb"), expected);
    assert_eq!(harp(folder.path(), &["check"]).0, Some(0));
}

#[test]
fn what_cannot_be_written_is_told_and_left_alone() {
    let program = b"# coding: latin-1\nimport torch\ntorch.rand(2, 3) @ torch.rand(4, 5)  # \xe9\n";
    let folder = folder(&[("latin.py", &program[..]), ("a.py", PROGRAM.as_bytes())]);
    let (code, out, _) = harp(folder.path(), &["suppress", "--reason", "\u{2713}"]);
    assert_eq!(code, Some(2));
    assert!(out.starts_with("3 findings suppressed in 1 file\n"), "{out}");
    assert!(out.contains("latin.py:3:1: shape/mismatch is not suppressed: latin.py: the new text cannot be"), "{out}");
    assert_eq!(fs::read(folder.path().join("latin.py")).expect("a file"), program);
    for reason in ["a\nb", "\u{1b}[31m", "harp: ignore-file", &"x".repeat(500)] {
        let (code, out, err) = harp(folder.path(), &["suppress", "--reason", reason]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(!err.contains('\u{1b}'), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_project() {
    let outside = folder(&[("a.py", PROGRAM)]);
    let folder = folder(&[("b.py", "x = 1\n")]);
    std::os::unix::fs::symlink(outside.path().join("a.py"), folder.path().join("a.py")).expect("a link");
    let (code, out, _) = harp(folder.path(), &["suppress", "a.py"]);
    assert_eq!(code, Some(2));
    assert!(out.starts_with("0 findings suppressed in 0 files\n") && out.contains("a link leads to its file"), "{out}");
    assert_eq!(read(&outside, "a.py"), PROGRAM);
}
