//! Several projects in one run: each file is checked with its nearest configuration, and there is one report.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::folder;

/// An error that is certain.
const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .expect("the program starts")
}

/// Exit code, standard output, standard error.
fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = harp(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Exit code, and what is reported: each file with severity and rule.
#[track_caller]
fn found(folder: &Path, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let (code, out, err) = said(folder, &[&["check", "--format", "json-lines"], arguments].concat());
    let place = |line: &str| {
        let finding: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("JSON: {out}{err}"));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}[{}]", text(&finding["place"]["file"]), text(&finding["severity"]), text(&finding["rule"]))
    };
    (code, out.lines().map(place).collect())
}

#[track_caller]
fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// A project with two others in it.
fn monorepo() -> TempDir {
    folder(&[
        ("main.py", WRONG),
        ("one/src/a.py", WRONG),
        ("one/tests/a.py", WRONG),
        ("one/harp.toml", "[severity]\nshape = 'warning'\n[per-file-ignores]\n'tests/**' = ['shape']\n"),
        ("two/b.py", WRONG),
        ("two/pyproject.toml", "[tool.harp]\nignore = ['shape']\n"),
        ("pyproject.toml", "[tool.harp.severity]\nshape = 'note'\n"),
    ])
}

#[test]
fn each_file_has_its_nearest_configuration() {
    let folder = monorepo();
    let main = "main.py note[shape/mismatch]".to_owned();
    let one = "one/src/a.py warning[shape/mismatch]".to_owned();
    assert_eq!(found(folder.path(), &["."]), (Some(1), vec![main.clone(), one.clone()]));
    assert_eq!(found(folder.path(), &["two", "one"]), (Some(1), vec![one.clone()]));
    assert_eq!(found(folder.path(), &["two/b.py", "main.py", "one/src/a.py"]), (Some(1), vec![main.clone(), one]));
    assert_eq!(found(folder.path(), &["two/b.py", "main.py"]), (Some(0), vec![main]));
    // The command line speaks of all projects.
    assert_eq!(found(folder.path(), &["--ignore", "shape"]), (Some(0), Vec::new()));
    let error = |file: &str| format!("{file} error[shape/mismatch]");
    let all = ["main.py", "one/src/a.py", "one/tests/a.py", "two/b.py"].map(error);
    assert_eq!(found(folder.path(), &["--isolated"]), (Some(1), all.to_vec()));
    let ignored = found(folder.path(), &["--config", "two/pyproject.toml"]);
    assert_eq!(ignored, (Some(0), Vec::new()));
}

#[test]
fn there_is_one_report() {
    let folder = monorepo();
    let (_, out, err) = said(folder.path(), &["check", "--format", "json"]);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let summary = &document["summary"];
    let numbers = ["files", "errors", "warnings", "notes", "suppressed"].map(|key| summary[key].as_u64());
    assert_eq!(numbers, [Some(4), Some(0), Some(1), Some(1), Some(2)], "{err}");
    assert_eq!(document["findings"][0]["labels"][0]["place"]["file"], "main.py");
    let (_, out, _) = said(folder.path(), &["check", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let uri = |result: &Value| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone();
    assert_eq!(results.iter().map(uri).collect::<Vec<_>>(), ["main.py", "one/src/a.py"]);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.iter().filter(|rule| rule["id"] == "shape/mismatch").count(), 1);
    let (_, out, _) = said(folder.path(), &["check"]);
    contains(&out, &["1 warning, 1 note in 4 files", "; 2 suppressed"]);
    assert_eq!(said(folder.path(), &["check", "--show-files"]).1, "main.py\none/src/a.py\none/tests/a.py\ntwo/b.py\n");
    let (_, out, _) = said(folder.path(), &["check", "--coverage"]);
    contains(&out, &["main.py", "one/src/a.py", "two/b.py"]);
    let (first, second) = (said(folder.path(), &["check", "--verbose"]), said(folder.path(), &["check", "--verbose"]));
    assert_eq!(first, second);
}

#[test]
fn a_configuration_speaks_of_its_own_folder_alone() {
    let folder = folder(&[
        ("main.py", WRONG),
        ("evil/harp.toml", "ignore = ['shape']\nexclude = ['*']\n[per-file-ignores]\n'**' = ['shape']\n"),
        ("evil/a.py", WRONG),
        (".hidden/harp.toml", "unknown = 1\n"),
        ("venv/harp.toml", "unknown = 1\n"),
        ("node_modules/x/harp.toml", "unknown = 1\n"),
        ("vendor/harp.toml", "unknown = 1\n"),
        ("harp.toml", "exclude = ['vendor']\n"),
    ]);
    assert_eq!(found(folder.path(), &["."]), (Some(1), vec!["main.py error[shape/mismatch]".to_owned()]));
}

#[test]
fn a_mistake_costs_its_own_project() {
    let folder = monorepo();
    fs::write(folder.path().join("two/pyproject.toml"), "[tool.harp]\nignor = ['shape']\n").expect("a file");
    let (code, out, err) = said(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(code, Some(2));
    contains(&err, &["unknown key `ignor`", "two/pyproject.toml:2:1", "did you mean `ignore`?"]);
    contains(&out, &["main.py:2:1: note", "one/src/a.py:2:1: warning", "in 3 files"]);
    assert!(!out.contains("two/"), "{out}");
    // What is wrong everywhere is said once.
    let (code, _, err) = said(folder.path(), &["check", ".", "--select", "shap"]);
    assert_eq!((code, err.matches("no rule, pack or tag `shap`").count()), (Some(2), 1), "{err}");
    // What one of them has is known.
    said(folder.path(), &["new-pack", "one/mine"]);
    fs::write(folder.path().join("one/harp.toml"), "packs = ['mine']\n").expect("a file");
    for command in [&["check", "."][..], &["suppress", ".", "--diff"]] {
        let (_, _, err) = said(folder.path(), &[command, &["--select", "mine", "--isolated"]].concat());
        assert!(err.contains("no rule, pack or tag `mine`"), "{err}");
        let (_, _, err) = said(folder.path(), &[command, &["--select", "mine"]].concat());
        assert!(!err.contains("no rule, pack or tag"), "{err}");
    }
    fs::write(folder.path().join("pyproject.toml"), "[tool.harp]\nx = 1\n").expect("a file");
    fs::write(folder.path().join("one/harp.toml"), "x = 1\n").expect("a file");
    let (code, _, err) = said(folder.path(), &["check"]);
    assert_eq!((code, err.matches("unknown key").count()), (Some(2), 3), "{err}");
}

#[cfg(unix)]
#[test]
fn what_a_folder_names_lies_in_its_project() {
    let outside = folder(&[("harp.toml", "ignore = ['shape']\n"), ("rules/harp-pack.toml", "name = \"secret\"\n")]);
    let folder = folder(&[("main.py", WRONG), ("sub/a.py", WRONG)]);
    let link = folder.path().join("sub/harp.toml");
    std::os::unix::fs::symlink(outside.path().join("harp.toml"), &link).expect("a link");
    let (code, out, err) = said(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(code, Some(2));
    contains(&err, &["sub/harp.toml cannot be read: it leads out of the project"]);
    contains(&out, &["main.py:2:1: error"]);
    fs::remove_file(&link).expect("it is there");
    fs::write(&link, format!("packs = ['{}']\n", outside.path().join("rules").display())).expect("a file");
    let (code, _, err) = said(folder.path(), &["check"]);
    assert_eq!(code, Some(2));
    contains(&err, &["leads out of the project"]);
    assert!(!err.contains("secret"), "{err}");
}

#[test]
fn programs_import_what_other_projects_have() {
    let sizes = "import torch\ndef make():\n    return torch.rand(4, 5)\n";
    let uses = |module: &str| format!("import torch\nfrom {module} import make\ntorch.rand(2, 3) @ make()\n");
    let folder = folder(&[
        ("common/__init__.py", ""),
        ("common/sizes.py", sizes),
        ("main.py", &uses("one.own")),
        ("one/own.py", sizes),
        ("one/uses.py", &uses("common.sizes")),
        ("one/harp.toml", "args = ''\n"),
        ("two/__init__.py", ""),
        ("two/uses.py", &uses(".own")),
        ("two/inner/__init__.py", ""),
        ("two/inner/uses.py", &uses("..own")),
        ("two/own.py", sizes),
        ("two/inner/harp.toml", "args = ''\n"),
    ]);
    let error = |file: &str| format!("{file} error[shape/mismatch]");
    let all = ["main.py", "one/uses.py", "two/inner/uses.py", "two/uses.py"].map(error);
    assert_eq!(found(folder.path(), &["."]), (Some(1), all.to_vec()));
    // Wherever Harp is started.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let given = folder.path().display().to_string();
    assert_eq!(found(elsewhere.path(), &[&given]).1.len(), 4);
}

#[test]
fn baselines_are_those_of_the_projects_or_one_for_all() {
    let folder = folder(&[
        ("one/a.py", WRONG),
        ("one/harp.toml", "baseline = 'known.json'\n"),
        ("two/b.py", WRONG),
        ("two/harp.toml", ""),
    ]);
    let (code, _, err) = said(folder.path(), &["check", "--update-baseline"]);
    assert_eq!(code, Some(2));
    contains(&err, &["`--update-baseline` needs to know which file", "`two` names none"]);
    fs::write(folder.path().join("two/harp.toml"), "baseline = 'known.json'\n").expect("a file");
    let updated = said(folder.path(), &["check", "one", "two", "--update-baseline"]);
    assert_eq!(updated.1, "1 finding in one/known.json\n1 finding in two/known.json\n", "{}", updated.2);
    assert_eq!(found(folder.path(), &["one", "two"]), (Some(0), Vec::new()));
    let common = ["check", "one", "two", "--baseline", "all.json"];
    fs::remove_file(folder.path().join("one/known.json")).expect("it is there");
    assert_eq!(said(folder.path(), &[&common[..], &["--update-baseline"]].concat()).1, "2 findings in all.json\n");
    let (code, out, _) = said(folder.path(), &[&common[..], &["--format", "json"]].concat());
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let counts = ["in_baseline", "gone_from_baseline"].map(|key| document["summary"][key].as_u64());
    assert_eq!((code, counts), (Some(0), [Some(2), Some(0)]));
    let (_, out, _) = said(folder.path(), &[&common[..], &["--format", "json", "--fix"]].concat());
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&document["summary"]["in_baseline"], &document["summary"]["gone_from_baseline"]),
        (&2.into(), &0.into())
    );
}

#[test]
fn a_project_writes_its_baseline_into_itself() {
    let outer = folder(&[("project/a.py", WRONG), ("project/.git/HEAD", "")]);
    let project = outer.path().join("project");
    let absolute = outer.path().join("out.json").display().to_string();
    for baseline in ["../out.json", &absolute] {
        fs::write(project.join("harp.toml"), format!("baseline = '{baseline}'\n")).expect("a file");
        let (code, _, err) = said(&project, &["check", "--update-baseline"]);
        assert_eq!(code, Some(2));
        contains(&err, &["out.json cannot be written: it leads out of the project"]);
        assert!(!outer.path().join("out.json").exists());
    }
}

#[test]
fn two_projects_do_not_write_one_baseline() {
    let files = [
        ("a.py", WRONG),
        ("harp.toml", "baseline = 'known.json'\n"),
        ("sub/harp.toml", "baseline = '../known.json'\n"),
        ("sub/b.py", WRONG),
    ];
    let folder = folder(&files);
    let (code, _, err) = said(folder.path(), &["check", "--update-baseline"]);
    assert_eq!(code, Some(2), "{err}");
    contains(&err, &["two projects have", "known.json for their baseline"]);
    assert!(!folder.path().join("known.json").exists());
}

/// Two loops, each with a product that can be moved out of it.
const SLOW: &str = "import torch\nD = torch.rand(512, 512)\nX = torch.rand(512, 512)\nA = torch.zeros(512, 512)\n\
                    for i in range(100):\n    A = A + D @ X\n";

#[test]
fn fixes_and_comments_are_made_in_all_projects() {
    let files =
        [("one/a.py", SLOW), ("one/harp.toml", ""), ("two/b.py", SLOW), ("two/harp.toml", "ignore = ['harp']\n")];
    let first = folder(&files);
    let (_, before, err) = said(first.path(), &["check", "--format", "concise"]);
    contains(&before, &["one/a.py:6:"]);
    assert!(!before.contains("two/b.py"), "{before}{err}");
    let (_, diff, _) = said(first.path(), &["check", "--diff", "--unsafe-fixes"]);
    assert!(!diff.contains("two/b.py"), "{diff}");
    let (code, out, err) = said(first.path(), &["suppress"]);
    assert_eq!(code, Some(0), "{out}{err}");
    contains(&out, &[" suppressed in 1 file"]);
    contains(&fs::read_to_string(first.path().join("one/a.py")).expect("a file"), &["# harp: ignore["]);
    assert_eq!(fs::read_to_string(first.path().join("two/b.py")).expect("a file"), SLOW);
    let second = folder(&[files[0], files[1], files[2], ("two/harp.toml", "")]);
    let (_, diff, err) = said(second.path(), &["check", "--diff", "--unsafe-fixes"]);
    contains(&diff, &["one/a.py", "two/b.py"]);
    let (_, out, _) = said(second.path(), &["check", "--fix", "--unsafe-fixes", "--quiet"]);
    for file in ["one/a.py", "two/b.py"] {
        let text = fs::read_to_string(second.path().join(file)).expect("a file");
        assert_ne!(text, SLOW, "{out}{err}");
    }
}

#[test]
fn questions_are_asked_of_the_project_that_they_are_about() {
    let folder = monorepo();
    let (code, out, err) = said(folder.path(), &["explain", "one/tests/a.py:2", "."]);
    assert_eq!(code, Some(0), "{err}");
    contains(&out, &["suppressed: the configuration keeps it out"]);
    let (_, report, _) = said(folder.path(), &["check", "one", "--format", "json"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let fingerprint = report["findings"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let (code, out, err) = said(folder.path(), &["explain", &fingerprint, "."]);
    assert_eq!(code, Some(0), "{err}");
    contains(&out, &["one/src/a.py"]);
    let (code, out, err) = said(folder.path(), &["why-not", "shape/mismatch", "two/b.py:2", "."]);
    assert_eq!(code, Some(0), "{err}");
    contains(&out, &["the configuration keeps it out"]);
    // What one command asks of all files, it asks with one configuration.
    let (_, _, err) = said(folder.path(), &["query", "call(e, s, api)", "main.py", "one/src/a.py"]);
    contains(&err, &["warning: one/harp.toml is not read", "the configuration of `main.py` holds for all paths"]);
}

#[test]
fn bounds_hold_for_all_projects_or_for_their_own() {
    let folder = folder(&[
        ("one/a.py", WRONG),
        ("one/harp.toml", "time-limit = 0\n"),
        ("two/b.py", WRONG),
        ("two/harp.toml", ""),
    ]);
    assert_eq!(found(folder.path(), &["."]), (Some(1), vec!["two/b.py error[shape/mismatch]".to_owned()]));
    assert_eq!(found(folder.path(), &["--time-limit", "0"]), (Some(0), Vec::new()));
    assert_eq!(found(folder.path(), &["--time-limit", "600"]).1.len(), 2);
}

#[test]
fn configurations_are_counted() {
    let files: Vec<String> = (0..101).map(|at| format!("p{at}/harp.toml")).collect();
    let all: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), "")).collect();
    let folder = folder(&all);
    let (code, _, err) = said(folder.path(), &["check", "."]);
    assert_eq!(code, Some(2));
    contains(&err, &["there are more than 100 configurations in", "`--config FILE`"]);
    assert_eq!(said(folder.path(), &["check", ".", "--isolated"]).0, Some(0));
}

#[test]
fn a_baseline_that_cannot_be_read_costs_its_own_project() {
    let folder = folder(&[
        ("one/a.py", WRONG),
        ("one/harp.toml", ""),
        ("two/b.py", WRONG),
        ("two/harp.toml", "baseline = 'missing.json'\n"),
    ]);
    let (code, out, err) = said(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(code, Some(2));
    contains(&err, &["two/missing.json cannot be read", "`--update-baseline` writes it"]);
    assert!(out.contains("one/a.py:2") && !out.contains("two/b.py"), "{out}");
}
