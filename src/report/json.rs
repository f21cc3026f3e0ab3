//! Findings for programs: Harp's own JSON. The form is described in `docs/output.md`; adding a member keeps the version, any other
//! change raises it.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use serde::Serialize;

use harp_corpus::{Position, Span};

use super::finding::{Applicability, Assumption, Edit, Finding, Label, PathStep, Severity};
use super::guard::{Guard, Notation};
use super::saving::{Amount, Saving, Work};
use super::sources::Sources;
use super::summary::{
    Answered, Complexity, EntryVerdict, Fixes, NotUnderstood, Notice, Rewrites, Skipped, Standing, Summary,
    TrainingStep, UnusedAnswer, Verdict,
};
use crate::Report;
use crate::text::Detail;

/// The version of the form of a report.
pub const VERSION: u32 = 2;

/// Documents are guarded in parts of so many bytes, since a whole one may have a hundred megabytes.
const PART: usize = 64 << 10;

/// Writes a document; none of its characters changes a terminal, and none of its lines is a command to a CI system.
pub fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut parts = BufWriter::with_capacity(PART, Guard::new(out, Notation::Json));
    serde_json::to_writer_pretty(&mut parts, document)?;
    parts.write_all(b"\n")?;
    parts.flush()
}

/// Writes the report as one JSON document. What is known of each entry is much in large projects, and written where everything is asked for.
pub fn render(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    render_with(report, detail, &[], out)
}

/// The same with further members, which only those get who ask for them.
pub fn render_with(
    report: &Report<'_>,
    detail: Detail,
    members: &[(&'static str, serde_json::Value)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let places = Places { sources: report.sources };
    let document = Document {
        version: VERSION,
        tool: Tool { name: "harp", version: env!("CARGO_PKG_VERSION") },
        findings: report.findings.iter().map(|finding| places.finding(finding)).collect(),
        summary: places.summary(report.summary, report.findings, detail),
        further: members.iter().map(|(name, value)| (*name, value)).collect(),
    };
    write(&document, out)
}

/// Each finding as one object, in one line; behind them each notice, and each entry, where everything is asked for.
pub fn render_lines(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    let places = Places { sources: report.sources };
    for finding in report.findings {
        write_line(&places.finding(finding), out)?;
    }
    for notice in &report.summary.notices {
        write_line(&NoticeLine { notice: json_notice(notice) }, out)?;
    }
    for entry in report.summary.entries.iter().filter(|_| detail == Detail::Full) {
        write_line(&EntryLine { entry: places.entry(entry) }, out)?;
    }
    Ok(())
}

/// One finding as its object.
pub(crate) fn finding_value(finding: &Finding, sources: &dyn Sources) -> serde_json::Value {
    serde_json::to_value(Places { sources }.finding(finding)).unwrap_or_default()
}

/// What a run covered.
pub(crate) fn summary_value(report: &Report<'_>) -> serde_json::Value {
    let places = Places { sources: report.sources };
    serde_json::to_value(places.summary(report.summary, report.findings, Detail::Brief)).unwrap_or_default()
}

fn write_line(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let line = serde_json::to_string(object).map_err(io::Error::from)?;
    writeln!(Guard::new(out, Notation::Json), "{line}")
}

/// An entry in a line of its own, which no finding looks like.
#[derive(Serialize)]
struct EntryLine<'a> {
    entry: JsonEntry<'a>,
}

/// A notice in a line of its own.
#[derive(Serialize)]
struct NoticeLine<'a> {
    notice: JsonNotice<'a>,
}

#[derive(Serialize)]
struct JsonNotice<'a> {
    text: &'a str,
    file: Option<&'a str>,
}

fn json_notice(notice: &Notice) -> JsonNotice<'_> {
    JsonNotice { text: &notice.text, file: notice.file.as_deref() }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    findings: Vec<JsonFinding<'a>>,
    summary: JsonSummary<'a>,
    #[serde(flatten)]
    further: BTreeMap<&'static str, &'a serde_json::Value>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'a str,
    severity: &'static str,
    certain: bool,
    message: &'a str,
    fingerprint: &'a str,
    place: Place<'a>,
    labels: Vec<JsonLabel<'a>>,
    condition: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    path_conditions: &'a [String],
    counterexample: Option<&'a str>,
    notes: &'a [String],
    assumptions: Vec<JsonAssumption<'a>>,
    help: Option<&'a str>,
    remedy: Option<JsonEdit<'a>>,
    suggestion: Option<&'a str>,
    edits: Vec<JsonEdit<'a>>,
    applicability: Option<&'static str>,
    unsafe_because: Option<&'a str>,
    /// Only of rules that say what they save.
    #[serde(skip_serializing_if = "Option::is_none")]
    saving: Option<JsonSaving<'a>>,
    /// Only where somebody asks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<JsonStep<'a>>,
}

#[derive(Serialize)]
struct JsonSaving<'a> {
    per_iteration: JsonWork<'a>,
    in_all: JsonWork<'a>,
    loops: Vec<JsonSavingLoop<'a>>,
    assumptions: Vec<JsonAssumption<'a>>,
}

/// `null` is what is not known, or not saved.
#[derive(Serialize)]
pub(crate) struct JsonWork<'a> {
    calls: Option<JsonAmount<'a>>,
    bytes: Option<JsonAmount<'a>>,
    flops: Option<JsonAmount<'a>>,
    syncs: Option<JsonAmount<'a>>,
}

/// A number, or a formula as text.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum JsonAmount<'a> {
    Number(i64),
    Symbol(&'a str),
}

#[derive(Serialize)]
struct JsonSavingLoop<'a> {
    place: Place<'a>,
    trips: JsonAmount<'a>,
    basis: &'static str,
}

/// The amounts of work as an object.
pub(crate) fn json_work(work: &Work) -> JsonWork<'_> {
    JsonWork {
        calls: work.calls.as_ref().map(json_amount),
        bytes: work.bytes.as_ref().map(json_amount),
        flops: work.flops.as_ref().map(json_amount),
        syncs: work.syncs.as_ref().map(json_amount),
    }
}

/// A number or a text.
pub(crate) fn json_amount(amount: &Amount) -> JsonAmount<'_> {
    match amount {
        Amount::Number(number) => JsonAmount::Number(*number),
        Amount::Symbol(formula) => JsonAmount::Symbol(formula),
    }
}

#[derive(Serialize)]
struct JsonStep<'a> {
    kind: &'static str,
    place: Place<'a>,
    depth: u32,
    holds: Option<bool>,
    reason: Option<&'static str>,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonLabel<'a> {
    place: Place<'a>,
    /// Whether this is the finding's own place.
    primary: bool,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonAssumption<'a> {
    kind: &'a str,
    class: Option<&'static str>,
    subject: &'a str,
    text: &'a str,
    evidence: &'a str,
    place: Option<Place<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    place: Place<'a>,
    /// `None` in a notebook, whose file has other bytes than its code.
    bytes: Option<JsonBytes>,
    replacement: &'a str,
}

#[derive(Serialize)]
struct JsonBytes {
    start: u32,
    end: u32,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    start: JsonPosition,
    end: JsonPosition,
}

#[derive(Serialize)]
struct JsonPosition {
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonSummary<'a> {
    files: usize,
    lines: usize,
    imported: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    suppressed: usize,
    in_baseline: usize,
    gone_from_baseline: usize,
    confirmed: usize,
    denied: usize,
    /// How many entries have which verdict.
    verdicts: BTreeMap<&'static str, usize>,
    /// Only where everything is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<JsonEntry<'a>>>,
    not_understood: Vec<JsonNotUnderstood<'a>>,
    complexities: Vec<JsonComplexity<'a>>,
    rewrites: JsonRewrites<'a>,
    /// Only where somebody asks for edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<JsonFixes<'a>>,
    skipped: Vec<JsonSkipped<'a>>,
    notices: Vec<JsonNotice<'a>>,
    budgets: &'a [String],
    incomplete_rules: &'a [String],
    answers: Vec<JsonAnswer<'a>>,
    unused_answers: Vec<JsonUnusedAnswer<'a>>,
}

/// How many suggestions were checked, and what came of them.
#[derive(Serialize)]
struct JsonRewrites<'a> {
    checked: usize,
    unchecked: usize,
    withheld: Vec<JsonWithheld<'a>>,
}

/// What became of edits that were asked for.
#[derive(Serialize)]
struct JsonFixes<'a> {
    made: usize,
    files: usize,
    refused: Vec<JsonNotFixed<'a>>,
    left: usize,
    unsafe_left: usize,
}

#[derive(Serialize)]
struct JsonNotFixed<'a> {
    place: &'a str,
    rule: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonWithheld<'a> {
    rule: &'a str,
    place: Place<'a>,
    reason: &'static str,
}

#[derive(Serialize)]
struct JsonAnswer<'a> {
    standing: &'static str,
    assumption: JsonAssumption<'a>,
}

#[derive(Serialize)]
struct JsonUnusedAnswer<'a> {
    standing: &'static str,
    place: &'a str,
}

#[derive(Serialize)]
struct JsonEntry<'a> {
    name: &'a str,
    place: Place<'a>,
    verdict: &'static str,
    condition: Option<&'a str>,
    reasons: &'a [String],
    inputs: Vec<JsonInput<'a>>,
    training_step: Option<&'static str>,
    assumptions: Vec<JsonAssumption<'a>>,
}

/// What a verdict says of a parameter.
#[derive(Serialize)]
struct JsonInput<'a> {
    name: &'a str,
    form: &'a str,
}

#[derive(Serialize)]
struct JsonComplexity<'a> {
    kind: &'static str,
    places: usize,
    not_followed: usize,
    example: Place<'a>,
}

#[derive(Serialize)]
struct JsonNotUnderstood<'a> {
    what: &'a str,
    count: u64,
    example: Option<Place<'a>>,
}

#[derive(Serialize)]
struct JsonSkipped<'a> {
    path: &'a str,
    reason: &'a str,
}

impl From<Position> for JsonPosition {
    fn from(position: Position) -> JsonPosition {
        JsonPosition { cell: position.cell, line: position.line, column: position.column }
    }
}

fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::NoErrorPossible | Verdict::NoErrorWhen(_) => "no-error-possible",
        Verdict::NoErrorBeside { .. } => "no-error-beside",
        Verdict::Error => "error",
        Verdict::ErrorWhen(_) => "error-when",
        Verdict::DontKnow(_) => "dont-know",
    }
}

/// How many entries have which verdict; those that none has are left out.
fn verdicts(summary: &Summary) -> BTreeMap<&'static str, usize> {
    let mut verdicts = BTreeMap::new();
    for entry in &summary.entries {
        *verdicts.entry(verdict_word(&entry.verdict)).or_default() += 1;
    }
    verdicts
}

fn fixes(fixes: &Fixes) -> JsonFixes<'_> {
    let refused = fixes.refused.iter().map(|it| JsonNotFixed { place: &it.place, rule: &it.rule, reason: &it.reason });
    let &Fixes { made, files, left, unsafe_left, .. } = fixes;
    JsonFixes { made, files, refused: refused.collect(), left, unsafe_left }
}

fn unused_answer(unused: &UnusedAnswer) -> JsonUnusedAnswer<'_> {
    JsonUnusedAnswer { standing: unused.standing.as_str(), place: &unused.place }
}

/// Turns spans into places, and what holds spans into its JSON form.
struct Places<'a> {
    sources: &'a dyn Sources,
}

impl<'a> Places<'a> {
    fn place(&self, span: Span) -> Place<'a> {
        let position = |offset| self.sources.position(span.file, offset).into();
        Place { file: self.sources.name(span.file), start: position(span.start), end: position(span.end) }
    }

    fn finding(&self, finding: &'a Finding) -> JsonFinding<'a> {
        let primary = (!finding.primary.text.is_empty()).then(|| self.label(&finding.primary, true));
        JsonFinding {
            rule: &finding.rule,
            severity: finding.severity.as_str(),
            certain: finding.certain(),
            message: &finding.message,
            fingerprint: &finding.fingerprint,
            place: self.place(finding.primary.span),
            labels: primary.into_iter().chain(finding.labels.iter().map(|label| self.label(label, false))).collect(),
            condition: finding.condition.as_deref(),
            path_conditions: &finding.path_conditions,
            counterexample: finding.counterexample.as_deref(),
            notes: &finding.notes,
            assumptions: self.assumptions(&finding.assumptions),
            help: finding.help.as_deref(),
            remedy: finding.remedy.as_ref().map(|edit| self.edit(edit)),
            suggestion: finding.suggestion.as_deref(),
            edits: finding.edits.iter().map(|edit| self.edit(edit)).collect(),
            applicability: finding.applicability.as_ref().map(Applicability::as_str),
            unsafe_because: finding.applicability.as_ref().and_then(Applicability::reason),
            saving: finding.saving.as_ref().map(|saving| self.saving(saving)),
            path: finding.path.iter().map(|step| self.step(step)).collect(),
        }
    }

    fn saving(&self, saving: &'a Saving) -> JsonSaving<'a> {
        let loops = saving.loops.iter().map(|around| JsonSavingLoop {
            place: self.place(around.span),
            trips: json_amount(&around.trips),
            basis: around.basis.as_str(),
        });
        JsonSaving {
            per_iteration: json_work(&saving.per_iteration),
            in_all: json_work(&saving.in_all),
            loops: loops.collect(),
            assumptions: self.assumptions(&saving.assumptions),
        }
    }

    fn label(&self, label: &'a Label, primary: bool) -> JsonLabel<'a> {
        JsonLabel { place: self.place(label.span), primary, text: &label.text }
    }

    fn step(&self, step: &'a PathStep) -> JsonStep<'a> {
        let &PathStep { kind, span, ref text, depth, holds, reason } = step;
        JsonStep { kind, place: self.place(span), depth, holds, reason, text }
    }

    fn edit(&self, edit: &'a Edit) -> JsonEdit<'a> {
        let Span { file, start, end } = edit.span;
        let is_file = self.sources.position(file, start).cell.is_none();
        let bytes = is_file.then_some(JsonBytes { start, end });
        JsonEdit { place: self.place(edit.span), bytes, replacement: &edit.replacement }
    }

    fn assumptions(&self, assumptions: &'a [Assumption]) -> Vec<JsonAssumption<'a>> {
        assumptions.iter().map(|assumption| self.assumption(assumption)).collect()
    }

    fn assumption(&self, assumption: &'a Assumption) -> JsonAssumption<'a> {
        JsonAssumption {
            kind: &assumption.kind,
            class: assumption.class,
            subject: &assumption.subject,
            text: &assumption.text,
            evidence: &assumption.evidence,
            place: assumption.span.map(|span| self.place(span)),
        }
    }

    fn answer(&self, answered: &'a Answered) -> JsonAnswer<'a> {
        JsonAnswer { standing: answered.standing.as_str(), assumption: self.assumption(&answered.assumption) }
    }

    fn summary(&self, summary: &'a Summary, findings: &[Finding], detail: Detail) -> JsonSummary<'a> {
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        let skipped = |skipped: &'a Skipped| JsonSkipped { path: &skipped.path, reason: &skipped.reason };
        JsonSummary {
            files: summary.files,
            lines: summary.lines,
            imported: summary.imported,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
            suppressed: summary.suppressed,
            in_baseline: summary.in_baseline,
            gone_from_baseline: summary.gone_from_baseline,
            confirmed: summary.answered_as(Standing::Confirmed),
            denied: summary.answered_as(Standing::Denied),
            verdicts: verdicts(summary),
            entries: (detail == Detail::Full).then(|| summary.entries.iter().map(|entry| self.entry(entry)).collect()),
            not_understood: summary.not_understood.iter().map(|unknown| self.not_understood(unknown)).collect(),
            complexities: summary.complexities.iter().map(|complexity| self.complexity(complexity)).collect(),
            rewrites: self.rewrites(&summary.rewrites),
            fixes: summary.fixes.as_ref().map(fixes),
            skipped: summary.skipped.iter().map(skipped).collect(),
            notices: summary.notices.iter().map(json_notice).collect(),
            budgets: &summary.budgets,
            incomplete_rules: &summary.incomplete_rules,
            answers: summary.answered.iter().map(|answered| self.answer(answered)).collect(),
            unused_answers: summary.unused_answers.iter().map(unused_answer).collect(),
        }
    }

    fn rewrites(&self, rewrites: &'a Rewrites) -> JsonRewrites<'a> {
        let withheld = rewrites.withheld.iter().map(|withheld| JsonWithheld {
            rule: &withheld.rule,
            place: self.place(withheld.span),
            reason: withheld.reason,
        });
        JsonRewrites { checked: rewrites.checked, unchecked: rewrites.unchecked, withheld: withheld.collect() }
    }

    fn entry(&self, entry: &'a EntryVerdict) -> JsonEntry<'a> {
        let verdict = verdict_word(&entry.verdict);
        let (condition, reasons): (_, &[String]) = match &entry.verdict {
            Verdict::NoErrorPossible | Verdict::Error => (None, &[]),
            Verdict::NoErrorWhen(condition) | Verdict::ErrorWhen(condition) => (Some(condition.as_str()), &[]),
            Verdict::NoErrorBeside { calls, condition } => (condition.as_deref(), calls),
            Verdict::DontKnow(reasons) => (None, reasons),
        };
        let assumptions = self.assumptions(&entry.assumptions);
        let inputs = entry.inputs.iter().map(|(name, form)| JsonInput { name, form }).collect();
        let training_step = entry.training_step.map(TrainingStep::as_str);
        let (name, place) = (&entry.name, self.place(entry.span));
        JsonEntry { name, place, verdict, condition, reasons, inputs, training_step, assumptions }
    }

    fn complexity(&self, complexity: &Complexity) -> JsonComplexity<'a> {
        let &Complexity { kind, places, not_followed, example } = complexity;
        JsonComplexity { kind, places, not_followed, example: self.place(example) }
    }

    fn not_understood(&self, unknown: &'a NotUnderstood) -> JsonNotUnderstood<'a> {
        let example = unknown.example.map(|span| self.place(span));
        JsonNotUnderstood { what: &unknown.what, count: unknown.count, example }
    }
}
