//! The files of a repository that lie in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use harp_corpus::read_bytes;

use crate::audit::unit::{DEEPEST, Refusal, Tree};
use crate::revisions::repository::Repository;
use crate::revisions::tree::is_wanted;

/// More names are looked at in no repository.
const MOST_NAMES: usize = 2_000_000;

/// Reads a folder. No link is followed, and repositories and Python environments within it are left out, and so are the folders `without`.
pub(in crate::audit) fn read(folder: &Path, without: &[PathBuf], limit: u64) -> Result<Tree, Refusal> {
    let mut walk = Walk { root: folder, without, limit, names: 0, tree: Tree::new(limit) };
    walk.folder(folder, 0)?;
    let mut tree = walk.tree;
    tree.revision = checked_out(folder);
    Ok(tree)
}

struct Walk<'a> {
    root: &'a Path,
    without: &'a [PathBuf],
    limit: u64,
    names: usize,
    tree: Tree,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), Refusal> {
        let entries = match self.entries(folder) {
            // Its files would be skipped, and its path may be longer than what the system takes.
            Err(_) if depth > DEEPEST && self.names <= MOST_NAMES => {
                self.tree.skipped += 1;
                return Ok(());
            }
            entries => entries?,
        };
        for (path, kind) in entries {
            if kind.is_dir() {
                if self.is_read(&path) {
                    self.folder(&path, depth + 1)?;
                }
            } else if kind.is_file() && is_wanted(&path) {
                self.file(&path)?;
            }
        }
        Ok(())
    }

    fn entries(&mut self, folder: &Path) -> Result<Vec<(PathBuf, fs::FileType)>, Refusal> {
        // Where the repository lies is not told: rows are the same wherever it does.
        let unreadable = |error| format!("a folder cannot be read: {error}");
        let mut found: Vec<(PathBuf, fs::FileType)> = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            self.names += 1;
            if self.names > MOST_NAMES {
                return Err(format!("it has more than {MOST_NAMES} files"));
            }
            let entry = entry.map_err(unreadable)?;
            // The kind of a link is that of a link.
            if let Ok(kind) = entry.file_type() {
                found.push((entry.path(), kind));
            }
        }
        found.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(found)
    }

    fn is_read(&self, folder: &Path) -> bool {
        let is_own = |name: &str| folder.join(name).symlink_metadata().is_ok();
        folder.file_name().is_some_and(|name| name != ".git")
            && !is_own(".git")
            && !is_own("pyvenv.cfg")
            && !self.without.iter().any(|without| without == folder)
    }

    fn file(&mut self, path: &Path) -> Result<(), Refusal> {
        let below = path.strip_prefix(self.root).unwrap_or(path);
        let limit = self.limit;
        let size = path.symlink_metadata().map_or(0, |metadata| metadata.len());
        // One that cannot be read is one that is left out.
        self.tree.add(&super::bytes_of(below), size, || Ok(read_bytes(path, limit).ok()))
    }
}

/// The commit that is checked out, as far as files tell it.
fn checked_out(folder: &Path) -> Option<String> {
    let repository = Repository::of(folder).ok()?;
    let head = repository.head("HEAD")?;
    let Some(name) = head.strip_prefix("ref:") else { return Some(head) };
    repository.references().into_iter().find(|reference| reference.name == name.trim()).map(|found| found.commit)
}
