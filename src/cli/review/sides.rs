//! `harp review`: both sides of the comparison as folders, and what there is to say of how they came about.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use harp_corpus::LoadOptions;
use harp_report::changed_lines::ChangedLines;
use harp_report::{UserError, terminal_escape};

use super::change::Change;
use super::left_out::LeftOut;
use super::options::ReviewOptions;
use super::side;
use super::{apply, difference, patch};
use crate::revisions::git::Git;
use crate::revisions::objects::{self, Objects};
use crate::revisions::repository::Repository;
use crate::revisions::tree::{Tree, is_ignore_file};
use crate::revisions::written::{self, Files};
use crate::writing::unfinished::Unfinished;

/// A longer patch is not read.
const LARGEST_PATCH: u64 = 64 << 20;
/// So many names are listed in a sentence.
const MOST_NAMES: usize = 5;

/// The old side and the new one.
pub(super) struct Sides {
    /// The folders with their files; they go when this is dropped.
    pub folders: [PathBuf; 2],
    /// Where they differ.
    pub lines: ChangedLines,
    /// What is compared, such as `main..HEAD`.
    pub title: String,
    /// The commits of the sides, where they are commits.
    pub commits: [Option<String>; 2],
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Why files of the new side are not in its folder.
    pub left_out: LeftOut,
    pub repository: Repository,
    _scratch: Unfinished,
}

/// The ends of a comparison.
struct Ends {
    title: String,
    base: String,
    /// How the user calls the old side.
    base_name: String,
    head: Option<String>,
    head_name: String,
    notes: Vec<String>,
}

impl Sides {
    /// Reads both sides, and writes them to folders of Harp's own.
    pub fn prepare(change: &Change, options: &ReviewOptions) -> Result<Sides, UserError> {
        let unwritable = |error: io::Error| UserError::new(format!("the temporary folder cannot be written: {error}"));
        let current = std::env::current_dir()
            .map_err(|error| UserError::new(format!("the current directory cannot be read: {error}")))?;
        let repository = Repository::around(&current)?;
        let scratch = Unfinished::temporary_folder().map_err(unwritable)?;
        let git = Git::open(&repository, &scratch, options.alternates)?;
        let Ends { title, base, base_name, head, head_name, mut notes } = ends(change, &repository, &git)?;

        let limit = options.input.max_file_size.unwrap_or(LoadOptions::default().max_file_size);
        let old_tree = Tree::of(&git, &base, &base_name)?;
        let new_tree = head.as_ref().map(|head| Tree::of(&git, head, &head_name)).transpose()?;
        let trees = || [&old_tree].into_iter().chain(&new_tree);
        let ids: BTreeSet<&str> = trees().flat_map(|tree| tree.files.values()).map(String::as_str).collect();
        let objects = objects::read(&git, &ids, limit)?;
        notes.extend(trees().flat_map(|tree| refused(&tree.refused)).collect::<BTreeSet<String>>());
        notes.extend(new_tree.as_ref().and_then(|new| changed_submodules(&old_tree, new)));
        notes.extend(missing(&old_tree, new_tree.as_ref(), &objects)?);

        let old = side::of_commit(&old_tree, &objects);
        let old_left_out = LeftOut::of_commit(&old_tree, &objects, (&old_tree, &Files::new()));
        let (new, left_out) = match (&new_tree, change, &repository.work_tree) {
            (Some(tree), ..) => {
                (side::of_commit(tree, &objects), LeftOut::of_commit(tree, &objects, (&old_tree, &old)))
            }
            (None, Change::Patch, _) => {
                let (new, passed_over, left_out) = patched(&old)?;
                notes.extend(passed_over);
                (new, left_out)
            }
            (None, _, Some(root)) => side::of_work_tree(root, (&old_tree, &old), &repository, limit),
            (None, _, None) => (old.clone(), LeftOut::default()),
        };
        notes.extend(too_large(old_left_out.count_large().max(left_out.count_large()), limit));
        notes.extend(changed_ignore_rules(&old, &new, &base_name));
        let new = side::with_ignore_rules_of(new, &old);

        // Without links: what lies in the folders is compared with what leads there.
        let place = scratch.path().canonicalize().map_err(unwritable)?;
        let folders = difference::FOLDERS.map(|name| place.join(name));
        for (folder, files) in folders.iter().zip([&old, &new]) {
            let left_out = written::write(folder, files).map_err(unwritable)?;
            notes.extend(refused(&left_out.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()));
        }
        let lines = difference::lines(&git)?;
        for folder in &folders {
            written::mark_as_checkout(folder, &repository.exclude()).map_err(unwritable)?;
        }
        folders.iter().zip([&old_left_out, &left_out]).for_each(|(folder, left_out)| left_out.write_large(folder));
        let commits = [Some(base), head];
        Ok(Sides { folders, lines, title, commits, notes, left_out, repository, _scratch: scratch })
    }

    /// The folder of the side before the change.
    pub fn old_folder(&self) -> &Path {
        &self.folders[0]
    }

    /// The folder of the side after it.
    pub fn new_folder(&self) -> &Path {
        &self.folders[1]
    }
}

/// Which commits are compared, and how the comparison is called.
fn ends(change: &Change, repository: &Repository, git: &Git) -> Result<Ends, UserError> {
    match change {
        Change::Patch => {
            let base = git.commit("HEAD")?;
            let (base_name, head_name) = ("HEAD".to_owned(), "the patch".to_owned());
            Ok(Ends { title: "HEAD..patch".to_owned(), base, base_name, head: None, head_name, notes: Vec::new() })
        }
        Change::WorkTree { base: name } => {
            if repository.work_tree.is_none() {
                return Err(UserError::new("a bare repository has no work tree to compare with")
                    .hint(format!("name two commits: `{name}..HEAD`, or `HEAD^..HEAD` for the last one")));
            }
            let base = git.commit(name)?;
            let title = format!("{name}..work tree");
            let head_name = "the work tree".to_owned();
            Ok(Ends { title, base, base_name: name.clone(), head: None, head_name, notes: Vec::new() })
        }
        Change::Commits { base: base_name, head: head_name } => {
            let (base, head) = (git.commit(base_name)?, git.commit(head_name)?);
            let notes = kinship(git, (base_name, &base), (head_name, &head)).into_iter().collect();
            let title = format!("{base_name}..{head_name}");
            let (base_name, head_name) = (base_name.clone(), head_name.clone());
            Ok(Ends { title, base, base_name, head: Some(head), head_name, notes })
        }
        Change::SinceParting { base: base_name, head: head_name } => {
            let (base, head) = (git.commit(base_name)?, git.commit(head_name)?);
            let (parting, has_others) = git.parting((base_name, &base), (head_name, &head))?;
            let note = || {
                let short = parting.get(..12).unwrap_or(&parting);
                format!("`{base_name}` and `{head_name}` parted at several commits; compared with {short}")
            };
            let notes = has_others.then(note).into_iter().collect();
            let title = format!("{base_name}...{head_name}");
            let (base_name, head_name) = (base_name.clone(), head_name.clone());
            Ok(Ends { title, base: parting, base_name, head: Some(head), head_name, notes })
        }
    }
}

/// What is to say of a comparison of commits as they are.
fn kinship(git: &Git, base: (&str, &str), head: (&str, &str)) -> Option<String> {
    let parents = git.parents(head.1);
    let is_merge = parents.len() > 1;
    match parents.iter().position(|parent| parent == base.1) {
        Some(0) if is_merge => Some(format!(
            "`{}` is a merge commit, compared with its first parent: what the other branch brings counts as its change",
            head.0
        )),
        Some(_) if is_merge => {
            Some(format!("`{}` is a merge commit, compared with one of its further parents", head.0))
        }
        Some(_) => None,
        None if !git.is_ancestor(base.1, head.1) => Some(format!(
            "`{head}` does not stand on `{base}`: what came to `{base}` since they parted counts as taken back; `{base}...{head}` leaves \
             it out",
            head = head.0,
            base = base.0
        )),
        None => None,
    }
}

/// What the patch on the standard input makes of the files of `HEAD`, what of it was not read, and what that leaves out.
fn patched<'a>(old: &Files<'a>) -> Result<(Files<'a>, Vec<String>, LeftOut), UserError> {
    let mut text = Vec::new();
    io::stdin()
        .lock()
        .take(LARGEST_PATCH + 1)
        .read_to_end(&mut text)
        .map_err(|error| UserError::new(format!("the standard input cannot be read: {error}")))?;
    if text.len() as u64 > LARGEST_PATCH {
        return Err(UserError::new(format!("the patch has more than {} MiB", LARGEST_PATCH >> 20)));
    }
    let wrong = |error| {
        apply::user_error(&error, &text)
            .hint("it is applied to the files of HEAD, as by `git diff HEAD | harp review -`")
    };
    let patches = patch::parse(&text).map_err(wrong)?;
    if patches.is_empty() && !text.trim_ascii().is_empty() {
        return Err(
            UserError::new("the standard input has no patch").hint("a patch is what `git diff` and `diff -u` write")
        );
    }
    let (new, passed_over) = apply::apply(&patches, old).map_err(wrong)?;
    let left_out = LeftOut::of_patch(&patches, &new, old);
    Ok((new, passed_over, left_out))
}

fn refused(names: &[String]) -> Option<String> {
    let (verb, what) =
        if names.len() == 1 { ("is", "a name that no file may have") } else { ("are", "names that no files may have") };
    (!names.is_empty()).then(|| format!("{} {verb} not read: {what}", listed(names)))
}

fn too_large(count: usize, limit: u64) -> Option<String> {
    let (files, are) =
        if count == 1 { ("1 file has".to_owned(), "is") } else { (format!("{count} files have"), "are") };
    (count > 0).then(|| format!("{files} more than {limit} bytes and {are} not read"))
}

/// A clone may lack contents, and nothing is fetched; others are damaged. What both sides lack alike makes no difference between them.
fn missing(old: &Tree, new: Option<&Tree>, objects: &Objects) -> Result<Option<String>, UserError> {
    let lacking = |tree: &Tree| {
        let files = tree.files.iter().filter(|(_, id)| objects.missing.contains(*id));
        files.map(|(path, id)| (path.display().to_string(), id.clone())).collect::<BTreeSet<(String, String)>>()
    };
    let (old, new) = (lacking(old), new.map(lacking).unwrap_or_default());
    let name = |(path, _): &(String, String)| path.clone();
    let different: Vec<String> =
        old.symmetric_difference(&new).map(name).collect::<BTreeSet<_>>().into_iter().collect();
    if let Some(said) = objects.damage.as_ref().filter(|_| !different.is_empty()) {
        return Err(UserError::new(format!("the repository is damaged: {} cannot be read", listed(&different)))
            .note(format!("git says: {said}"))
            .hint("`git fsck` tells what else is damaged"));
    }
    if !different.is_empty() {
        return Err(UserError::new(format!("the clone is partial: it does not have {}", listed(&different)))
            .note("nothing is fetched from a remote")
            .hint("clone without `--filter`, or check both revisions out once, so that git fetches what they have"));
    }
    let alike: Vec<String> = old.iter().map(name).collect();
    let why = if objects.damage.is_some() { "the repository is damaged" } else { "the clone is partial" };
    Ok((!alike.is_empty()).then(|| format!("{why}: {} read on neither side", listed_with_verb(&alike))))
}

fn changed_submodules(old: &Tree, new: &Tree) -> Option<String> {
    let names: BTreeSet<&String> = old.submodules.keys().chain(new.submodules.keys()).collect();
    let changed = names.into_iter().filter(|name| old.submodules.get(*name) != new.submodules.get(*name));
    let changed: Vec<String> = changed.cloned().collect();
    let noun = if changed.len() == 1 { "a submodule" } else { "submodules" };
    (!changed.is_empty()).then(|| format!("{} changed: {noun}, of which nothing is read", listed(&changed)))
}

fn changed_ignore_rules(old: &Files<'_>, new: &Files<'_>, base: &str) -> Option<String> {
    let paths: BTreeSet<&PathBuf> = old.keys().chain(new.keys()).filter(|path| is_ignore_file(path)).collect();
    let changed = paths.into_iter().filter(|path| old.get(*path) != new.get(*path));
    let changed: Vec<String> = changed.map(|path| path.display().to_string()).collect();
    (!changed.is_empty())
        .then(|| format!("{} changed; the ignore rules of `{base}` hold for both sides", listed(&changed)))
}

fn listed_with_verb(names: &[String]) -> String {
    format!("{} {}", listed(names), if names.len() == 1 { "is" } else { "are" })
}

/// Names for a sentence, harmless for a terminal.
pub(super) fn listed(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(MOST_NAMES).map(|name| format!("`{}`", terminal_escape::path(name))).collect();
    let further = names.len().saturating_sub(MOST_NAMES);
    let others = if further == 0 { String::new() } else { format!(" and {further} more") };
    format!("{}{others}", shown.join(", "))
}
