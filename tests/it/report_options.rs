//! What `harp check` reports, how much of it, in which form, and with which exit code.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .expect("the program starts")
}

/// Exit code and standard output.
fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = harp(folder, arguments);
    (output.status.code(), String::from_utf8(output.stdout).expect("output is UTF-8"))
}

/// An error that is certain, and one that has a condition.
const PROGRAM: &str = "\
import torch
from torch import nn

torch.rand(2, 3) @ torch.rand(4, 5)

class Open(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.one = nn.Linear(width, hidden)
        self.two = nn.Linear(width, width)

    def forward(self, x):
        return self.two(self.one(x))
";

fn project() -> TempDir {
    crate::common::folder(&[("a, b.py", PROGRAM), ("clean.py", "x = 1\n")])
}

#[test]
fn without_a_path_the_working_folder_is_checked() {
    let folder = project();
    let (code, out) = said(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].starts_with("a, b.py:4:"), "{out}");
    assert!(lines[0].contains("error[shape/mismatch] "), "{out}");
    assert!(lines[1].contains("warning[shape/possible] ") && lines[1].contains(", when "), "{out}");
    assert_eq!(lines[2], "1 error, 1 warning in 2 files (14 lines)");
}

#[test]
fn a_clean_project_takes_one_line() {
    let folder = crate::common::folder(&[("clean.py", "import torch\n\ndef f(x):\n    return torch.relu(x)\n")]);
    assert_eq!(said(folder.path(), &["check"]), (Some(0), "no findings in 1 file (4 lines)\n".to_owned()));
    assert_eq!(said(folder.path(), &["check", "--quiet"]), (Some(0), String::new()));
}

#[test]
fn what_was_not_checked_is_one_line() {
    let program = "import torch\nimport elsewhere\n\ndef f(x: torch.Tensor):\n    return elsewhere.change(x) @ x\n";
    let folder = crate::common::folder(&[("m.py", program)]);
    let (code, out) = said(folder.path(), &["check"]);
    assert_eq!(code, Some(0));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[1..],
        [
            "1 of 2 entry points not fully analysed (--verbose says why); what helps most: the sources of installed packages (`--python ENV`)"
        ],
        "{out}"
    );
    assert_eq!(said(folder.path(), &["check", "--fail-on", "unknown"]).0, Some(1));
    let program = "import argparse\n\ndef check(data):\n    if not data:\n        raise ValueError('no data')\n\n\
        if __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--data', default='')\n    \
        args = parser.parse_args()\n    check(args.data)\n    print(args.data)\n";
    let folder = crate::common::folder(&[("m.py", program)]);
    let line = "1 of 1 entry point not fully analysed (--verbose says why); what helps most: the program's options (`--args`)\n";
    let (_, out) = said(folder.path(), &["check"]);
    assert!(out.ends_with(line), "{out}");
    let (_, out) = said(folder.path(), &["check", "--args", "--data x"]);
    assert!(!out.contains("not fully analysed"), "{out}");
}

#[test]
fn rules_are_selected_and_ignored() {
    let folder = project();
    let rules = |arguments: &[&str]| {
        let (code, out) = said(folder.path(), &[&["check", "--format", "json-lines"], arguments].concat());
        let rule = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["rule"].to_string();
        (code, out.lines().map(rule).collect::<Vec<_>>().join(" "))
    };
    let (mismatch, possible) = ("\"shape/mismatch\"".to_owned(), "\"shape/possible\"".to_owned());
    assert_eq!(rules(&["--select", "shape/mismatch"]), (Some(1), mismatch.clone()));
    assert_eq!(rules(&["--select", "perf", "--extend-select", "shape/poss*"]), (Some(1), possible));
    assert_eq!(rules(&["--select", "perf"]), (Some(0), String::new()));
    assert_eq!(rules(&["--ignore", "shape/possible,perf"]), (Some(1), mismatch.clone()));
    assert_eq!(rules(&["--min-severity", "error"]), (Some(1), mismatch.clone()));
    assert_eq!(rules(&["--certain-only"]), (Some(1), mismatch));
    let unknown = harp(folder.path(), &["check", "--select", "shape/mismatsch"]);
    assert_eq!(unknown.status.code(), Some(2));
    let told = String::from_utf8_lossy(&unknown.stderr);
    assert!(told.contains("`--select`: there is no rule, pack or tag `shape/mismatsch`"), "{told}");
    assert!(told.contains("did you mean `shape/mismatch`?"), "{told}");
}

#[test]
fn a_rule_that_nobody_has_is_told_before_anything_is_checked() {
    let folder = project();
    for arguments in [
        &["--select", "foo"][..],
        &["--extend-select", "foo"],
        &["--ignore", "shape,foo"],
        &["--per-file-ignores", "a.py:foo"],
    ] {
        let output = harp(folder.path(), &[&["check"], arguments].concat());
        let err = String::from_utf8(output.stderr).expect("output is UTF-8");
        assert!(output.status.code() == Some(2) && err.contains("there is no rule, pack or tag `foo`"), "{err}");
        assert!(output.stdout.is_empty(), "{err}");
    }
    // A comma within braces is part of a pattern.
    let (code, out) = said(folder.path(), &["check", "--per-file-ignores", "{none,other}.py:shape,none.py:perf"]);
    assert_eq!(code, Some(1), "{out}");
}

#[test]
fn text_in_a_file_of_another_form_is_told() {
    let folder = project();
    let told = |arguments: &[&str]| {
        let output = harp(folder.path(), &[&["check", "clean.py"], arguments].concat());
        String::from_utf8(output.stderr).expect("output is UTF-8")
    };
    assert!(told(&["--output", "a.html"]).contains("write `--output html:a.html` for the form `html`"));
    for arguments in
        [&["--output", "html:a.html"][..], &["--output", "a.txt"], &["--format", "json", "--output", "a.json"]]
    {
        assert_eq!(told(arguments), "", "{arguments:?}");
    }
}

#[test]
fn the_configuration_selects_too() {
    let folder =
        crate::common::folder(&[("m.py", PROGRAM), ("harp.toml", "select = ['perf']\nextend-select = ['python']\n")]);
    assert_eq!(said(folder.path(), &["check"]).0, Some(0));
    assert_eq!(said(folder.path(), &["check", "--extend-select", "shape"]).0, Some(1));
    assert_eq!(said(folder.path(), &["check", "--isolated"]).0, Some(1));
    // What is left out so is counted as all that the configuration silences; who asks for a run knows what they left out.
    let counts = |arguments: &[&str]| said(folder.path(), &[&["check", "--format", "concise"], arguments].concat()).1;
    let configured = counts(&[]);
    assert!(configured.contains(" suppressed"), "{configured}");
    let chosen = counts(&["--select", "perf,python"]);
    assert!(!chosen.contains(" suppressed"), "{chosen}");
}

#[test]
fn exit_codes_are_chosen() {
    let folder = project();
    let code = |arguments: &[&str]| said(folder.path(), &[&["check"], arguments].concat()).0;
    assert_eq!(code(&["--exit-zero"]), Some(0));
    assert_eq!(code(&["--fail-on", "never"]), Some(0));
    assert_eq!(code(&["--fail-on", "error", "--ignore", "shape/mismatch"]), Some(0));
    assert_eq!(code(&["--fail-on", "error"]), Some(1));
    assert_eq!(code(&["missing.py", "--exit-zero"]), Some(2));
    assert_eq!(code(&["--exit-zero", "--fail-on", "error"]), Some(2));
}

#[test]
fn findings_are_counted_and_files_listed() {
    let folder = project();
    let (code, out) = said(folder.path(), &["check", "--statistics"]);
    assert_eq!(code, Some(1));
    assert!(out.lines().next().is_some_and(|line| line.starts_with("     1  shape/mismatch  ")), "{out}");
    assert_eq!(said(folder.path(), &["check", "--show-files"]), (Some(0), "a, b.py\nclean.py\n".to_owned()));
}

#[test]
fn github_is_told_by_commands() {
    let folder = project();
    let (code, out) = said(folder.path(), &["check", "--format", "github"]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    let start = "::error title=harp (shape/mismatch),file=a%2C b.py,line=4,endLine=4,col=1,endColumn=";
    assert!(lines[0].starts_with(start), "{out}");
    assert!(lines[1].starts_with("::warning title=harp (shape/possible),file=a%2C b.py,line=13,"), "{out}");
}

#[test]
fn no_text_of_a_program_is_a_command_of_its_own() {
    let program = "import torch\n\ndef f(x: \"[3, '::error::no', 'a%0A::b']\"):\n    x = torch.rand(2, 3)\n    return torch.einsum('::warning::x\\n::error::y', x)\n";
    let folder = crate::common::folder(&[("m.py", program)]);
    let (_, out) = said(folder.path(), &["check", "--format", "github"]);
    for line in out.lines() {
        assert!(line.starts_with("::error title=harp (") || line.starts_with("::warning title=harp ("), "{out}");
    }
}

#[test]
fn gitlab_gets_issues_and_junit_cases() {
    let folder = project();
    let (_, out) = said(folder.path(), &["check", "--format", "gitlab"]);
    let issues: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(issues[0]["check_name"], "shape/mismatch");
    assert_eq!(issues[0]["severity"], "critical");
    assert_eq!(issues[0]["location"]["path"], "a, b.py");
    assert_eq!(issues[0]["location"]["lines"]["begin"], 4);
    assert_eq!(issues[1]["severity"], "minor");
    assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
    let (_, out) = said(folder.path(), &["check", "--format", "junit"]);
    assert!(out.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"harp\" tests=\"2\" failures=\"2\""
    ));
    assert!(out.contains("<testsuite name=\"a, b.py\" tests=\"2\""), "{out}");
    assert_eq!(out.matches("<failure ").count(), 2);
    let (_, out) = said(folder.path(), &["check", "clean.py", "--format", "junit"]);
    assert!(out.contains("<testcase name=\"no findings\" classname=\"harp\"/>"), "{out}");
}

#[test]
fn what_saves_most_comes_first() {
    let program = "\
import torch

w = torch.rand(64, 64)
for step in range(100):
    print(w.T @ w + step)
for step in range(1000):
    print(w @ w + step)
torch.rand(2, 3) @ torch.rand(4, 5)
";
    let folder = crate::common::folder(&[("main.py", program)]);
    let lines = |arguments: &[&str]| -> Vec<u64> {
        let (_, out) = said(folder.path(), &[&["check", "--format", "json"], arguments].concat());
        let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let findings = report["findings"].as_array().expect("a list");
        findings.iter().filter_map(|finding| finding["place"]["start"]["line"].as_u64()).collect()
    };
    assert_eq!(lines(&[]), [5, 7, 8]);
    assert_eq!(lines(&["--sort", "saving"]), [7, 5, 8]);
    let (_, text) = said(folder.path(), &["check", "--sort", "saving"]);
    assert!(text.contains("= note: saves 999 calls, 16.4 MB and 524 Mflop in all"), "{text}");
    let (_, text) = said(folder.path(), &["check"]);
    assert!(!text.contains("saves"), "{text}");
}
