//! Pages of a report: what stands before the findings, as how much was found, by rule and by file, what is assumed, and
//! what the run covered.

use std::collections::BTreeMap;

use serde::Serialize;

use harp_corpus::{FileId, Span};

use crate::finding::{Assumption, Finding, Severity};
use crate::summary::{Standing, Verdict};
use crate::summary_text::{self, counts};
use crate::text::Detail;
use crate::{Report, terminal_escape};

use super::answer_comments::{Answers, answers};
use super::places::place;

/// Where somebody does not ask for everything, lists of what a run covered end here.
const BRIEF_ROWS: usize = 20;
/// A table of more assumptions is read by nobody; each finding has its own.
const MOST_ASSUMPTIONS: usize = 1_000;

/// The part of a report before its findings.
#[derive(Debug, Serialize)]
pub struct Overview {
    counts: String,
    severities: Vec<SeverityRow>,
    rules: Vec<RuleRow>,
    files: Vec<FileRow>,
    assumptions: Vec<AssumptionRow>,
    more_assumptions: usize,
    /// The kinds of all assumptions, in order.
    kinds: Vec<String>,
    verdicts: String,
    incomplete: usize,
    entries: Vec<EntryRow>,
    not_understood: Vec<Counted>,
    more_not_understood: usize,
    skipped: Vec<Named>,
    notices: Vec<String>,
    budgets: Vec<String>,
    unused_answers: Vec<Named>,
}

#[derive(Debug, Serialize)]
struct SeverityRow {
    severity: &'static str,
    count: usize,
}

#[derive(Debug, Serialize)]
struct RuleRow {
    rule: String,
    title: String,
    count: usize,
    severity: &'static str,
    /// The anchor of its first finding.
    first: String,
}

#[derive(Debug, Serialize)]
struct FileRow {
    file: String,
    anchor: String,
    errors: usize,
    warnings: usize,
    notes: usize,
}

/// An assumption with how many findings rest on it.
#[derive(Debug, Serialize)]
struct AssumptionRow {
    number: usize,
    count: usize,
    assumption: AssumptionView,
}

/// An assumption for a reader.
#[derive(Clone, Debug, Serialize)]
pub struct AssumptionView {
    class: &'static str,
    kind: String,
    text: String,
    evidence: String,
    /// Where it is assumed; empty where that is no place.
    place: String,
    answers: Option<Answers>,
}

#[derive(Debug, Serialize)]
struct EntryRow {
    place: String,
    name: String,
    verdict: String,
}

#[derive(Debug, Serialize)]
struct Counted {
    what: String,
    count: u64,
    place: String,
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
    what: String,
}

impl AssumptionView {
    /// What is shown of an assumption.
    pub fn of(assumption: &Assumption, report: &Report<'_>) -> AssumptionView {
        AssumptionView {
            class: assumption.class.unwrap_or(""),
            kind: terminal_escape::line(&assumption.kind),
            text: terminal_escape::line(&assumption.text),
            evidence: terminal_escape::line(&assumption.evidence),
            place: assumption.span.map_or(String::new(), |span| place(span, report.sources)),
            answers: answers(assumption),
        }
    }
}

/// What makes two assumptions one for a reader.
type AssumptionKey<'a> = (Option<Span>, &'a str, &'a str, &'a str);

/// The assumptions of a report, each once, with the numbers by which findings name them: the first is what most findings rest on.
pub struct NumberedAssumptions<'a> {
    numbers: BTreeMap<AssumptionKey<'a>, usize>,
    in_order: Vec<(&'a Assumption, usize)>,
}

impl<'a> NumberedAssumptions<'a> {
    /// Those of all findings.
    pub fn of(findings: &'a [Finding]) -> NumberedAssumptions<'a> {
        let mut counts: BTreeMap<AssumptionKey<'a>, (&'a Assumption, usize)> = BTreeMap::new();
        for assumption in findings.iter().flat_map(|finding| &finding.assumptions) {
            counts.entry(key(assumption)).or_insert((assumption, 0)).1 += 1;
        }
        let mut in_order: Vec<(&Assumption, usize)> = counts.into_values().collect();
        in_order.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let numbers = in_order.iter().enumerate().map(|(number, (assumption, _))| (key(assumption), number)).collect();
        NumberedAssumptions { numbers, in_order }
    }

    /// The numbers of a finding's assumptions, in its order.
    pub fn numbers_of(&self, finding: &Finding) -> Vec<usize> {
        finding.assumptions.iter().filter_map(|assumption| self.numbers.get(&key(assumption)).copied()).collect()
    }
}

fn key(assumption: &Assumption) -> AssumptionKey<'_> {
    (assumption.span, &assumption.kind, &assumption.subject, &assumption.text)
}

/// The anchor of a file.
pub fn file_anchor(file: FileId) -> String {
    format!("file-{}", file.0)
}

impl Overview {
    /// What stands before the findings of a report; `anchors` are those of the findings, in their order.
    pub fn of(
        report: &Report<'_>,
        anchors: &[String],
        assumptions: &NumberedAssumptions<'_>,
        detail: Detail,
    ) -> Overview {
        let summary = report.summary;
        let most = if detail == Detail::Full { usize::MAX } else { BRIEF_ROWS };
        let shown = assumptions.in_order.iter().take(MOST_ASSUMPTIONS).enumerate();
        let rows = shown.map(|(number, (assumption, count))| AssumptionRow {
            number,
            count: *count,
            assumption: AssumptionView::of(assumption, report),
        });
        let mut kinds: Vec<String> =
            assumptions.in_order.iter().map(|(assumption, _)| terminal_escape::line(&assumption.kind)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::DontKnow(_));
        Overview {
            counts: counts(report),
            severities: severities(report.findings),
            rules: rules(report, anchors),
            files: files(report),
            assumptions: rows.collect(),
            more_assumptions: assumptions.in_order.len().saturating_sub(MOST_ASSUMPTIONS),
            kinds,
            verdicts: summary_text::grouped(&summary.entries),
            incomplete: summary.entries.iter().filter(|entry| is_unknown(&entry.verdict)).count(),
            entries: if detail == Detail::Full { entries(report) } else { Vec::new() },
            not_understood: not_understood(report, most),
            more_not_understood: summary.not_understood.len().saturating_sub(most),
            skipped: summary.skipped.iter().map(|it| named(&terminal_escape::path(&it.path), &it.reason)).collect(),
            notices: summary.notices.iter().map(|it| terminal_escape::line(&it.text)).collect(),
            budgets: summary.budgets.iter().take(most).map(|budget| terminal_escape::line(budget)).collect(),
            unused_answers: summary.unused_answers.iter().map(|it| named(&it.place, standing(it.standing))).collect(),
        }
    }
}

fn named(name: &str, what: &str) -> Named {
    Named { name: terminal_escape::line(name), what: terminal_escape::line(what) }
}

fn standing(standing: Standing) -> &'static str {
    standing.as_str()
}

fn count_of(findings: &[Finding], severity: Severity) -> usize {
    findings.iter().filter(|finding| finding.severity == severity).count()
}

fn severities(findings: &[Finding]) -> Vec<SeverityRow> {
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    all.map(|severity| SeverityRow { severity: severity.as_str(), count: count_of(findings, severity) }).into()
}

/// The rules by how often they found something.
fn rules(report: &Report<'_>, anchors: &[String]) -> Vec<RuleRow> {
    let mut found: BTreeMap<&str, (usize, Severity, usize)> = BTreeMap::new();
    for (index, finding) in report.findings.iter().enumerate() {
        let (count, severity, _) = found.entry(&finding.rule).or_insert((0, finding.severity, index));
        *count += 1;
        *severity = (*severity).min(finding.severity);
    }
    let described = |rule: &str| report.rules.iter().find(|known| known.id == rule).map_or("", |known| &*known.title);
    let row = |(rule, (count, severity, first)): (&str, (usize, Severity, usize))| RuleRow {
        rule: terminal_escape::line(rule),
        title: terminal_escape::line(described(rule)),
        count,
        severity: severity.as_str(),
        first: anchors.get(first).cloned().unwrap_or_default(),
    };
    let mut rows: Vec<RuleRow> = found.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}

/// The files in the order of their findings.
fn files(report: &Report<'_>) -> Vec<FileRow> {
    let of_one_file = |left: &Finding, right: &Finding| left.primary.span.file == right.primary.span.file;
    let row = |findings: &[Finding]| FileRow {
        file: terminal_escape::path(report.sources.name(findings[0].primary.span.file)),
        anchor: file_anchor(findings[0].primary.span.file),
        errors: count_of(findings, Severity::Error),
        warnings: count_of(findings, Severity::Warning),
        notes: count_of(findings, Severity::Note),
    };
    report.findings.chunk_by(of_one_file).map(row).collect()
}

fn entries(report: &Report<'_>) -> Vec<EntryRow> {
    let row = |entry: &crate::EntryVerdict| EntryRow {
        place: place(entry.span, report.sources),
        name: terminal_escape::line(&entry.name),
        verdict: summary_text::verdict(&entry.verdict, usize::MAX),
    };
    report.summary.entries.iter().map(row).collect()
}

fn not_understood(report: &Report<'_>, most: usize) -> Vec<Counted> {
    let row = |unknown: &crate::NotUnderstood| Counted {
        what: terminal_escape::line(&unknown.what),
        count: unknown.count,
        place: unknown.example.map_or(String::new(), |span| place(span, report.sources)),
    };
    report.summary.not_understood.iter().take(most).map(row).collect()
}
