//! Which files are read: folders, notebooks, ignore rules, size limits and encodings.
//! This room knows nothing of Python's meaning.

#![deny(missing_docs)]

mod data_files;
mod decode;
mod digest;
mod environment;
mod gate;
mod given_bytes;
mod ignore_rules;
mod imported_files;
mod ipython_commands;
mod library_sources;
mod load;
mod notebook;
mod notebook_source;
mod observed;
mod overlay;
mod path_patterns;
mod shown;
mod source;
mod span;
mod walk;
mod wildcards;
mod written_back;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use data_files::{DataFile, DataFiles, ROOT, may_be_read};
pub use digest::Digest;
pub use environment::{Environment, EnvironmentError};
pub use gate::{FileError, NamedPath, Reach, open_file, read_bytes, read_start, read_utf8, resolve_within};
pub use imported_files::ImportedFiles;
pub use ipython_commands::{is_automatic_command, may_bind_names, statement_of_command};
pub use library_sources::{LibrarySource, LibrarySources};
pub use load::{CorpusError, LoadOptions, count, load};
pub use observed::{InstalledFile, Observed, Question};
pub use overlay::{Provenance, Replacement, Replacements};
pub use path_patterns::{MOST_WILDCARDS, PathPattern, check_pattern, wildcards_in};
pub use shown::{LONGEST_PATH, ShownPath, is_harmful, shortened};
pub use source::{Cell, Origin, Position, SourceFile, parsed_ranges};
pub use span::{FileId, Span};
pub use walk::{files_unignored_by, is_excluded, outermost_folders, unignored_files};
pub use wildcards::name_fits;
pub use written_back::WriteBackError;

/// Everything that was read, in the order of the files' paths.
#[derive(Debug, Default)]
pub struct Corpus {
    /// `FileId(n)` is the file at index `n`.
    pub files: Vec<SourceFile>,
    /// What was found and not read, and why, in the order of the paths.
    pub skipped: Vec<Skipped>,
    /// The folders that were given, and the folders of the files that were given; without duplicates.
    pub roots: Vec<PathBuf>,
    /// The installed packages; files of theirs have numbers beyond those of the corpus.
    pub environment: Option<Arc<Environment>>,
    /// What library packs say in Python; their files have the last numbers.
    pub libraries: Arc<LibrarySources>,
    /// The data files of a corpus that is nowhere on disk; `None` where they lie beside the program.
    pub data: Option<DataFiles>,
    /// What was asked of files that are no part of it, and answered.
    pub observed: Arc<Observed>,
}

/// A path that was not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// As it is shown, like `SourceFile::display_path`.
    pub path: String,
    /// Why it was not read.
    pub reason: SkipReason,
    /// The same for programs, like `SourceFile::uri`; `None` for what is no single file.
    pub uri: Option<String>,
}

impl Skipped {
    fn new(shown: ShownPath, reason: SkipReason) -> Skipped {
        Skipped { path: shown.text, reason, uri: Some(shown.uri) }
    }
}

/// Why a path was not read. Shown, it says what the path is: "a binary file".
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The file alone is too large, where others are still read.
    TooLarge {
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// It holds NUL bytes.
    Binary,
    /// Its bytes are not text in the encoding that it declares, or in UTF-8 where it declares none.
    Undecodable {
        /// The name of the encoding, such as `UTF-8`.
        encoding: String,
    },
    /// It declares an encoding of this name, which is not known, and is not UTF-8 either.
    UnknownEncoding(String),
    /// All files together have more than this.
    TooMuch {
        /// The bound.
        mebibytes: u64,
    },
    /// More is imported than is read.
    TooMuchImported {
        /// The bound of files.
        files: usize,
        /// The bound of their size.
        mebibytes: u64,
    },
    /// A device, a pipe or a socket, which is never opened.
    NotRegular,
    /// A symbolic link that leads out of the folder.
    LinkOutside,
    /// A symbolic link to itself, also by others.
    LinkInCircle,
    /// A symbolic link to nothing.
    LinkNowhere,
    /// The operating system refused, with this message.
    Unreadable(String),
    /// The notebook is not JSON, or not of a notebook's form; the text says what is wrong.
    MalformedNotebook(String),
    /// A notebook in a language other than Python.
    ForeignNotebook(String),
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SkipReason::TooLarge { size, limit } => write!(formatter, "{size} bytes, above the limit of {limit}"),
            SkipReason::TooMuchImported { files, mebibytes } => {
                write!(formatter, "above the limit of {files} files or {mebibytes} MiB")
            }
            SkipReason::TooMuch { mebibytes } => {
                write!(formatter, "all files together have more than {mebibytes} MiB")
            }
            SkipReason::Binary => formatter.write_str("a binary file"),
            SkipReason::Undecodable { encoding } => write!(formatter, "not text in the encoding {encoding}"),
            SkipReason::UnknownEncoding(name) => {
                write!(formatter, "declares the unknown encoding {}", shown::printable(name))
            }
            SkipReason::NotRegular => formatter.write_str("not a regular file"),
            SkipReason::LinkOutside => formatter.write_str("a symbolic link out of the folder"),
            SkipReason::LinkInCircle => formatter.write_str("a symbolic link in a circle"),
            SkipReason::LinkNowhere => formatter.write_str("a symbolic link that leads nowhere"),
            SkipReason::Unreadable(message) => write!(formatter, "cannot be read: {message}"),
            SkipReason::MalformedNotebook(message) => {
                write!(formatter, "a malformed notebook: {}", shown::printable(message))
            }
            SkipReason::ForeignNotebook(language) => {
                write!(formatter, "a notebook in {}", shown::printable(language))
            }
        }
    }
}

impl Corpus {
    /// A corpus of one file that is nowhere on disk.
    pub fn single(path: &str, text: &str) -> Corpus {
        Corpus::in_memory(vec![(path.to_owned(), text.to_owned())])
    }

    /// A corpus of files that are nowhere on disk. Their paths are relative to one root; of two equal paths the first counts.
    pub fn in_memory(mut files: Vec<(String, String)>) -> Corpus {
        files.sort_by(|left, right| Path::new(&left.0).cmp(Path::new(&right.0)));
        files.dedup_by(|later, earlier| later.0 == earlier.0);
        let paths: BTreeSet<PathBuf> = files.iter().map(|(path, _)| PathBuf::from(path)).collect();
        let is_package = |folder: &Path| paths.contains(&folder.join("__init__.py"));
        let data = Some(DataFiles::default());
        let mut corpus = Corpus { roots: vec![PathBuf::new()], data, ..Corpus::default() };
        for (path, text) in files {
            let packages = source::enclosing_packages(Path::new(&path), &is_package);
            let shown = ShownPath::of(Path::new(&path));
            let content = match notebook::is_notebook(Path::new(&path)) {
                true => notebook::read(&text),
                false => Ok((text, None)),
            };
            match content {
                Ok((text, cells)) => {
                    let file = SourceFile::new(PathBuf::from(&path), PathBuf::new(), shown, text, cells);
                    corpus.add(file, packages);
                }
                Err(reason) => corpus.skipped.push(Skipped::new(shown, reason)),
            }
        }
        corpus
    }

    /// Adds data files to a corpus that is nowhere on disk.
    #[must_use]
    pub fn with_data(mut self, files: Vec<(String, String)>) -> Corpus {
        let data = self.data.get_or_insert_default();
        data.extend(files.into_iter().map(|(path, text)| (PathBuf::from(path), text)));
        self
    }

    /// The file of that number. Numbers come from this corpus.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        let own = self.files.get(id.0 as usize);
        let installed = || self.environment.as_ref().and_then(|environment| environment.file(id));
        own.or_else(installed).or_else(|| self.libraries.file(id))
    }

    /// Whether a file is a source of a library pack, such as those of Python's own library.
    pub fn is_standard(&self, id: FileId) -> bool {
        self.libraries.source(id).is_some()
    }

    /// Whether a file belongs to an installed package.
    pub fn is_foreign(&self, id: FileId) -> bool {
        id.0 as usize >= self.files.len()
    }

    /// Adds what library packs say in Python.
    #[must_use]
    pub fn with_libraries(mut self, libraries: Arc<LibrarySources>) -> Corpus {
        self.libraries = libraries;
        self
    }

    /// Adds the packages that are installed beside the program.
    #[must_use]
    pub fn with_environment(mut self, mut environment: Environment) -> Corpus {
        environment.number_from(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.environment = Some(Arc::new(environment));
        self
    }

    fn add(&mut self, mut file: SourceFile, packages: Vec<String>) {
        file.id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        file.packages = packages;
        self.files.push(file);
    }
}
