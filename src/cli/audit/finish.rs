//! Makes the tables of an audit from its parts.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};

use harp_report::UserError;
use harp_tables::rows::Status;
use harp_tables::{Part, Tables};

use super::options::Shard;
use super::parts::Folder;
use super::run::{Done, Known};
use crate::project_folders::shown;
use crate::writing::unfinished::Unfinished;

/// What the tables have.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Repositories by how their analysis ended.
    pub repositories: BTreeMap<Status, usize>,
    pub findings: u64,
    /// Repositories whose tree is that of another one.
    pub duplicates: usize,
}

/// Writes both tables; repositories come in the order of their names.
pub(super) fn write(folder: &Folder, done: &[Done], shard: Option<Shard>) -> Result<Counts, UserError> {
    let written = tables(folder, done, shard);
    written.map_err(|error| {
        UserError::new(format!("the tables in {} cannot be written: {error}", shown(folder.path())))
            .hint("what is analysed is kept; the same command goes on from there")
    })
}

fn tables(folder: &Folder, done: &[Done], shard: Option<Shard>) -> io::Result<Counts> {
    let name = |table: &str| match shard {
        Some(Shard { number, of }) => folder.path().join(format!("{table}-{number}-of-{of}.parquet")),
        None => folder.path().join(format!("{table}.parquet")),
    };
    let (findings, findings_file) = Unfinished::file_in(folder.path())?;
    let (repositories, repositories_file) = Unfinished::file_in(folder.path())?;
    let mut tables = Tables::new(BufWriter::new(findings_file), BufWriter::new(repositories_file))?;
    let mut counts = Counts::default();
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for Done { name, known } in done {
        let (part, key) = match known {
            Known::Row(row) => (Part::of(name, row, env!("CARGO_PKG_VERSION")).map_err(io::Error::other)?, None),
            Known::Part(key) => {
                let damaged = || io::Error::other(format!("the part {key} is damaged or gone"));
                (folder.read(key).ok_or_else(damaged)?, Some(key.as_str()))
            }
        };
        let original = key.and_then(|key| first.get(key).copied());
        if let Some(key) = key.filter(|_| original.is_none()) {
            first.insert(key, &name.repository);
        }
        tables.add(name, &part, original, key)?;
        *counts.repositories.entry(part.status().unwrap_or(Status::Crash)).or_default() += 1;
        counts.findings += part.finding_count();
        counts.duplicates += usize::from(original.is_some());
    }
    for out in tables.finish()? {
        let file: File = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_data()?;
    }
    findings.rename(&name("findings"))?;
    repositories.rename(&name("repositories"))?;
    Ok(counts)
}
