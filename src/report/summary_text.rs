//! The end of a report as text: how much was found, what is known of each entry, and what was not understood.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::finding::{Assumption, Severity};
use super::summary::{EntryVerdict, Standing, TrainingStep, Verdict};
use super::text::{Detail, assumption_clause, place};
use crate::{Report, terminal_escape};

/// How many lines a list has in brief output.
const BRIEF_LINES: usize = 10;

pub(super) fn render(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    let limit = match detail {
        Detail::Quiet => return Ok(()),
        Detail::Brief => BRIEF_LINES,
        Detail::Full => usize::MAX,
    };
    writeln!(out, "{}", counts(report))?;
    for notice in &report.summary.notices {
        writeln!(out, "note: {}", terminal_escape::line(&notice.text))?;
    }
    if detail == Detail::Brief {
        steps_not_reached(report, limit, out)?;
    }
    if detail == Detail::Full {
        entries(report, limit, out)?;
        not_understood(report, limit, out)?;
        silenced(report, limit, out)?;
        complexities(report, limit, out)?;
    }
    fixes(report, limit, out)?;
    match report.summary.gone_from_baseline {
        0 => {}
        1 => writeln!(out, "1 finding of the baseline is gone (--update-baseline forgets it)")?,
        gone => writeln!(out, "{gone} findings of the baseline are gone (--update-baseline forgets them)")?,
    }
    let skipped = report.summary.skipped.iter();
    let skipped: Vec<String> = skipped
        .map(|skipped| format!("{}: {}", terminal_escape::path(&skipped.path), terminal_escape::line(&skipped.reason)))
        .collect();
    list("skipped:", &skipped, limit, out)?;
    rewrites(report, detail, limit, out)?;
    let budgets: Vec<String> = report.summary.budgets.iter().map(|budget| terminal_escape::line(budget)).collect();
    if detail == Detail::Full {
        list("limits that were reached:", &budgets, limit, out)?;
    }
    answers(report, detail, limit, out)
}

/// `2 findings fixed in 1 file`, and what was not.
fn fixes(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(fixes) = &report.summary.fixes else { return Ok(()) };
    let (made, files) = (plural(fixes.made as u64, "finding"), plural(fixes.files as u64, "file"));
    writeln!(out, "{made} fixed in {files}")?;
    if fixes.left > 0 {
        writeln!(out, "{} more can be fixed by another run", fixes.left)?;
    }
    if fixes.unsafe_left > 0 {
        writeln!(out, "{} more can be fixed with --unsafe-fixes", fixes.unsafe_left)?;
    }
    let rows = fixes.refused.iter().map(|it| {
        format!(
            "{}: {}: {}",
            terminal_escape::line(&it.place),
            terminal_escape::line(&it.rule),
            terminal_escape::line(&it.reason)
        )
    });
    list("not fixed:", &rows.collect::<Vec<_>>(), limit, out)
}

/// Rewrites that nobody sees: those for which there was no check left always, others where everything is listed.
fn rewrites(report: &Report<'_>, detail: Detail, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let rewrites = &report.summary.rewrites;
    if rewrites.unchecked > 0 {
        let (checked, unchecked) = (plural(rewrites.checked as u64, "rewrite"), rewrites.unchecked);
        writeln!(out, "{checked} checked; {unchecked} more not checked, and not shown as code")?;
    }
    if detail != Detail::Full {
        return Ok(());
    }
    let rows = rewrites.withheld.iter().map(|withheld| {
        let rule = terminal_escape::line(&withheld.rule);
        format!("{}: {rule}: {}", place(withheld.span, report.sources), withheld.reason)
    });
    list("rewrites that are not shown:", &rows.collect::<Vec<_>>(), limit, out)
}

/// What was answered, where everything is listed, and answers that fit nothing, which mislead their reader.
fn answers(report: &Report<'_>, detail: Detail, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    if detail == Detail::Full {
        let rows = report.summary.answered.iter().map(|answered| {
            format!("{}: {}", answered.standing.as_str(), assumption_clause(&answered.assumption, report.sources))
        });
        list("assumptions that you confirmed or denied:", &rows.collect::<Vec<_>>(), limit, out)?;
    }
    let unused = report.summary.unused_answers.iter();
    let rows = unused.map(|unused| format!("{}: {}", terminal_escape::line(&unused.place), unused.standing.as_str()));
    list("overrides that match no assumption:", &rows.collect::<Vec<_>>(), limit, out)
}

/// `2 errors, 1 warning in 3 files (120 lines)`
pub(super) fn counts(report: &Report<'_>) -> String {
    let mut parts = Vec::new();
    for (severity, noun) in [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")] {
        let count = report.findings.iter().filter(|finding| finding.severity == severity).count();
        if count > 0 {
            parts.push(plural(count as u64, noun));
        }
    }
    let found = if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") };
    let summary = report.summary;
    let files = plural(summary.files as u64, "file");
    let lines = plural(summary.lines as u64, "line");
    let whose = if summary.files == 1 { "it imports" } else { "they import" };
    let imported = match summary.imported {
        0 => String::new(),
        count => format!(", and {} that {whose}", plural(count as u64, "file")),
    };
    let suppressed = match summary.suppressed {
        0 => String::new(),
        count => format!("; {count} suppressed"),
    };
    let answered = [Standing::Confirmed, Standing::Denied].map(|standing| match summary.answered_as(standing) {
        0 => String::new(),
        count => format!("; {} {}", plural(count as u64, "assumption"), standing.as_str()),
    });
    let known = match summary.in_baseline {
        0 => String::new(),
        count => format!("; {count} in the baseline"),
    };
    let incomplete = match summary.incomplete_rules.len() {
        0 => String::new(),
        count => format!("; {} incomplete", plural(count as u64, "rule")),
    };
    format!("{found} in {files} ({lines}{imported}){suppressed}{known}{}{incomplete}", answered.concat())
}

/// `12 of 34 entry points not fully analysed (--verbose says why); what helps most: --effort high (7 of them)`
pub(super) fn not_analysed(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let entries = &report.summary.entries;
    let unknown = entries.iter().filter(|entry| matches!(entry.verdict, Verdict::DontKnow(_))).count();
    if unknown == 0 {
        return Ok(());
    }
    let all = plural(entries.len() as u64, "entry point");
    let hint = report.summary.hints.iter().max_by_key(|(_, helped)| **helped);
    let hint = hint.map_or(String::new(), |(hint, helped)| {
        let of_them = if unknown == 1 { String::new() } else { format!(" ({helped} of them)") };
        format!("; what helps most: {}{of_them}", terminal_escape::line(hint))
    });
    writeln!(out, "{unknown} of {all} not fully analysed (--verbose says why){hint}")
}

fn entries(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let entries = &report.summary.entries;
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}: {}", plural(entries.len() as u64, "entry point"), grouped(entries))?;
    for entry in entries.iter().take(limit) {
        let name = terminal_escape::line(&entry.name);
        let (place, verdict) = (place(entry.span, report.sources), verdict(&entry.verdict, limit));
        let missed = if misses_its_step(entry) { "; its training step was not reached" } else { "" };
        writeln!(out, "  {place}: {name}: {verdict}{missed}")?;
        inputs(&entry.inputs, limit, out)?;
        assumptions(&entry.assumptions, report, limit, out)?;
    }
    more(entries.len().saturating_sub(limit), "  ", out)
}

/// Whether nothing is found in a script, and nothing was looked at where it trains.
fn misses_its_step(entry: &EntryVerdict) -> bool {
    let is_vouched_for =
        matches!(entry.verdict, Verdict::NoErrorPossible | Verdict::NoErrorWhen(_) | Verdict::NoErrorBeside { .. });
    is_vouched_for && entry.training_step == Some(TrainingStep::NotReached)
}

/// `the training step of a.py was not reached, so nothing is said of it`
fn steps_not_reached(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let missed: Vec<&EntryVerdict> = report.summary.entries.iter().filter(|entry| misses_its_step(entry)).collect();
    for entry in missed.iter().take(limit) {
        let name = terminal_escape::line(&entry.name);
        writeln!(out, "note: the training step of {name} was not reached, so that nothing is said of it")?;
    }
    more(missed.len().saturating_sub(limit), "", out)
}

/// `for x: s@[784], y: [a, b]`
fn inputs(inputs: &[(String, String)], limit: usize, out: &mut dyn Write) -> io::Result<()> {
    if inputs.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> =
        inputs.iter().take(limit).map(|(name, form)| terminal_escape::line(&format!("{name}: {form}"))).collect();
    let rest = inputs.len() - shown.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    writeln!(out, "    for {}{more}", shown.join(", "))
}

/// `9 no shape error possible, 1 error, 2 incomplete`
pub(super) fn grouped(entries: &[EntryVerdict]) -> String {
    let words = [
        "no shape error possible",
        "no shape error possible under a condition",
        "no shape error, except in unanalysed calls",
        "no shape error, training step not reached",
        "error",
        "error under a condition",
        "incomplete",
    ];
    let mut counts = [0; 7];
    for entry in entries {
        let index = match entry.verdict {
            _ if misses_its_step(entry) => 3,
            Verdict::NoErrorPossible => 0,
            Verdict::NoErrorWhen(_) => 1,
            Verdict::NoErrorBeside { .. } => 2,
            Verdict::Error => 4,
            Verdict::ErrorWhen(_) => 5,
            Verdict::DontKnow(_) => 6,
        };
        counts[index] += 1;
    }
    let counts = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    let counts = counts.map(|(count, words)| format!("{count} {words}"));
    counts.collect::<Vec<_>>().join(", ")
}

pub(super) fn verdict(verdict: &Verdict, limit: usize) -> String {
    match verdict {
        Verdict::NoErrorPossible => "no shape error possible".to_owned(),
        Verdict::NoErrorWhen(condition) => format!("no shape error possible when {}", terminal_escape::line(condition)),
        Verdict::NoErrorBeside { calls, condition } => {
            let when = condition.as_ref().map(|it| format!(" when {}", terminal_escape::line(it))).unwrap_or_default();
            format!("no shape error{when}, except in unanalysed calls: {}", shown(calls, limit))
        }
        Verdict::Error => "error".to_owned(),
        Verdict::ErrorWhen(condition) => format!("error when {}", terminal_escape::line(condition)),
        Verdict::DontKnow(reasons) => {
            let rest = reasons.len().saturating_sub(limit);
            let more = if rest > 0 { format!("; and {rest} more reasons") } else { String::new() };
            format!("incomplete: {}{more}", shown(&reasons[..reasons.len() - rest], limit))
        }
    }
}

/// The first of several texts.
fn shown(texts: &[String], limit: usize) -> String {
    let shown: Vec<String> = texts.iter().take(limit).map(|text| terminal_escape::line(text)).collect();
    let rest = texts.len() - shown.len();
    let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

fn assumptions(assumptions: &[Assumption], report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    for assumption in assumptions.iter().take(limit) {
        writeln!(out, "    assumes that {}", assumption_clause(assumption, report.sources))?;
    }
    more(assumptions.len().saturating_sub(limit), "    ", out)
}

fn not_understood(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let unknown = &report.summary.not_understood;
    let total = unknown.iter().map(|unknown| unknown.count).sum();
    let rows = unknown.iter().map(|unknown| {
        let what = terminal_escape::line(&unknown.what);
        let example =
            unknown.example.map_or(String::new(), |span| format!(" (for example {})", place(span, report.sources)));
        format!("{:>5} {what}{example}", unknown.count)
    });
    let rows: Vec<String> = rows.collect();
    list(&format!("not understood, {}:", plural(total, "place")), &rows, limit, out)
}

/// `suppressed, 3 places: expected-exception (2), empty-operand (1)`, and then the places.
fn silenced(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let silenced = &report.summary.silenced;
    let mut filters: BTreeMap<&str, u64> = BTreeMap::new();
    for alarm in silenced {
        *filters.entry(alarm.filter).or_default() += 1;
    }
    let mut filters: Vec<(&str, u64)> = filters.into_iter().collect();
    filters.sort_by_key(|(_, count)| Reverse(*count));
    let filters: Vec<String> = filters.iter().map(|(filter, count)| format!("{filter} ({count})")).collect();
    let rows = silenced.iter().map(|alarm| {
        let what = terminal_escape::line(&alarm.what);
        format!("{}: {}: {what}", place(alarm.span, report.sources), alarm.filter)
    });
    let rows: Vec<String> = rows.collect();
    let or_more = if report.summary.is_silenced_cut { " or more" } else { "" };
    let places = plural(silenced.len() as u64, "place");
    list(&format!("suppressed, {places}{or_more}: {}", filters.join(", ")), &rows, limit, out)
}

fn complexities(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let rows = report.summary.complexities.iter().map(|complexity| {
        let missed = match complexity.not_followed {
            0 => String::new(),
            count => format!(", {count} of them not followed"),
        };
        let example = place(complexity.example, report.sources);
        format!("{}: {}{missed} (for example {example})", words_of(complexity.kind), complexity.places)
    });
    list("hard to follow:", &rows.collect::<Vec<_>>(), limit, out)
}

/// A kind of difficulty in words; other kinds by their names.
fn words_of(kind: &str) -> &str {
    match kind {
        "data-dependent-branch" => "branches that depend on data",
        "unknown-dispatch" => "calls of unknown functions",
        "higher-order-function" => "functions passed as arguments",
        "operator-overload" => "overloaded operators",
        "dynamic-attribute" => "attributes set by computed names",
        "dynamic-type" => "variables that change their type",
        "dynamic-container" => "containers of mixed types",
        other => other,
    }
}

fn list(title: &str, rows: &[String], limit: usize, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    for row in rows.iter().take(limit) {
        writeln!(out, "  {row}")?;
    }
    more(rows.len().saturating_sub(limit), "  ", out)
}

fn more(count: usize, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    writeln!(out, "{indent}… and {count} more (--verbose lists all)")
}

fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
