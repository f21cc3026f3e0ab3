//! Reads a corpus from the paths that the user gave.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::gate::{FileError, read_bytes};
use crate::shown::{ShownPath, in_message, printable};
use crate::source::enclosing_packages;
use crate::walk::{broken_link, is_excluded, walk};
use crate::{Corpus, Origin, SkipReason, Skipped, SourceFile, decode, notebook};
use harp_limits::note_memory;

/// Offsets are 32 bits wide, and decoding can triple a file's size.
pub(super) const LARGEST_FILE_SIZE: u64 = 1 << 30;

/// What to read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Files above this many bytes are skipped.
    pub max_file_size: u64,
    /// All files together may have this many bytes; those beyond are skipped.
    pub max_total_size: u64,
    /// Whether `.gitignore`, `.ignore` and the rule that hidden files are not read apply in folders.
    pub respect_ignore_files: bool,
    /// Patterns as in a `.gitignore`, relative to each folder given. They do not apply to paths that are given themselves,
    pub exclude: Vec<String>,
    /// unless this is a folder: then they are relative to it for these, and leave out what is given.
    pub exclude_given_below: Option<PathBuf>,
    /// Folders below those that are given which are read apart: they have a configuration of their own. Absolute and without links.
    pub apart: Vec<PathBuf>,
    /// Folders from which a part of a larger tree imports, too. Absolute and without links.
    pub import_roots: Vec<PathBuf>,
}

impl LoadOptions {
    /// Whether what is given is a part of a larger tree, so that files in folders import what lies beside these.
    pub fn is_part(&self) -> bool {
        !self.apart.is_empty() || !self.import_roots.is_empty()
    }
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions {
            max_file_size: 5 << 20,
            max_total_size: 256 << 20,
            respect_ignore_files: true,
            exclude: Vec::new(),
            exclude_given_below: None,
            apart: Vec::new(),
            import_roots: Vec::new(),
        }
    }
}

/// Why there is no corpus at all.
#[derive(Debug)]
pub enum CorpusError {
    /// Nothing is there.
    NotFound {
        /// As the user gave it.
        path: PathBuf,
    },
    /// There is a symbolic link and no file.
    BrokenLink {
        /// The link.
        path: PathBuf,
        /// Whether it leads to itself or to nothing.
        reason: SkipReason,
    },
    /// The operating system refused to tell what it is or what is in it.
    Unreadable {
        /// As the user gave it, or a folder below.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A pattern of `exclude` that is none.
    InvalidExclude {
        /// As the user gave it; several are joined where only all of them together fail.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
}

impl CorpusError {
    /// What is wrong with a path that leads to no file; `error` is what resolving it gave.
    pub fn unresolved(path: PathBuf, error: io::Error) -> CorpusError {
        if path.is_symlink() {
            return match broken_link(&path, &error) {
                SkipReason::Unreadable(_) => CorpusError::Unreadable { path, error },
                reason => CorpusError::BrokenLink { path, reason },
            };
        }
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::InvalidInput => CorpusError::NotFound { path },
            _ => CorpusError::Unreadable { path, error },
        }
    }
}

impl fmt::Display for CorpusError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CorpusError::NotFound { path } => write!(formatter, "no such file or folder: {}", in_message(path)),
            CorpusError::BrokenLink { path, reason } => write!(formatter, "{} is {reason}", in_message(path)),
            CorpusError::Unreadable { path, error } => write!(formatter, "cannot read {}: {error}", in_message(path)),
            CorpusError::InvalidExclude { pattern, message } => {
                write!(formatter, "invalid exclusion pattern {}: {}", printable(pattern), printable(message))
            }
        }
    }
}

impl std::error::Error for CorpusError {}

/// Reads all files given, and all Python files and notebooks in the folders given. A file given by name is read whatever the
/// ignore rules say; no file is read twice.
pub fn load(paths: &[PathBuf], options: &LoadOptions) -> Result<Corpus, CorpusError> {
    let candidates = Candidates::of(paths, options)?;
    let limit = options.max_file_size.min(LARGEST_FILE_SIZE);
    let entries: Vec<(PathBuf, Candidate)> = candidates.by_path.into_iter().collect();
    let read = read_all(entries, limit, options.max_total_size);
    let mut corpus = Corpus { roots: candidates.roots, ..Corpus::default() };
    let mut packages = candidates.packages;
    for result in read {
        match result {
            Ok(file) => {
                let packages = packages.enclosing(&file.path);
                corpus.add(file, packages);
            }
            Err(skipped) => corpus.skipped.push(skipped),
        }
    }
    Ok(corpus)
}

/// How many files [`load`] would read; none where it would read no path.
pub fn count(paths: &[PathBuf], options: &LoadOptions) -> usize {
    Candidates::of(paths, options).map_or(0, |candidates| candidates.by_path.len())
}

/// Reads files in parallel. Where they are too much together, the largest are skipped: no few of them keep the others out.
fn read_all(entries: Vec<(PathBuf, Candidate)>, limit: u64, most: u64) -> Vec<Result<SourceFile, Skipped>> {
    let size = |path: &Path| match fs::symlink_metadata(path) {
        // Files above the limit are not read in any case.
        Ok(metadata) if metadata.len() <= limit => metadata.len(),
        _ => 0,
    };
    let mut sizes: Vec<(u64, usize)> = entries.iter().zip(0..).map(|((path, _), index)| (size(path), index)).collect();
    sizes.sort_unstable();
    let mut total = 0_u64;
    let mut is_read = vec![false; entries.len()];
    for (size, index) in sizes {
        total = total.saturating_add(size);
        is_read[index] = total <= most;
    }
    let reason = SkipReason::TooMuch { mebibytes: most >> 20 };
    let read = |((path, candidate), is_read): ((PathBuf, Candidate), bool)| {
        let file = match is_read {
            true => candidate.read(path, limit),
            false => Err(Skipped::new(candidate.shown, reason.clone())),
        };
        note_memory();
        file
    };
    entries.into_par_iter().zip(is_read).map(read).collect()
}

/// Paths to read, by their absolute form without links, so that no file is read twice.
#[derive(Default)]
struct Candidates {
    by_path: BTreeMap<PathBuf, Candidate>,
    roots: Vec<PathBuf>,
    packages: PackageFolders,
}

struct Candidate {
    root: PathBuf,
    shown: ShownPath,
    skip: Option<SkipReason>,
    origin: Origin,
}

impl Candidates {
    fn of(paths: &[PathBuf], options: &LoadOptions) -> Result<Candidates, CorpusError> {
        let mut candidates = Candidates::default();
        for path in paths {
            candidates.add(path, options)?;
        }
        Ok(candidates)
    }

    fn add(&mut self, given: &Path, options: &LoadOptions) -> Result<(), CorpusError> {
        let path = match given.canonicalize() {
            Ok(path) => path,
            Err(error) => return Err(CorpusError::unresolved(given.to_owned(), error)),
        };
        let unreadable = |error| CorpusError::Unreadable { path: given.to_owned(), error };
        let kind = fs::metadata(&path).map_err(unreadable)?.file_type();
        if is_excluded(&path, kind.is_dir(), options)? {
            return Ok(());
        }
        if kind.is_dir() {
            for found in walk(&path, options)? {
                let below = found.path.strip_prefix(&path).unwrap_or(&found.path).to_owned();
                self.insert((found.path, &path), &given.join(below), found.skip, Origin::Folder);
            }
            self.add_root(path);
        } else {
            // The folder around the outermost package, from which its modules are imported.
            let packages = self.packages.enclosing(&path).len();
            let root = path.ancestors().nth(packages + 1).unwrap_or(Path::new("/")).to_owned();
            let skip = (!kind.is_file()).then_some(SkipReason::NotRegular);
            self.insert((path, &root), given, skip, Origin::Name);
            self.add_root(root);
        }
        Ok(())
    }

    fn insert(&mut self, (path, root): (PathBuf, &Path), shown: &Path, skip: Option<SkipReason>, origin: Origin) {
        let candidate = || Candidate { root: root.to_owned(), shown: ShownPath::of(shown), skip, origin };
        self.by_path.entry(path).or_insert_with(candidate);
    }

    fn add_root(&mut self, root: PathBuf) {
        if !self.roots.contains(&root) {
            self.roots.push(root);
        }
    }
}

impl Candidate {
    fn read(self, path: PathBuf, limit: u64) -> Result<SourceFile, Skipped> {
        let Candidate { root, shown, skip, origin } = self;
        let content = match skip {
            Some(reason) => Err(reason),
            None => read_text(&path, limit),
        };
        match content {
            Ok((text, cells)) => {
                let mut file = SourceFile::new(path, root, shown, text, cells);
                file.origin = origin;
                Ok(file)
            }
            Err(reason) => Err(Skipped::new(shown, reason)),
        }
    }
}

pub(super) fn read_text(path: &Path, limit: u64) -> Result<(String, Option<Vec<crate::Cell>>), SkipReason> {
    // Links are not followed.
    let metadata = fs::symlink_metadata(path).map_err(|error| SkipReason::Unreadable(error.to_string()))?;
    if !metadata.is_file() {
        return Err(SkipReason::NotRegular);
    }
    let text = decode::decode(read_bytes(path, limit)?)?;
    if notebook::is_notebook(path) { notebook::read(&text) } else { Ok((text, None)) }
}

impl From<FileError> for SkipReason {
    fn from(error: FileError) -> SkipReason {
        match error {
            FileError::NotRegular => SkipReason::NotRegular,
            FileError::TooLarge { size, limit } => SkipReason::TooLarge { size, limit },
            FileError::Outside => SkipReason::LinkOutside,
            FileError::NotText => SkipReason::Undecodable { encoding: "UTF-8".to_owned() },
            FileError::Unreadable(error) => SkipReason::Unreadable(error.to_string()),
        }
    }
}

/// Which folders hold an `__init__.py`, asked once for each.
#[derive(Debug, Default)]
pub(super) struct PackageFolders {
    known: FxHashMap<PathBuf, Vec<String>>,
}

impl PackageFolders {
    pub(super) fn enclosing(&mut self, path: &Path) -> Vec<String> {
        let Some(folder) = path.parent() else { return Vec::new() };
        if let Some(packages) = self.known.get(folder) {
            return packages.clone();
        }
        let packages = enclosing_packages(path, &|folder| folder.join("__init__.py").is_file());
        self.known.insert(folder.to_owned(), packages.clone());
        packages
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
