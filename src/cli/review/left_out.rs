//! `harp review`: files that only one side reads as files; what was checked before must not vanish without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::DirEntry;
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};

use harp_corpus::ShownPath;
use harp_report::Skipped;

use super::patch::FilePatch;
use super::side::plain_file;
use crate::revisions::objects::Objects;
use crate::revisions::tree::Tree;
use crate::revisions::written::Files;
use crate::writing::files::make_folders;
use crate::writing::unfinished::Unfinished;

/// So many names of a work tree are looked at for files that have other ones now.
const MOST_NAMES: usize = 200_000;
/// So many of them are read.
const MOST_COMPARED: usize = 1_000;

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
    pub fn of_commit(tree: &Tree, objects: &Objects, (old, before): (&Tree, &Files<'_>)) -> LeftOut {
        let large = tree.files.iter().filter_map(|(path, id)| Some((path.clone(), *objects.too_large.get(id)?)));
        let mut left_out = LeftOut { large: large.collect(), others: BTreeMap::new() };
        left_out.replaced(before, &tree.files, |path| {
            if tree.links.contains(path) {
                return Some("a link");
            }
            path.to_str().filter(|name| tree.submodules.contains_key(*name)).map(|_| "a submodule")
        });
        left_out.became_folders(before, &tree.files);
        left_out.became_folders(before, &tree.others);
        let is_new = |path: &&PathBuf| !old.others.contains_key(*path);
        let by_id: BTreeMap<&str, &PathBuf> =
            tree.others.iter().filter(|(path, _)| is_new(path)).map(|(path, id)| (id.as_str(), path)).collect();
        left_out.renamed(before, &tree.files, |path, bytes| {
            let is_beside = |other: &&PathBuf| name(other).starts_with(name(path)) && other.parent() == path.parent();
            let beside = from(&tree.others, path).map(|(other, _)| other).take_while(is_beside);
            let same = || by_id.get(old.files.get(path)?.as_str()).copied().filter(|_| !bytes.is_empty());
            beside.filter(|other| is_variant(other, path)).find(is_new).or_else(same).cloned()
        });
        left_out
    }

    /// The same of what a patch makes of the files of `before`.
    pub fn of_patch(patches: &[FilePatch], now: &Files<'_>, before: &Files<'_>) -> LeftOut {
        let made = patches.iter().filter(|patch| patch.is_no_file).filter_map(|patch| patch.new.as_deref());
        let made: BTreeSet<&Path> = made.collect();
        let mut left_out = LeftOut::default();
        left_out.replaced(before, now, |path| made.contains(path).then_some("a link or a submodule"));
        left_out.became_folders(before, now);
        left_out
    }

    /// The same of the work tree below `root`, of which these files were read. Links are not followed, and nobody looks where they lead.
    pub fn of_work_tree(
        root: &Path,
        now: &Files<'_>,
        new: &[PathBuf],
        (old, before): (&Tree, &Files<'_>),
        limit: u64,
    ) -> LeftOut {
        let mut left_out = LeftOut::default();
        for path in before.keys().chain(new).filter(|path| !now.contains_key(*path)) {
            match there(root, path) {
                Some(There::File(size)) if size > limit => drop(left_out.large.insert(path.clone(), size)),
                Some(There::File(_)) => left_out.other(path, "it cannot be read"),
                Some(There::Other(what)) => left_out.other(path, what),
                None => {}
            }
        }
        let (mut folders, mut compared) = (Folders { root, known: BTreeMap::new(), names: 0 }, 0);
        let is_known =
            |path: &Path| before.contains_key(path) || now.contains_key(path) || old.others.contains_key(path);
        left_out.renamed(before, now, |path, bytes| {
            let folder = path.parent()?;
            let others = folders.files(folder).iter().map(|(name, size)| (folder.join(name), *size));
            let mut is_same = |other: &Path, size: u64| {
                let may_be = size > 0 && size == bytes.len() as u64 && !is_known(other) && compared < MOST_COMPARED;
                compared += usize::from(may_be);
                may_be && plain_file(root, other, limit).is_some_and(|it| it == bytes)
            };
            let mut others =
                others.filter(|(other, size)| is_variant(other, path) && !is_known(other) || is_same(other, *size));
            others.next().map(|(other, _)| other)
        });
        left_out
    }

    /// Adds the sources among the files of `before` that are not there any more, where `other` tells a file that has their place and is not read.
    fn renamed<Now>(
        &mut self,
        before: &Files<'_>,
        now: &BTreeMap<PathBuf, Now>,
        mut other: impl FnMut(&Path, &[u8]) -> Option<PathBuf>,
    ) {
        for (path, bytes) in before.iter().filter(|(path, _)| is_source(path) && !now.contains_key(*path)) {
            if !self.others.contains_key(path)
                && let Some(other) = other(path, bytes)
            {
                self.other(path, &is_now(&ShownPath::of(&other).text));
            }
        }
    }

    /// Adds the files of `before` that are folders around others now.
    fn became_folders<Now>(&mut self, before: &Files<'_>, now: &BTreeMap<PathBuf, Now>) {
        for path in before.keys().filter(|path| !now.contains_key(*path)) {
            if from(now, path).next().is_some_and(|(below, _)| below.starts_with(path)) {
                self.other(path, IS_FOLDER);
            }
        }
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

/// Why a file is not read that is a folder now.
const IS_FOLDER: &str = "there is a folder now";

/// Why a file is not read that has another name, under which nobody reads it.
pub(super) fn is_now(other: &str) -> String {
    format!("it is `{other}` now, which is not checked")
}

/// What lies behind a path.
fn from<'a, Value>(all: &'a BTreeMap<PathBuf, Value>, path: &Path) -> impl Iterator<Item = (&'a PathBuf, &'a Value)> {
    all.range::<Path, _>((Bound::Excluded(path), Bound::Unbounded))
}

/// Whether a file is a program, and not what one reads.
pub(super) fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "py" || end == "ipynb")
}

fn name(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_encoded_bytes()
}

/// Whether a file has the name of a source, such as `a.py`, with a longer ending that may be run, as `a.pyw`. What compilers and editors leave
/// beside it is none.
fn is_variant(other: &Path, source: &Path) -> bool {
    let rest = name(other).strip_prefix(name(source)).filter(|_| other.parent() == source.parent());
    rest.is_some_and(|rest| rest.iter().all(u8::is_ascii_alphanumeric) && !matches!(rest, b"" | b"c" | b"o"))
}

/// The folders of a work tree in which files were looked for.
struct Folders<'a> {
    root: &'a Path,
    known: BTreeMap<PathBuf, Vec<(OsString, u64)>>,
    /// How many names were looked at, also again.
    names: usize,
}

impl Folders<'_> {
    /// The regular files of a folder with their sizes, as long as not too many were looked at.
    fn files(&mut self, folder: &Path) -> &[(OsString, u64)] {
        let Folders { root, known, names } = self;
        let files: &[(OsString, u64)] = known.entry(folder.to_owned()).or_insert_with(|| {
            let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().filter_map(Result::ok);
            let entries: Vec<DirEntry> = entries.take(MOST_NAMES.saturating_sub(*names)).collect();
            let files = entries.iter().filter_map(|entry| entry.metadata().ok().map(|it| (entry.file_name(), it)));
            let mut files: Vec<(OsString, u64)> =
                files.filter(|(_, it)| it.is_file()).map(|(name, it)| (name, it.len())).collect();
            files.sort();
            files
        });
        let files = &files[..files.len().min(MOST_NAMES.saturating_sub(*names))];
        // One that has none counts, too.
        *names += files.len() + 1;
        files
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
        false if metadata.is_dir() => There::Other(IS_FOLDER),
        false => There::Other("it is not a regular file"),
    })
}
