//! What an audit is given, as repositories with names.

pub(super) mod archive;
pub(super) mod commit;
pub(super) mod damaged;
pub(super) mod fetched;
pub(super) mod folder;
mod lines;
mod names;
pub(super) mod rows;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harp_corpus::read_utf8;
use harp_report::UserError;

use super::options::AuditOptions;
use super::unit::{Refusal, Source, Unit};
use crate::project_folders::shown;
use crate::writing::gate::is_repository;

/// A longer list of names is refused.
const LARGEST_LIST: u64 = 256 << 20;

/// Files at the root of a repository that tell that it is one.
const OF_REPOSITORIES: [&str; 7] =
    ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "environment.yml", "harp.toml", "Pipfile"];

/// Repositories, one after the other: those of a table are read when they are asked for.
pub(super) type Units = Box<dyn Iterator<Item = Result<Unit, UserError>> + Send>;

/// The repositories of all inputs, and how many they are, where that is known before they are read.
pub(super) fn units(options: &AuditOptions) -> Result<(Units, Option<usize>), UserError> {
    let mut found = names::Named::default();
    let mut tables: Vec<PathBuf> = Vec::new();
    for path in &options.inputs {
        match kind_of(path)? {
            Kind::Table => tables.push(path.clone()),
            Kind::Archive => found.add(path, 1, Source::Archive(path.clone())),
            Kind::Folder => below(path, options, &mut found)?,
        }
    }
    let mut units = found.units();
    if let Some(list) = &options.names {
        units.extend(named_in(list, options)?);
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = units.iter().find(|unit| !seen.insert(unit.name.clone())) {
        return Err(UserError::new(format!("two repositories are called `{}`", twice.name)));
    }
    if tables.is_empty() {
        let count = units.len();
        return Ok((Box::new(units.into_iter().map(Ok)), Some(count)));
    }
    let mut of_tables: Vec<Units> = vec![Box::new(units.into_iter().map(Ok))];
    let mut count = Some(seen.len());
    for table in tables {
        let (units, repositories) = table::units(table, options, &mut seen)?;
        count = count.map(|count| count + repositories);
        of_tables.push(units);
    }
    Ok((Box::new(of_tables.into_iter().flatten()), count))
}

enum Kind {
    Table,
    Archive,
    Folder,
}

fn kind_of(path: &Path) -> Result<Kind, UserError> {
    let metadata = fs::metadata(path).map_err(|error| {
        UserError::new(format!("cannot read {}: {error}", shown(path)))
            .hint("an input is a folder, an archive, or a table of files")
    })?;
    if metadata.is_dir() {
        return Ok(Kind::Folder);
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "jsonl" | "ndjson" | "parquet" => Ok(Kind::Table),
        _ if archive::is_archive(path) => Ok(Kind::Archive),
        _ => Err(UserError::new(format!("{} is no input of an audit", shown(path))).hint(
            "an input is a folder, an archive (tar, tar.gz, tar.zst, zip, whl), or a table of files (parquet, jsonl)",
        )),
    }
}

/// The repository that a folder is, or those in it.
fn below(folder: &Path, options: &AuditOptions, found: &mut names::Named) -> Result<(), UserError> {
    let unreadable = |error: io::Error| UserError::new(format!("cannot read {}: {error}", shown(folder)));
    let real = folder.canonicalize().map_err(unreadable)?;
    if is_one(&real) {
        found.add(&real, 1, source_of(&real, options));
        return Ok(());
    }
    let children = children(&real, options).map_err(unreadable)?;
    if children.is_empty() {
        found.add(&real, 1, source_of(&real, options));
    }
    for child in children {
        if child.is_file() {
            found.add(&child, 1, Source::Archive(child.clone()));
            continue;
        }
        let inner = match of_owner(&child, options) {
            Ok(inner) => inner,
            Err(refusal) => {
                found.add(&child, 1, Source::Refused(refusal));
                continue;
            }
        };
        if inner.is_empty() {
            found.add(&child, 1, source_of(&child, options));
        }
        for repository in inner {
            let source = match repository.is_file() {
                true => Source::Archive(repository.clone()),
                false => source_of(&repository, options),
            };
            found.add(&repository, 2, source);
        }
    }
    Ok(())
}

/// The repositories in a folder of an owner: where some in it certainly are, those beside them are, too.
fn of_owner(folder: &Path, options: &AuditOptions) -> Result<Vec<PathBuf>, Refusal> {
    if is_one(folder) {
        return Ok(Vec::new());
    }
    // Others may have put it there: it is no reason to stop.
    let inner = children(folder, options).map_err(|error| format!("the folder cannot be read: {error}"))?;
    let is_owner = inner.iter().any(|inner| inner.is_file() || is_git(inner));
    Ok(if is_owner { inner } else { Vec::new() })
}

/// The folders and archives in a folder, without hidden ones and those of audits; no link is followed.
fn children(folder: &Path, options: &AuditOptions) -> io::Result<Vec<PathBuf>> {
    let of_audits = of_audits(options);
    let mut children = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_input = kind.is_dir() && !of_audits.contains(&path) || kind.is_file() && archive::is_archive(&path);
        if !is_hidden && is_input {
            children.push(path);
        }
    }
    children.sort();
    Ok(children)
}

/// The folders that this audit writes to or compares with, which may lie among the inputs. They need not be there yet.
fn of_audits(options: &AuditOptions) -> Vec<PathBuf> {
    let real = |path: &PathBuf| {
        let path = std::path::absolute(path).ok()?;
        let there = path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        there.and_then(|(folder, real)| Some(real.join(path.strip_prefix(folder).ok()?)))
    };
    [&options.out, &options.since].into_iter().flatten().filter_map(real).collect()
}

fn is_git(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok() || is_repository(folder)
}

/// Whether a folder is a repository, and no folder of repositories.
fn is_one(folder: &Path) -> bool {
    let has_source = || {
        let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| super::unit::is_source(&entry.path()) && entry.file_type().is_ok_and(|kind| kind.is_file()))
    };
    is_git(folder) || OF_REPOSITORIES.iter().any(|name| folder.join(name).is_file()) || has_source()
}

/// The files of a checkout as they lie there, unless a revision is asked for; a bare repository has commits alone.
fn source_of(folder: &Path, options: &AuditOptions) -> Source {
    let is_bare = is_repository(folder) && folder.join(".git").symlink_metadata().is_err();
    match &options.revision {
        Some(revision) if is_git(folder) => {
            Source::Commit { repository: folder.to_owned(), revision: revision.clone() }
        }
        None if is_bare => Source::Commit { repository: folder.to_owned(), revision: "HEAD".to_owned() },
        _ => {
            let mut without = of_audits(options);
            without.retain(|other| other != folder && other.starts_with(folder));
            Source::Folder { folder: folder.to_owned(), without }
        }
    }
}

/// The names in a list, a line each; blank lines and those that begin with `#` are none.
fn named_in(list: &Path, options: &AuditOptions) -> Result<Vec<Unit>, UserError> {
    let Some(command) = &options.fetch else {
        return Err(UserError::new("`--names` needs a command that brings a repository")
            .hint("such as `--fetch 'git clone --depth 1 https://example.org/{}.git {folder}'`"));
    };
    let text = read_utf8(list, LARGEST_LIST)
        .map_err(|error| UserError::new(format!("cannot read {}: {error}", shown(list))))?;
    let names = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut seen = BTreeSet::new();
    let names = names.filter(|name| seen.insert((*name).to_owned()));
    let command = &command.0;
    Ok(names.map(|name| Unit { name: name.to_owned(), source: Source::Fetched { command: command.clone() } }).collect())
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}
