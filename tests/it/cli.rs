//! The program as a user meets it, above all with input that is wrong.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs `harp` in a folder.
fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .expect("the program starts")
}

/// A new folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    crate::common::folder(files)
}

/// Exit code, standard output, standard error.
fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[test]
fn no_such_path_is_an_error_and_the_rest_is_done() {
    let folder = folder(&[("good.py", b"x = 1\n")]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "missing.py"]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "no such file or folder: missing.py");
    let (code, out, err) = told(&harp(folder.path(), &["check", "missing", "good.py"]));
    assert_eq!(code, Some(2));
    contains(&out, "in 1 file");
    contains(&err, "missing");
}

#[test]
fn a_path_in_the_place_of_a_command_has_a_tip() {
    let folder = folder(&[("a.py", b"x = 1\n"), ("src/b.py", b"")]);
    for path in ["a.py", "missing.py", "src"] {
        let (code, _, err) = told(&harp(folder.path(), &[path]));
        assert_eq!(code, Some(2));
        contains(&err, &format!("tip: to check it, type `harp check {path}`"));
    }
    let (_, _, err) = told(&harp(folder.path(), &["chekc"]));
    assert!(err.contains("'check'") && !err.contains("to check it"), "{err}");
}

#[test]
fn an_empty_folder_and_an_empty_file_are_clean() {
    let folder = folder(&[("empty.py", b"")]);
    fs::create_dir(folder.path().join("nothing")).expect("a folder can be made");
    let (code, out, _) = told(&harp(folder.path(), &["check", "nothing"]));
    assert_eq!(code, Some(0));
    contains(&out, "no findings in 0 files");
    let (code, out, _) = told(&harp(folder.path(), &["check", "empty.py"]));
    assert_eq!(code, Some(0));
    contains(&out, "no findings in 1 file (0 lines)");
}

#[test]
fn a_binary_file_is_skipped_and_reported() {
    let folder = folder(&[("weights.py", b"\x00\x01\x02\xff"), ("good.py", b"x = 1\n")]);
    let (code, out, _) = told(&harp(folder.path(), &["check", "."]));
    assert_eq!(code, Some(0));
    contains(&out, "in 1 file");
    contains(&out, "weights.py: a binary file");
    let (code, out, _) = told(&harp(folder.path(), &["check", "weights.py"]));
    assert_eq!(code, Some(2), "where nothing could be read, nothing was checked");
    contains(&out, "weights.py: a binary file");
}

#[test]
fn a_file_above_the_limit_is_skipped_and_reported() {
    let folder = folder(&[("large.py", "x = 1\n".repeat(1000).as_bytes()), ("small.py", b"x = 1\n")]);
    let (code, out, _) = told(&harp(folder.path(), &["check", ".", "--max-file-size", "1KiB"]));
    assert_eq!(code, Some(0));
    contains(&out, "large.py: 6000 bytes, above the limit of 1024");
}

#[test]
fn broken_syntax_is_one_finding_and_the_rest_is_done() {
    let folder = folder(&[("broken.py", b"x = (1,\ny = 2\n"), ("good.py", b"x = 1\n")]);
    let (code, out, _) = told(&harp(folder.path(), &["check", "."]));
    assert_eq!(code, Some(1));
    contains(&out, "error[syntax-error]");
    contains(&out, "--> broken.py:");
    contains(&out, "in 2 files");
}

#[test]
fn a_python_2_file_is_read_as_such_and_told_once() {
    let folder =
        folder(&[("old.py", b"print 'hello'\nexcept_ = 1\ntry:\n    pass\nexcept ValueError, e:\n    print e\n")]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "old.py"]));
    assert_eq!(code, Some(0), "{err}");
    contains(&out, "note: 1 file is read as Python 2: `old.py` has the statement `print`, which Python 3 lacks");
}

#[test]
fn deep_nesting_does_not_overflow() {
    let source = format!("x = {}1{}\n", "(".repeat(2000), ")".repeat(2000));
    let folder = folder(&[("deep.py", source.as_bytes())]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "deep.py"]));
    assert!(code == Some(0) || code == Some(1), "{code:?}\n{out}\n{err}");
    contains(&out, "in 1 file");
}

#[test]
fn an_unknown_configuration_key_is_shown() {
    let folder = folder(&[("pyproject.toml", b"[tool.harp]\nignored = ['shape']\n"), ("a.py", b"x = 1\n")]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "a.py"]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "unknown key `ignored`");
    contains(&err, "pyproject.toml:2:1");
    contains(&err, "did you mean `ignore`?");
}

#[test]
fn answers_of_the_configuration_are_followed_and_checked() {
    let code = b"def f(x, n=4):\n    return x.view(n, 3) @ x\n";
    let answers = b"[[deny]]\nkind = 'default-value'\nfile = 'src/*.py'\n\n[[assume]]\ntext = 'nothing like it'\n";
    let folder = folder(&[("src/a.py", code), ("harp.toml", answers), ("wrong.toml", b"[[deny]]\nkind = 'x'\n")]);
    let (code, out, _) = told(&harp(folder.path(), &["check", "src", "--verbose"]));
    assert_eq!(code, Some(0));
    contains(&out, "1 assumption denied");
    contains(&out, "denied: `n` has its default 4");
    contains(&out, "harp.toml:5: confirmed");
    let (code, out, err) = told(&harp(folder.path(), &["check", "src", "--config", "wrong.toml"]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "`x` is not a kind of assumption");
    contains(&err, "wrong.toml:2:8");
}

#[test]
fn a_broken_configuration_is_shown() {
    let folder = folder(&[("harp.toml", b"ignore = [\n"), ("a.py", b"x = 1\n")]);
    let (code, _, err) = told(&harp(folder.path(), &["check", "a.py"]));
    assert_eq!(code, Some(2));
    contains(&err, "the configuration is not valid");
    contains(&err, "harp.toml:");
    let (code, _, err) = told(&harp(folder.path(), &["check", "a.py", "--config", "none.toml"]));
    assert_eq!(code, Some(2));
    contains(&err, "none.toml cannot be read");
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let folder = folder(&[("a.py", b"x = )\n"), ("pack/harp-pack.toml", b""), ("sub/b.py", b"x = )\n")]);
    for pipe in ["pipe", ".ignore"] {
        let made = Command::new("mkfifo").arg(folder.path().join(pipe)).status().expect("mkfifo runs");
        assert!(made.success());
    }
    let (code, out, _) = told(&harp(folder.path(), &["check", "sub"]));
    assert_eq!(code, Some(1), "the rules of a folder around it are a pipe");
    contains(&out, ".ignore: not a regular file");
    for option in ["--config", "--annotations", "--pack", "--python"] {
        for file in ["/dev/zero", "pipe", "pack"] {
            let (code, out, err) = told(&harp(folder.path(), &["check", "a.py", option, file]));
            assert!(code == Some(2) || (option, file) == ("--annotations", "pack"), "{option} {file}: {out}{err}");
        }
    }
    let (_, _, err) = told(&harp(folder.path(), &["check", "a.py", "--config", "pipe"]));
    contains(&err, "the configuration pipe cannot be read: it is not a regular file");
    fs::write(folder.path().join("large.toml"), "#".repeat(5 << 20)).expect("a file");
    let (_, _, err) = told(&harp(folder.path(), &["check", "a.py", "--config", "large.toml"]));
    contains(&err, "large.toml cannot be read: it is larger than 4 MiB");
    let (code, _, _) = told(&harp(folder.path(), &["check", "a.py", "--config", "/dev/null"]));
    assert_eq!(code, Some(1), "an empty configuration");
}

#[test]
fn rules_that_do_not_exist_are_shown() {
    let config = b"ignore = ['shape/mismach', 'syntax-error']\n[severity]\nshap = 'note'\n'ours/rule' = 'note'\n";
    let folder = folder(&[("a.py", b"x = )\n"), ("harp.toml", config)]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "a.py"]));
    assert_eq!(code, Some(2));
    contains(&out, "suppressed");
    contains(&err, "there is no rule, pack or tag `shape/mismach`");
    contains(&err, "harp.toml:1:11");
    contains(&err, "did you mean `shape/mismatch`?");
    contains(&err, "harp.toml:3:1");
    contains(&err, "no pack `ours` is loaded");
    let (code, out, err) = told(&harp(folder.path(), &["new-pack", "ours"]));
    assert_eq!(code, Some(0), "{out}{err}");
    fs::write(folder.path().join("harp.toml"), "ignore = ['ours', 'ours/created-in-loop', 'answer']\n")
        .expect("a file");
    let (code, _, err) = told(&harp(folder.path(), &["check", "a.py", "--pack", "ours"]));
    assert_eq!((code, err.as_str()), (Some(1), ""), "the rules of a pack that is given are known");
}

#[test]
fn a_pattern_that_excludes_nothing_in_particular_is_refused() {
    let folder = folder(&[("a.py", b"x = )\n"), ("b.py", b"x = 1\n"), ("empty.toml", b"exclude = ['b.py', '']\n")]);
    for pattern in ["", " ", "/", "!b.py", "{"] {
        let (code, out, err) = told(&harp(folder.path(), &["check", ".", "--exclude", pattern]));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{pattern}: {err}");
        contains(&err, "--exclude");
    }
    let (code, _, err) = told(&harp(folder.path(), &["check", ".", "--config", "empty.toml"]));
    assert_eq!(code, Some(2));
    contains(&err, "empty.toml:1:20");
    let (code, out, _) = told(&harp(folder.path(), &["check", ".", "--exclude", "a.py"]));
    assert_eq!(code, Some(0));
    contains(&out, "in 1 file");
}

#[test]
fn lines_end_as_in_python() {
    let folder = folder(&[("a.py", b"import torch\r\rx = 1\rtorch.rand(2, 3) @ torch.rand(4, 5)\r")]);
    let (code, out, _) = told(&harp(folder.path(), &["check", "a.py"]));
    assert_eq!(code, Some(1));
    contains(&out, "a.py:4:1");
    contains(&out, "1 file (4 lines)");
}

#[test]
fn broken_annotations_are_shown_and_the_rest_is_done() {
    let folder = folder(&[
        ("a.py", b"x = )\n"),
        ("broken.yaml", b"library: [\n"),
        ("key.yaml", b"library: inhouse\napis:\n  - function: inhouse.f\n    shap: \"(x@[]) -> x\"\n"),
    ]);
    for (file, place) in [("broken.yaml", "broken.yaml:"), ("key.yaml", "key.yaml:4:"), ("none.yaml", "none.yaml")] {
        let (code, out, err) = told(&harp(folder.path(), &["check", "a.py", "--annotations", file]));
        assert_eq!(code, Some(2), "{err}");
        contains(&err, place);
        contains(&out, "error[syntax-error]");
    }
}

#[test]
fn unknown_options_and_values_are_refused() {
    let folder = folder(&[("a.py", b"x = 1\n")]);
    for arguments in [
        &["check", "a.py", "--no-such-option"][..],
        &["query"],
        &["chek", "a.py"],
        &["check", "a.py", "--max-file-size", "large"],
        &["check", "a.py", "--args", "'unclosed"],
        &["check", "a.py", "--format", "xml"],
    ] {
        let (code, out, err) = told(&harp(folder.path(), arguments));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!err.is_empty());
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let folder = folder(&[("a.py", b"x = 1\n")]);
    let (code, out, err) = told(&harp(folder.path(), &["check", "a.py", "--output", "no/such/folder/report.txt"]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "no/such/folder/report.txt cannot be written");
}

#[test]
fn an_output_file_holds_the_report() {
    let folder = folder(&[("a.py", b"x = (\n")]);
    for (format, start) in
        [("json", "{\n  \"version\": 2,"), ("sarif", "{\n  \"$schema\":"), ("text", "error[syntax-error]")]
    {
        let name = format!("report.{format}");
        let arguments = ["check", "a.py", "--output", &name, "--format", format];
        let (code, out, err) = told(&harp(folder.path(), &arguments));
        assert_eq!((code, out.as_str(), err.as_str()), (Some(1), "", ""));
        let report = fs::read_to_string(folder.path().join(&name)).expect("the report is there");
        assert!(report.starts_with(start), "{report}");
    }
}

#[cfg(unix)]
#[test]
fn an_output_file_stays_what_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("a.py", b"x = (\n"), ("report", b"error[old]")]);
    let at = |name: &str| folder.path().join(name);
    fs::set_permissions(at("report"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::hard_link(at("report"), at("other")).expect("a second name");
    assert_eq!(told(&harp(folder.path(), &["check", "a.py", "--output", "report"])).0, Some(1));
    assert!(fs::read_to_string(at("other")).expect("the report").starts_with("error[syntax-error]"));
    assert_eq!(fs::metadata(at("report")).expect("the report").permissions().mode() & 0o777, 0o600);
}

/// What is being written when the program is ended goes with it.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_half_written() {
    use std::os::unix::process::ExitStatusExt;
    const SIGTERM: i32 = 15;
    let source: String = (0..2000).map(|n| format!("def f{n}(x):\n    return x.view(2, 3) @ x\n")).collect();
    let folder = folder(&[("a.py", source.as_bytes())]);
    let names = || {
        let children = fs::read_dir(folder.path()).expect("a folder").flatten();
        children.map(|child| child.file_name()).collect::<std::collections::BTreeSet<_>>()
    };
    let before = names();
    let mut child = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["facts", "a.py", "--output", "facts"])
        .current_dir(folder.path())
        .spawn()
        .expect("the program starts");
    while names() == before && child.try_wait().expect("it runs").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // It may have ended by itself.
    let _ = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    let ended = child.wait().expect("the program ends");
    assert!(matches!(ended.signal(), Some(SIGTERM) | None), "{ended}");
    // Where it was faster than the signal, all is there.
    let facts = folder.path().join("facts");
    let new: Vec<_> = names().difference(&before).cloned().collect();
    assert!(new.is_empty() || new == ["facts"], "{ended}: {new:?}");
    assert!(!facts.is_dir() || facts.join("schema.dl").is_file());
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_no_error() {
    let source = "x = (\n".repeat(3000);
    let folder = folder(&[("a.py", source.as_bytes())]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "a.py"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    let (code, _, err) = told(&output);
    assert_eq!((code, err.as_str()), (Some(1), ""));
}

/// What prints no report: help of every command, and lists.
const TOLD: [&[&str]; 17] = [
    &["--help"],
    &["-h"],
    &["--version"],
    &["rules"],
    &["rules", "shape/mismatch"],
    &["schema"],
    &["check", "--help"],
    &["infer", "--help"],
    &["facts", "--help"],
    &["graph", "--help"],
    &["schema", "--help"],
    &["rules", "--help"],
    &["query", "--help"],
    &["explain", "--help"],
    &["why-not", "--help"],
    &["test", "--help"],
    &["new-pack", "--help"],
];

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in TOLD {
        let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        let (code, _, err) = told(&command.args(arguments).stdout(full).output().expect("the program starts"));
        assert_eq!(code, Some(2), "{arguments:?}");
        contains(&err, "error: the standard output cannot be written: ");
    }
}

#[cfg(unix)]
#[test]
fn help_that_nobody_reads_is_no_error() {
    for arguments in TOLD {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        drop(child.stdout.take());
        let (code, _, err) = told(&child.wait_with_output().expect("the program ends"));
        assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn comments_and_configuration_silence_findings() {
    let silent = folder(&[("a.py", b"x = )  # harp: ignore\n")]);
    let (code, out, _) = told(&harp(silent.path(), &["check", "a.py"]));
    assert_eq!(code, Some(0), "{out}");
    contains(&out, "suppressed");
    let configured = folder(&[("a.py", b"x = )\n"), ("harp.toml", b"[severity]\nsyntax-error = 'note'\n")]);
    let (code, out, _) = told(&harp(configured.path(), &["check", "a.py"]));
    assert_eq!(code, Some(0), "notes alone are clean:\n{out}");
    contains(&out, "note[syntax-error]");
}

#[test]
fn colour_is_for_those_who_ask() {
    let folder = folder(&[("a.py", b"x = (\n")]);
    let (_, plain, _) = told(&harp(folder.path(), &["check", "a.py"]));
    assert!(!plain.contains('\u{1b}'));
    let (_, colourful, _) = told(&harp(folder.path(), &["check", "a.py", "--color", "always"]));
    contains(&colourful, "\u{1b}[");
}

#[test]
fn output_is_the_same_for_the_same_input() {
    let files: Vec<(String, Vec<u8>)> =
        (0..40).map(|index| (format!("f{index}.py"), format!("x = (\ny = {index} +\n").into_bytes())).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let folder = folder(&files);
    let run = |threads| told(&harp(folder.path(), &["check", ".", "--format", "json", "--threads", threads]));
    assert_eq!(run("1"), run("4"));
}

#[test]
fn reports_of_many_modules_are_equal_in_every_form() {
    let model = |index: usize| {
        let inherited = if index > 0 { format!("from net{0} import Net{0}", index - 1) } else { String::new() };
        format!(
            "import random\nimport torch\nfrom torch import nn\n{inherited}\n\n\
             class Net{index}(nn.Module):\n    def __init__(self, width={width}):\n        super().__init__()\n\
             \x20       self.first = nn.Linear(width, {width})\n        self.second = nn.Linear({}, 10)\n\n\
             \x20   def forward(self, x, mask=None):\n        if mask is not None:\n            x = x * mask\n\
             \x20       return self.second(self.first(x))\n\n\
             def train{index}(loader, net):\n    total = 0\n    for x, y in loader:\n        total += net(x) @ torch.eye(10)\n\
             \x20   return total\n\n\
             if random.random() < 0.5:\n    Net{index}()(torch.rand(4, {}))\n",
            8 + index % 5,
            8 + index % 3,
            width = 8 + index % 4,
        )
    };
    let files: Vec<(String, String)> = (0..30).map(|index| (format!("net{index}.py"), model(index))).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let folder = folder(&files);
    for format in ["text", "json", "sarif"] {
        let run = |threads| {
            told(&harp(folder.path(), &["check", ".", "--verbose", "--format", format, "--threads", threads]))
        };
        let first = run("1");
        assert!(first.1.contains("shape/mismatch") || first.1.contains("shape/possible"), "{}", first.1);
        for threads in ["1", "2", "7"] {
            assert!(run(threads) == first, "{format} with {threads} threads");
        }
    }
}

#[test]
fn what_is_not_understood_counts_once_a_place() {
    let source =
        "import torch, unknown\nx = torch.rand(2)\nfor step in range(5):\n    unknown.watch(x)\nunknown.watch(x)\n";
    let folder = folder(&[("a.py", source.as_bytes())]);
    let output = harp(folder.path(), &["check", "--format", "json", "a.py"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let unknown = &report["summary"]["not_understood"];
    assert_eq!((&unknown[0]["what"], &unknown[0]["count"]), (&"unknown.watch".into(), &2.into()), "{unknown}");
}

#[test]
fn what_is_hard_to_follow_is_counted() {
    let source = "\
import sys
import torch

class Money:
    def __init__(self, amount):
        self.amount = amount
    def __add__(self, other):
        return Money(self.amount + other.amount)

def apply(function, x):
    return function(x)

def main(name):
    x = torch.rand(3)
    if x.sum() > 1:
        step = torch.relu
    else:
        step = torch.tanh
    y = step(x)
    total = Money(1) + Money(2)
    setattr(total, 'currency', 'euro')
    setattr(total, sys.argv[1], 'euro')
    y = y.numpy()
    mixed = [1, 'two', 3.0]
    same = [1, 2.0, None, True]
    return apply(torch.exp, x), y, mixed, same
main('a')
";
    let folder = folder(&[("a.py", source.as_bytes())]);
    let output = harp(folder.path(), &["check", "--format", "json", "a.py"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let counted = |one: &serde_json::Value| {
        let text = |key: &str| one[key].to_string().replace('"', "");
        format!("{} {} {} {}", text("kind"), text("places"), text("not_followed"), one["example"]["start"]["line"])
    };
    let complexities: Vec<String> =
        report["summary"]["complexities"].as_array().expect("a list").iter().map(counted).collect();
    assert_eq!(
        complexities,
        [
            "data-dependent-branch 1 0 15",
            "unknown-dispatch 1 0 19",
            "higher-order-function 1 0 11",
            "operator-overload 1 0 20",
            "dynamic-attribute 2 1 22",
            "dynamic-type 1 0 23",
            "dynamic-container 1 0 24",
        ]
    );
}
