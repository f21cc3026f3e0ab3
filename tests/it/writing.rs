//! What Harp writes and starts in a hostile project: nothing that git or another program runs, nothing through a link, nothing over a file of another
//! kind, and no program of the project.

#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::folder;
use crate::common::repository::Repository;

const WRONG: &str = "import torch\nx = torch.zeros(2, 3) @ torch.zeros(4, 5)\n";
const HOOK: &str = "#!/bin/sh\nexit 0\n";
const LOOP: &str = "#!/usr/bin/env python3\nimport numpy as np\n\na, b = np.zeros(1000), np.ones(1000)\n\
                    for i in range(1000):\n    a[i] = b[i] * 2\nprint(a.sum())\n";

/// Exit code, and all that is said.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    harp_with(folder, arguments, std::env::var_os("PATH").unwrap_or_default())
}

fn harp_with(folder: &Path, arguments: &[&str], path: OsString) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(arguments).current_dir(folder).env("PATH", path);
    let output = command.output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn contains(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in:\n{text}"));
}

/// A checkout with an executable hook, and these files.
fn with_hook(files: &[(&str, &str)]) -> TempDir {
    let folder = folder(files);
    let hooks = folder.path().join(".git/hooks");
    fs::create_dir_all(&hooks).expect("a folder");
    program(&hooks.join("pre-commit"), HOOK);
    folder
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn hook(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join(".git/hooks/pre-commit")).expect("the hook")
}

#[test]
fn a_baseline_of_a_project_replaces_baselines_alone() {
    let settings = "{\"name\": \"ours\"}";
    let refused = [
        (".git/hooks/pre-commit", "belongs to another tool"),
        ("sub/../.git/hooks/pre-commit", "belongs to another tool"),
        (".husky/pre-commit", "is a hidden folder"),
        ("linked.json", "is a symbolic link"),
        ("folder/known.json", "is a symbolic link"),
        ("package.json", "not a baseline"),
        ("a$(touch started).py", "not a baseline"),
        ("sub", "not a regular file"),
    ];
    for (baseline, why) in refused {
        let configuration = format!("baseline = '{baseline}'\n");
        let folder = with_hook(&[
            ("a$(touch started).py", WRONG),
            ("harp.toml", &configuration),
            ("package.json", settings),
            ("sub/b.py", "x = 1\n"),
        ]);
        symlink(".git/hooks/pre-commit", folder.path().join("linked.json")).expect("a link");
        symlink(".git/hooks", folder.path().join("folder")).expect("a link");
        let (code, said) = harp(folder.path(), &["check", "--update-baseline"]);
        assert_eq!(code, Some(2), "{baseline}: {said}");
        assert!(said.contains(why), "{baseline}: {said}");
        assert_eq!(hook(&folder), HOOK);
        assert_eq!(fs::read_to_string(folder.path().join("package.json")).expect("a file"), settings);
        assert!(!folder.path().join(".git/hooks/known.json").exists() && !folder.path().join(".husky").exists());
    }
    let folder = with_hook(&[("a.py", WRONG), ("harp.toml", "baseline = '.known.json'\n")]);
    assert_eq!(
        harp(folder.path(), &["check", "--update-baseline"]),
        (Some(0), "1 finding in .known.json\n".to_owned())
    );
    assert_eq!(
        harp(folder.path(), &["check", "--update-baseline"]),
        (Some(0), "1 finding in .known.json\n".to_owned())
    );
}

#[test]
fn fixes_and_comments_go_through_no_link_and_into_no_folder_of_git() {
    for command in [&["check", "--fix", "--unsafe-fixes"][..], &["suppress"]] {
        let folder = with_hook(&[("sub/b.py", "x = 1\n")]);
        program(&folder.path().join(".git/hooks/pre-commit"), LOOP);
        program(&folder.path().join(".git/hooks/hook.py"), LOOP);
        symlink(".git/hooks/pre-commit", folder.path().join("a.py")).expect("a link");
        symlink(".git/hooks", folder.path().join("g")).expect("a link");
        let paths = [("a.py", "a link leads"), ("g/hook.py", "a link leads"), (".git/hooks/hook.py", "another tool")];
        for (path, why) in paths {
            let (_, said) = harp(folder.path(), &[command, &[path]].concat());
            contains(&said, &["in 0 files", why]);
        }
        assert_eq!(hook(&folder), LOOP);
        assert_eq!(fs::read_to_string(folder.path().join(".git/hooks/hook.py")).expect("a file"), LOOP);
    }
}

#[test]
fn read_only_files_are_left_alone_and_told() {
    let folder = folder(&[("a.py", LOOP), ("report.json", ""), ("known.json", "{\"version\": 1, \"findings\": []}\n")]);
    for name in ["a.py", "report.json", "known.json"] {
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o444)).expect("it is ours");
    }
    contains(&harp(folder.path(), &["check", "a.py", "--fix"]).1, &["0 findings fixed", "its file is read-only"]);
    contains(&harp(folder.path(), &["suppress", "a.py"]).1, &["0 findings suppressed", "its file is read-only"]);
    let written = [&["--output", "json:report.json"][..], &["--baseline", "known.json", "--update-baseline"]];
    for arguments in written {
        let (code, said) = harp(folder.path(), &[&["check", "a.py"], arguments].concat());
        contains(&said, &["cannot be written: it is read-only"]);
        assert_eq!(code, Some(2));
    }
    assert_eq!(fs::read_to_string(folder.path().join("a.py")).expect("a file"), LOOP);
}

#[test]
fn a_report_replaces_reports_alone() {
    let files = [("a.py", WRONG), ("package.json", "{\"name\": \"ours\"}"), ("README.md", "# Ours\n"), ("run", HOOK)];
    let folder = with_hook(&files);
    let refused = [
        ("concise:a.py", "a program or settings"),
        ("json:package.json", "not a report of this form"),
        ("markdown:README.md", "not a report of this form"),
        ("concise:run", "not a report"),
    ];
    for (output, why) in refused {
        let (code, said) = harp(folder.path(), &["check", "a.py", "--output", output]);
        contains(&said, &["cannot be written", why, "help: choose another file"]);
        assert_eq!(code, Some(2), "{output}");
    }
    for (name, text) in files {
        assert_eq!(fs::read_to_string(folder.path().join(name)).expect("a file"), text);
    }
    for output in ["json:.git/hooks/post-commit", "json:.git/hooks/pre-commit"] {
        contains(&harp(folder.path(), &["check", "a.py", "--output", output]).1, &["`.git` belongs to another tool"]);
    }
    assert_eq!(hook(&folder), HOOK);
    let forms = ["json", "json-lines", "sarif", "junit", "gitlab", "github", "concise", "text", "html", "markdown"];
    for form in forms {
        for file in ["a.py", "clean.py", "a.py"] {
            fs::write(folder.path().join("clean.py"), "x = 1\n").expect("a file");
            let output = format!("{form}:report.{form}");
            let (code, said) = harp(folder.path(), &["check", file, "--output", &output]);
            assert_eq!(code, Some(i32::from(file == "a.py")), "{form} of {file}: {said}");
        }
    }
    for format in ["json", "souffle"] {
        for _ in 0..2 {
            let (code, said) = harp(folder.path(), &["facts", "a.py", "--format", format, "--output", "facts"]);
            assert_eq!(code, Some(0), "{said}");
        }
    }
    program(&folder.path().join("facts/call.facts"), HOOK);
    let (code, said) = harp(folder.path(), &["facts", "a.py", "--output", "facts"]);
    contains(&said, &["facts cannot be written", "a program"]);
    assert_eq!(code, Some(2));
}

/// What a shell connects is written to, whatever it is.
#[test]
fn the_standard_output_may_be_named() {
    let folder = folder(&[("a.py", WRONG)]);
    let run = |redirected: &str| {
        let mut shell = Command::new("/bin/sh");
        let line = format!("\"$0\" check a.py --output concise:/dev/stdout {redirected}");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_harp")]).current_dir(folder.path());
        String::from_utf8(shell.output().expect("the shell starts").stdout).expect("UTF-8")
    };
    assert!(run("").starts_with("a.py:2:5: error") && run("| cat").starts_with("a.py:2:5: error"));
    run("> report.txt");
    assert!(fs::read_to_string(folder.path().join("report.txt")).expect("a file").starts_with("a.py:2:5: error"));
    assert!(fs::symlink_metadata("/dev/stdout").expect("it is there").is_symlink());
}

/// `PATH` with a folder of the project first.
fn path_with(folder: &Path) -> OsString {
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&others))).expect("a path")
}

#[test]
fn no_program_of_the_project_is_started() {
    let mark = "#!/bin/sh\ntouch started\necho unsat\n";
    let undecided = "import torch\n\ndef f(n: int, m: int):\n    x = torch.zeros(n * n * m + n, 3)\n    \
                     return x.reshape(m * m * n, 3)\n";
    let repository = Repository::new(&[("a.py", undecided)]);
    for name in ["z3", "git"] {
        program(&repository.file("bin").join(name), mark);
    }
    let absolute = repository.path().canonicalize().expect("a folder").join("bin");
    let elsewhere = tempfile::tempdir().expect("a folder");
    symlink(absolute.join("z3"), elsewhere.path().join("z3")).expect("a link");
    symlink(absolute.join("git"), elsewhere.path().join("git")).expect("a link");
    for folder in [absolute.as_path(), elsewhere.path()] {
        let alone = folder.as_os_str().to_owned();
        let (code, said) = harp_with(repository.path(), &["check", "--solver", "z3"], alone.clone());
        contains(&said, &["lies in the analysed project, and is not started"]);
        assert_eq!(code, Some(2));
        let (code, said) = harp_with(repository.path(), &["review"], alone);
        contains(&said, &["lies in the analysed project, and is not started"]);
        assert_eq!(code, Some(2));
        // Those of other folders are.
        let (code, said) = harp_with(repository.path(), &["review"], path_with(folder));
        assert_eq!(code, Some(0), "{said}");
    }
    // Relative folders are none that the user chose.
    let (_, said) = harp_with(repository.path(), &["check", "--solver", "z3"], "bin:.".into());
    contains(&said, &["there is no program `z3` in the folders of PATH"]);
    assert!(!repository.file("started").exists() && !repository.file("bin/started").exists());
}

#[test]
fn a_configuration_of_the_project_starts_no_program() {
    let folder = folder(&[("p/a.py", WRONG), ("p/harp.toml", "solver = \"z3\"\n")]);
    let (code, said) = harp(folder.path(), &["check", "p"]);
    contains(&said, &["a configuration of the project starts no program", "harp.toml:1", "`--solver`"]);
    assert_eq!(code, Some(2));
    // The user's own may.
    let own = tempfile::tempdir().expect("a folder");
    let configuration = own.path().join("own.toml");
    fs::write(&configuration, "solver = \"z3\"\n").expect("a file");
    let arguments = ["check", "p", "--config", configuration.to_str().expect("UTF-8")];
    assert_eq!(harp_with(folder.path(), &arguments, "/nowhere".into()).0, Some(1));
}
