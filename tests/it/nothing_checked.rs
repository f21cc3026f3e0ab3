//! Runs that have nothing to check, and what is excluded though it is given by name.

use std::path::Path;
use std::process::Command;

use crate::common::folder;

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.arg("check").args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const BROKEN: &str = "x = (\n";

#[test]
fn a_run_without_files_says_why() {
    let folder = folder(&[
        ("empty/text.txt", ""),
        ("ignored/.gitignore", "*\n"),
        ("ignored/a.py", BROKEN),
        ("third/a.py", BROKEN),
        ("third/b.ipynb", "{}"),
    ]);
    for (arguments, reason) in [
        (&["empty"][..], "there is no Python file or notebook in `empty`"),
        (&["ignored"], "the only Python file or notebook in `ignored` is hidden or left out by ignore rules"),
        (&["third", "--exclude", "*"], "all 2 Python files and notebooks in `third` are left out by `exclude`"),
    ] {
        let (code, out, err) = harp(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(0), "no findings in 0 files (0 lines)\n"), "{err}");
        assert!(err.starts_with(&format!("warning: nothing was checked: {reason}\n")), "{err}");
    }
    // What was said already is not said again.
    let (code, _, err) = harp(folder.path(), &["missing"]);
    assert_eq!(code, Some(2));
    assert!(!err.contains("nothing was checked"), "{err}");
    let (_, _, err) = harp(folder.path(), &["third/b.ipynb"]);
    assert!(!err.contains("nothing was checked"), "{err}");
}

#[test]
fn names_are_excluded_where_somebody_asks_for_it() {
    let files = [
        ("third/inner/a.py", BROKEN),
        ("b.py", BROKEN),
        ("c.py", "x = 1\n"),
        ("harp.toml", "exclude = ['third', '/b.py']\n"),
        ("forced.toml", "exclude = ['third', 'b.py']\nforce-exclude = true\n"),
    ];
    let folder = folder(&files);
    let given = ["third/inner/a.py", "b.py", "c.py"];
    let code = |more: &[&str]| harp(folder.path(), &[&given[..], more].concat()).0;
    assert_eq!(code(&[]), Some(1));
    assert_eq!(code(&["--force-exclude"]), Some(0));
    assert_eq!(code(&["--config", "forced.toml"]), Some(0));
    assert_eq!(harp(folder.path(), &["third", "--force-exclude"]).0, Some(0));
    let inner = folder.path().join("third/inner");
    assert_eq!(harp(&inner, &["a.py", "--force-exclude"]).0, Some(0));
    assert_eq!(harp(&inner, &["a.py"]).0, Some(1));
    let (code, _, err) = harp(folder.path(), &["c.py", "--force-exclude", "--exclude", "!c.py"]);
    assert_eq!(code, Some(2), "{err}");
}

#[cfg(unix)]
#[test]
fn no_name_in_the_warning_changes_a_terminal() {
    let folder = folder(&[("a\u{1b}[31m/b.txt", "")]);
    let (code, _, err) = harp(folder.path(), &["a\u{1b}[31m"]);
    assert_eq!(code, Some(0));
    assert!(err.contains("nothing was checked") && !err.contains('\u{1b}'), "{err}");
}
