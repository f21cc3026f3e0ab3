//! The patterns of speculation: their page is written from the data, each has a test, and each can be switched off.

use std::fs;
use std::path::Path;
use std::process::Command;

use harp::trace::assumption::PATTERNS;

const PAGE: &str = "docs/assumptions.md";
/// The table stands behind this line.
const MARK: &str =
    "<!-- Written from speculation/patterns.yaml: HARP_WRITE_PAGES=1 cargo test --test it speculation -->\n\n";

/// The table of the patterns, as the data gives it.
fn table() -> String {
    let mut page =
        String::from("| class | pattern | where | what is assumed | in the report |\n|---|---|---|---|---|\n");
    let mut patterns: Vec<_> = PATTERNS.iter().collect();
    let number = |class: &str| class.trim_start_matches('S').parse::<u32>().unwrap_or(u32::MAX);
    patterns.sort_by_key(|pattern| pattern.class.map_or(u32::MAX, number));
    for pattern in patterns {
        let sentences: Vec<String> = pattern.sentences.iter().map(|(_, sentence)| cell(sentence)).collect();
        let sentences = if sentences.is_empty() {
            "the words of the relation in `harp schema`".to_owned()
        } else {
            sentences.join("; ")
        };
        let (matches, assumes) = (cell(pattern.matches), cell(pattern.assumes));
        page.push_str(&format!(
            "| {} | `{}` | {matches} | {assumes} | {sentences} |\n",
            pattern.class.unwrap_or("–"),
            pattern.name
        ));
    }
    page
}

/// Text in a table; what is filled in is set in angle brackets, and code of code is plain.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('{', "⟨").replace('}', "⟩")
}

#[test]
fn the_page_is_what_the_data_says() {
    let page = fs::read_to_string(PAGE).expect("the page can be read");
    let (written, _) = page.split_once(MARK).expect("the page has the line before the table");
    let expected = format!("{written}{MARK}{}", table());
    if std::env::var_os("HARP_WRITE_PAGES").is_some() {
        fs::write(PAGE, &expected).expect("the page can be written");
    }
    let page = fs::read_to_string(PAGE).expect("the page can be read");
    assert_eq!(page, expected, "write it with HARP_WRITE_PAGES=1");
}

#[test]
fn every_class_has_a_program() {
    let programs = fs::read_to_string("tests/markdown/speculation/patterns.md").expect("the page of programs");
    for pattern in PATTERNS.iter().filter(|pattern| pattern.class.is_some() && pattern.name != "no-hidden-change") {
        assert!(
            programs.contains(&format!("`{}` ({})", pattern.name, pattern.class.unwrap_or_default())),
            "{}",
            pattern.name
        );
    }
}

fn check(folder: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "main.py"])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const PROGRAM: &str = "import torch


def f(n, x):
    D, X = torch.rand(512, 512), torch.rand(512, 512)
    total = torch.zeros(512, 512)
    for step in range(n):
        total = total + D @ X
    y = x.unsqueeze(0)
    reveal_type(y)
    return total, y
";

#[test]
fn a_pattern_is_switched_off_by_name_and_by_class() {
    let with = |configuration: &str| {
        let folder = crate::common::folder(&[("main.py", PROGRAM), ("harp.toml", configuration)]);
        check(folder.path())
    };
    let (code, out, _) = with("");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("assumes that the loop runs more than 5 times"), "{out}");
    assert!(out.contains("assumes that `x` is a float tensor, since `x.unsqueeze` is read"), "{out}");

    let (code, out, err) = with("[speculate]\ndisable = [\"trip-count\"]\n");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(!out.contains("runs more than 5 times") && out.contains("`x` is a float tensor"), "{out}");

    let (_, out, _) = with("[speculate]\ndisable = [\"S2\", \"S13\"]\n");
    assert!(out.contains("harp/loop-invariant") && !out.contains("`x` is a float tensor"), "{out}");
    assert!(!out.contains("match no assumption"), "a switch need not be met: {out}");
}

#[test]
fn an_unknown_pattern_is_shown() {
    let folder =
        crate::common::folder(&[("main.py", PROGRAM), ("harp.toml", "[speculate]\ndisable = [\"trip-counts\"]\n")]);
    let (code, _, err) = check(folder.path());
    assert_eq!(code, Some(2));
    assert!(err.contains("harp.toml:2:12") && err.contains("did you mean `trip-count`?"), "{err}");
}
