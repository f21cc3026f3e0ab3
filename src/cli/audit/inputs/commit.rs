//! The files of a commit, without a work tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harp_report::UserError;

use crate::audit::unit::{Refusal, Tree, is_source, without_place};
use crate::revisions::git::Git;
use crate::revisions::objects;
use crate::revisions::repository::Repository;
use crate::revisions::tree;
use crate::writing::unfinished::Unfinished;

/// Reads what a revision of the repository in a folder names.
pub(in crate::audit) fn read(folder: &Path, revision: &str, limit: u64) -> Result<Tree, Refusal> {
    // Rows are the same wherever the repository lies.
    let told = |error: UserError| without_place(&error.message, folder, "the repository");
    let repository = Repository::of(folder).map_err(told)?;
    let scratch = Unfinished::temporary_folder().map_err(|error| error.to_string())?;
    let git = Git::open(&repository, &scratch, false).map_err(told)?;
    let commit = git.commit(revision).map_err(told)?;
    let listed = tree::Tree::of(&git, &commit, revision).map_err(told)?;
    let ids: BTreeSet<&str> = listed.files.values().map(String::as_str).collect();
    let mut objects = objects::read(&git, &ids, limit).map_err(told)?;
    let mut files = Tree::new(limit);
    files.revision = Some(commit);
    files.skipped = listed.refused.len() as u64;
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for id in listed.files.values() {
        *uses.entry(id).or_default() += 1;
    }
    for (path, id) in &listed.files {
        // Of a clone with a part of the objects, the rest is read.
        if objects.missing.contains(id) {
            files.missing += 1;
            files.unread += u64::from(is_source(path));
            continue;
        }
        let left = uses.entry(id).or_default();
        *left -= 1;
        let size = objects.contents.get(id).map(|content| content.len() as u64);
        let size = size.or_else(|| objects.too_large.get(id).copied()).unwrap_or(0);
        let contents = &mut objects.contents;
        // Most contents are those of one file.
        let mut content = || match *left {
            0 => contents.remove(id),
            _ => contents.get(id).cloned(),
        };
        files.add(&super::bytes_of(path), size, || Ok(content()))?;
    }
    Ok(files)
}
