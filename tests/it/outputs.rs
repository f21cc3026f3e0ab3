//! Several reports of one run, each in its form and at its place.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::folder;

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const PROGRAM: &str = "import torch\n\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

#[test]
fn one_run_writes_several_reports() {
    let folder = folder(&[("a.py", PROGRAM)]);
    let asked = ["check", "--output", "sarif:harp.sarif", "--output", "github", "--output", "gitlab:quality.json"];
    let (code, out, err) = harp(folder.path(), &asked);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(out.starts_with("::error title=harp (shape/mismatch),file=a.py,"), "{out}");
    let read = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).expect("a report");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    assert_eq!(read("harp.sarif")["version"], "2.1.0");
    assert_eq!(read("quality.json")[0]["check_name"], "shape/mismatch");
}

#[test]
fn a_file_without_a_form_has_that_of_format() {
    let folder = folder(&[("a.py", PROGRAM)]);
    let asked = ["check", "--format", "json", "--output", "report", "--output", "concise"];
    let (code, out, _) = harp(folder.path(), &asked);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("a.py:3:1: error[shape/mismatch]"), "{out}");
    let report = fs::read_to_string(folder.path().join("report")).expect("a report");
    assert!(report.starts_with("{\n"), "{report}");
    let (code, out, _) = harp(folder.path(), &["check", "--format", "concise", "--output", "./sarif"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let report = fs::read_to_string(folder.path().join("sarif")).expect("a report");
    assert!(report.starts_with("a.py:3:1: "), "{report}");
}

#[test]
fn what_cannot_be_written_is_told_and_the_others_are_there() {
    let folder = folder(&[("a.py", PROGRAM)]);
    let told = |arguments: &[&str]| harp(folder.path(), &[&["check"], arguments].concat());
    for (arguments, message) in [
        (&["--output", "text", "--output", "json"][..], "two reports cannot go to the standard output"),
        (&["--output", "a", "--output", "sarif:a"], "two reports cannot go to a"),
        (&["--output", "srif:harp.sarif"], "there is no form `srif`; did you mean `sarif`?"),
        (&["--output", "sarif:"], "there is no file behind `sarif:`"),
        (&["--output", "x\u{1b}[31m:y/z"], "cannot be written"),
    ] {
        let (code, out, err) = told(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(message) && !err.contains('\u{1b}'), "{err}");
    }
    let (code, out, err) =
        told(&["--output", "sarif:none/harp.sarif", "--output", "concise", "--output", "json:a.json"]);
    assert_eq!(code, Some(2));
    assert!(out.starts_with("a.py:3:1: ") && err.contains("none/harp.sarif cannot be written"), "{err}");
    assert!(folder.path().join("a.json").exists());
}

/// A product of a parameter whose rank is assumed, and one that fails whatever the inputs are.
const ASSUMING: &str = "import torch\n\nD = torch.rand(512, 512)\nX = torch.rand(512, 512)\nA = torch.zeros(512, 512)\n\
    for i in range(100):\n    A = A + D @ X\n";

#[test]
fn pages_and_documents_tell_why() {
    let folder = folder(&[("a.py", PROGRAM)]);
    let (code, out, err) = harp(folder.path(), &["check", "--output", "html:a.html", "--output", "markdown"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(out.starts_with("# Harp\n\n1 error in 1 file"), "{out}");
    let page = fs::read_to_string(folder.path().join("a.html")).expect("a report");
    for report in [&page, &out] {
        for part in ["torch.matmul", "[2, 3]", "[4, 5]", "torch.rand", "a.py:3:1", "violated(", "harp explain "] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }
    assert!(page.contains("<svg ") && page.ends_with("</html>\n"), "{page}");
    let again = harp(folder.path(), &["check", "--format", "html", "--threads", "1"]);
    assert_eq!(again.1, page);
}

/// The first comment of a kind in a report, without its marks.
fn answer<'r>(report: &'r str, verb: &str) -> &'r str {
    let start = report.find(&format!("# harp: {verb}[")).expect("an answer");
    report[start..].split('`').next().unwrap_or_default()
}

#[test]
fn the_answers_of_a_report_are_followed() {
    let folder = folder(&[("a.py", ASSUMING)]);
    let (_, report, _) = harp(folder.path(), &["check", "--format", "markdown"]);
    assert!(report.contains("harp/loop-invariant"), "{report}");
    let line = "    A = A + D @ X";
    let with = |comment: &str| ASSUMING.replace(line, &format!("{line}  {comment}"));
    fs::write(folder.path().join("a.py"), with(answer(&report, "deny"))).expect("a file can be written");
    let (code, out, _) = harp(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(code, Some(0), "{out}");
    fs::write(folder.path().join("a.py"), with(answer(&report, "assume"))).expect("a file can be written");
    let (code, confirmed, _) = harp(folder.path(), &["check", "--format", "markdown"]);
    assert_eq!(code, Some(1), "{confirmed}");
    assert!(!confirmed.contains("Assumes:") && confirmed.contains("1 assumption confirmed"), "{confirmed}");
}

#[test]
fn sentences_are_broken_where_somebody_says_so_and_never_in_a_pipe() {
    let folder = folder(&[("a.py", PROGRAM)]);
    let (_, whole, _) = harp(folder.path(), &["check"]);
    let title = whole.lines().next().expect("a finding");
    assert!(title.ends_with("`other` is 4"), "{whole}");
    let mut piped = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output =
        piped.arg("check").env("COLUMNS", "60").current_dir(folder.path()).output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), whole);

    let (_, broken, _) = harp(folder.path(), &["check", "--width", "70"]);
    let lines: Vec<&str> = broken.lines().take_while(|line| !line.contains("-->")).collect();
    assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= 70), "{broken}");
    let words =
        |lines: &[&str]| lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&lines), words(&[title]));
    let (_, file, _) = harp(folder.path(), &["check", "--width", "70", "--output", "text:a.txt"]);
    assert_eq!((file.as_str(), fs::read_to_string(folder.path().join("a.txt")).expect("a report")), ("", broken));
}
