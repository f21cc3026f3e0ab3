//! `harp check --fix` and `--diff`: which edits are made, and what else stays as it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::folder;

/// Exit code, standard output, standard error.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.args(["check"]).args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a file")
}

const START: &str = "import numpy as np\n\na, b = np.zeros(1000), np.ones(1000)\n";
const LOOP: &str = "for i in range(1000):\n    a[i] = b[i] * 2\nprint(a.sum())\n";
const WITHOUT_LOOP: &str = "a[:1000] = b[:1000] * 2\nprint(a.sum())\n";
const UNSAFE_LOOP: &str = "for i in range(1000):\n    # again\n    b[i] = a[i] * 3\nprint(b.sum())\n";
const WITHOUT_UNSAFE_LOOP: &str = "b[:1000] = a[:1000] * 3\nprint(b.sum())\n";

#[test]
fn what_is_safe_is_fixed_and_the_rest_when_asked_for() {
    let program = [START, LOOP, UNSAFE_LOOP].concat();
    let folder = folder(&[("a.py", program.as_str()), ("clean.py", "x = 1\n")]);
    let (code, out, err) = harp(folder.path(), &["--fix", "--format", "concise"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(out.ends_with("1 finding fixed in 1 file\n1 more can be fixed with --unsafe-fixes\n"), "{out}");
    assert_eq!(read(&folder, "a.py"), [START, WITHOUT_LOOP, UNSAFE_LOOP].concat());
    let (code, out, _) = harp(folder.path(), &["--fix", "--unsafe-fixes", "--format", "json"]);
    assert_eq!(code, Some(0), "{out}");
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let fixes = serde_json::json!({"made": 1, "files": 1, "refused": [], "left": 0, "unsafe_left": 0});
    assert_eq!(report["summary"]["fixes"], fixes);
    assert_eq!(read(&folder, "a.py"), [START, WITHOUT_LOOP, WITHOUT_UNSAFE_LOOP].concat());
    assert_eq!(harp(folder.path(), &["--fix"]).1, "no findings in 2 files (8 lines)\n0 findings fixed in 0 files\n");
}

#[test]
fn a_diff_writes_nothing() {
    let program = [START, LOOP].concat();
    let folder = folder(&[("a.py", program.as_str())]);
    let (code, out, err) = harp(folder.path(), &["--diff"]);
    let expected = "--- a.py\n+++ a.py\n@@ -1,6 +1,5 @@\n import numpy as np\n \n a, b = np.zeros(1000), np.ones(1000)\n\
                    -for i in range(1000):\n-    a[i] = b[i] * 2\n+a[:1000] = b[:1000] * 2\n print(a.sum())\n";
    assert_eq!((code, out.as_str(), err.as_str()), (Some(1), expected, ""));
    assert_eq!(read(&folder, "a.py"), program);
    assert_eq!(harp(folder.path(), &["--diff", "--ignore", "harp"]), (Some(0), String::new(), String::new()));
    // Where nothing is safe, that there is something is told.
    fs::write(folder.path().join("a.py"), [START, UNSAFE_LOOP].concat()).expect("a file");
    let told = "1 more can be fixed with --unsafe-fixes\n".to_owned();
    assert_eq!(harp(folder.path(), &["--diff"]), (Some(0), String::new(), told));
}

#[test]
fn what_is_not_reported_is_not_fixed() {
    let program = [START, LOOP, "print(a)  # harp: ignore-file\n"].concat();
    let files = [("a.py", program.as_str()), ("b.py", &[START, LOOP].concat())];
    let folder = folder(&files);
    let baseline = ["--baseline", "known.json"];
    assert_eq!(harp(folder.path(), &[&baseline[..], &["--update-baseline"]].concat()).0, Some(0));
    assert_eq!(harp(folder.path(), &[&baseline[..], &["--fix"]].concat()).0, Some(0));
    assert_eq!(harp(folder.path(), &["--fix", "--select", "shape"]).0, Some(0));
    assert_eq!((read(&folder, "a.py"), read(&folder, "b.py")), (program, [START, LOOP].concat()));
}

#[test]
fn encodings_marks_and_line_ends_stay() {
    let program = [START, LOOP, "s = 'é'\n"].concat().replace('\n', "\r\n");
    let expected = [START, WITHOUT_LOOP, "s = 'é'\n"].concat().replace('\n', "\r\n");
    let latin = |text: &str| -> Vec<u8> {
        format!("# coding: latin-1\r\n{text}").chars().map(|it| u8::try_from(u32::from(it)).expect("latin")).collect()
    };
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let wide = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let files = [("a.py", latin(&program)), ("b.py", marked(&program)), ("c.py", wide(&program))];
    let folder = folder(&files);
    let (code, out, err) = harp(folder.path(), &["--fix"]);
    assert_eq!(code, Some(0), "{out}{err}");
    for (name, expected) in [("a.py", latin(&expected)), ("b.py", marked(&expected)), ("c.py", wide(&expected))] {
        assert_eq!(fs::read(folder.path().join(name)).expect("a file"), expected, "{name}");
    }
}

#[test]
fn of_a_notebook_the_changed_cells_are_written() {
    let cell = "[\n    \"import numpy as np\\n\",\n    \"# \\u00e9\\n\",\n    \"a, b = np.zeros(1000), np.ones(1000)\\n\",\n    \"for i in range(1000):\\n\",\n    \"    a[i] = b[i] * 2\"\n   ]";
    let notebook = format!(
        "{{\n \"cells\": [\n  {{\"cell_type\": \"markdown\", \"source\": \"x\"}},\n  {{\n   \"cell_type\": \"code\", \"outputs\" : [ ],\n   \"source\": {cell}\n  }},\n  \
         {{\"cell_type\": \"code\", \"source\": \"print(a.sum())\"}}], \"metadata\": {{\"x\": 1.50}}, \"nbformat\": 4}}\n"
    );
    let folder = folder(&[("a.ipynb", notebook.as_str())]);
    let (code, out, _) = harp(folder.path(), &["--diff"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("--- a.ipynb:cell 2\n+++ a.ipynb:cell 2\n@@ -1,5 +1,4 @@\n"), "{out}");
    assert_eq!(harp(folder.path(), &["--fix"]).0, Some(0));
    let new = "\"for i in range(1000):\\n\",\n    \"    a[i] = b[i] * 2\"";
    assert_eq!(read(&folder, "a.ipynb"), notebook.replace(new, "\"a[:1000] = b[:1000] * 2\""));
}

const MANIFEST: &str =
    "name = \"acme\"\nversion = \"0.1.0\"\nschema_version = 1\nlicence = \"MIT\"\ndescription = \"tests\"\n";
const RULES: &str = "/// A call that goes.\n/// @id acme/gone   @message \"gone\"   @at s   @edit s \"\"\n.decl gone(s: Stmt)\n\
                     gone(s) :- call(_, s, \"torch.eye\").\n\
                     /// A call that becomes another one.\n/// @id acme/other   @message \"other\"   @at e\n\
                     /// @edit e \"torch.zeros(3)  # \u{2713}\"\n.decl other(e: Expr)\nother(e) :- call(e, _, \"torch.ones\").\n";

fn with_pack(program: &[u8]) -> TempDir {
    let page = |id: &str| format!("# {id}\n\nText.\n").into_bytes();
    folder(&[
        ("acme/harp-pack.toml", MANIFEST.as_bytes().to_vec()),
        ("acme/rules/acme.dl", RULES.as_bytes().to_vec()),
        ("acme/gone.md", page("acme/gone")),
        ("acme/other.md", page("acme/other")),
        ("a.py", program.to_vec()),
    ])
}

#[test]
fn edits_that_do_not_go_together_are_made_one_after_the_other() {
    // Each leaves a statement in the block; both leave none, which is no Python.
    let folder = with_pack(b"import torch\n\nif torch.cuda.is_available():\n    torch.eye(3)\n    torch.eye(3)\n");
    let (code, out, err) = harp(folder.path(), &["a.py", "--pack", "acme", "--fix"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.ends_with("2 findings fixed in 1 file\n"), "{out}");
    assert_eq!(read(&folder, "a.py"), "import torch\n\nif torch.cuda.is_available():\n    pass\n");
}

#[test]
fn what_cannot_be_written_is_not_kept_and_told() {
    let program = b"# coding: latin-1\nimport torch\n\nx = torch.ones(3)\ntorch.eye(3)\ns = '\xe9'\n";
    let folder = with_pack(program);
    let (code, out, _) = harp(folder.path(), &["a.py", "--pack", "acme", "--fix", "--format", "concise"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("1 finding fixed in 1 file\nnot fixed:\n"), "{out}");
    assert!(out.contains("acme/other: a.py: the new text cannot be written in its encoding"), "{out}");
    let expected = b"# coding: latin-1\nimport torch\n\nx = torch.ones(3)\ns = '\xe9'\n";
    assert_eq!(fs::read(folder.path().join("a.py")).expect("a file"), expected);
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_no_link_leads_out_of_the_project() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let program = [START, LOOP].concat();
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("b.py"), &program).expect("a file");
    let folder = folder(&[("a.py", program.as_str())]);
    symlink(outside.path().join("b.py"), folder.path().join("out.py")).expect("a link");
    symlink(outside.path(), folder.path().join("folder")).expect("a link");
    fs::set_permissions(folder.path().join("a.py"), fs::Permissions::from_mode(0o750)).expect("it is ours");
    let (code, out, _) = harp(folder.path(), &["out.py", "folder", "--fix", "--format", "concise"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("0 findings fixed in 0 files") && out.contains("a link leads to its file"), "{out}");
    assert_eq!(fs::read_to_string(outside.path().join("b.py")).expect("a file"), program);
    assert_eq!(harp(folder.path(), &[".", "--fix"]).0, Some(0));
    assert_eq!(read(&folder, "a.py"), [START, WITHOUT_LOOP].concat());
    let mode = fs::metadata(folder.path().join("a.py")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    let names = fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("a name").file_name());
    assert_eq!(names.filter(|name| name.to_string_lossy().ends_with(".tmp")).count(), 0);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let folder = folder(&[("a.py", "x = 1\n")]);
    for arguments in [&["--fix", "--update-baseline"][..], &["--diff", "--output", "a"], &["--fix", "--show-files"]] {
        assert_eq!(harp(folder.path(), arguments).0, Some(2), "{arguments:?}");
    }
}
