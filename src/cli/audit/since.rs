//! Compares an audit with an earlier one, by the fingerprints of findings. Of all findings, digests are held; those that changed are read a second time,
//! one repository after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use harp_report::UserError;
use harp_tables::Part;
use harp_tables::changes::{self, Change, Told, Writer};
use harp_tables::rows::Status;

use super::earlier::{Earlier, Ids, Rows, Table, open};
use super::parts::Folder;
use super::run::{Done, Known};
use crate::project_folders::shown;
use crate::writing::files::remove;

/// How many findings changed, and how.
pub(super) type Changes = BTreeMap<Change, usize>;

/// What differs, in the folder of an audit.
const TABLE: &str = "changes.parquet";

/// Compares the table of findings of an audit with an earlier audit, and writes what differs, by repository.
pub(super) fn write(folder: &Folder, done: &[Done], findings: &Path, before: &Earlier) -> Result<Changes, UserError> {
    let table = folder.path().join(TABLE);
    let unwritten = |error: io::Error| UserError::new(format!("{} cannot be written: {error}", shown(&table)));
    let now = Table { file: None, path: findings.to_owned() };
    let mut counts = Changes::new();
    let compared = folder.put(&table, |out| {
        let mut out = Writer::new(out)?;
        compare(&now, before, &States::of(folder, done), |change, told| {
            *counts.entry(change).or_default() += 1;
            out.add(change, told)
        })?;
        out.finish()
    });
    compared.map_err(unwritten)?;
    Ok(counts)
}

/// Removes what an earlier run wrote: it is not about the tables that are there now.
pub(super) fn forget(folder: &Folder) {
    // There hardly ever is one.
    let _ = remove(&folder.path().join(TABLE));
}

/// What [`write`] wrote.
pub(super) fn rows(folder: &Folder) -> io::Result<impl Iterator<Item = io::Result<(Change, Told)>>> {
    changes::read_changes(open(&folder.path().join(TABLE))?)
}

/// Tells what differs, by repository; the changes of one repository are held.
fn compare(
    now: &Table,
    before: &Earlier,
    states: &States<'_>,
    mut tell: impl FnMut(Change, Told) -> io::Result<()>,
) -> io::Result<()> {
    let mut there = Ids::default();
    for told in now.rows()? {
        there.add(&told?);
    }
    let come = now.rows()?.filter(|told| !told.as_ref().is_ok_and(|told| before.known.have(told)));
    let (mut come, mut lost) = (Ahead::new(Box::new(come))?, Ahead::new(before.lost(&there)?)?);
    while let Some(repository) = come.repository().into_iter().chain(lost.repository()).min().map(ToOwned::to_owned) {
        let new = come.take_of(&repository)?.into_iter().map(|told| (told, Change::New));
        let mut changed: Vec<(Told, Change)> = new.collect();
        let lost = lost.take_of(&repository)?;
        if !lost.is_empty() {
            let state = states.of_repository(&repository);
            changed.extend(lost.into_iter().map(|told| {
                let change = state.change(&told);
                (told, change)
            }));
        }
        changed.sort();
        changed.into_iter().try_for_each(|(told, change)| tell(change, told))?;
    }
    Ok(())
}

/// Rows of which the next one is read.
struct Ahead<'a> {
    rows: Rows<'a>,
    next: Option<Told>,
}

impl<'a> Ahead<'a> {
    fn new(mut rows: Rows<'a>) -> io::Result<Ahead<'a>> {
        Ok(Ahead { next: rows.next().transpose()?, rows })
    }

    fn repository(&self) -> Option<&str> {
        self.next.as_ref().map(|told| told.repository.as_str())
    }

    /// The rows until those of another repository.
    fn take_of(&mut self, repository: &str) -> io::Result<Vec<Told>> {
        let mut taken = Vec::new();
        while let Some(told) = self.next.take_if(|told| told.repository == repository) {
            taken.push(told);
            self.next = self.rows.next().transpose()?;
        }
        Ok(taken)
    }
}

/// What is known of the repositories now.
struct States<'a> {
    folder: &'a Folder,
    keys: BTreeMap<&'a str, &'a Known>,
}

/// What is known of a repository now.
enum State {
    /// None of its files is there.
    Gone,
    Unknown,
    Analysed {
        paths: BTreeSet<String>,
        /// Whether all of these files were analysed as far as they can be.
        is_whole: bool,
        /// Whether there are more files, of which nobody knows the names.
        is_more: bool,
    },
}

impl<'a> States<'a> {
    fn of(folder: &'a Folder, done: &'a [Done]) -> States<'a> {
        States { folder, keys: done.iter().map(|done| (done.name.repository.as_str(), &done.known)).collect() }
    }

    fn of_repository(&self, repository: &str) -> State {
        match self.keys.get(repository) {
            None => State::Gone,
            Some(Known::Row(row)) if row.status == Status::NoTarget => State::Gone,
            Some(Known::Row(_)) => State::Unknown,
            Some(Known::Part(key)) => self.folder.read(key).as_ref().map_or(State::Unknown, State::analysed),
        }
    }
}

impl State {
    fn analysed(part: &Part) -> State {
        let (paths, is_whole) = (part.paths(), part.status() == Some(Status::Ok));
        match paths.is_empty() && !is_whole {
            // Its process was ended before it told which files it has.
            true => State::Unknown,
            false => State::Analysed { paths: paths.into_iter().collect(), is_whole, is_more: part.skipped() > 0 },
        }
    }

    /// What became of a finding that is no more.
    fn change(&self, told: &Told) -> Change {
        match self {
            State::Gone => Change::Gone,
            State::Unknown => Change::Unknown,
            State::Analysed { paths, is_more, .. } if !paths.contains(&told.path) => match is_more {
                true => Change::Unknown,
                false => Change::Gone,
            },
            State::Analysed { is_whole: true, .. } => Change::Fixed,
            State::Analysed { .. } => Change::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use harp_tables::Name;
    use harp_tables::rows::Repository;

    use super::*;

    #[test]
    fn a_finding_is_fixed_or_gone_where_enough_was_analysed_to_know() {
        let told = Told {
            repository: "a".to_owned(),
            path: "train.py".to_owned(),
            cell: None,
            line: 1,
            column: 1,
            rule: "perf/copy".to_owned(),
            fingerprint: "1".to_owned(),
            severity: "warning".to_owned(),
            message: String::new(),
        };
        let name = Name { repository: "a".to_owned(), revision: None };
        let became = |status, paths: &[&str]| {
            let paths = paths.iter().map(|path| (*path).to_owned()).collect();
            let row = Repository { paths, ..Repository::without(status, "") };
            State::analysed(&Part::of(&name, &row, "1").expect("few rows")).change(&told)
        };
        assert_eq!(became(Status::Ok, &["train.py"]), Change::Fixed);
        assert_eq!(became(Status::Ok, &["other.py"]), Change::Gone);
        assert_eq!(became(Status::Partial, &["train.py"]), Change::Unknown);
        assert_eq!(became(Status::Time, &["other.py"]), Change::Gone);
        let row =
            Repository { paths: vec!["other.py".to_owned()], skipped: 1, ..Repository::without(Status::Partial, "") };
        let part = Part::of(&name, &row, "1").expect("few rows");
        assert_eq!(State::analysed(&part).change(&told), Change::Unknown, "it may be the file that was skipped");
        for status in [Status::Time, Status::Memory, Status::Crash] {
            assert_eq!(became(status, &[]), Change::Unknown, "{status:?}");
        }
    }
}
