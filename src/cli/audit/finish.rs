//! Makes the tables and the reports of an audit from its parts.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use harp_report::UserError;
use harp_report::pages::audit::Totals;
use harp_tables::rows::Status;
use harp_tables::{Part, Tables};

use super::earlier::Earlier;
use super::facts::{self, Asked};
use super::options::{AuditOptions, Shard};
use super::parts::{FACTS, Folder};
use super::report;
use super::run::{Done, Known};
use super::since::{self, Changes};
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
    /// Where an earlier audit is compared with.
    pub changes: Option<Changes>,
}

/// Writes the tables and the reports; repositories come in the order of their names.
pub(super) fn write(
    folder: &Folder,
    done: &[Done],
    before: Option<&Earlier>,
    facts: &[Asked],
    options: &AuditOptions,
) -> Result<Counts, UserError> {
    let unwritten = |what: &'static str| {
        move |error: io::Error| {
            UserError::new(format!("the {what} in {} cannot be written: {error}", shown(folder.path())))
                .hint("what is analysed is kept; the same command goes on from there")
        }
    };
    let shard = options.shard;
    // A shard is a part of what a report is of.
    let mut totals = shard.is_none().then(|| report::totals(options));
    let (mut counts, [findings, repositories]) = tables(folder, done, totals.as_mut()).map_err(unwritten("tables"))?;
    counts.changes = match before {
        Some(before) => Some(since::write(folder, done, findings.path(), before)?),
        None => {
            since::forget(folder);
            None
        }
    };
    let of_facts = |name: &str| table(&folder.path().join(FACTS), name, shard);
    facts::write(folder, done, facts, of_facts).map_err(unwritten("tables of relations"))?;
    let relations: Vec<&str> = facts.iter().map(|asked| asked.table.as_str()).collect();
    folder.forget(shard, &relations, options.sarif);
    if options.sarif {
        report::write_index(folder, done, shard).map_err(unwritten("SARIF logs"))?;
    }
    if let Some(totals) = &mut totals {
        if counts.changes.is_some() {
            report::count_changes(folder, totals).map_err(unwritten("reports"))?;
        }
        report::write(folder, done, totals).map_err(unwritten("reports"))?;
    }
    // Last, as an audit may be compared with the one in its own folder: until here, a run that is ended can be repeated.
    for (unfinished, name) in [(findings, "findings"), (repositories, "repositories")] {
        unfinished.rename(&table(folder.path(), name, shard)).map_err(unwritten("tables"))?;
    }
    Ok(counts)
}

/// Where a table is.
fn table(folder: &Path, name: &str, shard: Option<Shard>) -> PathBuf {
    folder.join(match shard {
        Some(Shard { number, of }) => format!("{name}-{number}-of-{of}.parquet"),
        None => format!("{name}.parquet"),
    })
}

/// Writes both tables, which get their names later.
fn tables(folder: &Folder, done: &[Done], mut totals: Option<&mut Totals>) -> io::Result<(Counts, [Unfinished; 2])> {
    let (findings, findings_file) = Unfinished::file_in(folder.path())?;
    let (repositories, repositories_file) = Unfinished::file_in(folder.path())?;
    let mut tables = Tables::new(BufWriter::new(findings_file), BufWriter::new(repositories_file))?;
    let mut counts = Counts::default();
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for Done { name, known } in done {
        let (part, key) = match known {
            Known::Row(row) => (Part::of(name, row, env!("CARGO_PKG_VERSION")).map_err(io::Error::other)?, None),
            Known::Part(key) => (folder.read_again(key)?, Some(key.as_str())),
        };
        let original = key.and_then(|key| first.get(key).copied());
        if let Some(key) = key.filter(|_| original.is_none()) {
            first.insert(key, &name.repository);
        }
        tables.add(name, &part, original, key)?;
        if let Some(totals) = &mut totals {
            report::with(name, &part.repository(), original, |repository| totals.add(repository));
        }
        *counts.repositories.entry(part.status().unwrap_or(Status::Crash)).or_default() += 1;
        counts.findings += part.finding_count();
        counts.duplicates += usize::from(original.is_some());
    }
    for out in tables.finish()? {
        let file: File = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_data()?;
    }
    Ok((counts, [findings, repositories]))
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use harp_tables::Name;
    use harp_tables::rows::{Finding, Place, Repository};

    use super::*;

    fn repository(number: usize) -> Repository {
        let place = Place {
            path: "src/models/train.py".to_owned(),
            cell: None,
            line: 7,
            column: 5,
            end_line: 7,
            end_column: 20,
        };
        let finding = |index: usize| Finding {
            place: place.clone(),
            rule: format!("perf/rule-{}", if index < 5 { 0 } else { (number + index) % 60 }),
            severity: "warning".to_owned(),
            certain: index > 2,
            condition: None,
            fingerprint: format!("{number}-{index}"),
            message: "`loss.item()` waits for the accelerator 120 times".to_owned(),
            help: Some("add the losses on the accelerator, and ask for their sum behind the loop".to_owned()),
            code: "total_loss += loss.item() * inputs.size(0)".to_owned(),
            assumptions: Vec::new(),
            saving: None,
            edits: Vec::new(),
            applicability: None,
        };
        Repository {
            files: 3,
            lines: 300,
            findings: (0..10).map(finding).collect(),
            ..Repository::without(Status::Ok, "")
        }
    }

    /// `HARP_LARGE_AUDIT=10000` measures what writing takes for so many repositories.
    #[test]
    fn what_is_written_has_all_findings_of_all_parts() {
        let asked = std::env::var("HARP_LARGE_AUDIT").ok().and_then(|count| count.parse().ok());
        let count: usize = asked.unwrap_or(150);
        let out = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(&out.path().join("audit")).expect("a folder");
        let done = (0..count).map(|number| {
            let name = Name { repository: format!("owner/project-{number:05}"), revision: None };
            let part = Part::of(&name, &repository(number), "1").expect("few rows");
            folder.write(&format!("{number:064x}"), &part).expect("a part");
            Done { name, known: Known::Part(format!("{number:064x}")) }
        });
        let done: Vec<Done> = done.collect();
        let matches = AuditOptions::augment_args(clap::Command::new("audit"));
        let matches = matches.get_matches_from(["audit", "input", "--out", "audit"]);
        let options = AuditOptions::from_arg_matches(&matches).expect("options");
        let (started, before) = (std::time::Instant::now(), super::super::process::used());
        let counts = write(&folder, &done, None, &[], &options).expect("reports");
        if asked.is_some() {
            let after = super::super::process::used();
            eprintln!("{:?}; milliseconds and bytes {before:?}, then {after:?}", started.elapsed());
        }
        assert_eq!(counts.findings, count as u64 * 10);
        let mut rows = [0, 0];
        for page in std::fs::read_dir(folder.path().join("report")).expect("a folder") {
            let page = page.expect("an entry").path();
            let text = std::fs::read_to_string(&page).expect("a page");
            let name = page.file_name().expect("a name").to_string_lossy().into_owned();
            let found = text.matches("class=\"row\"").count();
            assert!(found <= 1_000 && text.len() < 2_000_000 && text.trim_end().ends_with("</html>"), "{name}");
            rows[0] += if name.starts_with("rule-") { found } else { 0 };
            rows[1] += if name.starts_with("findings-") { found } else { 0 };
        }
        assert_eq!(rows, [count * 10; 2]);
    }
}
