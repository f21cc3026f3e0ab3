//! Adds to the corpus files that were not given, but that given ones import: they are read for what they define, and
//! not checked.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::load::{LARGEST_FILE_SIZE, PackageFolders, read_text};
use crate::{Corpus, FileId, LoadOptions, Origin, ShownPath, SkipReason, Skipped, SourceFile};

/// No more files than this are read because others import them: what is imported far away matters less,
const MOST_FILES: usize = 512;
/// and no more of their bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Reads what a corpus imports.
#[derive(Debug)]
pub struct ImportedFiles {
    max_file_size: u64,
    /// Paths that were read or tried, absolute.
    known: FxHashSet<PathBuf>,
    packages: PackageFolders,
    bytes: u64,
    files: Vec<SourceFile>,
    skipped: Vec<Skipped>,
    is_exhausted: bool,
}

impl ImportedFiles {
    /// For what files of a corpus import.
    pub fn new(corpus: &Corpus, options: &LoadOptions) -> ImportedFiles {
        ImportedFiles {
            max_file_size: options.max_file_size.min(LARGEST_FILE_SIZE),
            known: corpus.files.iter().map(|file| file.path.clone()).collect(),
            packages: PackageFolders::default(),
            bytes: 0,
            files: Vec::new(),
            skipped: Vec::new(),
            is_exhausted: false,
        }
    }

    /// Reads a file, unless it was read before or lies outside of `root`, also by a link. Whether the file is there.
    pub fn read(&mut self, root: &Path, path: &Path) -> bool {
        if !self.known.insert(path.to_owned()) {
            return path.is_file();
        }
        // Modules are looked for by their paths: one that a link leads to would be another one.
        let is_own = path.canonicalize().is_ok_and(|real| real == path) && path.starts_with(root);
        if !is_own || !path.is_file() {
            return false;
        }
        if self.files.len() >= MOST_FILES || self.bytes >= MOST_BYTES {
            self.is_exhausted = true;
            return false;
        }
        match read_text(path, self.max_file_size) {
            Ok((text, cells)) => {
                self.bytes += text.len() as u64;
                let mut file = SourceFile::new(path.to_owned(), root.to_owned(), ShownPath::of(path), text, cells);
                file.packages = self.packages.enclosing(path);
                file.origin = Origin::Imported;
                self.files.push(file);
            }
            Err(reason) => self.skipped.push(Skipped::new(ShownPath::of(path), reason)),
        }
        true
    }

    /// The files that were read, in the order in which they were.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }
}

impl Corpus {
    /// Adds what was read because others import it. Files are then numbered anew, in the order of their paths.
    pub fn add_imported(&mut self, imported: ImportedFiles) {
        let roots = imported.files.iter().map(|file| file.root.clone());
        for root in roots {
            if !self.roots.contains(&root) {
                self.roots.push(root);
            }
        }
        self.files.extend(imported.files);
        self.files.sort_by(|left, right| left.path.cmp(&right.path));
        for (index, file) in (0..).zip(&mut self.files) {
            file.id = FileId(index);
        }
        self.skipped.extend(imported.skipped);
        if imported.is_exhausted {
            let reason = SkipReason::TooMuchImported { files: MOST_FILES, mebibytes: MOST_BYTES >> 20 };
            self.skipped.push(Skipped { path: "further imported files".to_owned(), reason, uri: None });
        }
        self.skipped.sort();
    }

    /// Whether a file was read only because others import it.
    pub fn is_imported(&self, id: FileId) -> bool {
        self.files.get(id.0 as usize).is_some_and(|file| file.origin == Origin::Imported)
    }
}
