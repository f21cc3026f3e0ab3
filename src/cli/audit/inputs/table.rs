//! Repositories as rows of a file: Parquet, or lines of JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use harp_corpus::open_file;
use harp_report::UserError;
use harp_tables::input::{self, FileRow};

use super::rows::Counted;
use super::{Units, damaged, lines};
use crate::audit::options::AuditOptions;
use crate::project_folders::shown;

/// The repositories of a table, and how many they are. Their rows are looked at twice: first for their names alone, then when they are asked for.
pub(super) fn units(
    path: PathBuf,
    options: &AuditOptions,
    seen: &mut BTreeSet<String>,
) -> Result<(Units, usize), UserError> {
    let counts = counts(&path, options)?;
    if let Some(twice) = counts.keys().find(|name| !seen.insert((*name).clone())) {
        return Err(UserError::new(format!("two inputs have a repository `{twice}`")));
    }
    let repositories = counts.len();
    let rows = rows(&path, options)?;
    Ok((Box::new(Counted::new(rows, counts, options.file_limit())), repositories))
}

type Rows = Box<dyn Iterator<Item = Result<FileRow, UserError>> + Send>;

fn rows(path: &Path, options: &AuditOptions) -> Result<Rows, UserError> {
    let columns = options.columns();
    if !is_parquet(path) {
        return Ok(Box::new(lines::rows(path, &columns)?));
    }
    let (name, limit) = (shown(path), options.file_limit());
    let wrong = move |error: &dyn std::fmt::Display| UserError::new(format!("cannot read {name}: {error}"));
    let file = open_file(path).map_err(|error| wrong(&error))?;
    let open = || input::parquet_file(file, &columns, limit).map_err(|error| unreadable(&error, &wrong));
    let rows = damaged::read(open, &wrong)?;
    let told = wrong.clone();
    Ok(Box::new(damaged::rows(rows.map(move |row| row.map_err(|error| told(&error))), wrong)))
}

/// How many rows each repository has.
fn counts(path: &Path, options: &AuditOptions) -> Result<BTreeMap<String, usize>, UserError> {
    let columns = options.columns();
    let mut counts = BTreeMap::new();
    let mut count = |name: &str| match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    };
    if is_parquet(path) {
        let wrong = |error: &dyn std::fmt::Display| UserError::new(format!("cannot read {}: {error}", shown(path)));
        let file = open_file(path).map_err(|error| wrong(&error))?;
        let open = || input::repositories_of_parquet(file, &columns).map_err(|error| unreadable(&error, wrong));
        let names = damaged::read(open, wrong)?;
        for name in damaged::rows(names.map(|name| name.map_err(|error| wrong(&error))), wrong) {
            name?.iter().for_each(|name| count(name));
        }
    } else {
        for row in lines::rows(path, &columns)? {
            if let Some(repository) = row?.repository {
                count(&repository);
            }
        }
    }
    Ok(counts)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

/// A table without one of the columns has others in their place.
fn unreadable(error: &io::Error, wrong: impl Fn(&dyn std::fmt::Display) -> UserError) -> UserError {
    match error.kind() {
        io::ErrorKind::InvalidInput => {
            wrong(error).hint("name the columns, as in `--columns repo=repo_name,path=path,content=content`")
        }
        _ => wrong(error),
    }
}
