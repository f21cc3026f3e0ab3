//! Which files of a folder are candidates for reading.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::SkipReason;
use crate::data_files::may_be_read;
use crate::gate::{FileError, resolve_within};
use crate::ignore_rules::IgnoreRules;
use crate::load::{CorpusError, LoadOptions};
use crate::path_patterns::check_pattern;

/// Folders whose Python files are not the user's own, whatever the ignore files say.
const FOREIGN_FOLDERS: [&str; 7] = ["__pycache__", "site-packages", "node_modules", ".git", ".venv", "venv", ".tox"];

/// A file found in a folder, or the reason why it is not to be read.
pub(super) struct Found {
    pub path: PathBuf,
    pub skip: Option<SkipReason>,
}

/// A walk over what is to be read below `root`, and the ignore rules that it follows.
fn walker(
    root: &Path,
    options: &LoadOptions,
    is_wanted: impl Fn(&DirEntry, bool) -> bool + Send + Sync + 'static,
) -> Result<(WalkBuilder, Arc<Option<IgnoreRules>>), CorpusError> {
    let mut builder = WalkBuilder::new(root);
    // The rules are read by us, through the gate.
    builder.standard_filters(false);
    builder.follow_links(false);
    builder.overrides(excludes(root, options)?);
    let rules = Arc::new(options.respect_ignore_files.then(|| IgnoreRules::around(root)));
    let rules_of_walk = Arc::clone(&rules);
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() == 0 {
            return true;
        }
        let rules = rules_of_walk.as_ref().as_ref();
        if rules.is_some_and(|rules| rules.ignores(entry.path(), is_folder)) {
            return false;
        }
        (!is_folder || !is_foreign_folder(entry)) && is_wanted(entry, is_folder)
    });
    Ok((builder, rules))
}

/// All Python files and notebooks below `root`, which is absolute and without links.
pub(super) fn walk(root: &Path, options: &LoadOptions) -> Result<Vec<Found>, CorpusError> {
    let apart: BTreeSet<PathBuf> = options.apart.iter().cloned().collect();
    let (builder, rules) = walker(root, options, move |entry, is_folder| !is_folder || !apart.contains(entry.path()))?;
    let mut found = Vec::new();
    for entry in builder.build() {
        match entry {
            Ok(entry) => found.extend(candidate(root, &entry)),
            Err(error) => {
                let (path, error) = walk_error(error);
                let path = path.unwrap_or_else(|| root.to_owned());
                if path == root {
                    return Err(CorpusError::Unreadable { path, error });
                }
                found.push(Found { path, skip: Some(SkipReason::Unreadable(error.to_string())) });
            }
        }
    }
    let refused = rules.as_ref().as_ref().map(IgnoreRules::take_refused).unwrap_or_default();
    found.extend(refused.into_iter().map(|(path, reason)| Found { path, skip: Some(reason) }));
    Ok(found)
}

/// The outermost folders below `root` that would be read and are meant, in this order, of `most` and one more at most; `root` is absolute and
/// without links. What cannot be listed is told where it is read.
pub fn outermost_folders(
    root: &Path,
    options: &LoadOptions,
    most: usize,
    is_meant: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> Result<Vec<PathBuf>, CorpusError> {
    let found: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let found_by_walk = Arc::clone(&found);
    let (builder, _) = walker(root, options, move |entry, is_folder| {
        let mut found = found_by_walk.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_folder || found.len() > most {
            return false;
        }
        let is_meant = is_meant(entry.path());
        if is_meant {
            found.push(entry.path().to_owned());
        }
        !is_meant
    })?;
    builder.build().for_each(drop);
    let mut found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    found.sort();
    Ok(found)
}

/// The files below `root` that no ignore rule leaves out and that an analysis may read, by their paths from there, in this order; `root` is
/// absolute and without links. Links are not followed, and folders with a git checkout of their own are left out, as are those of environments.
pub fn unignored_files(root: &Path) -> Vec<PathBuf> {
    files_but_ignored(root, IgnoreRules::around(root), |_| false)
}

/// The same where files with these contents, by their paths from `root`, have the ignore rules, and not those that lie there; `is_kept` says by
/// their paths which files no rule leaves out.
pub fn files_unignored_by(
    rules: BTreeMap<PathBuf, Vec<u8>>,
    root: &Path,
    is_kept: impl Fn(&Path) -> bool + Clone + Send + Sync + 'static,
) -> Vec<PathBuf> {
    files_but_ignored(root, IgnoreRules::given(root, rules), is_kept)
}

fn files_but_ignored(
    root: &Path,
    rules: IgnoreRules,
    is_kept: impl Fn(&Path) -> bool + Clone + Send + Sync + 'static,
) -> Vec<PathBuf> {
    let is_kept_by_walk = is_kept.clone();
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_nested = || is_folder && entry.path().join(".git").symlink_metadata().is_ok();
        let is_ignored = || rules.ignores(entry.path(), is_folder) && (is_folder || !is_kept_by_walk(entry.path()));
        let is_left_out = || is_ignored() || is_folder && is_foreign_folder(entry);
        entry.depth() == 0 || !(is_left_out() || is_nested())
    });
    // What cannot be listed is not part of what is looked at.
    let entries = builder.build().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut below: Vec<PathBuf> =
        files.filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_owned())).collect();
    below.retain(|path| may_be_read(path) || is_kept(path));
    below.sort();
    below
}

fn excludes(root: &Path, options: &LoadOptions) -> Result<Override, CorpusError> {
    let invalid = |pattern: &str, message: String| CorpusError::InvalidExclude { pattern: pattern.to_owned(), message };
    let mut builder = OverrideBuilder::new(root);
    for pattern in &options.exclude {
        check_pattern(pattern).map_err(|message| invalid(pattern, message))?;
        builder.add(&inverted(pattern)).map_err(|error| invalid(pattern, error.to_string()))?;
    }
    builder.build().map_err(|error| invalid(&options.exclude.join(", "), error.to_string()))
}

/// Whether a path that was given is left out, where given ones may be. It is absolute and without links.
pub fn is_excluded(path: &Path, is_folder: bool, options: &LoadOptions) -> Result<bool, CorpusError> {
    let Some(base) = &options.exclude_given_below else { return Ok(false) };
    let base = base.canonicalize().unwrap_or_else(|_| base.clone());
    // Of a path that lies elsewhere, the name alone counts.
    let base = if path.starts_with(&base) { &base } else { path.parent().unwrap_or(path) };
    let excludes = excludes(base, options)?;
    let mut folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(base) && *folder != base);
    let is_left_out = |path: &Path, is_folder| path != base && excludes.matched(path, is_folder).is_ignore();
    Ok(is_left_out(path, is_folder) || folders.any(|folder| is_left_out(folder, true)))
}

/// In the crate a plain pattern includes, and one with `!` excludes.
fn inverted(pattern: &str) -> String {
    format!("!{pattern}")
}

fn is_foreign_folder(entry: &DirEntry) -> bool {
    let has_foreign_name = entry.file_name().to_str().is_some_and(|name| FOREIGN_FOLDERS.contains(&name));
    has_foreign_name || entry.path().join("pyvenv.cfg").exists()
}

fn candidate(root: &Path, entry: &DirEntry) -> Option<Found> {
    let kind = entry.file_type()?;
    let path = entry.path();
    if kind.is_symlink() {
        return link(root, path);
    }
    if kind.is_dir() || !is_python(path) {
        return None;
    }
    let skip = (!kind.is_file()).then_some(SkipReason::NotRegular);
    Some(Found { path: path.to_owned(), skip })
}

/// A link is not followed. What it leads to within the root is read at its own place; outside, nobody looks what is there.
fn link(root: &Path, path: &Path) -> Option<Found> {
    let (concerns_us, skip) = match resolve_within(root, path) {
        Ok(_) => return None,
        // Without an ending it may be a folder.
        Err(FileError::Outside) => (is_python(path) || path.extension().is_none(), SkipReason::LinkOutside),
        Err(FileError::Unreadable(error)) => (is_python(path), broken_link(path, &error)),
        Err(error) => (is_python(path), SkipReason::Unreadable(error.to_string())),
    };
    concerns_us.then(|| Found { path: path.to_owned(), skip: Some(skip) })
}

/// Why a link leads to no file, where `error` is what resolving it gave.
pub(super) fn broken_link(path: &Path, error: &io::Error) -> SkipReason {
    match error.kind() {
        _ if is_in_circle(path) => SkipReason::LinkInCircle,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SkipReason::LinkNowhere,
        _ => SkipReason::Unreadable(error.to_string()),
    }
}

/// Whether links lead on to links for ever, or longer than systems follow them.
fn is_in_circle(path: &Path) -> bool {
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = target.read_link() else { return false };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    true
}

fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py" || extension == "ipynb")
}

/// The path that an error names, and the error itself.
fn walk_error(error: ignore::Error) -> (Option<PathBuf>, io::Error) {
    match error {
        ignore::Error::WithPath { path, err } => (Some(path), walk_error(*err).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => walk_error(*err),
        ignore::Error::Io(error) => (None, without_path(error)),
        other => (None, io::Error::other(other.to_string())),
    }
}

/// What the system says, without the path that the crate puts before it.
fn without_path(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(std::error::Error::source);
    let code = inner.and_then(|inner| inner.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, io::Error::from_raw_os_error)
}
