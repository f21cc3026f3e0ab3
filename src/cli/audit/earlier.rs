//! The findings of an earlier audit, which are read twice: first for what identifies them, then for those that are not there any more.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use harp_corpus::{Digest, open_file};
use harp_report::UserError;
use harp_tables::changes::{self, Told};

use super::inputs::damaged;
use crate::project_folders::shown;

/// Findings of a table.
pub(super) type Rows<'a> = Box<dyn Iterator<Item = io::Result<Told>> + 'a>;

/// An earlier audit: its one table of findings, or those of its shards.
pub(super) struct Earlier {
    tables: Vec<Table>,
    pub known: Ids,
    /// Whether the rows of a repository follow each other, and repositories the order of their names.
    is_sorted: bool,
}

pub(super) struct Table {
    pub path: PathBuf,
    /// Opened before this audit writes its own table, which may be in the place of this one. Of shards there may be more than may be open at once.
    pub file: Option<File>,
}

impl Table {
    pub fn rows(&self) -> io::Result<impl Iterator<Item = io::Result<Told>>> {
        let file = match &self.file {
            Some(file) => file.try_clone(),
            None => open(&self.path),
        };
        let path = shown(&self.path);
        let wrong = move |error: io::Error| io::Error::other(format!("{path} cannot be read: {error}"));
        let damaged = |what: &dyn std::fmt::Display| io::Error::other(what.to_string());
        let rows = damaged::read(|| file.and_then(changes::read), damaged).map_err(&wrong)?;
        Ok(damaged::rows(rows, damaged).map(move |row| row.map_err(&wrong)))
    }
}

/// Which findings there are.
#[derive(Default)]
pub(super) struct Ids(BTreeSet<Digest>);

impl Ids {
    pub fn add(&mut self, told: &Told) {
        self.0.insert(Ids::of(told));
    }

    pub fn have(&self, told: &Told) -> bool {
        self.0.contains(&Ids::of(told))
    }

    fn of(told: &Told) -> Digest {
        Digest::of(&(&told.repository, &told.fingerprint))
    }
}

impl Earlier {
    /// Reads which findings an audit had.
    pub fn read(folder: &Path) -> Result<Earlier, UserError> {
        let tables = tables(folder)?;
        if tables.is_empty() {
            return Err(UserError::new(format!("{} has no table of findings", shown(folder)))
                .hint("name the folder that `--out` named for an earlier audit"));
        }
        let mut earlier = Earlier { tables, known: Ids::default(), is_sorted: true };
        earlier.note().map_err(|error| UserError::new(error.to_string()))?;
        Ok(earlier)
    }

    fn note(&mut self) -> io::Result<()> {
        let mut last = String::new();
        for table in &self.tables {
            for told in table.rows()? {
                let told = told?;
                self.known.add(&told);
                if told.repository != last {
                    self.is_sorted &= told.repository > last;
                    last = told.repository;
                }
            }
        }
        Ok(())
    }

    /// Findings that are not there any more, by repository. Those of tables that are not in this order are held.
    pub fn lost<'a>(&'a self, there: &'a Ids) -> io::Result<Rows<'a>> {
        let all = self.tables.iter().flat_map(|table| -> Rows<'_> {
            match table.rows() {
                Ok(rows) => Box::new(rows),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        });
        let lost = all.filter(|told| !told.as_ref().is_ok_and(|told| there.have(told)));
        if self.is_sorted {
            return Ok(Box::new(lost));
        }
        let mut lost = lost.collect::<io::Result<Vec<Told>>>()?;
        lost.sort();
        Ok(Box::new(lost.into_iter().map(Ok)))
    }
}

pub(super) fn open(path: &Path) -> io::Result<File> {
    open_file(path).map_err(|error| io::Error::other(error.to_string()))
}

fn tables(folder: &Path) -> Result<Vec<Table>, UserError> {
    let whole = folder.join("findings.parquet");
    if whole.is_file() {
        let file = open(&whole);
        let file = file.map_err(|error| UserError::new(format!("{} cannot be read: {error}", shown(&whole))))?;
        return Ok(vec![Table { path: whole, file: Some(file) }]);
    }
    let unreadable = |error| UserError::new(format!("{} cannot be read: {error}", shown(folder)));
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let is_shard = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("findings-") && name.ends_with(".parquet")
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_shard).collect();
    found.sort();
    Ok(found.into_iter().map(|path| Table { path, file: None }).collect())
}
