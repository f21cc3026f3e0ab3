//! `harp review`: a side of the comparison as a folder outside of the checkout, with what `harp check` would read
//! there, and nothing else.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use harp_corpus::{NamedPath, files_unignored_by, read_bytes};

use super::left_out::LeftOut;
use super::objects::Objects;
use super::repository::Repository;
use super::tree::{Tree, is_ignore_file};
use crate::writing::files::{make_folders, put_new};

/// Where the ignore rules lie that are the user's own.
const EXCLUDE: &str = ".git/info/exclude";

/// The contents of files, by their paths in the repository.
pub(super) type Files<'a> = BTreeMap<PathBuf, std::borrow::Cow<'a, [u8]>>;

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

/// Writes files to a new folder; those whose names the system does not take, or takes for those of others, are left out and returned.
pub(super) fn write(folder: &Path, files: &Files<'_>) -> io::Result<Vec<PathBuf>> {
    make_folders(folder)?;
    let mut left_out = Vec::new();
    for (path, bytes) in files {
        match put_new(&folder.join(path), bytes) {
            Ok(()) => {}
            Err(error) if is_of_name(&error) => left_out.push(path.clone()),
            Err(error) => return Err(error),
        }
    }
    Ok(left_out)
}

/// Makes the folder a checkout as far as an analysis looks: projects end there.
pub(super) fn mark_as_checkout(folder: &Path, exclude: &[u8]) -> io::Result<()> {
    put_new(&folder.join(EXCLUDE), exclude)
}

/// Whether a name is to blame: systems take other names, some take two for one, and a tree may have a file where it has a folder.
fn is_of_name(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(
        error.kind(),
        AlreadyExists | NotADirectory | IsADirectory | InvalidFilename | InvalidInput | InvalidData | NotFound
    )
}
