//! What the compiler does not hold of the house. `docs/architecture.md` says why.

use std::fs;
use std::path::{Path, PathBuf};

/// Where files are opened beside the gate, and why.
const OPENS_FILES: [(&str, &str); 4] = [
    ("corpus/gate.rs", "it is the gate"),
    ("cli/output.rs", "it writes what the user wants written"),
    ("cli/cache/folder.rs", "it notes when its own results were used"),
    ("cli/atomic_output.rs", "it puts Harp's own output in its place"),
];

/// What opens a file of which others may have said the name.
const OPENERS: [&str; 5] = ["File::open(", "fs::read(", "fs::read_to_string(", "OpenOptions", "File::options("];

#[test]
fn files_are_opened_at_the_gate_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut opening = Vec::new();
    for file in files.iter().filter(|file| !is_of_tests_or_the_build(file)) {
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

fn is_of_tests_or_the_build(file: &Path) -> bool {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    stem == "tests" || stem.ends_with("_tests") || stem == "build"
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

/// Rooms of the interpreter that know nothing of those above them, with the rooms that they may use, and why where that surprises.
const BORDERS: [(&str, &[&str]); 2] = [
    // What a generator keeps while it is stopped lies on the heap as every object does.
    ("heap", &["heap", "values", "generators"]),
    // Judging reads the program's state, and never executes anything.
    ("judge", &["judge", "heap", "values", "state", "budget", "paths", "api", "calls", "classes"]),
];

#[test]
fn rooms_of_the_interpreter_keep_their_borders() {
    let interp = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interp");
    for (room, allowed) in BORDERS {
        let mut files = Vec::new();
        rust_files(&interp.join(room), &mut files);
        assert!(!files.is_empty(), "{room} is a room");
        for file in files {
            let text = fs::read_to_string(&file).expect("the file is readable");
            let used = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .flat_map(|line| line.split("crate::").skip(1));
            for path in used {
                let other =
                    path.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
                assert!(allowed.contains(&other), "{} uses `{other}`, which stands above `{room}`", file.display());
            }
        }
    }
}

/// A stranger finds a room by its name, and what it owns in the first lines of its `mod.rs`.
#[test]
fn files_of_the_interpreter_lie_in_rooms_that_say_what_they_own() {
    let interp = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interp");
    for path in fs::read_dir(interp).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            let text = fs::read_to_string(path.join("mod.rs")).expect("each room has a `mod.rs`");
            assert!(text.starts_with("//! "), "{} says what it owns", path.display());
        } else {
            let name = path.file_name().unwrap_or_default();
            assert!(name == "lib.rs" || name == "Cargo.toml", "{} lies in a room", path.display());
        }
    }
}
