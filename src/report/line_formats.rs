//! Findings one a line: for people who read many, for editors, and for GitHub, which annotates a pull request by them.

use std::io::{self, Write};

use harp_corpus::Position;

use super::finding::{Finding, Severity};
use super::text::place;
use crate::{Report, terminal_escape};

/// `a.py:3:5: error[shape/mismatch] message, when nhid != ninp`
pub fn concise(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in report.findings {
        let place = place(finding.primary.span, report.sources);
        let rule = terminal_escape::line(&finding.rule);
        writeln!(out, "{place}: {}[{rule}] {}", finding.severity, terminal_escape::line(&sentence(finding)))?;
    }
    Ok(())
}

/// The message with its condition.
fn sentence(finding: &Finding) -> String {
    match &finding.condition {
        Some(condition) => format!("{}, when {condition}", finding.message),
        None => finding.message.clone(),
    }
}

/// GitHub's workflow commands: `::error title=…,file=…,line=…::message`. The form is that of `ActionCommand` in actions/runner.
pub fn github(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in report.findings {
        let span = finding.primary.span;
        let [start, end] = [span.start, span.end].map(|offset| report.sources.position(span.file, offset));
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let title = property(&format!("harp ({})", finding.rule));
        let file = property(report.sources.name(span.file));
        let help = finding.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
        let message = format!("{}{}{help}", in_cell(start), sentence(finding));
        writeln!(out, "::{command} title={title},file={file}{}::{}", lines(start, end), data(&message))?;
    }
    for notice in &report.summary.notices {
        let file = notice.file.as_ref().map_or_else(String::new, |file| format!(",file={}", property(file)));
        writeln!(out, "::notice title=harp{file}::{}", data(&notice.text))?;
    }
    Ok(())
}

/// The lines of a file; those of a notebook's cell are no lines of its file.
fn lines(start: Position, end: Position) -> String {
    match (start.cell, start.line == end.line) {
        (Some(_), _) => String::new(),
        (None, true) => {
            format!(",line={},endLine={},col={},endColumn={}", start.line, end.line, start.column, end.column)
        }
        // Columns are only for ranges within a line.
        (None, false) => format!(",line={},endLine={}", start.line, end.line),
    }
}

fn in_cell(start: Position) -> String {
    start.cell.map_or_else(String::new, |cell| format!("cell {cell}, line {}: ", start.line))
}

/// What a command's message is written as.
fn data(text: &str) -> String {
    terminal_escape::message(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What a command's property is written as.
fn property(text: &str) -> String {
    terminal_escape::line(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// How often each rule found something, most often first: `12 shape/mismatch`.
pub fn statistics(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut counts: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for finding in report.findings {
        *counts.entry(&finding.rule).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (rule, count) in counts {
        let described = report.rules.iter().find(|known| known.id == rule).map(|known| &*known.title);
        let described = described.filter(|text| !text.is_empty()).map_or_else(String::new, |text| format!("  {text}"));
        writeln!(out, "{count:>6}  {}{}", terminal_escape::line(rule), terminal_escape::line(&described))?;
    }
    Ok(())
}
