//! Analyses repositories, some at once, and keeps what is known of each.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use harp_corpus::Digest;
use harp_report::{UserError, sarif};
use harp_tables::rows::{Repository, Status};
use harp_tables::{Name, Part};

use super::facts::{self, Asked};
use super::inputs::Units;
use super::key::Base;
use super::options::{AuditOptions, Shard};
use super::parts::{Folder, log_name};
use super::process::{self, Answer};
use super::unit::{Source, Tree, Unit};
use crate::progress::Progress;

/// More repositories are never analysed at once.
const MOST_JOBS: usize = 512;

/// What is known of a repository.
#[derive(Debug)]
pub(super) enum Known {
    /// The part of its tree, by its key.
    Part(String),
    /// It has none: it was not read, or is no target.
    Row(Box<Repository>),
}

/// A repository that is done.
#[derive(Debug)]
pub(super) struct Done {
    pub name: Name,
    pub known: Known,
}

/// Analyses what the units are; tells each that is done.
pub(super) struct Run<'a> {
    pub options: &'a AuditOptions,
    pub base: &'a Base,
    pub facts: &'a [Asked],
    pub folder: &'a Folder,
    pub progress: &'a Progress,
}

impl Run<'_> {
    /// Analyses all units of this shard.
    pub fn all(&self, units: Units) -> Result<Vec<Done>, UserError> {
        let units = Mutex::new(units);
        let done: Mutex<Vec<Done>> = Mutex::default();
        let claimed: Mutex<BTreeSet<String>> = Mutex::default();
        let error: Mutex<Option<UserError>> = Mutex::default();
        let is_over = AtomicBool::new(false);
        let arguments = self.options.arguments_of_one();
        let work = || {
            while !is_over.load(Ordering::Relaxed) {
                let Some(unit) = held(&units).next() else { return };
                let one = unit.and_then(|unit| match is_of(self.options.shard, &unit.name) {
                    true => self.one(unit, &arguments, &claimed).map(Some),
                    false => Ok(None),
                });
                match one {
                    Ok(one) => held(&done).extend(one),
                    Err(told) => {
                        is_over.store(true, Ordering::Relaxed);
                        held(&error).get_or_insert(told);
                    }
                }
                self.progress.advance();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs(self.options.jobs) {
                scope.spawn(work);
            }
            work();
        });
        match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn one(&self, unit: Unit, arguments: &[OsString], claimed: &Mutex<BTreeSet<String>>) -> Result<Done, UserError> {
        let Unit { name, source } = unit;
        let name_key = match &source {
            Source::Fetched { command } => Some(self.base.key_of_name(&name, command)),
            _ => None,
        };
        let fetched = name_key.as_ref().and_then(|name_key| self.folder.fetched(name_key));
        if let Some((key, revision)) = fetched.filter(|(key, _)| self.is_known(key)) {
            return Ok(Done { name: Name { repository: name, revision }, known: Known::Part(key) });
        }
        let tree = match source.read(&name, self.options.file_limit()) {
            Ok(tree) => tree,
            Err(reason) => return Ok(without(name, None, Status::Refused, &reason)),
        };
        let revision = tree.revision.clone();
        if !tree.is_target(&self.options.only_importing) {
            let row = Box::new(not_analysed(&tree, self.options));
            return Ok(Done { name: Name { repository: name, revision }, known: Known::Row(row) });
        }
        let key = self.base.key(&tree);
        let name = Name { repository: name, revision };
        let is_first = held(claimed).insert(key.clone());
        if is_first && !self.is_known(&key) {
            let Answer { repository, log, facts } =
                process::analyse(&tree, self.options, arguments).map_err(|error| stopped(&error))?;
            let part = Part::of(&name, &repository, env!("CARGO_PKG_VERSION"))
                .map_err(|error| stopped(&io::Error::other(error)))?;
            if self.options.sarif {
                let write = |out: &mut dyn io::Write| match log {
                    Some(log) => out.write_all(&log),
                    None => sarif::render_failure(&repository.reason, out),
                };
                self.folder.put_log(&log_name(&key), write).map_err(|error| stopped(&error))?;
            }
            facts::keep(self.folder, &key, self.facts, &facts).map_err(|error| stopped(&error))?;
            self.folder.write(&key, &part).map_err(|error| stopped(&error))?;
        }
        if let Some(name_key) = name_key {
            self.folder.note_fetched(&name_key, &key, name.revision.as_deref()).map_err(|error| stopped(&error))?;
        }
        Ok(Done { name, known: Known::Part(key) })
    }

    /// Whether the part of a tree is there, with the log and the rows that it is to have, and not one to make again.
    fn is_known(&self, key: &str) -> bool {
        if self.options.sarif && !self.folder.has_log(key) || !facts::are_known(self.folder, key, self.facts) {
            return false;
        }
        let ends_early = |status| matches!(status, Status::Time | Status::Memory | Status::Crash);
        let status = self.folder.read(key).and_then(|part| part.status());
        status.is_some_and(|status| !self.options.retry || !ends_early(status))
    }
}

/// A tree whose rows nobody keeps.
pub(super) fn analysed_once(
    unit: Unit,
    options: &AuditOptions,
    arguments: &[OsString],
) -> Result<(Name, Part), UserError> {
    let Unit { name, source } = unit;
    let (revision, repository) = match source.read(&name, options.file_limit()) {
        Err(reason) => (None, Repository::without(Status::Refused, reason)),
        Ok(tree) if !tree.is_target(&options.only_importing) => {
            let row = not_analysed(&tree, options);
            (tree.revision, row)
        }
        Ok(tree) => analysed(tree, options, arguments)?,
    };
    let name = Name { repository: name, revision };
    let part = Part::of(&name, &repository, env!("CARGO_PKG_VERSION"));
    part.map(|part| (name, part)).map_err(|error| stopped(&io::Error::other(error)))
}

fn analysed(
    tree: Tree,
    options: &AuditOptions,
    arguments: &[OsString],
) -> Result<(Option<String>, Repository), UserError> {
    let answer = process::analyse(&tree, options, arguments).map_err(|error| stopped(&error))?;
    Ok((tree.revision, answer.repository))
}

/// The row of a tree in which there is nothing to analyse.
fn not_analysed(tree: &Tree, options: &AuditOptions) -> Repository {
    let row = match tree.is_closed() {
        true => Repository::without(Status::Partial, "none of its Python files was read"),
        false => Repository::without(Status::NoTarget, options.no_target()),
    };
    Repository { skipped: tree.skipped + tree.missing, ..row }
}

fn without(name: String, revision: Option<String>, status: Status, reason: &str) -> Done {
    let row = Box::new(Repository::without(status, reason));
    Done { name: Name { repository: name, revision }, known: Known::Row(row) }
}

/// The machine is to blame, and not a repository.
fn stopped(error: &io::Error) -> UserError {
    UserError::new(format!("the audit stopped: {error}"))
        .hint("what is done is kept; the same command goes on from there")
}

/// Whether a repository belongs to a shard, by its name alone.
fn is_of(shard: Option<Shard>, name: &str) -> bool {
    let Some(Shard { number, of }) = shard else { return true };
    let Digest(bytes) = Digest::of_bytes(name.as_bytes());
    let first = bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    first % of == number - 1
}

pub(super) fn jobs(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        asked => asked.min(MOST_JOBS),
    }
}

pub(super) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
