//! `harp completions` and `harp man`.

use std::process::Command;

/// Exit code, standard output, standard error.
fn harp(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn shells_get_scripts_with_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, out, err) = harp(&["completions", shell]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{shell}");
        for word in ["check", "why-not", "unsafe-fixes"] {
            assert!(out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(harp(&["completions", "cmd"]).0, Some(2));
}

#[test]
fn commands_have_pages() {
    let (code, out, _) = harp(&["man"]);
    assert_eq!(code, Some(0));
    assert!(out.contains(".TH harp 1") && out.contains("Finds tensor\\-shape errors"), "{out}");
    let (code, out, _) = harp(&["man", "check"]);
    assert_eq!(code, Some(0));
    assert!(out.contains(".TH harp-check 1") && out.contains("\\-\\-unsafe\\-fixes"), "{out}");
    let (code, out, err) = harp(&["man", "chek\u{1b}[31m"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("has no command") && !err.contains('\u{1b}'), "{err}");
}
