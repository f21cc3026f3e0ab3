//! Loads rule packs: the files of a pack. A folder on disk is not trusted: its files are read within bounds, nothing
//! but regular files is opened, and no link is followed out of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use harp_corpus::{FileError, read_utf8, resolve_within};

use super::pattern::Pattern;

/// A file of a pack may have this many bytes.
const LARGEST_FILE: u64 = 4 << 20;
/// All files of a pack that are read may have this many bytes.
const LARGEST_PACK: u64 = 32 << 20;
/// A pattern may name this many files.
const MOST_FILES: usize = 1000;
/// A search for files looks at this many names.
const MOST_NAMES: usize = 20_000;
/// Folders may be nested this deep.
const DEEPEST_FOLDER: usize = 16;

/// The files of a pack, by their paths in it. What was read stays the same until the end of the run.
#[derive(Debug)]
pub struct Files {
    /// The pack's folder without links; none for packs in memory.
    root: Option<PathBuf>,
    read: Mutex<BTreeMap<String, String>>,
}

impl Files {
    /// Files that are nowhere on disk: paths with their texts.
    pub fn in_memory(files: impl IntoIterator<Item = (String, String)>) -> Files {
        Files { root: None, read: Mutex::new(files.into_iter().collect()) }
    }

    /// The files of a folder. The folder itself may be a link, as it was given by the user.
    pub fn of(folder: &Path) -> io::Result<Files> {
        let root = folder.canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Files { root: Some(root), read: Mutex::default() })
    }

    /// The folder on disk, without links.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Everything that was read so far.
    pub fn texts(&self) -> Vec<(String, String)> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().map(|(path, text)| (path.clone(), text.clone())).collect()
    }

    /// The paths of what was read so far.
    pub fn paths(&self) -> Vec<String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// The text of a file; otherwise why it has none, as the end of a sentence that begins with the file's name.
    pub fn read(&self, path: &str) -> Result<String, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = read.get(path) {
            return Ok(text.clone());
        }
        let Some(root) = &self.root else { return Err("does not exist".to_owned()) };
        let used: u64 = read.values().map(|text| text.len() as u64).sum();
        let text = text_of(root, path, LARGEST_PACK.saturating_sub(used))?;
        read.insert(path.to_owned(), text.clone());
        Ok(text)
    }

    /// The paths that fit a pattern, sorted; otherwise a sentence that says why there is no answer.
    pub fn list(&self, pattern: &Pattern) -> Result<Vec<String>, String> {
        if let Some(path) = pattern.literal() {
            return Ok(vec![path]);
        }
        let Some(root) = &self.root else {
            let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(read.keys().filter(|path| pattern.matches(path)).cloned().collect());
        };
        let mut search = Search { root, pattern, found: BTreeSet::new(), names: 0 };
        search.run()?;
        Ok(search.found.into_iter().collect())
    }
}

/// Reads a regular file below `root`. Nothing else is opened: a pipe would block, a device might never end.
fn text_of(root: &Path, path: &str, left: u64) -> Result<String, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    let read = resolve_within(root, Path::new(path)).and_then(|file| read_utf8(&file, LARGEST_FILE.min(left)));
    read.map_err(|error| match error {
        FileError::Outside => "is a link out of the pack, which is not followed".to_owned(),
        FileError::NotRegular if root.join(path).is_dir() => "is a folder, not a file".to_owned(),
        FileError::NotRegular => "is not a regular file".to_owned(),
        FileError::TooLarge { limit, .. } if limit < LARGEST_FILE => {
            format!("is too large: the files of a pack may have {} MiB together", LARGEST_PACK >> 20)
        }
        FileError::TooLarge { .. } => format!("is too large: a file of a pack may have {} MiB", LARGEST_FILE >> 20),
        FileError::NotText => "is not UTF-8 text".to_owned(),
        FileError::Unreadable(error) => unreadable(error),
    })
}

/// A search for the files that fit a pattern.
struct Search<'a> {
    root: &'a Path,
    pattern: &'a Pattern,
    found: BTreeSet<String>,
    /// How many names were looked at.
    names: usize,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), String> {
        let first = self.pattern.folder();
        let path = match self.root.join(&first).canonicalize() {
            Ok(path) if !path.starts_with(self.root) => return Err(leads_out(&first)),
            Ok(path) => path,
            Err(_) => return Ok(()),
        };
        let mut waiting = vec![(path, first, 0)];
        while let Some((folder, prefix, depth)) = waiting.pop() {
            let Ok(children) = fs::read_dir(&folder) else { continue };
            for child in children.flatten() {
                self.names += 1;
                if self.names > MOST_NAMES {
                    return Err(format!("the pack's folder has more than {MOST_NAMES} files"));
                }
                let name = child.file_name().to_string_lossy().into_owned();
                let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
                let Ok(kind) = child.file_type() else { continue };
                if kind.is_symlink() {
                    self.link(&child.path(), path)?;
                } else if kind.is_dir() {
                    let wanted = self.pattern.depth().is_none_or(|most| depth < most) && !name.starts_with('.');
                    if wanted && depth >= DEEPEST_FOLDER {
                        return Err(format!("the pack's folders are nested more than {DEEPEST_FOLDER} deep"));
                    }
                    if wanted {
                        waiting.push((child.path(), path, depth + 1));
                    }
                } else {
                    self.add(path)?;
                }
            }
        }
        Ok(())
    }

    /// What a link within the pack leads to is read at its own place, or as the file that the link stands for.
    fn link(&mut self, link: &Path, path: String) -> Result<(), String> {
        match link.canonicalize() {
            Ok(target) if target.is_dir() && target.starts_with(self.root) => Ok(()),
            Ok(target) if target.is_dir() && self.pattern.depth().is_none() => Err(leads_out(&path)),
            Ok(target) if target.is_dir() => Ok(()),
            _ => self.add(path),
        }
    }

    fn add(&mut self, path: String) -> Result<(), String> {
        if self.pattern.matches(&path) {
            self.found.insert(path);
        }
        if self.found.len() > MOST_FILES {
            return Err(format!("a pack may have {MOST_FILES} files of a kind; it has more"));
        }
        Ok(())
    }
}

fn leads_out(path: &str) -> String {
    format!("`{path}` is a link out of the pack, which is not followed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for path in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "text").expect("a file");
        }
        folder
    }

    fn list(files: &Files, pattern: &str) -> Result<Vec<String>, String> {
        files.list(&Pattern::parse(pattern).expect("a pattern"))
    }

    #[test]
    fn files_are_found_where_the_pattern_says_and_in_order() {
        let folder = folder(&["b.md", "a.md", "rules/x.dl", "rules/sub/y.dl", "rules/.git/z.dl", "other/w.dl"]);
        let files = Files::of(folder.path()).expect("a folder");
        assert_eq!(list(&files, "*.md").unwrap(), ["a.md", "b.md"]);
        assert_eq!(list(&files, "rules/*.dl").unwrap(), ["rules/x.dl"]);
        assert_eq!(list(&files, "rules/**/*.dl").unwrap(), ["rules/sub/y.dl", "rules/x.dl"]);
        assert_eq!(list(&files, "none/*.dl").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_was_read_stays() {
        let folder = folder(&["a.md"]);
        let files = Files::of(folder.path()).expect("a folder");
        assert_eq!(files.read("a.md").as_deref(), Ok("text"));
        fs::write(folder.path().join("a.md"), "other").expect("a file");
        assert_eq!(files.read("a.md").as_deref(), Ok("text"));
        assert_eq!(files.texts(), [("a.md".to_owned(), "text".to_owned())]);
        assert_eq!(files.read("b.md").unwrap_err(), "does not exist");
    }

    #[test]
    fn all_files_together_are_bounded() {
        let folder = folder(&[]);
        let files = Files::of(folder.path()).expect("a folder");
        let most = (LARGEST_PACK / LARGEST_FILE) as usize;
        for index in 0..=most {
            let name = format!("{index}.md");
            fs::write(folder.path().join(&name), vec![b'x'; LARGEST_FILE as usize]).expect("a file");
            match files.read(&name) {
                Ok(_) => assert!(index < most),
                Err(reason) => assert!(index == most && reason.contains("32 MiB together"), "{index}: {reason}"),
            }
        }
    }

    #[test]
    fn folders_and_names_are_bounded() {
        let deep = format!("rules/{}x.dl", "d/".repeat(DEEPEST_FOLDER + 2));
        let nested = folder(&[&deep]);
        let files = Files::of(nested.path()).expect("a folder");
        assert!(list(&files, "rules/**/*.dl").unwrap_err().contains("nested"));
        let names: Vec<String> = (0..=MOST_FILES).map(|index| format!("rules/{index}.dl")).collect();
        let many = folder(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let files = Files::of(many.path()).expect("a folder");
        assert!(list(&files, "rules/*.dl").unwrap_err().contains("1000 files"));
    }
}
