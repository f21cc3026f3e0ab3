//! The report of an audit, over many repositories: a page with aggregates, pages with lists beside it, and a summary in Markdown.
//!
//! Nothing here holds all findings: [`Totals`] counts them and keeps a few examples of each rule; once all are counted, [`Lists`] gets them again and
//! writes each down at once. What changed since an earlier audit comes twice in the same way. A page has at most [`ROWS_OF_PAGE`] rows, and each row is
//! bounded, so that a browser opens and filters any page quickly.
//! A repository whose files are those of another one is told, and its findings are counted and listed with the other one alone.

mod change_lists;
mod change_totals;
mod change_views;
mod examples;
mod list;
mod lists;
mod overview;
mod summary;
mod texts;
mod totals;

#[cfg(test)]
mod tests;

use std::io;

use crate::Severity;

pub use lists::Lists;
pub use overview::render;
pub use summary::render as render_summary;
pub use totals::Totals;

/// The page with the aggregates.
pub const PAGE: &str = "report.html";
/// The folder with the lists.
pub const FOLDER: &str = "report";
/// A page of a list has no more rows.
pub const ROWS_OF_PAGE: u64 = 1_000;

/// A repository of an audit.
#[derive(Clone, Copy, Debug)]
pub struct Repository<'a> {
    /// Unique in an audit.
    pub name: &'a str,
    /// The commit, or what else names this state of it.
    pub revision: Option<&'a str>,
    /// How its analysis ended: one of the words that [`Totals::new`] is given.
    pub status: &'a str,
    /// Why it did not end well; empty where it did.
    pub reason: &'a str,
    /// Files that were analysed.
    pub files: u64,
    /// Their lines.
    pub lines: u64,
    /// Files that were found and not read.
    pub skipped: u64,
    /// Entry points by verdict.
    pub entries: Entries,
    /// What [`crate::TrainingStep::as_str`] says of the best of its scripts; `None` where it has no script.
    pub training_step: Option<&'a str>,
    /// Places of what could not be followed.
    pub not_understood: u64,
    /// The repository before it that has the same files.
    pub original: Option<&'a str>,
    /// By path, line and rule.
    pub findings: &'a [Finding<'a>],
}

/// How many entry points have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// No shape error is possible, whatever the inputs, or where a condition holds.
    pub no_error: u64,
    /// A requirement is violated.
    pub error: u64,
    /// Something was not understood, or a budget ran out.
    pub unknown: u64,
}

/// A finding of a repository.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// Below the repository's root.
    pub path: &'a str,
    /// The cell of a notebook, from 1.
    pub cell: Option<u32>,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// With its pack, such as `shape/mismatch`.
    pub rule: &'a str,
    /// How much it matters.
    pub severity: Severity,
    /// Whether it rests on no assumption and no condition.
    pub certain: bool,
    /// When it happens.
    pub condition: Option<&'a str>,
    /// Unique in the repository.
    pub fingerprint: &'a str,
    /// What is wrong.
    pub message: &'a str,
    /// The line where it begins.
    pub code: &'a str,
    /// Whether it has a rewrite.
    pub has_edit: bool,
}

/// A finding that is not in both of two audits.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'a> {
    /// What became of it: one of the words that [`Totals::compare`] is given.
    pub change: &'a str,
    /// Its repository.
    pub repository: &'a str,
    /// The finding, of which an audit keeps less after it: what is not known is empty.
    pub finding: Finding<'a>,
}

/// Where pages are written.
pub trait Pages {
    /// Adds to the end of a page; one that has no text yet is new. Names are made of numbers and of words of Harp's own.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    fn add(&mut self, page: &str, text: &str) -> io::Result<()>;
}
