//! The ignore rules of a project: `.ignore`, `.gitignore` and `.git/info/exclude`, as git and ripgrep read them, from the root of the project
//! down. They are read through the gate: a link out of the project is not followed (git follows none), and a pipe is not opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use crate::SkipReason;
use crate::gate::{FileError, NamedPath};
use crate::path_patterns::{MOST_WILDCARDS, wildcards_in};

/// A larger file holds no rules that a person wrote.
const LARGEST_FILE: u64 = 256 << 10;

/// The files of a project have no more wildcards than these together; what is over is not read, and told. What is read of them takes time and memory by their
/// number.
const MOST_WILDCARDS_OF_PROJECT: usize = 4 * MOST_WILDCARDS;

/// The rules that hold in a folder and everywhere below it.
#[derive(Debug, Default)]
struct FolderRules {
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
}

/// The ignore rules of a project, each file read once.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    /// The outermost folder whose rules hold; absolute and without links.
    root: PathBuf,
    /// The contents of the files of rules, by their paths from the root, where it is not those that lie there.
    given: Option<BTreeMap<PathBuf, Vec<u8>>>,
    folders: Mutex<FxHashMap<PathBuf, Arc<FolderRules>>>,
    refused: Mutex<Vec<(PathBuf, SkipReason)>>,
    wildcards: AtomicUsize,
}

impl IgnoreRules {
    /// The rules that hold in `folder`, which is absolute and without links, and below it: those of the checkout that it is part of.
    pub fn around(folder: &Path) -> IgnoreRules {
        let checkout = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let root = checkout.unwrap_or(folder).to_owned();
        IgnoreRules::new(root, None)
    }

    /// The rules that such files would be for a folder, which is absolute and without links, in place of those that lie there.
    pub fn given(root: &Path, files: BTreeMap<PathBuf, Vec<u8>>) -> IgnoreRules {
        IgnoreRules::new(root.to_owned(), Some(files))
    }

    fn new(root: PathBuf, given: Option<BTreeMap<PathBuf, Vec<u8>>>) -> IgnoreRules {
        let (folders, refused, wildcards) = (Mutex::default(), Mutex::default(), AtomicUsize::new(0));
        IgnoreRules { root, given, folders, refused, wildcards }
    }

    /// Whether a path that a walk has come to is to be left out. It lies below the root.
    pub fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let mut said = [Match::None, Match::None, Match::None];
        for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root)) {
            let rules = self.of(folder);
            let files = [&rules.ignore, &rules.gitignore, &rules.exclude];
            // The nearest rule counts.
            for (said, file) in said.iter_mut().zip(files) {
                if let (Match::None, Some(file)) = (&said, file) {
                    *said = file.matched(path, is_folder).map(|_| ());
                }
            }
        }
        match said.into_iter().find(|said| !said.is_none()) {
            Some(said) => said.is_ignore(),
            // Hidden files are not read unless a rule says so.
            None => path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")),
        }
    }

    /// The files of rules that were not read, and why.
    pub fn take_refused(&self) -> Vec<(PathBuf, SkipReason)> {
        std::mem::take(&mut self.refused.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn of(&self, folder: &Path) -> Arc<FolderRules> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders.get(folder) {
            return Arc::clone(known);
        }
        let rules = Arc::new(FolderRules {
            ignore: self.read(folder, ".ignore"),
            gitignore: self.read(folder, ".gitignore"),
            exclude: self.read(folder, ".git/info/exclude"),
        });
        folders.insert(folder.to_owned(), Arc::clone(&rules));
        rules
    }

    /// The rules in a file; none where there is none.
    fn read(&self, folder: &Path, name: &str) -> Option<Gitignore> {
        let path = folder.join(name);
        // The folder was reached without links. Only a link that leads out of it is followed from the root, which takes long where folders are deep.
        let bytes = match &self.given {
            Some(given) => {
                let bytes = given.get(path.strip_prefix(&self.root).ok()?)?;
                let size = bytes.len() as u64;
                if size > LARGEST_FILE {
                    return self.refuse(path, FileError::TooLarge { size, limit: LARGEST_FILE }.into());
                }
                Ok(bytes.clone())
            }
            None => match NamedPath::within(&path, folder).read_bytes(LARGEST_FILE) {
                Err(FileError::Outside) => NamedPath::within(&path, &self.root).read_bytes(LARGEST_FILE),
                read => read,
            },
        };
        let text = match bytes {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            // `.git` may be a file, and a folder may have such a name.
            Err(FileError::Unreadable(_)) => return None,
            Err(FileError::NotRegular) if path.is_dir() => return None,
            Err(error) => return self.refuse(path, error.into()),
        };
        let wildcards = wildcards_in(&text);
        if self.wildcards.fetch_add(wildcards, Ordering::Relaxed) + wildcards > MOST_WILDCARDS_OF_PROJECT {
            return self
                .refuse(path, SkipReason::Unreadable("the project has too many patterns of this kind".to_owned()));
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.trim_start_matches('\u{feff}').lines() {
            // What is no pattern matches nothing.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) => Some(rules).filter(|rules| !rules.is_empty()),
            Err(_) => self.refuse(path, SkipReason::Unreadable("its patterns are too large together".to_owned())),
        }
    }

    fn refuse(&self, path: PathBuf, reason: SkipReason) -> Option<Gitignore> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).push((path, reason));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_beyond_all_bounds_are_told_and_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        std::fs::create_dir_all(root.join(".git")).expect("a folder");
        std::fs::create_dir(root.join("sub")).expect("a folder");
        let many = format!("{}\n", "?".repeat(200)).repeat(1_250);
        std::fs::write(root.join(".gitignore"), "b.py\n").expect("a file");
        std::fs::write(root.join("sub/.gitignore"), format!("{many}c.py\n")).expect("a file");
        // In the bound, but too large for what compares them.
        std::fs::write(root.join(".ignore"), format!("{}d.py\n", format!("{}\n", "*a".repeat(500)).repeat(150)))
            .expect("a file");
        let rules = IgnoreRules::around(&root);
        assert!(rules.ignores(&root.join("b.py"), false));
        assert!(!rules.ignores(&root.join("sub/c.py"), false));
        assert!(!rules.ignores(&root.join("d.py"), false));
        let refused: Vec<PathBuf> = rules.take_refused().into_iter().map(|(path, _)| path).collect();
        assert_eq!(refused, [root.join(".ignore"), root.join("sub/.gitignore")]);
    }
}
