//! The report of coverage: how much of each file was followed, what was not, and what its user can do about it.

use std::io::{self, Write};

use serde::Serialize;

use harp_corpus::{FileId, Span};

use crate::columns::{self, padded};
use crate::sources::Sources;
use crate::summary::Skipped;
use crate::text::{place, whole_place};
use crate::{json, terminal_escape};

/// What a run covered, file by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The files that were checked, in the order of their names.
    pub files: Vec<FileCoverage>,
}

/// How much of a file was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCoverage {
    /// Which file.
    pub file: FileId,
    /// Its simple statements that call something.
    pub statements: usize,
    /// Those of them that were executed.
    pub followed: usize,
    /// The entries that lie in it.
    pub entries: usize,
    /// Those of them that are vouched for, or have an error.
    pub complete: usize,
    /// What was not followed, what most entries meet first.
    pub gaps: Vec<Gap>,
}

/// Something that was not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What kind of gap it is, in one word: `package`, `api`, `value`, `name`, `syntax`, `budget`, `size`, `dynamic`, `unreached`.
    pub kind: &'static str,
    /// What was not followed.
    pub what: String,
    /// How many entries meet it; 0 of what none comes to.
    pub entries: usize,
    /// Where it is met first.
    pub span: Span,
    /// What to do about it.
    pub advice: String,
}

/// The version of the JSON form.
const VERSION: u32 = 1;

/// The most gaps of a file that are listed where somebody does not ask for all.
const BRIEF_GAPS: usize = 5;

/// Writes a table of the files, and below it what was not followed. `all` lists every gap.
pub fn text(
    coverage: &Coverage,
    skipped: &[Skipped],
    sources: &dyn Sources,
    all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = |file: &FileCoverage| terminal_escape::path(sources.name(file.file));
    let rows: Vec<[String; 3]> =
        coverage.files.iter().map(|file| [name(file), statements(file), entries(file)]).collect();
    let head = ["file", "statements followed", "entry points complete"].map(str::to_owned);
    let width = |column: usize| {
        rows.iter().chain([&head]).map(|row| columns::width(&row[column])).max().unwrap_or(0).min(WIDEST_NAME)
    };
    let widths = [width(0), width(1)];
    for [name, statements, entries] in [&head].into_iter().chain(&rows) {
        let [name, statements] = [(name, widths[0]), (statements, widths[1])].map(|(it, width)| padded(it, width));
        writeln!(out, "{name}  {statements}  {entries}")?;
    }
    for file in &coverage.files {
        gaps(file, sources, if all { usize::MAX } else { BRIEF_GAPS }, out)?;
    }
    for skipped in skipped {
        let (path, reason) = (terminal_escape::path(&skipped.path), terminal_escape::line(&skipped.reason));
        writeln!(out, "\n{path}: not read: {reason}")?;
    }
    Ok(())
}

/// Longer names push what follows to the right.
const WIDEST_NAME: usize = 60;

fn statements(file: &FileCoverage) -> String {
    match file.statements {
        0 => "–".to_owned(),
        all => format!("{} of {all} ({}%)", file.followed, file.followed * 100 / all),
    }
}

fn entries(file: &FileCoverage) -> String {
    if file.entries == 0 { "–".to_owned() } else { format!("{} of {}", file.complete, file.entries) }
}

fn gaps(file: &FileCoverage, sources: &dyn Sources, most: usize, out: &mut dyn Write) -> io::Result<()> {
    for gap in file.gaps.iter().take(most) {
        let met = match gap.entries {
            0 => String::new(),
            1 => " (1 entry point)".to_owned(),
            count => format!(" ({count} entry points)"),
        };
        writeln!(out, "\n{}: {}{met}", place(gap.span, sources), terminal_escape::line(&gap.what))?;
        writeln!(out, "  {}", terminal_escape::line(&gap.advice))?;
    }
    match file.gaps.len().saturating_sub(most) {
        0 => Ok(()),
        more => {
            writeln!(out, "\n{}: {more} more (--verbose lists all)", terminal_escape::path(sources.name(file.file)))
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    files: Vec<JsonFile<'a>>,
    skipped: Vec<JsonSkipped<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonFile<'a> {
    file: &'a str,
    statements: usize,
    followed: usize,
    entries: usize,
    complete: usize,
    gaps: Vec<JsonGap<'a>>,
}

#[derive(Serialize)]
struct JsonGap<'a> {
    kind: &'static str,
    what: &'a str,
    entries: usize,
    place: String,
    advice: &'a str,
}

#[derive(Serialize)]
struct JsonSkipped<'a> {
    path: &'a str,
    reason: &'a str,
}

/// Writes the same as one JSON document.
pub fn json(coverage: &Coverage, skipped: &[Skipped], sources: &dyn Sources, out: &mut dyn Write) -> io::Result<()> {
    let gap = |gap: &'_ Gap| (gap.kind, gap.entries, whole_place(gap.span, sources));
    let files = coverage.files.iter().map(|file| JsonFile {
        file: sources.name(file.file),
        statements: file.statements,
        followed: file.followed,
        entries: file.entries,
        complete: file.complete,
        gaps: file
            .gaps
            .iter()
            .map(|it| {
                let (kind, entries, place) = gap(it);
                JsonGap { kind, what: &it.what, entries, place, advice: &it.advice }
            })
            .collect(),
    });
    let document = Document {
        version: VERSION,
        tool: Tool { name: "harp", version: env!("CARGO_PKG_VERSION") },
        files: files.collect(),
        skipped: skipped.iter().map(|it| JsonSkipped { path: &it.path, reason: &it.reason }).collect(),
    };
    json::write(&document, out)
}
