//! The reports of an audit over all its repositories: pages, a summary, and which repository has which log.

use std::io;
use std::path::Path;

use harp_corpus::NamedPath;
use harp_report::pages::audit::{self, Changed, Entries, Finding, Lists, PAGE, Pages, Repository, Totals};
use harp_report::text::Color;
use harp_report::{Notation, Severity, json};
use harp_tables::Name;
use harp_tables::changes::{Change, Told};
use harp_tables::rows::{self, Status};
use serde::Serialize;

use super::options::{AuditOptions, Shard};
use super::parts::{Folder, log_name};
use super::run::{Done, Known};
use super::since;
use crate::functors::ShapeFunctors;
use crate::pipeline::Rules;
use crate::writing::files;
use crate::writing::unfinished::Unfinished;

/// The summary of the aggregates.
const SUMMARY: &str = "summary.md";

/// Nothing is counted yet.
pub(super) fn totals(options: &AuditOptions) -> Totals {
    let packs: Vec<NamedPath> = options.analysis.pack.iter().map(NamedPath::by_user).collect();
    let functors = ShapeFunctors::default();
    let rules = Rules::load(&packs, &functors).descriptions();
    Totals::new(&Status::ALL.map(|status| (status.as_str(), meaning(status))), &rules)
}

/// What a status says to a reader.
fn meaning(status: Status) -> &'static str {
    match status {
        Status::Ok => "all of it was analysed",
        Status::Partial => "a limit was reached, or files were not read",
        Status::Time => "stopped at the time limit",
        Status::Memory => "stopped at the memory limit",
        Status::Crash => "its process failed",
        Status::Refused => "not read: damaged, hostile or missing",
        Status::NoTarget => "no Python file, or none with the wanted imports",
    }
}

/// Counts what changed since an earlier audit.
pub(super) fn count_changes(folder: &Folder, totals: &mut Totals) -> io::Result<()> {
    totals.compare(Change::ALL.map(|change| (change.as_str(), meaning_of_change(change))));
    for row in since::rows(folder)? {
        let (change, told) = row?;
        totals.add_change(&changed(change, &told));
    }
    Ok(())
}

/// What became of a finding, for a reader.
fn meaning_of_change(change: Change) -> &'static str {
    match change {
        Change::New => "not found by the earlier audit",
        Change::Fixed => "found by the earlier audit alone, and the file is still there",
        Change::Gone => "the file or the repository is no more",
        Change::Unknown => "the repository was not analysed as a whole this time",
    }
}

fn changed(change: Change, told: &Told) -> Changed<'_> {
    let finding = Finding {
        path: &told.path,
        cell: told.cell,
        line: told.line,
        column: told.column,
        rule: &told.rule,
        severity: severity(&told.severity),
        certain: false,
        condition: None,
        fingerprint: &told.fingerprint,
        message: &told.message,
        code: "",
        has_edit: false,
    };
    Changed { change: change.as_str(), repository: &told.repository, finding }
}

fn severity(word: &str) -> Severity {
    Severity::parse(word).unwrap_or(Severity::Note)
}

/// Does something with a repository as reports see it.
pub(super) fn with<T>(
    name: &Name,
    row: &rows::Repository,
    original: Option<&str>,
    then: impl FnOnce(&Repository<'_>) -> T,
) -> T {
    let findings: Vec<Finding<'_>> = row.findings.iter().map(finding).collect();
    let rows::Entries { no_error, error, unknown } = row.entries;
    then(&Repository {
        name: &name.repository,
        revision: name.revision.as_deref(),
        status: row.status.as_str(),
        reason: &row.reason,
        files: row.files,
        lines: row.lines,
        skipped: row.skipped,
        entries: Entries { no_error, error, unknown },
        training_step: row.training_step.as_deref(),
        not_understood: row.not_understood,
        original,
        findings: &findings,
    })
}

fn finding(row: &rows::Finding) -> Finding<'_> {
    Finding {
        path: &row.place.path,
        cell: row.place.cell,
        line: row.place.line,
        column: row.place.column,
        rule: &row.rule,
        severity: severity(&row.severity),
        certain: row.certain,
        condition: row.condition.as_deref(),
        fingerprint: &row.fingerprint,
        message: &row.message,
        code: &row.code,
        has_edit: !row.edits.is_empty(),
    }
}

/// Writes the pages and the summary of what was counted, in place of those of an earlier run. The repositories are those that were counted, in their order.
pub(super) fn write(folder: &Folder, done: &[Done], totals: &Totals) -> io::Result<()> {
    let staged = Unfinished::folder_in(folder.path())?;
    files::make_folders(&staged.path().join(audit::FOLDER))?;
    let mut pages = Staged(staged.path());
    let mut lists = Lists::new(totals, &mut pages)?;
    for (number, Done { name, known }) in done.iter().enumerate().filter(|(number, _)| totals.has_rows(*number)) {
        let Known::Part(key) = known else { continue };
        let row = folder.read_again(key)?.repository();
        with(name, &row, None, |repository| lists.add(number, repository))?;
    }
    if totals.is_compared() {
        for row in since::rows(folder)? {
            let (change, told) = row?;
            lists.add_change(&changed(change, &told))?;
        }
    }
    lists.finish()?;
    let plain = Notation::Text(Color::Never);
    files::write_new(&staged.path().join(PAGE), plain, |out| audit::render(totals, out))?;
    files::write_new(&staged.path().join(SUMMARY), plain, |out| audit::render_summary(totals, out))?;
    staged.put_into(folder.path())
}

/// Pages in a folder that is not finished.
struct Staged<'a>(&'a Path);

impl Pages for Staged<'_> {
    fn add(&mut self, page: &str, text: &str) -> io::Result<()> {
        files::add_to(&self.0.join(page), Notation::Text(Color::Never), |out| out.write_all(text.as_bytes()))
    }
}

/// Which repository has which log.
#[derive(Serialize)]
struct Index<'a> {
    repositories: Vec<Logged<'a>>,
}

#[derive(Serialize)]
struct Logged<'a> {
    repository: &'a str,
    revision: Option<&'a str>,
    /// In the folder of the index; equal files have one.
    file: String,
}

/// Writes the index of the logs. What was not read has none.
pub(super) fn write_index(folder: &Folder, done: &[Done], shard: Option<Shard>) -> io::Result<()> {
    let logged = done.iter().filter_map(|Done { name, known }| match known {
        Known::Part(key) => {
            Some(Logged { repository: &name.repository, revision: name.revision.as_deref(), file: log_name(key) })
        }
        Known::Row(_) => None,
    });
    let index = Index { repositories: logged.collect() };
    let name = match shard {
        Some(Shard { number, of }) => format!("index-{number}-of-{of}.json"),
        None => "index.json".to_owned(),
    };
    folder.put_log(&name, |out| json::write(&index, out))
}
