//! Which files of a commit an analysis may read, and which names are none of a file's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use harp_corpus::may_be_read;
use harp_report::UserError;

use super::git::Git;
use super::repository::is_commit;

/// A tree with more entries is not read: a small object can stand for any number of them.
const MOST_ENTRIES: usize = 500_000;
/// An entry's line, with a path as long as systems take.
const LONGEST_ENTRY: u64 = 8 << 10;
/// As long as names of files are on common systems.
const LONGEST_NAME: usize = 255;

/// What a commit has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The files that an analysis may read, with the ids of their contents.
    pub files: BTreeMap<PathBuf, String>,
    /// The other files, of which nothing is read, with the ids of their contents.
    pub others: BTreeMap<PathBuf, String>,
    /// Links, of which nothing is read.
    pub links: BTreeSet<PathBuf>,
    /// The submodules with their commits.
    pub submodules: BTreeMap<String, String>,
    /// Names that no file may have, as they are shown.
    pub refused: Vec<String>,
}

impl Tree {
    /// The tree of a commit.
    pub fn of(git: &Git, commit: &str, revision: &str) -> Result<Tree, UserError> {
        let unreadable = |reason: String| {
            UserError::new(format!("the files of `{revision}` cannot be listed")).note(format!("git says: {reason}"))
        };
        let mut listing = git.start(&["ls-tree", "-r", "-z", "--full-tree", commit], None).map_err(unreadable)?;
        let mut tree = Tree::default();
        let mut entries = 0;
        while let Some(line) = listing.until(b'\0', LONGEST_ENTRY).map_err(|error| unreadable(error.to_string()))? {
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(UserError::new(format!("`{revision}` has more than {MOST_ENTRIES} files")));
            }
            tree.add(&line);
        }
        listing.process.end().map_err(unreadable)?;
        Ok(tree)
    }

    /// Adds what `MODE TYPE ID<tab>PATH` says. Links are left out: nothing is ever read through them.
    fn add(&mut self, line: &[u8]) {
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { return };
        let (entry, path) = (String::from_utf8_lossy(&line[..tab]), &line[tab + 1..]);
        let mut words = entry.split(' ');
        let (Some(mode), Some(_), Some(id)) = (words.next(), words.next(), words.next()) else { return };
        match (mode, safe_path(path)) {
            ("160000", _) => {
                self.submodules.insert(String::from_utf8_lossy(path).into_owned(), id.to_owned());
            }
            ("100644" | "100755" | "100664", Some(path)) if is_wanted(&path) && is_commit(id) => {
                self.files.insert(path, id.to_owned());
            }
            ("120000", Some(path)) => drop(self.links.insert(path)),
            ("100644" | "100755" | "100664", Some(path)) => drop(self.others.insert(path, id.to_owned())),
            _ => self.refused.push(String::from_utf8_lossy(path).into_owned()),
        }
    }
}

/// Whether a file of that name is of use on a side of a comparison.
pub(crate) fn is_wanted(path: &Path) -> bool {
    may_be_read(path) || is_ignore_file(path)
}

/// Whether a file has ignore rules.
pub(crate) fn is_ignore_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
}

/// The path that a tree or a patch names, where it is that of a file below a folder: no part of it leads up or is git's own.
pub(crate) fn safe_path(bytes: &[u8]) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in bytes.split(|byte| *byte == b'/') {
        let is_own = part.eq_ignore_ascii_case(b".git");
        if part.is_empty() || part == b"." || part == b".." || is_own || part.len() > LONGEST_NAME {
            return None;
        }
        path.push(name_of(part)?);
    }
    Some(path)
}

#[cfg(unix)]
fn name_of(part: &[u8]) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    (!part.contains(&0)).then(|| Path::new(std::ffi::OsStr::from_bytes(part)))
}

/// Elsewhere names are Unicode, and some characters in them lead to other places.
#[cfg(not(unix))]
fn name_of(part: &[u8]) -> Option<&Path> {
    let name = std::str::from_utf8(part).ok()?;
    let is_odd = |character: char| character.is_control() || "\\:*?\"<>|".contains(character);
    let is_trimmed = name.ends_with(['.', ' ']);
    (!name.contains(is_odd) && !is_trimmed).then(|| Path::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_no_file_are_refused() {
        for name in ["a.py", "a/b c.py", "é.py", "..a/b", ".gitx/a"] {
            assert_eq!(safe_path(name.as_bytes()), Some(PathBuf::from(name)));
        }
        for name in ["", "/etc/passwd", "../a.py", "a/../../b.py", "a//b.py", ".git/config", "a/.GIT/x.py", "./a", "a/"]
        {
            assert_eq!(safe_path(name.as_bytes()), None, "{name}");
        }
        assert_eq!(safe_path(&[b'a'; 300]), None);
        assert_eq!(safe_path(b"a\0b"), None);
    }

    #[test]
    fn links_and_submodules_are_no_files() {
        let mut tree = Tree::default();
        let id = "0123456789012345678901234567890123456789";
        for (mode, kind, path) in [
            ("100644", "blob", "a.py"),
            ("120000", "blob", "link.py"),
            ("160000", "commit", "vendor"),
            ("100755", "blob", "tool"),
            ("100644", "blob", "../b.py"),
        ] {
            tree.add(format!("{mode} {kind} {id}\t{path}").as_bytes());
        }
        assert_eq!(tree.files.keys().collect::<Vec<_>>(), [Path::new("a.py")]);
        assert_eq!(tree.others.keys().collect::<Vec<_>>(), [Path::new("tool")]);
        assert_eq!(tree.submodules.keys().collect::<Vec<_>>(), ["vendor"]);
        assert_eq!(tree.refused, ["../b.py"]);
    }
}
