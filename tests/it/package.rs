//! What the packages hold: all that building takes, and neither tests nor what they need.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// So much of all packages together is somebody's mistake: a file of data that slipped in. It may grow with the sources.
const MOST_FILES: usize = 2200;
const MOST_BYTES: u64 = 14 << 20;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of the packages: the root, and the rooms.
fn packages() -> Vec<PathBuf> {
    let rooms = fs::read_dir(root().join("src")).expect("the rooms").map(|room| room.expect("a room").path());
    let mut packages: Vec<PathBuf> = rooms.filter(|room| room.join("Cargo.toml").is_file()).collect();
    packages.push(root().to_owned());
    packages.sort();
    packages
}

/// The files of a package that lie in its folder.
fn listed(package: &Path) -> BTreeSet<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--list", "--allow-dirty", "--offline", "--manifest-path"]).arg(package.join("Cargo.toml"));
    let output = cargo.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names are UTF-8");
    names.lines().map(|name| package.join(name)).filter(|path| path.is_file()).collect()
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for child in fs::read_dir(folder).expect("a folder") {
        let path = child.expect("an entry").path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    path.extension().is_some_and(|extension| wanted.iter().any(|it| extension == *it))
}

/// Whether a file is compiled for tests alone, or read by them.
fn is_of_tests(path: &Path) -> bool {
    let within = path.strip_prefix(root()).expect("a file of the project");
    let is_folder = |part: &std::ffi::OsStr| part == "tests" || part == "snapshots";
    let name = within.file_name().and_then(|name| name.to_str()).expect("names are UTF-8");
    within.iter().any(is_folder) || name == "tests.rs"
}

/// The modules that a file declares and that are compiled without tests, by the files that may hold them.
fn declared_modules(file: &Path) -> Vec<[PathBuf; 2]> {
    let folder = file.parent().expect("a folder");
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "main" | "mod" | "build") | None => folder.to_owned(),
        Some(stem) => folder.join(stem),
    };
    let text = fs::read_to_string(file).expect("a source");
    let mut attributes = Vec::new();
    let mut modules = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push(line);
            continue;
        }
        let name = line.split_once("mod ").and_then(|(before, name)| {
            let is_declaration = before.is_empty() || before.starts_with("pub");
            name.strip_suffix(';').filter(|_| is_declaration)
        });
        let is_plain = |it: &&str| !it.starts_with("#[cfg(test)") && !it.starts_with("#[path");
        if let Some(name) = name.filter(|_| attributes.iter().all(is_plain)) {
            modules.push([folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]);
        }
        attributes.clear();
    }
    modules
}

#[test]
fn packages_hold_what_building_takes_and_no_tests() {
    let mut all = BTreeSet::new();
    for package in packages() {
        let listed = listed(&package);
        assert!(listed.contains(&package.join("Cargo.toml")), "{}", package.display());
        all.extend(listed);
    }
    let tests: Vec<&PathBuf> = all.iter().filter(|path| is_of_tests(path)).collect();
    assert!(tests.is_empty(), "{tests:#?}");

    let below = |folder: &str| files(&root().join(folder));
    let sources = below("src").into_iter().filter(|path| !is_of_tests(path));
    let tables = below("api_annotations").into_iter().filter(|path| has_extension(path, &["yaml", "py"]));
    let tables = tables.filter(|path| !path.components().any(|part| part.as_os_str() == "__pycache__"));
    let further = ["Cargo.lock", "README.md", "LICENSE-APACHE", "LICENSE-MIT"].map(|name| root().join(name));
    let needed = sources.chain(tables).chain(below("rules")).chain(below("speculation")).chain(further);
    let missing: Vec<PathBuf> = needed.filter(|path| !all.contains(path)).collect();
    assert!(missing.is_empty(), "{missing:#?}");

    let sources = all.iter().filter(|path| has_extension(path, &["rs"]) && path.starts_with(root().join("src")));
    for (file, module) in sources.flat_map(|file| declared_modules(file).into_iter().map(move |module| (file, module)))
    {
        assert!(module.iter().any(|path| all.contains(path)), "{}: {module:?} is in no package", file.display());
    }

    let bytes: u64 = all.iter().map(|path| path.metadata().expect("the file is there").len()).sum();
    assert!(all.len() <= MOST_FILES && bytes <= MOST_BYTES, "{} files with {bytes} bytes", all.len());
}
