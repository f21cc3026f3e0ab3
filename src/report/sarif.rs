//! Findings in SARIF 2.1.0, for code-scanning services and editors.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use harp_corpus::{FileId, Span};

use super::comparison::{Review, Standing};
use super::finding::{Edit, Finding, RuleDescription};
use super::json;
use super::saving::Saving;
use super::silence_comments::Comments;
use super::sources::Sources;
use super::text::Detail;
use crate::{Report, path_steps};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the report as one SARIF log. What is known of each entry is written where everything is asked for.
pub fn render(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    let silenced: Vec<&Finding> = report.summary.in_source.iter().collect();
    write(
        report,
        &silenced,
        |index| {
            let shown = report.findings.iter().map(|finding| result(finding, index, report.sources));
            let mut comments = Comments::default();
            let suppressed = silenced.iter().map(|finding| {
                let mut suppression = json!({ "kind": "inSource" });
                if let Some(reason) = comments.reason(finding.primary.span, &finding.rule, report.sources) {
                    suppression["justification"] = reason.into();
                }
                SarifResult { suppressions: vec![suppression], ..result(finding, index, report.sources) }
            });
            shown.chain(suppressed).collect()
        },
        (&[], detail),
        out,
    )
}

/// Writes a review as one SARIF log: all findings of both sides, each with its `baselineState`.
pub fn render_review(review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
    let gone: Vec<&Finding> = review.fixed().collect();
    let results = |index: &RuleIndex<'_>| {
        let new = review.new.findings.iter().zip(&review.comparison.standings).map(|(finding, standing)| {
            let state = match standing {
                Standing::Introduced => "new",
                Standing::Worse(_) => "updated",
                Standing::Unchanged(_) => "unchanged",
            };
            SarifResult { baseline_state: Some(state), ..result(finding, index, review.new.sources) }
        });
        let gone = gone.iter().map(|finding| SarifResult {
            baseline_state: Some("absent"),
            ..result(finding, index, review.old.sources)
        });
        new.chain(gone).collect()
    };
    write(review.new, &gone, results, (review.notes, Detail::Brief), out)
}

/// Writes the log of an analysis that ended before it told anything.
pub fn render_failure(reason: &str, out: &mut dyn Write) -> io::Result<()> {
    let notification = Notification { level: "error", message: text(reason), locations: Vec::new() };
    let run = Run {
        tool: Tool { driver: Driver { name: "harp", version: env!("CARGO_PKG_VERSION"), rules: Vec::new() } },
        invocations: [Invocation { execution_successful: false, tool_execution_notifications: vec![notification] }],
        results: Vec::new(),
        column_kind: "unicodeCodePoints",
        properties: json!({}),
    };
    json::write(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }, out)
}

/// The number of each rule in the log.
type RuleIndex<'a> = BTreeMap<&'a str, usize>;

/// Writes a log with the report's findings as results, and those that stand `further` beside them.
fn write<'a>(
    report: &Report<'a>,
    further: &[&'a Finding],
    results: impl FnOnce(&RuleIndex<'a>) -> Vec<SarifResult<'a>>,
    (notes, detail): (&[String], Detail),
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules = rules(report, further);
    let index: RuleIndex<'a> = rules.iter().enumerate().map(|(index, rule)| (rule.id, index)).collect();
    let results = results(&index);
    let driver = Driver { name: "harp", version: env!("CARGO_PKG_VERSION"), rules };
    let run = Run {
        tool: Tool { driver },
        invocations: [invocation(report, notes)],
        results,
        column_kind: "unicodeCodePoints",
        properties: properties_of_run(report, detail),
    };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    json::write(&log, out)
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    results: Vec<SarifResult<'a>>,
    column_kind: &'static str,
    properties: Value,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Help<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_configuration: Option<Configuration>,
}

#[derive(Serialize)]
struct Help<'a> {
    text: &'a str,
    markdown: &'a str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<Value>,
    partial_fingerprints: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Value>,
    properties: Value,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Message,
    artifact_changes: Vec<ArtifactChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Message,
}

fn text(text: impl Into<String>) -> Message {
    Message { text: text.into() }
}

/// The described rules and those of the results that nobody described, by id.
fn rules<'a>(report: &Report<'a>, further: &[&'a Finding]) -> Vec<Rule<'a>> {
    let mut rules: BTreeMap<&str, Option<&RuleDescription>> = BTreeMap::new();
    let findings = report.findings.iter().chain(further.iter().copied());
    rules.extend(findings.map(|finding| (finding.rule.as_str(), None)));
    rules.extend(report.rules.iter().map(|rule| (rule.id.as_str(), Some(rule))));
    let rules = rules.into_iter().map(|(id, description)| Rule {
        id,
        short_description: description.map(|rule| text(&rule.title)),
        help: description
            .filter(|rule| !rule.page.is_empty())
            .map(|rule| Help { text: &rule.page, markdown: &rule.page }),
        default_configuration: description.map(|rule| Configuration { level: rule.severity.as_str() }),
    });
    rules.collect()
}

/// Files that were left out, what a reader must know, budgets that ran out, and answers that fit nothing, so that a log does not claim more than
/// was done.
fn invocation(report: &Report<'_>, notes: &[String]) -> Invocation {
    let skipped = report.summary.skipped.iter().map(|skipped| Notification {
        level: "warning",
        message: text(format!("{} was not analysed: {}", skipped.path, skipped.reason)),
        locations: skipped.uri.iter().map(|uri| whole_file(uri)).collect(),
    });
    let budgets = report.summary.budgets.iter();
    let budgets = budgets.map(|budget| Notification { level: "note", message: text(budget), locations: Vec::new() });
    let unused = report.summary.unused_answers.iter().map(|unused| {
        let message = format!("{}: this answer fits no assumption ({})", unused.place, unused.standing.as_str());
        Notification { level: "note", message: text(message), locations: Vec::new() }
    });
    let notices = report.summary.notices.iter().map(|notice| notice.text.as_str());
    // A review tells the notices of its new side among its notes.
    let mut told: Vec<&str> = notices.chain(notes.iter().map(String::as_str)).collect();
    told.sort_unstable();
    told.dedup();
    let told = told.into_iter();
    let told = told.map(|note| Notification { level: "note", message: text(note), locations: Vec::new() });
    let notifications = skipped.chain(told).chain(budgets).chain(unused);
    Invocation { execution_successful: true, tool_execution_notifications: notifications.collect() }
}

fn whole_file(uri: &str) -> Location {
    let artifact_location = ArtifactLocation { uri: uri.to_owned() };
    Location {
        id: None,
        physical_location: PhysicalLocation { artifact_location, region: None },
        message: None,
        properties: None,
    }
}

fn result<'a>(finding: &'a Finding, index: &RuleIndex<'_>, sources: &dyn Sources) -> SarifResult<'a> {
    let labels = finding.labels.iter().enumerate();
    let related = labels.map(|(id, label)| location(Some(id), label.span, &label.text, sources));
    SarifResult {
        rule_id: &finding.rule,
        rule_index: index.get(finding.rule.as_str()).copied().unwrap_or_default(),
        level: finding.severity.as_str(),
        baseline_state: None,
        message: text(message(finding)),
        locations: [location(None, finding.primary.span, &finding.primary.text, sources)],
        related_locations: related.collect(),
        code_flows: path_steps::code_flows(finding, |step| json!(location(None, step.span, &step.text, sources))),
        partial_fingerprints: BTreeMap::from([("harp/v1", finding.fingerprint.as_str())]),
        fixes: fixes(finding, sources),
        suppressions: Vec::new(),
        properties: properties(finding, sources),
    }
}

/// A viewer often shows the message alone, so it carries when and for which values the finding holds.
fn message(finding: &Finding) -> String {
    let mut message = finding.message.clone();
    if let Some(condition) = &finding.condition {
        message.push_str(&format!("; fails when {condition}"));
    }
    if let Some(counterexample) = &finding.counterexample {
        message.push_str(&format!(", for example {counterexample}"));
    }
    for assumption in &finding.assumptions {
        message.push_str(&format!("; assumes {}", assumption.text));
    }
    message
}

fn properties(finding: &Finding, sources: &dyn Sources) -> Value {
    let assumptions = finding.assumptions.iter().map(|assumption| {
        let place = assumption.span.map(|span| super::text::whole_place(span, sources));
        json!({
            "kind": assumption.kind, "class": assumption.class, "subject": assumption.subject, "text": assumption.text,
            "evidence": assumption.evidence, "place": place,
        })
    });
    let mut properties = json!({
        "assumptions": assumptions.collect::<Vec<_>>(),
        "certain": finding.certain(),
        "condition": finding.condition,
        "counterexample": finding.counterexample,
        "notes": finding.notes,
        "help": finding.help,
        "suggestion": finding.suggestion,
    });
    if let Some(saving) = &finding.saving {
        properties["saving"] = saved(saving, sources);
    }
    properties
}

/// What a rewrite saves, under the names of the JSON form.
fn saved(saving: &Saving, sources: &dyn Sources) -> Value {
    let loops = saving.loops.iter().map(|around| {
        let place = super::text::whole_place(around.span, sources);
        json!({ "place": place, "trips": json::json_amount(&around.trips), "basis": around.basis.as_str() })
    });
    json!({
        "per_iteration": json::json_work(&saving.per_iteration),
        "in_all": json::json_work(&saving.in_all),
        "loops": loops.collect::<Vec<_>>(),
        "assumptions": saving.assumptions.iter().map(|assumption| &assumption.text).collect::<Vec<_>>(),
    })
}

fn fixes(finding: &Finding, sources: &dyn Sources) -> Vec<Fix> {
    let mut files: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    for edit in &finding.edits {
        files.entry(edit.span.file).or_default().push(edit);
    }
    // A region of a notebook is one of a cell, and an artifact is a file.
    let is_in_cell = |edit: &Edit| sources.position(edit.span.file, edit.span.start).cell.is_some();
    if files.is_empty() || finding.edits.iter().any(is_in_cell) {
        return Vec::new();
    }
    let changes = files.into_iter().map(|(file, edits)| ArtifactChange {
        artifact_location: artifact(file, sources),
        replacements: edits.into_iter().map(|edit| replacement(edit, sources)).collect(),
    });
    let description = finding.help.clone().unwrap_or_else(|| "rewrite".to_owned());
    let properties = finding.applicability.as_ref().map(
        |applicability| json!({ "applicability": applicability.as_str(), "unsafeBecause": applicability.reason() }),
    );
    vec![Fix { description: text(description), artifact_changes: changes.collect(), properties }]
}

fn replacement(edit: &Edit, sources: &dyn Sources) -> Replacement {
    Replacement { deleted_region: region(edit.span, sources), inserted_content: text(&edit.replacement) }
}

fn location(id: Option<usize>, span: Span, label: &str, sources: &dyn Sources) -> Location {
    let cell = sources.position(span.file, span.start).cell;
    Location {
        id,
        physical_location: PhysicalLocation {
            artifact_location: artifact(span.file, sources),
            region: Some(region(span, sources)),
        },
        message: (!label.is_empty()).then(|| text(label)),
        // A region counts lines from the start of the cell; SARIF itself knows no cells.
        properties: cell.map(|cell| json!({ "cell": cell })),
    }
}

fn region(span: Span, sources: &dyn Sources) -> Region {
    let start = sources.position(span.file, span.start);
    let mut end = sources.position(span.file, span.end.max(span.start));
    if (end.cell, end.line) < (start.cell, start.line) || end.cell != start.cell {
        end = start;
    }
    Region { start_line: start.line, start_column: start.column, end_line: end.line, end_column: end.column }
}

/// Relative paths stay relative, so that the log can be read in another checkout.
fn artifact(file: FileId, sources: &dyn Sources) -> ArtifactLocation {
    ArtifactLocation { uri: sources.uri(file).into_owned() }
}

fn properties_of_run(report: &Report<'_>, detail: Detail) -> Value {
    let mut properties = json!({ "notUnderstood": not_understood(report), "complexities": complexities(report) });
    if detail == Detail::Full {
        properties["entries"] = entries(report).into();
    }
    properties
}

fn entries(report: &Report<'_>) -> Vec<Value> {
    use super::summary::Verdict;
    let entries = report.summary.entries.iter().map(|entry| {
        let (verdict, why) = match &entry.verdict {
            Verdict::NoErrorPossible => ("no error possible", Vec::new()),
            Verdict::NoErrorWhen(condition) => ("no error possible when", vec![condition.clone()]),
            Verdict::NoErrorBeside { calls, condition } => {
                ("no error possible beside", condition.iter().chain(calls).cloned().collect())
            }
            Verdict::Error => ("error", Vec::new()),
            Verdict::ErrorWhen(condition) => ("error when", vec![condition.clone()]),
            Verdict::DontKnow(reasons) => ("don't know", reasons.clone()),
        };
        let place = super::text::whole_place(entry.span, report.sources);
        json!({ "name": entry.name, "place": place, "verdict": verdict, "why": why })
    });
    entries.collect()
}

fn not_understood(report: &Report<'_>) -> Vec<Value> {
    let unknown = report.summary.not_understood.iter();
    unknown.map(|unknown| json!({ "what": unknown.what, "count": unknown.count })).collect()
}

fn complexities(report: &Report<'_>) -> Vec<Value> {
    let complexities = report.summary.complexities.iter();
    complexities.map(|one| json!({ "kind": one.kind, "places": one.places, "notFollowed": one.not_followed })).collect()
}
