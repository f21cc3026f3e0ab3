//! What is analysed at once: a repository, and the files of it that an analysis may read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use harp_corpus::Digest;

use super::inputs::{archive, commit, fetched, folder};
use crate::project_folders::shown;
use crate::revisions::tree::{is_wanted, safe_path};
use crate::revisions::written::Files;

/// The sources of a repository have no more bytes.
const LARGEST_SOURCES: u64 = 512 << 20;
/// A repository has no more files of sources.
const MOST_SOURCES: usize = 200_000;
/// A larger file beside the sources holds data rather than settings.
const LARGEST_SETTINGS: u64 = 256 << 10;
/// Settings beyond these are left out: it is data that has the names of settings.
const MOST_SETTINGS: usize = 20_000;
/// The same for the bytes of all settings.
const MOST_BYTES_OF_SETTINGS: u64 = 64 << 20;
/// Files in more folders within each other are skipped, wherever a repository comes from.
pub(super) const DEEPEST: usize = 64;

/// Where the files of a repository come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The files that lie in a folder.
    Folder {
        folder: PathBuf,
        /// Folders in it that audits write to.
        without: Vec<PathBuf>,
    },
    /// A commit of the repository in a folder.
    Commit {
        /// The folder of a checkout, or of a bare repository.
        repository: PathBuf,
        /// As the user names it.
        revision: String,
    },
    /// An archive, a wheel or a source distribution.
    Archive(PathBuf),
    /// Rows of a table.
    Rows(Box<Tree>),
    /// A command brings it.
    Fetched {
        /// The program and its arguments; `{}` stands for the name, `{folder}` for where its files go.
        command: Vec<String>,
    },
    /// It is known that it is not read.
    Refused(Refusal),
}

impl Source {
    /// Reads the files that an analysis may read, of at most `limit` bytes each. `name` is what a command is told.
    pub fn read(self, name: &str, limit: u64) -> Result<Tree, Refusal> {
        match self {
            Source::Folder { folder, without } => folder::read(&folder, &without, limit),
            Source::Commit { repository, revision } => commit::read(&repository, &revision, limit),
            Source::Archive(path) => archive::read(&path, limit),
            Source::Rows(tree) => Ok(*tree),
            Source::Fetched { command } => fetched::read(name, &command, limit),
            Source::Refused(refusal) => Err(refusal),
        }
    }
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Unique in an audit.
    pub name: String,
    pub source: Source,
}

/// The files of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// Those that an analysis may read, by their paths from its root.
    pub files: Files<'static>,
    /// Files that it might read, and that are too large, lie too deep, or have names that no file may have.
    pub skipped: u64,
    /// Files of the commit that the repository does not have.
    pub missing: u64,
    /// Python files and notebooks among both.
    pub unread: u64,
    /// The commit, where there is one.
    pub revision: Option<String>,
    /// Larger files are skipped.
    limit: u64,
    sources: Amount,
    settings: Amount,
}

/// How much there is of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Amount {
    files: usize,
    bytes: u64,
}

impl Amount {
    fn with(self, bytes: u64) -> Amount {
        Amount { files: self.files + 1, bytes: self.bytes.saturating_add(bytes) }
    }
}

/// Why a repository is not read, as a clause.
pub(super) type Refusal = String;

/// A reason with a word for a place, absolute or as messages show it.
pub(in crate::audit) fn without_place(reason: &str, place: &Path, word: &str) -> Refusal {
    let absolute = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    let shown = shown(&absolute);
    replaced(&replaced(reason, &absolute.to_string_lossy(), word), &shown, word)
}

/// A text with a word in each place where a path stands alone or leads on.
fn replaced(text: &str, path: &str, word: &str) -> String {
    if path.is_empty() {
        return text.to_owned();
    }
    let (mut told, mut rest) = (String::new(), text);
    while let Some(place) = rest.find(path) {
        let (before, after) = (&rest[..place], &rest[place + path.len()..]);
        let begins = !before.chars().last().or(told.chars().last()).is_some_and(is_of_name);
        let ends = !after.chars().next().is_some_and(is_of_name);
        told.push_str(before);
        told.push_str(if begins && ends { word } else { path });
        rest = after;
    }
    told + rest
}

/// Whether a path goes on before or behind such a character, other than into what is in its folder.
fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || "._-`".contains(char)
}

impl Tree {
    /// One without files, of which larger ones are skipped.
    pub fn new(limit: u64) -> Tree {
        let (files, none) = (Files::default(), Amount::default());
        Tree { files, skipped: 0, missing: 0, unread: 0, revision: None, limit, sources: none, settings: none }
    }

    /// Adds a file by its path from the root, with `/`, and its size. Its content is read where it is needed: what no analysis reads is left out.
    /// Of two files with one path, the first counts.
    pub fn add(
        &mut self,
        path: &[u8],
        size: u64,
        content: impl FnOnce() -> Result<Option<Vec<u8>>, Refusal>,
    ) -> Result<(), Refusal> {
        let Some(path) = safe_path(path) else {
            self.skipped += 1;
            return Ok(());
        };
        if !is_wanted(&path) || self.files.contains_key(&path) {
            return Ok(());
        }
        if size > self.limit || path.components().count() > DEEPEST + 1 {
            self.skip(&path);
            return Ok(());
        }
        if !self.has_place_for(&path, size)? {
            return Ok(());
        }
        match content()? {
            Some(content) => self.insert(path, content),
            None => {
                self.skip(&path);
                Ok(())
            }
        }
    }

    /// Notes that a file is not read.
    fn skip(&mut self, path: &Path) {
        self.skipped += 1;
        self.unread += u64::from(is_source(path));
    }

    /// Whether a file of so many bytes is kept: data that has the name of settings is not.
    fn has_place_for(&self, path: &Path, size: u64) -> Result<bool, Refusal> {
        if is_source(path) {
            let sources = self.sources.with(size);
            if sources.bytes > LARGEST_SOURCES {
                return Err(format!("its sources have more than {} MiB", LARGEST_SOURCES >> 20));
            }
            if sources.files > MOST_SOURCES {
                return Err(format!("it has more than {MOST_SOURCES} files of sources"));
            }
            return Ok(true);
        }
        let settings = self.settings.with(size);
        Ok(size <= LARGEST_SETTINGS && settings.files <= MOST_SETTINGS && settings.bytes <= MOST_BYTES_OF_SETTINGS)
    }

    fn insert(&mut self, path: PathBuf, content: Vec<u8>) -> Result<(), Refusal> {
        // It may have another size than was told.
        let size = content.len() as u64;
        if self.has_place_for(&path, size)? {
            let amount = if is_source(&path) { &mut self.sources } else { &mut self.settings };
            *amount = amount.with(size);
            self.files.insert(path, Cow::Owned(content));
        }
        Ok(())
    }

    /// The same without a folder that all files lie in.
    pub fn without_folder(mut self, shared: &Path) -> Tree {
        // A package that is alone is no such folder.
        if self.files.contains_key(&shared.join("__init__.py")) {
            return self;
        }
        let below = |(path, content): (PathBuf, Cow<'static, [u8]>)| {
            (path.strip_prefix(shared).map_or(path.clone(), Path::to_owned), content)
        };
        self.files = std::mem::take(&mut self.files).into_iter().map(below).collect();
        self
    }

    /// How many bytes it has in all.
    pub fn bytes(&self) -> u64 {
        self.sources.bytes + self.settings.bytes
    }

    /// Names the contents of all files with their paths.
    pub fn digest(&self) -> Digest {
        let files: Vec<(&Path, [u8; 32])> =
            self.files.iter().map(|(path, content)| (path.as_path(), Digest::of_bytes(content).0)).collect();
        Digest::of(&(files, self.skipped, self.missing))
    }

    /// Whether Python files or notebooks are in it, and not one could be read.
    pub fn is_closed(&self) -> bool {
        self.unread > 0 && self.sources.files == 0
    }

    /// Whether there is a Python file or a notebook in it, and one that imports one of these packages, where any are named.
    pub fn is_target(&self, packages: &[String]) -> bool {
        let mut python = self.files.iter().filter(|(path, _)| is_source(path));
        python.any(|(_, content)| packages.is_empty() || packages.iter().any(|package| imports(content, package)))
    }
}

/// Whether a file is Python or a notebook.
pub(in crate::audit) fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "py" || end == "ipynb")
}

/// Whether a line of a source or of a notebook begins with `import` or `from` and has the name of a package.
fn imports(content: &[u8], package: &str) -> bool {
    let text = String::from_utf8_lossy(content);
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let has_name = |rest: &str| {
        rest.split(|char: char| !is_word(char) && char != '.')
            .any(|name| name == package || name.strip_prefix(package).is_some_and(|rest| rest.starts_with('.')))
    };
    text.lines().any(|line| {
        // A line of a notebook is a text in JSON.
        let line = line.trim_start_matches([' ', '\t', '"', '[']);
        match line.strip_prefix("from ") {
            Some(rest) => has_name(rest.trim_start().split(' ').next().unwrap_or_default()),
            None => {
                line.strip_prefix("import ").is_some_and(|rest| has_name(rest.split('\\').next().unwrap_or_default()))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new(1 << 20);
        for (path, text) in files {
            tree.add(path.as_bytes(), text.len() as u64, || Ok(Some(text.as_bytes().to_vec()))).expect("a small tree");
        }
        tree
    }

    #[test]
    fn files_that_lead_out_of_it_are_left_out() {
        let tree = tree(&[("a.py", "1"), ("../b.py", "2"), ("/c.py", "3"), (".git/hooks/d.py", "4"), ("e.bin", "5")]);
        assert_eq!(tree.files.keys().collect::<Vec<_>>(), [Path::new("a.py")]);
        assert_eq!(tree.skipped, 3);
    }

    #[test]
    fn what_is_not_kept_is_not_read() {
        let mut tree = Tree::new(1 << 20);
        for (path, size) in [("data.json", LARGEST_SETTINGS + 1), ("large.py", (1 << 20) + 1), ("a.bin", 1)] {
            tree.add(path.as_bytes(), size, || panic!("{path} is read")).expect("a small tree");
        }
        assert_eq!((tree.files.len(), tree.skipped), (0, 1));
    }

    #[test]
    fn files_in_too_many_folders_are_skipped() {
        let [most, more] = [DEEPEST, DEEPEST + 1].map(|depth| format!("{}a.py", "d/".repeat(depth)));
        let tree = tree(&[(&most, "1"), (&more, "2")]);
        assert_eq!(tree.files.keys().collect::<Vec<_>>(), [Path::new(&most)]);
        assert_eq!(tree.skipped, 1);
    }

    #[test]
    fn reasons_name_no_place() {
        let here = std::env::current_dir().expect("a folder");
        let told = |reason: &str| without_place(reason, &here.join("tmp/harp-1/fetched"), "{folder}");
        assert_eq!(told("tmp/harp-1/fetched/objects leads away"), "{folder}/objects leads away");
        let absolute = format!("fatal: '{}'", here.join("tmp/harp-1/fetched").display());
        assert_eq!(told(&absolute), "fatal: '{folder}'");
        assert_eq!(without_place("git knows no commit `v1.0`", &here.join("v1"), "x"), "git knows no commit `v1.0`");
        assert_eq!(without_place("v1/a leads to v10", &here.join("v1"), "x"), "x/a leads to v10");
        assert_eq!(without_place("it is damaged", &here, "{folder}"), "it is damaged");
    }

    #[test]
    fn equal_files_have_equal_digests_in_any_order() {
        assert_eq!(tree(&[("a.py", "1"), ("b.py", "2")]).digest(), tree(&[("b.py", "2"), ("a.py", "1")]).digest());
        assert_ne!(tree(&[("a.py", "1"), ("b.py", "2")]).digest(), tree(&[("a.py", "12"), ("b.py", "")]).digest());
    }

    #[test]
    fn imports_are_found_in_sources_and_notebooks() {
        let torch = ["torch".to_owned()];
        for text in
            ["import torch", "    import numpy, torch as t", "from torch.nn import Linear", "\"import torch\\n\","]
        {
            assert!(tree(&[("a.py", text)]).is_target(&torch), "{text}");
        }
        for text in ["import torchvision", "# import torch", "from mine import torch", "import numpy", "torch = 1"] {
            assert!(!tree(&[("a.py", text)]).is_target(&torch), "{text}");
        }
        assert!(tree(&[("a.py", "")]).is_target(&[]));
        assert!(!tree(&[("a.toml", "")]).is_target(&[]));
    }
}
