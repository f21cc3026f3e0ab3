//! What the configuration says of rules in some files, of severities and of bounds, and what is said of mistakes in it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

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

/// Exit code, and the places and rules that are reported.
#[track_caller]
fn found(folder: &Path, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let output = harp(folder, &[&["check", "--format", "json-lines"], arguments].concat());
    let out = String::from_utf8(output.stdout).expect("output is UTF-8");
    let place = |line: &str| {
        let finding: Value = serde_json::from_str(line).expect("JSON");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}[{}]", text(&finding["place"]["file"]), text(&finding["severity"]), text(&finding["rule"]))
    };
    (output.status.code(), out.lines().map(place).collect())
}

/// What is said of a configuration with a mistake, beside one file; the exit code is 2.
#[track_caller]
fn complaint(name: &str, text: impl AsRef<[u8]>) -> String {
    let folder = folder(&[(name, text.as_ref()), ("a.py", WRONG.as_bytes())]);
    let output = harp(folder.path(), &["check"]);
    let told = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{told}");
    told
}

#[track_caller]
fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

const FILES: [(&str, &str); 4] =
    [("src/a.py", WRONG), ("tests/test_a.py", WRONG), ("tests/deep/b.py", WRONG), ("src/tests/c.py", WRONG)];

#[test]
fn rules_are_ignored_in_the_files_of_a_pattern() {
    let with = |configuration: &str| {
        let folder = folder(&FILES);
        std::fs::write(folder.path().join("harp.toml"), configuration).expect("a file");
        found(folder.path(), &[])
    };
    let error = |file: &str| format!("{file} error[shape/mismatch]");
    let all = ["src/a.py", "src/tests/c.py", "tests/deep/b.py", "tests/test_a.py"].map(error);
    assert_eq!(with(""), (Some(1), all.to_vec()));
    assert_eq!(with("[per-file-ignores]\n'tests/**' = ['shape']\n"), (Some(1), all[..2].to_vec()));
    assert_eq!(with("[per-file-ignores]\n'tests' = ['shape/mis*']\n"), (Some(1), all[..1].to_vec()));
    assert_eq!(with("[per-file-ignores]\n'test_*.py' = ['python', 'shape/mismatch']\n"), (Some(1), all[..3].to_vec()));
    assert_eq!(with("[per-file-ignores]\n'**' = ['shape']\n"), (Some(0), Vec::new()));
    assert_eq!(with("[per-file-ignores]\n'tests/**' = ['perf']\n'src' = []\n"), (Some(1), all.to_vec()));
}

#[test]
fn patterns_are_relative_to_the_configuration_wherever_harp_is_started() {
    let folder = folder(&FILES);
    std::fs::write(folder.path().join("pyproject.toml"), "[tool.harp.per-file-ignores]\n'/tests/' = ['shape']\n")
        .expect("a file");
    assert_eq!(found(&folder.path().join("tests"), &[]).0, Some(0));
    assert_eq!(found(&folder.path().join("src"), &["../tests/test_a.py"]).0, Some(0));
    assert_eq!(found(&folder.path().join("src"), &["tests/c.py"]).0, Some(1));
    let named = ["--config", "../pyproject.toml", "../tests"];
    assert_eq!(found(&folder.path().join("src"), &named).0, Some(0));
}

#[test]
fn the_command_line_ignores_rules_in_files_too() {
    let folder = folder(&FILES);
    std::fs::write(folder.path().join("harp.toml"), "[per-file-ignores]\n'src' = ['shape']\n").expect("a file");
    assert_eq!(found(folder.path(), &["--per-file-ignores", "tests/**:shape"]).0, Some(0));
    let several = ["--isolated", "--per-file-ignores", "tests/**:shape/mismatch,src/*.py:shape"];
    assert_eq!(found(folder.path(), &several).1, ["src/tests/c.py error[shape/mismatch]"]);
    let there = folder.path().join("tests");
    assert_eq!(found(&there, &["--isolated", "--per-file-ignores", "deep:shape"]).1.len(), 1);
    for (wrong, told) in [
        ("tests/**", "write a pattern and a rule"),
        (":shape", "an empty pattern"),
        ("!a:shape", "does not take back"),
        ("a:shap", "`--per-file-ignores`: there is no rule, pack or tag `shap`"),
    ] {
        let output = harp(folder.path(), &["check", "--per-file-ignores", wrong]);
        assert_eq!(output.status.code(), Some(2));
        contains(&String::from_utf8_lossy(&output.stderr), &[told]);
    }
}

#[test]
fn what_is_ignored_in_a_file_is_not_there_in_any_form() {
    let folder = folder(&FILES);
    std::fs::write(folder.path().join("harp.toml"), "[per-file-ignores]\n'*' = ['shape']\n").expect("a file");
    let json = harp(folder.path(), &["check", "--format", "json"]);
    let document: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(document["findings"], serde_json::json!([]));
    assert_eq!(document["summary"]["suppressed"], 4);
    let sarif = harp(folder.path(), &["check", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&sarif.stdout).expect("JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    let explained = harp(folder.path(), &["explain", "src/a.py:2"]);
    contains(&String::from_utf8_lossy(&explained.stdout), &["suppressed: the configuration keeps it out"]);
    let comments = ("a.py", "import torch\ntorch.rand(2, 3)  # harp: ignore\n");
    let folder = crate::common::folder(&[comments, ("harp.toml", "[per-file-ignores]\n'a.py' = ['ignore/unused']\n")]);
    assert_eq!(found(folder.path(), &[]), (Some(0), Vec::new()));
}

#[test]
fn severities_are_given_to_rules_and_off_is_one() {
    let with = |severity: &str| {
        let configuration = format!("[severity]\n{severity}\n");
        found(folder(&[("a.py", WRONG), ("harp.toml", configuration.as_str())]).path(), &[])
    };
    assert_eq!(with("shape = 'note'"), (Some(0), vec!["a.py note[shape/mismatch]".to_owned()]));
    assert_eq!(with("shape = 'off'"), (Some(0), Vec::new()));
    let named = "shape = 'off'\n'shape/mis*' = 'warning'";
    assert_eq!(with(named), (Some(1), vec!["a.py warning[shape/mismatch]".to_owned()]));
}

#[test]
fn bounds_are_configured_and_the_command_line_wins() {
    let endless = "import torch\nn = 0\nfor i in range(100):\n    n += 1\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";
    let folder = folder(&[("a.py", endless), ("harp.toml", "steps = 20\n")]);
    let code = |arguments: &[&str]| found(folder.path(), arguments).0;
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--steps", "200000"]), Some(1));
    assert_eq!(code(&["--effort", "low"]), Some(1));
    assert_eq!(code(&["--isolated"]), Some(1));
    for (configuration, expected) in [
        ("effort = 'high'\n", Some(1)),
        ("time-limit = 0\n", Some(0)),
        ("time-limit = 60.5\nmemory = '1GiB'\n", Some(1)),
        ("steps = 1000000\nmemory = '2GiB'\n", Some(1)),
    ] {
        std::fs::write(folder.path().join("harp.toml"), configuration).expect("a file");
        assert_eq!(code(&[]), expected, "{configuration}");
    }
}

#[test]
fn a_configuration_of_the_project_does_not_raise_what_bounds_the_analysis() {
    let told = complaint("harp.toml", "memory = '8GiB'\n");
    contains(
        &told,
        &["sets `memory` to no more than 2GiB", "harp.toml:1:10", "^^^^^^", "`--memory` on the command line"],
    );
    contains(&complaint("harp.toml", "memory = 0\n"), &["harp.toml:1:10"]);
    let told = complaint("pyproject.toml", "[tool.harp]\nsteps = 9223372036854775807\n");
    contains(&told, &["sets `steps` to no more than 1000000", "pyproject.toml:2:9"]);
    let own = tempfile::tempdir().expect("a folder");
    std::fs::write(own.path().join("own.toml"), "memory = '8GiB'\nsteps = 2000000\n").expect("a file");
    let project = folder(&[("a.py", WRONG)]);
    let config = own.path().join("own.toml").display().to_string();
    assert_eq!(found(project.path(), &["--config", &config]).0, Some(1));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (configuration, parts) in [
        (
            "[per-file-ignores]\n'a.py' = ['shap/mismatch']\n",
            ["no rule, pack or tag `shap/mismatch`", ":2:11", "did you mean `shape/mismatch`?"],
        ),
        (
            "[per-file-ignores]\n'!a.py' = ['shape']\n",
            ["`!a.py` is not a pattern of files", ":2:1", "does not take back"],
        ),
        ("[per-file-ignores]\n'{a' = ['shape']\n", ["`{a` is not a pattern of files", ":2:1", "^^^^"]),
        ("[per-file-ignores]\n'a.py' = 'shape'\n", ["not valid", ":2:10", "expected a list"]),
        ("per-file-ignore = 1\n", ["unknown key `per-file-ignore`", ":1:1", "did you mean `per-file-ignores`?"]),
        ("effort = 'hihg'\n", ["not valid", ":1:10", "`hihg` is not an effort; did you mean `high`?"]),
        ("effort = 3\n", ["not valid", ":1:10", "expected a string"]),
        ("steps = -1\n", ["not valid", ":1:9", "expected a whole number from 0 on"]),
        ("time-limit = -1\n", ["not valid", ":1:14", "is not a number of seconds"]),
        ("time-limit = nan\n", ["not valid", ":1:14", "is not a number of seconds"]),
        ("memory = '5 miles'\n", ["not valid", ":1:10", "is not a size"]),
        ("[severity]\nshap = 'off'\n", ["no rule, pack or tag `shap`", ":2:1", "did you mean `shape`?"]),
        ("[severity]\nshape = 'of'\n", ["not valid", ":2:9", "write error, warning, note or off"]),
    ] {
        contains(&complaint("harp.toml", configuration), &parts);
    }
}

#[test]
fn configurations_of_strangers_are_refused_in_order() {
    let many = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let deep = format!("exclude = ['{}']\n", "{a,".repeat(100_000));
    let long = format!("[per-file-ignores]\n\"{}\" = ['shape']\n", "*a".repeat(50_000));
    let patterns = format!("[per-file-ignores]\n{}", many(100_000, &|at| format!("'*a*{at}*b' = ['shape']\n")));
    let excludes = format!("exclude = [{}]\n", many(400_000, &|at| format!("'{at}',")));
    let rules = format!("ignore = [{}]\n", many(400_000, &|_| "'perf',".to_owned()));
    for (text, parts) in [
        (deep, ["is not a pattern of files", "at most 1024 bytes"]),
        (long, ["is not a pattern of files", "at most 1024 bytes"]),
        (patterns, ["more than 1000 patterns in `per-file-ignores`", "patterns of folders"]),
        (excludes, ["more than 10000 patterns of what to leave out", "the folders around them"]),
        (rules, ["rules are named more than 10000 times", "a pack (`perf`)"]),
        (format!("x = {}", "[".repeat(500_000)), ["not valid", "harp.toml:1:"]),
        (format!("x{} = 1", ".a".repeat(500_000)), ["the configuration", "harp.toml:1:"]),
    ] {
        let told = complaint("harp.toml", &text);
        contains(&told, &parts);
        assert!(told.len() < 20_000, "{}", told.len());
    }
    contains(&complaint("harp.toml", vec![b'#'; 5 << 20]), &["cannot be read", "larger than 4 MiB"]);
    contains(&complaint("harp.toml", b"exclude = ['\xff\xfe']\n"), &["cannot be read", "it is not UTF-8 text"]);
}

#[test]
fn patterns_do_not_blow_up() {
    let files: Vec<String> = (0..50).map(|at| format!("{}{at}.py", "a".repeat(200))).collect();
    let mut all: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), WRONG)).collect();
    let patterns: String = (0..900).map(|at| format!("'{}{at}b' = ['shape']\n", "*a".repeat(50))).collect();
    let configuration = format!("[per-file-ignores]\n{patterns}");
    all.push(("harp.toml", &configuration));
    let checked = folder(&all);
    let (code, found) = found(checked.path(), &[]);
    assert_eq!((code, found.len()), (Some(1), 50));
    // More are refused before anything is made of them.
    let many: String = (0..900).map(|at| format!("{}{at}b', '", "*a".repeat(300))).collect();
    for (text, at) in [
        (format!("exclude = ['{many}x']\n"), ":1:"),
        (format!("[per-file-ignores]\n'{}' = []\n", many.replace("', '", "' = []\n'")), ":"),
    ] {
        let refused = folder(&[("a.py", WRONG), ("harp.toml", &text)]);
        let output = Command::new(env!("CARGO_BIN_EXE_harp"))
            .arg("check")
            .current_dir(refused.path())
            .output()
            .expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("more than 50000 wildcards") && told.contains(at) && told.len() < 4000, "{told}");
    }
}
