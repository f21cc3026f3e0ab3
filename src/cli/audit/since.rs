//! Compares an audit with an earlier one, by the fingerprints of findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use harp_corpus::open_file;
use harp_report::UserError;
use harp_tables::changes::{self, Change, Told};
use harp_tables::rows::Status;

use super::parts::Folder;
use super::run::{Done, Known};
use crate::project_folders::shown;

/// How many findings changed, and how.
pub(super) type Changes = BTreeMap<Change, usize>;

/// The findings of an earlier audit: of its one table, or of those of its shards.
pub(super) fn read(folder: &Path) -> Result<Vec<Told>, UserError> {
    let tables = tables(folder)?;
    if tables.is_empty() {
        return Err(UserError::new(format!("{} has no table of findings", shown(folder)))
            .hint("name the folder that `--out` named for an earlier audit"));
    }
    let mut findings = Vec::new();
    for table in tables {
        let wrong = |error: String| UserError::new(format!("{} cannot be read: {error}", shown(&table)));
        let file = open_file(&table).map_err(|error| wrong(error.to_string()))?;
        findings.extend(changes::read(file).map_err(|error| wrong(error.to_string()))?);
    }
    Ok(findings)
}

fn tables(folder: &Path) -> Result<Vec<PathBuf>, UserError> {
    let whole = folder.join("findings.parquet");
    if whole.is_file() {
        return Ok(vec![whole]);
    }
    let unreadable = |error| UserError::new(format!("{} cannot be read: {error}", shown(folder)));
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let is_shard = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("findings-") && name.ends_with(".parquet")
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_shard).collect();
    found.sort();
    Ok(found)
}

/// Compares the findings of two audits, and writes what differs.
pub(super) fn write(folder: &Folder, done: &[Done], before: Vec<Told>) -> Result<Changes, UserError> {
    let table = folder.path().join("changes.parquet");
    let unwritten = |error: std::io::Error| UserError::new(format!("{} cannot be written: {error}", shown(&table)));
    let file = open_file(&folder.path().join("findings.parquet")).map_err(|error| UserError::new(error.to_string()))?;
    let now = changes::read(file).map_err(unwritten)?;
    let states = States::of(folder, done);
    let id = |told: &Told| (told.repository.clone(), told.fingerprint.clone());
    let known: BTreeSet<(String, String)> = before.iter().map(id).collect();
    let there: BTreeSet<(String, String)> = now.iter().map(id).collect();
    let new = now.into_iter().filter(|told| !known.contains(&id(told))).map(|told| (Change::New, told));
    let mut changed: Vec<(Change, Told)> = new.collect();
    for told in before.into_iter().filter(|told| !there.contains(&id(told))) {
        changed.push((states.change(&told), told));
    }
    changed.sort_by(|(left, told), (right, other)| (told, left).cmp(&(other, right)));
    let mut counts = Changes::new();
    for (change, _) in &changed {
        *counts.entry(*change).or_default() += 1;
    }
    folder.put(&table, |out| changes::write(&changed, out)).map_err(unwritten)?;
    Ok(counts)
}

/// What is known of the repositories now.
struct States<'a> {
    folder: &'a Folder,
    keys: BTreeMap<&'a str, &'a Known>,
}

impl<'a> States<'a> {
    fn of(folder: &'a Folder, done: &'a [Done]) -> States<'a> {
        States { folder, keys: done.iter().map(|done| (done.name.repository.as_str(), &done.known)).collect() }
    }

    /// What became of a finding that is no more.
    fn change(&self, told: &Told) -> Change {
        match self.keys.get(told.repository.as_str()) {
            None => Change::Gone,
            Some(Known::Row(row)) if row.status == Status::NoTarget => Change::Gone,
            Some(Known::Row(_)) => Change::Unknown,
            Some(Known::Part(key)) => match self.folder.read(key) {
                Some(part) if !part.paths().contains(&told.path) && part.status() != Some(Status::Crash) => {
                    Change::Gone
                }
                Some(part) if part.status() == Some(Status::Ok) => Change::Fixed,
                _ => Change::Unknown,
            },
        }
    }
}
