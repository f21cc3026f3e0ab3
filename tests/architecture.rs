//! The rooms of the house are used in one direction. `docs/architecture.md` says why.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// For each room, the rooms that it may use. What is not listed may not be used.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("limits", &[]),
    ("corpus", &[]),
    ("python", &["corpus"]),
    ("shape", &[]),
    ("annotations", &["shape"]),
    ("interp", &["corpus", "python", "annotations", "shape"]),
    ("graph", &["corpus", "python", "annotations", "shape", "interp"]),
    ("datalog", &["corpus", "python", "annotations", "shape", "interp", "graph"]),
    ("report", &["corpus", "python", "annotations", "shape", "interp", "graph", "datalog"]),
];

#[test]
fn rooms_use_only_rooms_on_their_left() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms: BTreeMap<&str, &[&str]> = MAY_USE.into_iter().collect();
    let mut wrong = Vec::new();
    for (room, allowed) in &rooms {
        let mut files = Vec::new();
        rust_files(&source.join(room), &mut files);
        assert!(!files.is_empty(), "the room {room} is gone");
        for file in files {
            let text = fs::read_to_string(&file).expect("the file is readable");
            for (line, used) in used_modules(&text) {
                if used != *room && used != "limits" && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{}:{line}: {room} may not use {used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_a_room_or_above_all_rooms() {
    let library = include_str!("../src/lib.rs");
    let modules: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let rooms: Vec<&str> = MAY_USE.iter().map(|(room, _)| *room).collect();
    for module in &modules {
        assert!(rooms.contains(module) || *module == "cli", "{module} has no place in the house");
    }
    assert_eq!(modules.len(), rooms.len() + 1);
}

/// Where files are opened beside the gate, and why.
const OPENS_FILES: [(&str, &str); 3] = [
    ("corpus/gate.rs", "it is the gate"),
    ("cli/output.rs", "it writes what the user wants written"),
    ("cli/unfinished.rs", "it puts Harp's own output in its place"),
];

/// What opens a file of which others may have said the name.
const OPENERS: [&str; 5] = ["File::open(", "fs::read(", "fs::read_to_string(", "OpenOptions", "File::options("];

#[test]
fn files_are_opened_at_the_gate_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut opening = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs") && !is_of_tests(file)) {
        let text = fs::read_to_string(file).expect("the file is readable");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        if OPENERS.iter().any(|opener| code.contains(opener)) {
            opening.push(file.strip_prefix(&source).expect("below").display().to_string());
        }
    }
    opening.sort();
    let mut known: Vec<&str> = OPENS_FILES.iter().map(|(file, _)| *file).collect();
    known.sort_unstable();
    assert_eq!(opening, known, "files are opened through `corpus::NamedPath`; docs/security.md says why");
}

fn is_of_tests(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_tests"))
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The first segments of the paths that begin with `crate::`, also in `crate::{a, b::c}`, with their lines. Comments are not code.
fn used_modules(text: &str) -> Vec<(usize, String)> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let mut used = Vec::new();
    for (index, _) in code.match_indices("crate::") {
        let line = code[..index].matches('\n').count() + 1;
        // `$crate::` in a macro is the same crate; `other_crate::` is not.
        if code[..index].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let rest = &code[index + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => used.extend(group_heads(group).into_iter().map(|name| (line, name))),
            None => used.push((line, identifier(rest))),
        }
    }
    used
}

/// The first segments of a group's members: `a::{x, y}, b` gives `a` and `b`.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut expects_head = true;
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expects_head = true,
            letter if expects_head && (letter.is_alphabetic() || letter == '_') => {
                heads.push(identifier(&group[index..]));
                expects_head = false;
            }
            _ => {}
        }
    }
    heads
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[test]
fn used_modules_are_found_in_every_spelling() {
    let text = "use crate::corpus::Span;\n// crate::cli\nuse crate::{python::{ir, name}, shape};\nfn f(x: crate::report::Label) {}\n";
    let used: Vec<String> = used_modules(text).into_iter().map(|(line, name)| format!("{line} {name}")).collect();
    assert_eq!(used, ["1 corpus", "3 python", "3 shape", "4 report"]);
}
