//! A finding has one name, wherever Harp is started and however the files are given.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder).output().expect("the program starts")
}

/// The fingerprints by the name of the file without its folders, in the order of the lines.
fn fingerprints(folder: &Path, path: &str) -> BTreeMap<String, Vec<String>> {
    let output = harp(folder, &["check", path, "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in report["findings"].as_array().expect("findings") {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let file = text(&finding["place"]["file"]);
        let name = file.rsplit('/').next().expect("a name").to_owned();
        found.entry(name).or_default().push(text(&finding["fingerprint"]));
    }
    let all: Vec<&String> = found.values().flatten().collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "each has a name of its own: {found:?}");
    found
}

/// A new folder with these files and nothing else.
fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|path| write(&folder.path().join(path)));
    folder
}

/// A program, or what makes a folder the root of a project.
fn write(path: &Path) {
    let content = match path.file_name().and_then(|name| name.to_str()) {
        Some("pyproject.toml") => "[tool.harp]\n",
        Some(name) if name.ends_with(".py") => WRONG,
        _ => "",
    };
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, content).expect("a file");
}

/// Asserts that every call says of its files what the first says of them, and that each name is found by `harp explain`.
#[track_caller]
fn all_alike(calls: &[(&Path, &str)]) -> BTreeMap<String, Vec<String>> {
    let (folder, path) = calls[0];
    let all = fingerprints(folder, path);
    for (index, (folder, path)) in calls.iter().enumerate() {
        let found = fingerprints(folder, path);
        assert!(!found.is_empty(), "{folder:?} {path}");
        for (name, given) in &found {
            assert_eq!(Some(given), all.get(name), "{name} in {folder:?} as {path}");
        }
        // What finds a name starts from the same findings: some of the calls are enough.
        if index % 5 != 2 {
            continue;
        }
        let id = found.values().next().expect("a file")[0].as_str();
        let explained = harp(folder, &["explain", id, path]);
        assert!(
            String::from_utf8_lossy(&explained.stdout).contains(&format!("fingerprint: {id}")),
            "{folder:?} {path}"
        );
    }
    all
}

#[test]
fn a_project_has_a_root_by_its_configuration_or_checkout() {
    for mark in [".git/HEAD", ".git", "harp.toml", "pyproject.toml"] {
        let around =
            folder(&["outer/p/sub/a.py", "outer/p/sub/pkg/b.py", "outer/p/sub/pkg/__init__.py", "outer/p/c.py"]);
        let root = &around.path().join("outer/p");
        write(&root.join(mark));
        let absolute = root.canonicalize().expect("a path");
        let absolute = absolute.to_str().expect("UTF-8");
        let sub = &root.join("sub");
        let mut calls: Vec<(&Path, &str)> = vec![
            (root, "."),
            (root, "sub"),
            (root, "./sub/../sub/a.py"),
            (root, absolute),
            (around.path(), "outer/p"),
            (around.path(), "outer"),
            (around.path(), "outer/p/sub"),
            (around.path(), "outer/p/sub/pkg/b.py"),
            (Path::new("/"), absolute),
            (sub, "."),
            (sub, "a.py"),
            (sub, "pkg"),
            (sub, "pkg/b.py"),
            (sub, ".."),
            (sub, "../c.py"),
        ];
        let link = around.path().join("link");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("outer", &link).expect("a link");
            calls.extend([(around.path(), "link/p"), (&*link, "p/sub"), (around.path(), "link/p/sub/a.py")]);
        }
        // The ways to the folders are the same whatever marks the root.
        if mark != ".git" {
            calls = calls.into_iter().step_by(9).collect();
        }
        let here = all_alike(&calls);
        assert_eq!(here.values().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2, 2]);
        // So have other checkouts of the project.
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::rename(root, elsewhere.path().join("q")).expect("it is moved");
        assert_eq!(fingerprints(elsewhere.path(), "q"), here);
    }
}

#[test]
fn without_a_root_the_folder_that_is_given_is_one() {
    let around = folder(&["p/sub/a.py", "p/b.py", "single.py"]);
    let root = around.path().join("p");
    let absolute = root.canonicalize().expect("a path");
    let absolute = absolute.to_str().expect("UTF-8");
    let here = all_alike(&[(&root, "."), (around.path(), "p"), (Path::new("/"), absolute)]);
    assert_ne!(here["a.py"], fingerprints(&root, "sub")["a.py"]);
    // A file that is given by name is named from the folder around its packages.
    all_alike(&[(around.path(), "single.py"), (&root, "../single.py")]);
}

#[test]
fn the_nearest_root_counts_and_projects_in_one_run_are_told_apart() {
    let around =
        folder(&["p/.git", "p/one/harp.toml", "p/one/a.py", "p/two/pyproject.toml", "p/two/a.py", "p/two/sub/b.py"]);
    let one = fingerprints(around.path(), "p/one");
    let two = fingerprints(around.path(), "p/two");
    assert_eq!(one["a.py"], two["a.py"], "they do not know of each other");
    let both = fingerprints(around.path(), "p");
    assert_eq!(both["b.py"], two["b.py"]);
    assert_eq!(both["a.py"][..2], one["a.py"]);
    assert_eq!(both["a.py"].len(), 4);
}

#[cfg(unix)]
#[test]
fn names_that_look_alike_are_told_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let around = folder(&[]);
    for name in [&b"\xfe.py"[..], b"\xff.py", "\u{fffd}.py".as_bytes(), b"\\n.py", b"\n.py"] {
        fs::write(around.path().join(OsStr::from_bytes(name)), WRONG).expect("a file");
    }
    let found = fingerprints(around.path(), ".");
    assert_eq!(found.values().map(Vec::len).sum::<usize>(), 10);
}
