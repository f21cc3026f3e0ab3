//! `--baseline`: what is known is not told again, whatever became of the lines around it.

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

const OLD: &str = "import torch\n\nx = torch.zeros(2, 3)\ny = torch.cat([x, torch.ones(4, 5)], dim=0)\n";
const UPDATE: [&str; 5] = ["check", ".", "--baseline", "known.json", "--update-baseline"];
const CHECK: [&str; 6] = ["check", ".", "--baseline", "known.json", "--format", "concise"];

#[test]
fn known_findings_are_not_reported() {
    let folder = folder(&[("a.py", OLD)]);
    let (code, out, _) = harp(folder.path(), &UPDATE);
    assert_eq!((code, out.as_str()), (Some(0), "1 finding in known.json\n"));
    let clean = (Some(0), "no findings in 1 file (4 lines); 1 in the baseline\n".to_owned(), String::new());
    assert_eq!(harp(folder.path(), &CHECK), clean);
    // From another folder, and by another path.
    fs::create_dir(folder.path().join("inner")).expect("a folder");
    let (code, out, _) = harp(&folder.path().join("inner"), &["check", "../a.py", "--baseline", "../known.json"]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn moved_renamed_and_formatted_code_is_known_and_new_errors_are_told() {
    let folder = folder(&[("a.py", OLD)]);
    assert_eq!(harp(folder.path(), &UPDATE).0, Some(0));
    fs::remove_file(folder.path().join("a.py")).expect("it goes");
    let formatted = "import os\nimport torch\n\n\nx = torch.zeros(2, 3)\ny = torch.cat(\n    [x, torch.ones(4, 5)],\n    dim=0,\n)\n";
    fs::write(folder.path().join("b.py"), formatted).expect("a file");
    let (code, out, _) = harp(folder.path(), &CHECK);
    assert_eq!((code, out.as_str()), (Some(0), "no findings in 1 file (9 lines); 1 in the baseline\n"));
    fs::write(folder.path().join("b.py"), format!("{formatted}x @ torch.ones(7, 7)\n")).expect("a file");
    let (code, out, _) = harp(folder.path(), &CHECK);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("b.py:10:1: error[shape/mismatch] "), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
}

#[test]
fn what_is_gone_is_told_and_forgotten() {
    let folder = folder(&[("a.py", OLD), ("harp.toml", "baseline = 'known.json'\n")]);
    assert_eq!(harp(folder.path(), &["check", "--update-baseline"]).0, Some(0));
    fs::write(folder.path().join("a.py"), "x = 1\n").expect("a file");
    let (code, out, _) = harp(folder.path(), &["check"]);
    let gone = "no findings in 1 file (1 line)\n1 finding of the baseline is gone (--update-baseline forgets it)\n";
    assert_eq!((code, out.as_str()), (Some(0), gone));
    assert_eq!(harp(folder.path(), &["check", "--update-baseline"]).1, "0 findings in known.json\n");
    assert_eq!(harp(folder.path(), &["check"]).1, "no findings in 1 file (1 line)\n");
}

#[test]
fn what_is_no_baseline_is_refused_and_nothing_is_half_written() {
    let deep = "[".repeat(100_000);
    for text in [
        "",
        "{}",
        "[]",
        "{\"version\": 1, \"findings\": [{}]}",
        "{\"version\": 7, \"findings\": []}",
        &deep,
        "\u{1b}[31m",
    ] {
        let folder = folder(&[("a.py", OLD), ("known.json", text)]);
        let (code, out, err) = harp(folder.path(), &CHECK);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{text:.40}: {err}");
        assert!(err.contains("known.json is not a baseline") && !err.contains('\u{1b}'), "{err}");
    }
    let folder = folder(&[("a.py", OLD)]);
    let (code, _, err) = harp(folder.path(), &CHECK);
    assert_eq!(code, Some(2));
    assert!(err.contains("known.json cannot be read") && err.contains("`--update-baseline` writes it"), "{err}");
    let (code, _, err) = harp(folder.path(), &["check", "--update-baseline"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("needs to know which file"), "{err}");
    let (code, _, _) =
        harp(folder.path(), &["check", "missing.py", "a.py", "--baseline", "known.json", "--update-baseline"]);
    assert_eq!((code, folder.path().join("known.json").exists()), (Some(2), false));
}

#[cfg(unix)]
#[test]
fn a_baseline_of_the_configuration_lies_in_the_project() {
    let outside = folder(&[("secret.json", "{\"password\": 7}")]);
    let folder = folder(&[("a.py", OLD), ("harp.toml", "baseline = 'known.json'\n")]);
    std::os::unix::fs::symlink(outside.path().join("secret.json"), folder.path().join("known.json")).expect("a link");
    let (code, _, err) = harp(folder.path(), &["check"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(!err.contains("password"), "{err}");
}

#[test]
fn what_was_not_looked_at_stays_and_is_not_taken_for_what_moved() {
    let files = [("a.py", OLD), ("clean.py", "x = 1\n"), ("harp.toml", "baseline = 'known.json'\n")];
    let folder = folder(&files);
    assert_eq!(harp(folder.path(), &["check", "--update-baseline"]).1, "1 finding in known.json\n");
    // The same line in a file that is new, while the old one is there.
    fs::write(folder.path().join("b.py"), OLD).expect("a file");
    for arguments in [&["check", "b.py"][..], &["check", "."]] {
        let (code, out, _) = harp(folder.path(), arguments);
        assert!(code == Some(1) && out.contains("b.py:4"), "{arguments:?}: {out}");
    }
    // What is known of other files and rules is neither gone nor forgotten.
    for arguments in
        [&["check", "clean.py"][..], &["check", "a.py", "--select", "perf"], &["check", "a.py", "--certain-only"]]
    {
        let (code, out, _) = harp(folder.path(), arguments);
        assert!(code == Some(0) && !out.contains("gone"), "{arguments:?}: {out}");
        assert_eq!(harp(folder.path(), &[arguments, &["--update-baseline"]].concat()).1, "1 finding in known.json\n");
    }
    fs::remove_file(folder.path().join("b.py")).expect("it goes");
    assert_eq!(harp(folder.path(), &["check"]).0, Some(0));
    // A file that was renamed is looked at by whoever checks its new name.
    fs::rename(folder.path().join("a.py"), folder.path().join("c.py")).expect("it moves");
    assert_eq!(harp(folder.path(), &["check", "c.py"]).0, Some(0));
}
