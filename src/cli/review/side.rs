//! `harp review`: a side of the comparison as a folder outside of the checkout, with what `harp check` would read
//! there, and nothing else.

use std::path::{Path, PathBuf};

use harp_corpus::{NamedPath, files_unignored_by, read_bytes};

use super::left_out::LeftOut;
use crate::revisions::objects::Objects;
use crate::revisions::repository::Repository;
use crate::revisions::tree::{Tree, is_ignore_file};
use crate::revisions::written::{EXCLUDE, Files};

/// The files of a commit whose contents were read.
pub(super) fn of_commit<'a>(tree: &Tree, objects: &'a Objects) -> Files<'a> {
    let known = |(path, id): (&PathBuf, &String)| Some((path.clone(), objects.contents.get(id)?.as_slice().into()));
    tree.files.iter().filter_map(known).collect()
}

/// The files of the work tree: those that the commit has, and those that are new and not ignored by the rules of the commit and the user's own:
/// who changes the rules hides nothing. Links are not followed. Where only a part is checked out, what is not there is as in the commit.
pub(super) fn of_work_tree<'a>(
    root: &Path,
    (tree, base): (&Tree, &Files<'a>),
    repository: &Repository,
    limit: u64,
) -> (Files<'a>, LeftOut) {
    let is_sparse = repository.is_sparse();
    let rules =
        base.iter().filter(|(path, _)| is_ignore_file(path)).map(|(path, bytes)| (path.clone(), bytes.to_vec()));
    let rules = rules.chain([(PathBuf::from(EXCLUDE), repository.exclude())]).collect();
    let unignored = files_unignored_by(rules, root, is_ignore_file);
    let mut paths: Vec<PathBuf> = base.keys().chain(&unignored).cloned().collect();
    paths.sort();
    paths.dedup();
    let read = |path: PathBuf| match plain_file(root, &path, limit) {
        Some(bytes) => Some((path, bytes.into())),
        None if is_sparse && root.join(&path).symlink_metadata().is_err() => {
            let content = base.get(&path)?.clone();
            Some((path, content))
        }
        None => None,
    };
    let files: Files<'a> = paths.into_iter().filter_map(read).collect();
    let left_out = LeftOut::of_work_tree(root, &files, &unignored, (tree, base), limit);
    (files, left_out)
}

/// The bytes of a file to which no link leads.
pub(super) fn plain_file(root: &Path, below: &Path, limit: u64) -> Option<Vec<u8>> {
    let whole = root.join(below);
    let resolved = NamedPath::within(&whole, root).resolve().ok().filter(|resolved| *resolved == whole)?;
    let is_file = resolved.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| read_bytes(&resolved, limit).ok())?
}

/// Lets the ignore rules of the old side govern the new one: who changes them hides nothing.
pub(super) fn with_ignore_rules_of<'a>(mut new: Files<'a>, old: &Files<'a>) -> Files<'a> {
    new.retain(|path, _| !is_ignore_file(path));
    new.extend(old.iter().filter(|(path, _)| is_ignore_file(path)).map(|(path, bytes)| (path.clone(), bytes.clone())));
    new
}
