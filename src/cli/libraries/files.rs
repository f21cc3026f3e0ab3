//! Loads what a user or a configuration names for libraries: single annotation files, and folders with library packs in
//! them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harp_annotations::manifest::{MANIFEST, SOURCES, TESTS};
use harp_corpus::{FileError, NamedPath};
use harp_report::UserError;

use crate::project_folders::shown;

/// A larger file is refused.
const LARGEST_FILE: u64 = 4 << 20;
/// All files together may have this many bytes.
const LARGEST_TOTAL: u64 = 64 << 20;
/// A larger source in Python is refused, as its tree takes much more memory than its text.
const LARGEST_SOURCE: u64 = 1 << 20;
/// All sources in Python together may have this many bytes,
const LARGEST_SOURCES: u64 = 16 << 20;
/// and there may be this many.
const MOST_SOURCES: usize = 1024;
/// A search for files looks at this many names.
const MOST_NAMES: usize = 20_000;

/// A file: the path under which it is shown, and its text.
pub(super) type Read = (PathBuf, String);

/// The files that were read, and what could not be.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Files of annotations.
    pub yaml: Vec<Read>,
    /// Which of the paths that were given leads to each of them.
    pub yaml_given: Vec<usize>,
    pub packs: Vec<PackFiles>,
    pub errors: Vec<UserError>,
    /// What was not read, though it might have been meant to be.
    pub warnings: Vec<UserError>,
    bytes: u64,
    bytes_of_sources: u64,
}

/// The manifest of a pack, and its sources in Python.
#[derive(Debug)]
pub(super) struct PackFiles {
    /// Which of the paths that were given leads there.
    pub given: usize,
    pub manifest: Read,
    pub sources: Vec<Read>,
}

/// What lies in a folder that was given, as paths relative to it.
#[derive(Debug, Default)]
struct Found {
    yaml: Vec<PathBuf>,
    manifests: BTreeSet<PathBuf>,
    python: Vec<PathBuf>,
}

impl Files {
    /// Reads files, and what lies in folders, in the order of their names.
    pub fn read(paths: &[NamedPath]) -> Files {
        let mut files = Files::default();
        for (given, named) in paths.iter().enumerate() {
            files.read_path(named, given);
            files.yaml_given.resize(files.yaml.len(), given);
        }
        files
    }

    fn read_path(&mut self, named: &NamedPath, given: usize) {
        let path = match named.resolve() {
            Ok(path) => path,
            Err(error) => return self.refuse(&named.path, &error),
        };
        if path.is_dir() {
            return self.read_folder(named, &path, given);
        }
        if path.file_name().is_some_and(|name| name == MANIFEST) {
            let error = unreadable(&named.path, "it is the manifest of a library pack");
            return self.errors.push(error.hint("name the pack's folder"));
        }
        let text = self.text(&named.path, named, LARGEST_FILE);
        self.yaml.extend(text);
    }

    fn read_folder(&mut self, named: &NamedPath, path: &Path, given: usize) {
        let found = match Found::in_folder(path) {
            Ok(found) => found,
            Err(reason) => return self.errors.push(unreadable(&named.path, &reason)),
        };
        // No link leads out of the folder.
        let root = match path.canonicalize() {
            Ok(root) => root,
            Err(error) => return self.refuse(&named.path, &error.into()),
        };
        let file = |below: &Path| (named.path.join(below), NamedPath::within(below, root.clone()));
        for below in &found.yaml {
            let (shown, file) = file(below);
            let text = self.text(&shown, &file, LARGEST_FILE);
            self.yaml.extend(text);
        }
        for below in &found.manifests {
            let (shown, manifest) = file(below);
            let Some(manifest) = self.text(&shown, &manifest, LARGEST_FILE) else { continue };
            let folder = below.with_file_name(SOURCES);
            let mut pack = PackFiles { given, manifest, sources: Vec::new() };
            for below in found.python.iter().filter(|source| source.starts_with(&folder)) {
                let (shown, file) = file(below);
                pack.sources.extend(self.source(&shown, &file));
            }
            self.packs.push(pack);
        }
        // Sources beside files of annotations, but in no pack, look as if they were meant to be in one.
        let lacking = found.python.iter().find(|source| {
            let folder = source.parent().filter(|folder| folder.ends_with(SOURCES)).and_then(Path::parent);
            folder.is_some_and(|folder| {
                !found.manifests.contains(&folder.join(MANIFEST))
                    && found.yaml.iter().any(|file| file.parent() == Some(folder))
            })
        });
        if let Some(source) = lacking {
            let message = format!("{} is not read: it is in no library pack", shown(&named.path.join(source)));
            let hint = format!("beside the folder `{SOURCES}` of a pack lies its manifest `{MANIFEST}`");
            self.warnings.push(UserError::warning(message).hint(hint));
        }
    }

    /// A source in Python.
    fn source(&mut self, path: &Path, file: &NamedPath) -> Option<Read> {
        let left = LARGEST_SOURCES.saturating_sub(self.bytes_of_sources);
        let count: usize = self.packs.iter().map(|pack| pack.sources.len()).sum();
        if left == 0 || count >= MOST_SOURCES {
            let reason =
                format!("there are more than {MOST_SOURCES} sources, or {} MiB of them", LARGEST_SOURCES >> 20);
            self.errors.push(unreadable(path, &reason));
            return None;
        }
        let read = self.text(path, file, LARGEST_SOURCE.min(left))?;
        self.bytes_of_sources += read.1.len() as u64;
        Some(read)
    }

    fn text(&mut self, path: &Path, file: &NamedPath, limit: u64) -> Option<Read> {
        let left = LARGEST_TOTAL.saturating_sub(self.bytes);
        match file.read_utf8(limit.min(left)) {
            Ok(text) => {
                self.bytes += text.len() as u64;
                return Some((path.to_owned(), text));
            }
            Err(FileError::TooLarge { limit: reached, .. }) if reached < limit => {
                let reason = format!("all files together are larger than {} MiB", LARGEST_TOTAL >> 20);
                self.errors.push(unreadable(path, &reason));
            }
            Err(error) => self.refuse(path, &error),
        }
        None
    }

    fn refuse(&mut self, path: &Path, error: &FileError) {
        let refused = unreadable(path, &error.to_string());
        self.errors.push(match error {
            FileError::Outside => {
                refused.hint("what lies elsewhere is named on the command line: `--annotations PATH`")
            }
            _ => refused,
        });
    }
}

impl Found {
    /// What lies in a folder, without what lies in folders that links lead to: these may form a circle.
    fn in_folder(root: &Path) -> Result<Found, String> {
        let mut found = Found::default();
        let mut pending = vec![PathBuf::new()];
        let mut names = 0;
        while let Some(folder) = pending.pop() {
            let children = fs::read_dir(root.join(&folder)).map_err(|error| error.to_string())?;
            for child in children.filter_map(Result::ok) {
                names += 1;
                if names > MOST_NAMES {
                    return Err(format!("there are more than {MOST_NAMES} files"));
                }
                let below = folder.join(child.file_name());
                let is_folder = child.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder {
                    pending.push(below);
                } else if !child.path().is_dir() {
                    found.add(below);
                }
            }
        }
        // What lies in these folders of a pack is no entry.
        let own = |manifest: &PathBuf, file: &Path| {
            [SOURCES, TESTS].iter().any(|folder| file.starts_with(manifest.with_file_name(folder)))
        };
        found.yaml.retain(|file| !found.manifests.iter().any(|manifest| own(manifest, file)));
        found.yaml.sort();
        found.python.sort();
        Ok(found)
    }

    fn add(&mut self, below: PathBuf) {
        let extension = below.extension().unwrap_or_default();
        if below.file_name().is_some_and(|name| name == MANIFEST) {
            self.manifests.insert(below);
        } else if extension == "yaml" || extension == "yml" {
            self.yaml.push(below);
        } else if extension == "py" {
            self.python.push(below);
        }
    }
}

fn unreadable(path: &Path, reason: &str) -> UserError {
    UserError::new(format!("{}: cannot read the annotations: {reason}", shown(path)))
}
