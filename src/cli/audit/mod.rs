//! `harp audit`: many repositories, each in a process of its own, and what is found as two tables.
//!
//! What an audit is given becomes a tree of files for each repository ([`inputs`]); a tree is written to a folder of Harp's own and analysed there by a
//! further process ([`process`], [`one`]), whose rows are a file named for all that they depend on ([`parts`], [`key`]). The tables are made of these files
//! ([`finish`]): a run that is interrupted goes on where it was.

mod earlier;
mod facts;
mod finish;
mod inputs;
mod key;
mod one;
mod options;
mod parts;
mod process;
mod report;
mod rows;
mod run;
mod since;
mod stream;
mod unit;

use harp_report::UserError;
use harp_report::pages::audit::PAGE;
use harp_report::text::Color;
use harp_tables::changes::Change;

use super::options::ColorChoice;
use super::output::Destination;
use super::progress::Progress;
use crate::Outcome;
use crate::project_folders::shown;
use earlier::Earlier;
use facts::Asked;
use finish::Counts;
use key::Base;
use parts::Folder;
use run::Run;

pub use options::AuditOptions;

pub(super) fn run(options: &AuditOptions, _color: ColorChoice) -> Result<Outcome, UserError> {
    if let Some(folder) = &options.one {
        return one::run(folder, options);
    }
    if options.stdin.is_some() {
        return stream::run(options);
    }
    let (units, count) = inputs::units(options)?;
    if options.list {
        return list(units);
    }
    let Some(out) = &options.out else { return Err(UserError::new("an audit needs a folder for its tables")) };
    let base = Base::of(options)?;
    let before = options.since.as_deref().map(Earlier::read).transpose()?;
    let facts = Asked::of(options)?;
    let folder = Folder::open(out)?;
    let progress = Progress::with_estimate();
    progress.step("analysing", count.unwrap_or(0));
    let mut done = Run { options, base: &base, facts: &facts, folder: &folder, progress: &progress }.all(units)?;
    drop(progress);
    done.sort_by(|left, right| left.name.cmp(&right.name));
    let counts = finish::write(&folder, &done, before.as_ref(), &facts, options)?;
    tell(&counts, &folder, options)?;
    Ok(Outcome::Clean)
}

fn list(units: inputs::Units) -> Result<Outcome, UserError> {
    let mut names = Vec::new();
    for unit in units {
        names.push(in_line(&unit?.name));
    }
    names.sort();
    Destination::StandardOutput.write(Color::Never, |out| names.iter().try_for_each(|name| writeln!(out, "{name}")))?;
    Ok(Outcome::Clean)
}

/// A name in a line of its own: names of folders may have any characters.
fn in_line(name: &str) -> String {
    let escaped = |char: char| match char.is_control() {
        true => char.escape_default().to_string(),
        false => char.to_string(),
    };
    name.chars().map(escaped).collect()
}

fn tell(counts: &Counts, folder: &Folder, options: &AuditOptions) -> Result<(), UserError> {
    let all: usize = counts.repositories.values().sum();
    let by_status: Vec<String> =
        counts.repositories.iter().map(|(status, count)| format!("{count} {}", status.as_str())).collect();
    let duplicates = match counts.duplicates {
        0 => String::new(),
        count => format!("; {count} with the files of another one"),
    };
    let findings = counts.findings;
    let report = shown(&folder.path().join(PAGE));
    let folder = shown(folder.path());
    Destination::StandardOutput.write(Color::Never, |out| {
        writeln!(out, "{all} repositories: {}{duplicates}", by_status.join(", "))?;
        if let Some(changes) = &counts.changes {
            let count = |change| changes.get(&change).copied().unwrap_or(0);
            let told: Vec<String> =
                Change::ALL.into_iter().map(|change| format!("{} {}", count(change), change.as_str())).collect();
            writeln!(out, "since then: {}", told.join(", "))?;
        }
        writeln!(out, "{findings} findings; the tables are in {folder}")?;
        if options.shard.is_none() {
            writeln!(out, "the report is {report}")?;
        }
        Ok(())
    })
}
