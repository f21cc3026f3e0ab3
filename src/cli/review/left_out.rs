//! Files that one side has under names of the other, but not as files that are read: what was checked before must not vanish without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};

use harp_corpus::ShownPath;
use harp_report::Skipped;

use super::objects::Objects;
use super::patch::FilePatch;
use super::side::Files;
use super::tree::Tree;
use crate::writing::files::make_folders;
use crate::writing::unfinished::Unfinished;

/// Why files of a side are not in its folder.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// The sizes of files that are too large, in bytes.
    large: BTreeMap<PathBuf, u64>,
    /// What is there in place of other files, as the end of a sentence.
    others: BTreeMap<PathBuf, String>,
}

impl LeftOut {
    /// Of a commit: what is too large, and of the files of `before` what is no file any more.
    pub fn of_commit(tree: &Tree, objects: &Objects, before: &Files<'_>) -> LeftOut {
        let large = tree.files.iter().filter_map(|(path, id)| Some((path.clone(), *objects.too_large.get(id)?)));
        let mut left_out = LeftOut { large: large.collect(), others: BTreeMap::new() };
        left_out.replaced(before, &tree.files, |path| {
            if tree.links.contains(path) {
                return Some("a link");
            }
            path.to_str().filter(|name| tree.submodules.contains_key(*name)).map(|_| "a submodule")
        });
        left_out
    }

    /// The same of what a patch makes of the files of `before`.
    pub fn of_patch(patches: &[FilePatch], now: &Files<'_>, before: &Files<'_>) -> LeftOut {
        let made = patches.iter().filter(|patch| patch.is_no_file).filter_map(|patch| patch.new.as_deref());
        let made: BTreeSet<&Path> = made.collect();
        let mut left_out = LeftOut::default();
        left_out.replaced(before, now, |path| made.contains(path).then_some("a link or a submodule"));
        left_out
    }

    /// The same of the work tree below `root`, of which these files were read. Links are not followed, and nobody looks where they lead.
    pub fn of_work_tree(root: &Path, now: &Files<'_>, new: &[PathBuf], before: &Files<'_>, limit: u64) -> LeftOut {
        let mut left_out = LeftOut::default();
        for path in before.keys().chain(new).filter(|path| !now.contains_key(*path)) {
            match there(root, path) {
                Some(There::File(size)) if size > limit => drop(left_out.large.insert(path.clone(), size)),
                Some(There::File(_)) => left_out.other(path, "it cannot be read"),
                Some(There::Other(what)) => left_out.other(path, what),
                None => {}
            }
        }
        left_out
    }

    /// Adds the files of `before` in whose place, or in that of a folder around them, is something else.
    fn replaced<'w, Now>(
        &mut self,
        before: &Files<'_>,
        now: &BTreeMap<PathBuf, Now>,
        what: impl Fn(&Path) -> Option<&'w str>,
    ) {
        for path in before.keys().filter(|path| !now.contains_key(*path)) {
            if let Some(what) = path.ancestors().find_map(&what) {
                self.other(path, &format!("there is {what} now, which is not read"));
            }
        }
    }

    fn other(&mut self, path: &Path, what: &str) {
        self.others.insert(path.to_owned(), what.to_owned());
    }

    /// Writes files of the same names and sizes without content to the folder of a side: an analysis skips them for their size, where it would
    /// look at them at all.
    pub fn write_large(&self, folder: &Path) {
        for (path, size) in &self.large {
            // Where the system takes no such file, nothing is skipped.
            let _ = put_hole(&folder.join(path), *size);
        }
    }

    /// How many files are too large.
    pub fn count_large(&self) -> usize {
        self.large.len()
    }

    /// What is not read in place of the file of a name, as names are shown.
    pub fn others(&self) -> BTreeMap<String, Skipped> {
        let skipped = |(path, reason): (&PathBuf, &String)| {
            let shown = ShownPath::of(path);
            (shown.text.clone(), Skipped { path: shown.text, reason: reason.clone(), uri: Some(shown.uri) })
        };
        self.others.iter().map(skipped).collect()
    }
}

/// Makes a file of so many bytes that takes no room, unless something is there.
fn put_hole(path: &Path, size: u64) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|_| path.symlink_metadata().is_err()) else { return Ok(()) };
    make_folders(folder)?;
    let (unfinished, file) = Unfinished::private_file_in(folder)?;
    file.set_len(size)?;
    unfinished.rename(path)
}

/// What is found under a name of the work tree.
enum There {
    /// A file of so many bytes.
    File(u64),
    Other(&'static str),
}

fn there(root: &Path, below: &Path) -> Option<There> {
    let mut path = root.to_owned();
    for part in below.components().filter(|part| matches!(part, Component::Normal(_))) {
        path.push(part);
        if path.symlink_metadata().ok()?.is_symlink() {
            return Some(There::Other("there is a link now, which is not followed"));
        }
    }
    let metadata = path.symlink_metadata().ok()?;
    Some(match metadata.is_file() {
        true => There::File(metadata.len()),
        // What lies in a folder has names of its own.
        false if metadata.is_dir() => return None,
        false => There::Other("it is not a regular file"),
    })
}
