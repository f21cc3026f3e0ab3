//! What the compiler does not hold of the house. `docs/architecture.md` says why.

use std::fs;
use std::path::{Path, PathBuf};

/// Where files are opened beside the gate for reading, and why.
const OPENS_FILES: [(&str, &str); 5] = [
    ("corpus/gate.rs", "it is the gate"),
    ("cli/writing/files.rs", "it writes what the gate for writing lets through"),
    ("cli/writing/sources.rs", "it writes the sources that the user wants edited"),
    ("cli/writing/scratch.rs", "it locks Harp's own temporary folders"),
    ("cli/writing/unfinished.rs", "it puts Harp's own output in its place"),
];

/// What opens a file of which others may have said the name.
const OPENERS: [&str; 5] = ["File::open(", "fs::read(", "fs::read_to_string(", "OpenOptions", "File::options("];

/// Where files and folders are made, renamed and removed: in the folder of the gate for writing.
const WRITES_FILES: &str = "cli/writing/";

/// What changes something on disk.
const WRITERS: [&str; 14] = [
    "fs::write(",
    "File::create",
    "File::options(",
    "OpenOptions",
    "create_dir",
    "DirBuilder",
    "fs::rename(",
    "fs::copy(",
    "hard_link(",
    "remove_file(",
    "remove_dir",
    "set_permissions(",
    "set_modified(",
    "fs::symlink(",
];

/// What starts a program.
const STARTERS: [&str; 2] = ["Command::new(", "process::Command"];

/// Where programs are started, and why.
const STARTS_PROGRAMS: [(&str, &str); 2] =
    [("cli/programs.rs", "it is the gate"), ("cli/process_groups.rs", "it holds what the gate starts as a group")];

#[test]
fn files_are_opened_at_the_gate_alone() {
    let known: Vec<&str> = OPENS_FILES.iter().map(|(file, _)| *file).collect();
    assert_eq!(
        files_with(&OPENERS),
        sorted(known),
        "files are opened through `corpus::NamedPath`; docs/security.md says why"
    );
}

#[test]
fn files_are_written_at_the_gate_alone() {
    let writing = files_with(&WRITERS);
    let elsewhere: Vec<&String> = writing.iter().filter(|file| !file.starts_with(WRITES_FILES)).collect();
    assert!(!writing.is_empty() && elsewhere.is_empty(), "{elsewhere:?} write; docs/security.md says why they may not");
}

#[test]
fn programs_are_started_at_the_gate_alone() {
    let known: Vec<&str> = STARTS_PROGRAMS.iter().map(|(file, _)| *file).collect();
    assert_eq!(files_with(&STARTERS), sorted(known), "programs are started through `cli::programs`");
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

/// The files below `src/` whose code, without tests, has one of these words.
fn files_with(words: &[&str]) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !is_of_tests_or_the_build(file)) {
        let text = fs::read_to_string(file).expect("the file is readable");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        if words.iter().any(|word| code.contains(word)) {
            found.push(file.strip_prefix(&source).expect("below").display().to_string());
        }
    }
    found.sort();
    found
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

/// A room whose tests are not compiled would have tests that nobody runs.
#[test]
fn rooms_that_are_compiled_once_have_no_tests_beside_their_code() {
    let rooms = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("the rooms");
    let mut count = 0;
    for room in rooms.map(|room| room.expect("a room").path()) {
        let manifest = fs::read_to_string(room.join("Cargo.toml")).unwrap_or_default();
        if !manifest.lines().any(|line| line == "test = false") {
            continue;
        }
        count += 1;
        let mut files = Vec::new();
        rust_files(&room, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("the file is readable");
            assert!(!text.contains("#[cfg(test)]"), "{} has tests: they belong to tests/it/rooms", file.display());
        }
    }
    assert!(count >= 5, "only {count} rooms are compiled once");
}
