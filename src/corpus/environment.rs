//! The packages that are installed beside a program: sources that are read when something asks for them, and never executed.

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use crate::load::{LARGEST_FILE_SIZE, read_text};
use crate::shown::in_message;
use crate::{Digest, FileError, FileId, InstalledFile, NamedPath, Question, Reach, ShownPath, SourceFile};

/// No more files of an environment than this are read,
const MOST_FILES: usize = 4096;
/// and no more of their bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The folders of an environment that hold packages, relative to its root. `*` stands for the versions of Python.
const PACKAGE_FOLDERS: [&str; 7] = [
    "lib/python*/site-packages",
    "lib64/python*/site-packages",
    "lib/python*/dist-packages",
    "lib/python3/dist-packages",
    "local/lib/python*/site-packages",
    "local/lib/python*/dist-packages",
    "Lib/site-packages",
];

/// The installed packages of one Python environment.
#[derive(Debug)]
pub struct Environment {
    /// Where packages lie, absolute and without links; in the order in which they are looked through.
    folders: Vec<PathBuf>,
    /// The number of the first file that is read from here.
    first: u32,
    max_file_size: u64,
    files: Box<[OnceLock<SourceFile>]>,
    read: Mutex<Read>,
}

/// What was asked for so far.
#[derive(Debug, Default)]
struct Read {
    known: FxHashMap<PathBuf, Option<FileId>>,
    files: usize,
    bytes: u64,
    /// Files that were looked through for a word.
    looked_through: usize,
    /// What ran out.
    exhausted: Option<&'static str>,
    /// What was asked for, in this order.
    asked: Vec<Asked>,
}

/// What was asked for, and what was there.
#[derive(Clone, Debug)]
enum Asked {
    /// A module at a path below one of the folders, within so many packages.
    Module { folder: usize, path: PathBuf, packages: Vec<String>, id: Option<FileId> },
    /// Whether the source of a module mentions a word.
    Word { dotted: String, word: String, is_there: bool },
}

/// Why there is no environment at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvironmentError {
    /// Nothing is there.
    NotFound(PathBuf),
    /// Something is there, but none of the folders in it that Python keeps packages in.
    NoPackages(PathBuf),
    /// It lies outside of the project that names it.
    Outside(PathBuf),
}

impl std::fmt::Display for EnvironmentError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EnvironmentError::NotFound(path) => write!(formatter, "no such Python environment: {}", in_message(path)),
            EnvironmentError::NoPackages(path) => {
                write!(formatter, "no installed packages were found in {}", in_message(path))
            }
            EnvironmentError::Outside(path) => {
                write!(formatter, "the Python environment {} leads out of the project", in_message(path))
            }
        }
    }
}

impl std::error::Error for EnvironmentError {}

impl Environment {
    /// Opens an environment: its folder, its interpreter (`ENV/bin/python`, which is not run), or a folder with packages.
    pub fn open(named: &NamedPath, max_file_size: u64) -> Result<Environment, EnvironmentError> {
        let (root, is_named) = root_of(named)?;
        let mut folders: Vec<PathBuf> = PACKAGE_FOLDERS.iter().flat_map(|pattern| matching(&root, pattern)).collect();
        if let Reach::Within(project) = &named.reach {
            let all = folders.len();
            folders.retain(|folder| folder.starts_with(project));
            if folders.is_empty() && all > 0 {
                return Err(EnvironmentError::Outside(named.path.clone()));
            }
        }
        folders.dedup();
        if folders.is_empty() && is_named && holds_packages(&root) {
            folders.extend(root.canonicalize());
        }
        if folders.is_empty() {
            return Err(EnvironmentError::NoPackages(named.path.clone()));
        }
        let files = (0..MOST_FILES).map(|_| OnceLock::new()).collect();
        let max_file_size = max_file_size.min(LARGEST_FILE_SIZE);
        Ok(Environment { folders, first: u32::MAX, max_file_size, files, read: Mutex::default() })
    }

    /// Sets the number that the first file gets.
    pub(super) fn number_from(&mut self, first: u32) {
        self.first = first;
    }

    /// The file of that number, where it was read from here.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(self.index(id)?)?.get()
    }

    /// How many files may be read.
    pub fn capacity(&self) -> usize {
        self.files.len()
    }

    /// The position of a file of this environment among those that can be read.
    pub fn index(&self, id: FileId) -> Option<usize> {
        id.0.checked_sub(self.first).map(|index| index as usize).filter(|&index| index < MOST_FILES)
    }

    /// What ran out while files were read: no further ones are.
    pub fn exhausted(&self) -> Option<&'static str> {
        self.state().exhausted
    }

    /// Whether the source of a module mentions a word. The file is looked through and not kept; of those that were looked through, there are
    /// no more than may be read.
    pub fn mentions(&self, dotted: &str, word: &str) -> bool {
        let Some(parts) = parts_of(dotted) else { return false };
        let is_there = self.folders.iter().any(|folder| {
            let path: PathBuf = folder.join(parts.iter().collect::<PathBuf>());
            [path.join("__init__.py"), path.with_extension("py")].into_iter().any(|path| {
                let Some(real) = path.canonicalize().ok().filter(|real| real.starts_with(folder) && real.is_file())
                else {
                    return false;
                };
                let is_left = {
                    let mut state = self.state();
                    state.looked_through += 1;
                    state.looked_through <= MOST_FILES
                };
                is_left && read_text(&real, self.max_file_size).is_ok_and(|(text, _)| text.contains(word))
            })
        });
        self.state().asked.push(Asked::Word { dotted: dotted.to_owned(), word: word.to_owned(), is_there });
        is_there
    }

    /// The source of a module by its dotted name: that of a package is its `__init__.py`.
    pub fn module(&self, dotted: &str) -> Option<FileId> {
        let parts = parts_of(dotted)?;
        (0..self.folders.len()).find_map(|folder| {
            let path: PathBuf = parts.iter().collect();
            let package = self.read(folder, path.join("__init__.py"), &parts);
            package.or_else(|| self.read(folder, path.with_extension("py"), &parts[..parts.len() - 1]))
        })
    }

    /// The file at a path below the folder of that number.
    fn read(&self, folder: usize, below: PathBuf, packages: &[&str]) -> Option<FileId> {
        let root = self.folders.get(folder)?;
        let path = root.join(&below);
        let mut state = self.state();
        if let Some(known) = state.known.get(&path) {
            return *known;
        }
        let id = self.read_new(&mut state, root, &path, packages);
        state.known.insert(path, id);
        let packages = packages.iter().map(|part| (*part).to_owned()).collect();
        state.asked.push(Asked::Module { folder, path: below, packages, id });
        id
    }

    /// Everything that was asked for, in this order, with what was there: whoever asks it again, in this order, of the same packages gets the
    /// same, with the same numbers of files.
    pub fn asked(&self) -> Vec<(Question, Digest)> {
        let asked = self.state().asked.clone();
        asked.into_iter().map(|asked| self.answered(asked)).collect()
    }

    fn answered(&self, asked: Asked) -> (Question, Digest) {
        match asked {
            Asked::Module { folder, path, packages, id } => {
                let text = id.and_then(|id| self.file(id)).map(|file| &*file.text);
                let file = InstalledFile { folder, path, packages };
                (Question::Installed(file), Digest::of(&(id, text)))
            }
            Asked::Word { dotted, word, is_there } => (Question::Mentions { dotted, word }, Digest::of(&is_there)),
        }
    }

    /// Asks for a file as it was asked for before.
    pub(crate) fn read_again(&self, file: &InstalledFile) -> Digest {
        let packages: Vec<&str> = file.packages.iter().map(String::as_str).collect();
        let is_below = file.path.components().all(|part| matches!(part, Component::Normal(_)));
        let id = is_below.then(|| self.read(file.folder, file.path.clone(), &packages)).flatten();
        Digest::of(&(id, id.and_then(|id| self.file(id)).map(|file| &*file.text)))
    }

    /// Where packages lie, absolute and without links.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn read_new(&self, state: &mut Read, root: &Path, path: &Path, packages: &[&str]) -> Option<FileId> {
        let real = path.canonicalize().ok()?;
        // No link leads out of the environment.
        if !real.starts_with(root) || !real.is_file() {
            return None;
        }
        if state.files >= MOST_FILES || state.bytes >= MOST_BYTES {
            state.exhausted = Some(if state.files >= MOST_FILES { "files" } else { "bytes" });
            return None;
        }
        let (text, _) = read_text(&real, self.max_file_size).ok()?;
        let index = state.files;
        let id = FileId(self.first.checked_add(u32::try_from(index).ok()?)?);
        state.files += 1;
        state.bytes += text.len() as u64;
        let mut file = SourceFile::new(path.to_owned(), root.to_owned(), ShownPath::of(path), text, None);
        file.id = id;
        file.packages = packages.iter().map(|part| (*part).to_owned()).collect();
        self.files.get(index)?.set(file).ok()?;
        Some(id)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The folder of an environment, and whether the path names it rather than its interpreter, which is a link to that of the system and is not
/// followed.
fn root_of(named: &NamedPath) -> Result<(PathBuf, bool), EnvironmentError> {
    let not_found = || EnvironmentError::NotFound(named.path.clone());
    let absolute = std::path::absolute(&named.path).map_err(|_| not_found())?;
    // An interpreter's folder says whose it is.
    let interpreter = || {
        let (folder, name) = (absolute.parent()?, absolute.file_name()?);
        let folder = NamedPath { path: folder.to_owned(), reach: named.reach.clone() }.resolve().ok()?;
        let kind = folder.join(name).symlink_metadata().ok()?;
        (kind.is_file() || kind.is_symlink()).then(|| folder.parent().map(|root| (root.to_owned(), false))).flatten()
    };
    match (NamedPath { path: absolute.clone(), reach: named.reach.clone() }).resolve() {
        Ok(path) => match path.metadata() {
            Ok(kind) if kind.is_dir() => Ok((path, true)),
            // A device or a pipe is no interpreter.
            Ok(kind) if kind.is_file() => interpreter().ok_or_else(not_found),
            _ => Err(not_found()),
        },
        Err(FileError::Outside) => interpreter().ok_or_else(|| EnvironmentError::Outside(named.path.clone())),
        Err(_) => Err(not_found()),
    }
}

/// The parts of a dotted name. An empty part would be the folder itself, and a separator would lead elsewhere.
fn parts_of(dotted: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = dotted.split('.').collect();
    let is_plain = parts.iter().all(|part| !part.is_empty() && !part.contains(['/', '\\', '\0']));
    is_plain.then_some(parts)
}

/// The folders below `root` that a pattern names, sorted, the newest Python first.
fn matching(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    for part in pattern.split('/') {
        found = match part.strip_suffix('*') {
            None => found.into_iter().map(|folder| folder.join(part)).filter(|folder| folder.is_dir()).collect(),
            Some(prefix) => found.iter().flat_map(|folder| children(folder, prefix)).collect(),
        };
    }
    found.into_iter().filter_map(|folder| folder.canonicalize().ok()).collect()
}

fn children(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(1000).filter_map(Result::ok);
    let is_wanted = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).filter(is_wanted).collect();
    found.sort_by(|left, right| right.cmp(left));
    found
}

/// Whether a folder has a package or a module in it.
fn holds_packages(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(10_000).filter_map(Result::ok);
    entries
        .map(|entry| entry.path())
        .any(|path| path.join("__init__.py").is_file() || path.extension().is_some_and(|extension| extension == "py"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Environment, EnvironmentError};
    use crate::NamedPath;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x = 1\n").unwrap();
        }
        folder
    }

    fn open(path: &Path) -> Result<Environment, EnvironmentError> {
        Environment::open(&NamedPath::by_user(path), 1 << 20).map(|mut environment| {
            environment.number_from(7);
            environment
        })
    }

    #[test]
    fn an_environment_is_found_by_its_folder_its_interpreter_and_its_packages() {
        let folder = folder(&["lib/python3.11/site-packages/nets/__init__.py", "bin/python"]);
        let packages = folder.path().join("lib/python3.11/site-packages");
        for path in [folder.path().to_owned(), folder.path().join("bin/python"), packages] {
            let environment = open(&path).unwrap();
            let id = environment.module("nets").unwrap();
            assert_eq!(id.0, 7);
            assert_eq!(environment.file(id).unwrap().packages, ["nets"]);
            assert_eq!(environment.module("nets"), Some(id));
            assert_eq!(environment.module("nets.other"), None);
        }
        assert!(matches!(open(&folder.path().join("bin")), Err(EnvironmentError::NoPackages(_))));
        assert!(matches!(open(&folder.path().join("no")), Err(EnvironmentError::NotFound(_))));
    }

    #[test]
    fn a_package_wins_over_a_module_and_names_do_not_climb() {
        let folder = folder(&["a.py", "a/__init__.py", "b/c.py"]);
        let environment = open(folder.path()).unwrap();
        let path = |dotted: &str| {
            let id = environment.module(dotted)?;
            Some(environment.file(id)?.path.strip_prefix(environment.folders[0].as_path()).unwrap().to_owned())
        };
        assert_eq!(path("a").as_deref(), Some(Path::new("a/__init__.py")));
        assert_eq!(path("b.c").as_deref(), Some(Path::new("b/c.py")));
        assert_eq!((path("..a"), path("b/c"), path("")), (None, None, None));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_environment_are_not_followed() {
        let outside = folder(&["secret.py"]);
        let folder = folder(&["a.py"]);
        std::os::unix::fs::symlink(outside.path().join("secret.py"), folder.path().join("b.py")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("c")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("a.py"), folder.path().join("d.py")).unwrap();
        let environment = open(folder.path()).unwrap();
        assert_eq!((environment.module("b"), environment.module("c.secret")), (None, None));
        assert!(environment.module("d").is_some());
    }
}
