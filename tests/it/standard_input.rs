//! `harp check -`: a file that is not on disk, or not yet.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::folder;

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str], input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_harp"))
        .arg("check")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It may end before it has read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).expect("UTF-8"))
}

/// Exit code, and the standard output as text.
fn said(folder: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let (code, out, _) = harp(folder, arguments, input.as_bytes());
    (code, String::from_utf8(out).expect("UTF-8"))
}

const PROGRAM: &str = "import torch\nfrom library import made\n\nmade() @ torch.zeros(5, 6)\n";
const LIBRARY: &str = "import torch\n\ndef made():\n    return torch.zeros(2, 3)\n";

#[test]
fn findings_name_the_file_and_imports_are_followed() {
    let folder = folder(&[("library.py", LIBRARY), ("other/harp.toml", "ignore = ['shape']\n")]);
    let (code, out) = said(folder.path(), &["-", "--format", "concise"], PROGRAM);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("<stdin>:4:1: error[shape/mismatch] "), "{out}");
    let (code, out) = said(folder.path(), &["-", "--stdin-filename", "new.py", "--format", "concise"], PROGRAM);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("new.py:4:1: error[shape/mismatch] "), "{out}");
    // The configuration is that of the folder in which the file would lie.
    assert_eq!(said(folder.path(), &["-", "--stdin-filename", "other/new.py"], PROGRAM).0, Some(0));
    for format in ["json", "json-lines", "sarif", "github", "gitlab", "junit"] {
        let (code, out) = said(folder.path(), &["-", "--stdin-filename", "new.py", "--format", format], PROGRAM);
        assert_eq!(code, Some(1));
        assert!(out.contains("new.py"), "{format}: {out}");
    }
}

#[test]
fn what_is_on_disk_by_that_name_is_not_read() {
    let folder = folder(&[("library.py", LIBRARY), ("a.py", "this is no Python\n")]);
    let (code, out) = said(folder.path(), &["-", "--stdin-filename", "a.py"], "x = 1\n");
    assert_eq!((code, out.as_str()), (Some(0), "no findings in 1 file (1 line)\n"));
    assert_eq!(fs::read_to_string(folder.path().join("a.py")).expect("a file"), "this is no Python\n");
}

const LOOP: &str = "import numpy as np\r\na, b = np.zeros(1000), np.ones(1000)\r\nfor i in range(1000):\r\n    a[i] = b[i] * 2\r\nprint(a, '\u{e9}')\r\n";
const WITHOUT_LOOP: &str =
    "import numpy as np\r\na, b = np.zeros(1000), np.ones(1000)\r\na[:1000] = b[:1000] * 2\r\nprint(a, '\u{e9}')\r\n";

#[test]
fn the_fixed_source_goes_to_the_standard_output_and_the_report_to_the_error() {
    let folder = folder(&[("a.py", "old\n")]);
    let asked = ["-", "--stdin-filename", "a.py", "--fix"];
    let (code, out, err) = harp(folder.path(), &asked, LOOP.as_bytes());
    assert_eq!((code, out.as_slice()), (Some(0), WITHOUT_LOOP.as_bytes()));
    assert_eq!(err, "no findings in 1 file (4 lines)\n1 finding fixed in 1 file\n");
    assert_eq!(fs::read_to_string(folder.path().join("a.py")).expect("a file"), "old\n");
    // What has nothing to fix comes back as it was, also what is no Python.
    for source in [&b"x = 1"[..], b"x = (\n", b"\xff\xfe", b"\0\0", b""] {
        assert_eq!(harp(folder.path(), &asked, source).1, source);
    }
    let (code, out) = said(folder.path(), &["-", "--fix", "--diff"], LOOP);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("--- <stdin>\n+++ <stdin>\n@@ -1,5 +1,4 @@\n"), "{out}");
    let notebook = r#"{"cells": [{"cell_type": "code", "source": "x = 1"}], "nbformat": 4}"#;
    assert_eq!(said(folder.path(), &["-", "--stdin-filename", "a.ipynb", "--fix"], notebook).1, notebook);
}

#[test]
fn hostile_input_is_bounded_and_shown_without_escapes() {
    let folder = folder(&[("harp.toml", "max-file-size = '100KiB'\n")]);
    let (code, out, err) = harp(folder.path(), &["-"], &vec![b'#'; 200 << 10]);
    assert_eq!((code, out.as_slice()), (Some(2), &b""[..]));
    assert!(err.contains("the standard input has more than 102400 bytes"), "{err}");
    let name = "a\u{1b}[31m.py";
    let (code, out) = said(folder.path(), &["-", "--stdin-filename", name, "--format", "concise"], "x = (\u{1b}[0m\n");
    assert_eq!(code, Some(1));
    assert!(!out.contains('\u{1b}'), "{out}");
    for arguments in [&["-", "a.py"][..], &["--stdin-filename", "a.py"]] {
        let (code, out, err) = harp(folder.path(), arguments, b"");
        assert_eq!((code, out.as_slice()), (Some(2), &b""[..]), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_by_that_name_is_followed() {
    let outside = folder(&[("secret.py", "import torch\n\ndef made():\n    return torch.zeros(2, 3)\n")]);
    let folder = folder(&[("a.py", "")]);
    std::os::unix::fs::symlink(outside.path().join("secret.py"), folder.path().join("library.py")).expect("a link");
    let (code, out) = said(folder.path(), &["-", "--stdin-filename", "library.py"], "x = 1\n");
    assert_eq!((code, out.as_str()), (Some(0), "no findings in 1 file (1 line)\n"));
    let (code, out) = said(folder.path(), &["-", "--stdin-filename", "b.py", "--format", "concise"], PROGRAM);
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{out}");
}
