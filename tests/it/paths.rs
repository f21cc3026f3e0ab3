//! Files whose names or places are unusual: reports name them so that programs find them, and messages stay readable.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn sarif(folder: &Path, path: &str) -> Value {
    let (_, out, err) = harp(folder, &["check", path, "--format", "sarif"]);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

/// Every URI of a document.
fn uris(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::Array(items) => items.iter().for_each(|item| uris(item, found)),
        Value::Object(members) => {
            found.extend(members.get("uri").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| uris(member, found));
        }
        _ => {}
    }
}

/// The path that a URI stands for, read as RFC 3986 has it.
fn resolved(uri: &str, base: &Path) -> PathBuf {
    assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%:".contains(&byte)), "{uri} is not a URI");
    let (path, base) = match uri.strip_prefix("file://") {
        Some(path) => (path, Path::new("/")),
        None => (uri, base),
    };
    assert!(!path.contains(':'), "{uri} has a scheme");
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next().expect("a digit"), rest.next().expect("a digit")];
                let digits = std::str::from_utf8(&digits).expect("digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("a number"));
            }
            other => bytes.push(other),
        }
    }
    base.join(OsStr::from_bytes(&bytes))
}

const NAMES: [&[u8]; 11] = [
    b"a b.py",
    b"a%20b.py",
    b"100%.py",
    b"a#b?c=d.py",
    b"c:d.py",
    b"back\\slash.py",
    b"line\nbreak\r\t\x1b[31m.py",
    "\u{202e}gr\u{f6}\u{df}e.py".as_bytes(),
    b"latin\xe9\xff.py",
    b"::error file=x::y.py",
    b"-._~!$&'()*+,;=@.py",
];

#[test]
fn uris_lead_to_the_files() {
    let folder = crate::common::folder::<&str>(&[]);
    let base = folder.path().join("in %41 folder");
    fs::create_dir(&base).expect("a folder");
    let mut expected = Vec::new();
    for name in NAMES {
        for (start, content) in [("", WRONG), ("binary", "\0")] {
            let path = base.join(OsStr::from_bytes(&[start.as_bytes(), name].concat()));
            fs::write(&path, content).expect("a file");
            expected.push(path.canonicalize().expect("a path"));
        }
    }
    expected.sort();
    for (from, path) in
        [(&*base, "."), (folder.path(), "in %41 folder"), (Path::new("/"), base.to_str().expect("text"))]
    {
        let mut found = Vec::new();
        uris(&sarif(from, path), &mut found);
        let mut found: Vec<PathBuf> = found.iter().map(|uri| resolved(uri, from)).collect();
        found.iter_mut().for_each(|path| *path = path.canonicalize().unwrap_or_else(|_| panic!("{path:?}")));
        found.sort();
        found.dedup();
        assert_eq!(found, expected);
    }
}

#[test]
fn broken_links_are_called_what_they_are() {
    use std::os::unix::fs::symlink;
    let folder = crate::common::folder(&[("a/good.py", "x = 1\n"), ("outside.py", "")]);
    let link = |target: &str, name: &str| symlink(target, folder.path().join("a").join(name)).expect("a link");
    link("a.py", "a.py");
    link("c.py", "b.py");
    link("b.py", "c.py");
    link("none.py", "d.py");
    link("../outside.py", "e.py");
    let (code, out, _) = harp(folder.path(), &["check", "a"]);
    assert_eq!(code, Some(0));
    for line in [
        "a/a.py: a symbolic link in a circle",
        "a/b.py: a symbolic link in a circle",
        "a/c.py: a symbolic link in a circle",
        "a/d.py: a symbolic link that leads nowhere",
        "a/e.py: a symbolic link out of the folder",
    ] {
        assert!(out.contains(line), "{line} is not in:\n{out}");
    }
    for (name, said) in [("a/a.py", "in a circle"), ("a/b.py", "in a circle"), ("a/d.py", "that leads nowhere")] {
        let (code, _, err) = harp(folder.path(), &["check", name]);
        assert_eq!(code, Some(2));
        assert!(err.contains(&format!("error: {name} is a symbolic link {said}\n")), "{err}");
    }
}

/// A program in folders whose names together have so many characters. One path may not be so long for the system, so that the lower folders
/// are made elsewhere and moved.
fn deep(folder: &Path, length: usize) {
    const PART: usize = 200;
    let chain = |name: &str, length: usize| {
        let below: PathBuf = vec![name.repeat(PART); length / PART].iter().collect();
        let path = folder.join(name).join(below);
        fs::create_dir_all(&path).expect("folders");
        path
    };
    let lower = chain("z", length.saturating_sub(3200));
    fs::write(lower.join("wrong.py"), WRONG).expect("a file");
    let upper = chain("a", length.min(3200));
    fs::rename(folder.join("z"), upper.join("z")).expect("it is moved");
}

#[test]
fn long_paths_lose_their_middle_in_messages_and_nowhere_else() {
    let folder = crate::common::folder::<&str>(&[]);
    deep(folder.path(), 3600);
    let path = fs::canonicalize(folder.path()).expect("a path");
    let shown = |text: &str| text.lines().find(|line| line.contains("wrong.py")).expect("the file is named").to_owned();
    let name = format!("a/{}/z/{}/wrong.py", vec!["a".repeat(200); 16].join("/"), vec!["z".repeat(200); 2].join("/"));
    let (code, out, err) = harp(&path, &["check", "a", "--verbose", "--explain-path"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.lines().all(|line| line.chars().count() < 500), "{out}");
    let line = shown(&out);
    assert!(line.contains("--> a/aaaa") && line.contains('…') && line.ends_with("zzzz/wrong.py:2:1"), "{line}");
    let place = &format!("{name}:2");
    for arguments in [
        &["explain", place, "a"][..],
        &["explain", &format!("{name}:1"), "a"],
        &["why-not", "shape/mismatch", place, "a"],
        &["query", "violated(r)", "a"],
        &["infer", "a", "--all"],
        &["check", &format!("{name}/none")],
        &["check", &name.replace("/wrong", "/wrong wrong")],
        &["check", "a", "--config", &format!("{name}.toml")],
        &["check", "a", "--pack", &name],
        &["check", "a", "--output", &format!("{name}/none")],
        &[&name],
    ] {
        let (_, out, err) = harp(&path, arguments);
        assert!(out.lines().chain(err.lines()).all(|line| line.chars().count() < 500), "{arguments:?}: {out}{err}");
        assert!(!err.contains("panicked"), "{err}");
    }
    for format in ["json", "sarif"] {
        let (_, out, _) = harp(&path, &["check", "a", "--verbose", "--format", format]);
        assert!(out.contains(&format!("\"{name}\"")) && !out.contains('…'), "{out}");
    }
    let (_, csv, _) = harp(&path, &["query", "violated(r)", "a", "--format", "csv"]);
    assert!(csv.contains(&name), "{csv}");
}

#[test]
fn what_lies_too_deep_for_the_system_is_skipped_with_a_reason() {
    let folder = crate::common::folder(&[("good.py", "x = 1\n")]);
    deep(folder.path(), 6400);
    let (code, out, err) = harp(folder.path(), &["check", "."]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("in 1 file") && out.contains(": cannot be read: "), "{out}");
    assert!(out.lines().all(|line| line.chars().count() < 500), "{out}");
    let report: Value =
        serde_json::from_str(&harp(folder.path(), &["check", ".", "--format", "json"]).1).expect("JSON");
    let skipped = &report["summary"]["skipped"][0];
    assert!(skipped["path"].as_str().is_some_and(|path| path.len() > 3000), "{skipped}");
}
