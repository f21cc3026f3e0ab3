//! Turns the interpreter's trace into findings and a summary: requirements with their operands, revealed types,
//! verdicts, what was not understood.

use std::collections::BTreeSet;

use harp_corpus::Span;
use harp_graph::Facts;
use harp_report::{
    Assumption, CALLED_FROM, Complexity, Edit, EntryVerdict, Finding, Label, NotUnderstood, REVEAL_RULE, Severity,
    SilencedAlarm, Summary, TrainingStep, Verdict,
};
use harp_trace::assumption::AssumptionSet;
use harp_trace::complexity::Treatment;
use harp_trace::told_conditions::ToldCondition;
use harp_trace::{EntryResult, Issue, IssueKind, Operand, Trace};

use crate::pipeline::stopped_at;
use crate::rule_findings::given;

/// A chain of calls longer than this is shown by its ends.
const LONGEST_CHAIN: usize = 6;
/// A verdict names so many conditions.
const MOST_CONDITIONS: usize = 4;

/// Adds to a finding what is known of the requirement that it speaks of.
pub fn describe(issue: &Issue, trace: &Trace, finding: &mut Finding) {
    if finding.primary.text.is_empty() {
        finding.primary.text = primary_text(issue);
    }
    if let Some(inside) = issue.inside {
        finding.labels.push(Label::new(inside, "this fails inside the package"));
    }
    for operand in &issue.operands {
        describe_operand(operand, finding);
    }
    let origins = issue.operands.iter().filter_map(|operand| operand.shaped_by.as_ref());
    finding.origins.extend(
        origins.map(|(class, span)| Label::new(*span, format!("the `{class}` that gives the operand its shape"))),
    );
    for (fact, place) in &issue.because {
        finding.labels.push(Label::new(*place, format!("because `{fact}` is known from here")));
    }
    if let Some((class, span)) = &issue.module_origin {
        finding.labels.push(Label::new(*span, format!("`{class}` created here")));
    }
    describe_calls(issue, trace, finding);
    for (note, place) in &issue.notes {
        finding.notes.push(note.clone());
        if *place == issue.span {
            continue;
        }
        finding.labels.push(Label::new(*place, "mini-batches created here"));
    }
    let told = ToldCondition::of(&issue.conditions);
    (finding.condition, finding.path_conditions) = (told.text, told.left_out);
    if finding.help.is_none() {
        finding.help.clone_from(&issue.help);
        let edit = |(span, replacement): (Span, String)| Edit { span, replacement };
        finding.remedy = issue.edit.clone().map(edit);
    }
    finding.counterexample = issue.counterexample.clone().filter(|example| !example.is_empty());
    // One place may be the origin of several operands.
    let mut seen = Vec::new();
    finding.labels.retain(|label| {
        let is_new = !seen.contains(label) && *label != finding.primary;
        seen.push(label.clone());
        is_new
    });
}

fn primary_text(issue: &Issue) -> String {
    match issue.kind {
        _ if issue.inside.is_some() => format!("`{}` fails inside this call", issue.api),
        IssueKind::Violated if issue.conditions.is_empty() => format!("`{}` fails here", issue.api),
        IssueKind::Violated | IssueKind::Possible => format!("`{}` may fail here", issue.api),
        IssueKind::SuspiciousBroadcast => format!("`{}` broadcasts its operands here", issue.api),
        IssueKind::WrongAnnotation => "the annotation".to_owned(),
    }
}

fn describe_operand(operand: &Operand, finding: &mut Finding) {
    let mut text = format!("`{}` is {}", operand.name, operand.shape);
    let mut origin = operand.origin.as_ref().filter(|(_, span)| *span != finding.primary.span);
    if let Some((what, span)) = origin
        && operand.span == Some(*span)
    {
        text.push_str(&format!(", from {what}"));
        origin = None;
    }
    match operand.span {
        Some(span) if span != finding.primary.span => finding.labels.push(Label::new(span, text)),
        _ => {
            finding.primary.text.push_str("; ");
            finding.primary.text.push_str(&text);
        }
    }
    if let Some((what, span)) = origin {
        finding.labels.push(Label::new(*span, format!("{} comes from {what}", operand.shape)));
    }
}

/// The calls that led there, the innermost first. What nobody calls is called by the analysis, which has no place.
fn describe_calls(issue: &Issue, trace: &Trace, finding: &mut Finding) {
    let is_own = |span: &Span| !trace.entries.iter().any(|entry| entry.span == *span);
    let calls: Vec<_> = issue.calls.iter().rev().copied().filter(is_own).collect();
    let shown = calls.len().min(LONGEST_CHAIN);
    finding.labels.extend(calls[..shown].iter().map(|span| Label::new(*span, CALLED_FROM)));
    if calls.len() > shown {
        finding.notes.push(format!("{} more calls lead there", calls.len() - shown));
    }
}

/// The notes that `reveal_type(x)` in the analysed code asks for.
pub fn reveals(trace: &Trace, facts: &Facts) -> Vec<Finding> {
    let reveal = |reveal: &harp_trace::Reveal| {
        let mut finding = Finding::new(REVEAL_RULE, Severity::Note, &reveal.text, Label::new(reveal.span, ""));
        finding.assumptions = assumptions(&reveal.assumptions, facts);
        finding
    };
    trace.reveals.iter().map(reveal).collect()
}

fn assumptions(set: &AssumptionSet, facts: &Facts) -> Vec<Assumption> {
    set.iter().map(|id| given(id.0, facts)).collect()
}

/// Adds what the run covered.
pub fn summarise(trace: &Trace, facts: &Facts, summary: &mut Summary) {
    for entry in &trace.entries {
        summary.entries.push(EntryVerdict {
            name: entry.name.clone(),
            span: entry.span,
            verdict: verdict(entry, trace),
            inputs: entry.inputs.iter().map(|input| (input.name.clone(), input.form.clone())).collect(),
            training_step: entry.training_step.map(|step| match step {
                harp_trace::TrainingStep::Reached => TrainingStep::Reached,
                harp_trace::TrainingStep::NotReached => TrainingStep::NotReached,
                harp_trace::TrainingStep::None => TrainingStep::None,
            }),
            assumptions: assumptions(&entry.assumptions, facts),
        });
        if let Some(budget) = entry.exhausted {
            summary.budgets.push(format!("{}: {}", entry.name, stopped_at(budget)));
        }
    }
    for (what, met) in &trace.not_understood {
        let count = met.places.len() as u64;
        summary.not_understood.push(NotUnderstood { what: what.clone(), count, example: Some(met.first) });
    }
    summary.complexities = complexities(trace);
    summary.silenced = silenced(trace);
    summary.is_silenced_cut = trace.silenced.is_cut();
}

/// Alarms that a filter silences on every way: what is reported all the same is not silenced.
fn silenced(trace: &Trace) -> Vec<SilencedAlarm> {
    let reported: BTreeSet<(Span, &str)> = trace
        .issues
        .iter()
        .filter(|issue| issue.kind.is_error())
        .map(|issue| (issue.span, issue.api.as_str()))
        .collect();
    let silenced = trace.silenced.iter().filter(|(span, _, alarm)| !reported.contains(&(*span, alarm.api.as_str())));
    silenced
        .map(|(span, filter, alarm)| SilencedAlarm {
            span,
            filter,
            what: format!("`{}`: {}", alarm.api, alarm.requirement),
            is_inside: alarm.is_inside,
        })
        .collect()
}

/// How often each kind of difficulty occurs, and how often it was not followed.
fn complexities(trace: &Trace) -> Vec<Complexity> {
    let mut counts: Vec<Complexity> = Vec::new();
    for (kind, span, treatment) in trace.complexities.iter() {
        let kind = kind.as_str();
        if counts.last().is_none_or(|last| last.kind != kind) {
            counts.push(Complexity { kind, places: 0, not_followed: 0, example: span });
        }
        let Some(last) = counts.last_mut() else { continue };
        last.places += 1;
        if treatment == Treatment::NotFollowed {
            if last.not_followed == 0 {
                last.example = span;
            }
            last.not_followed += 1;
        }
    }
    counts
}

/// An error that was found stands, whatever else was not understood; without one, code that was not understood is never called free of errors.
fn verdict(entry: &EntryResult, trace: &Trace) -> Verdict {
    let issues: Vec<&Issue> = entry.issues.iter().filter_map(|index| trace.issues.get(*index)).collect();
    let errors = issues.iter().filter(|issue| issue.kind.is_error());
    let mut conditions: Vec<String> = Vec::new();
    for issue in errors {
        if issue.kind == IssueKind::Violated && issue.conditions.is_empty() {
            return Verdict::Error;
        }
        let condition = ToldCondition::of(&issue.conditions).text.unwrap_or_default();
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    if !conditions.is_empty() {
        return Verdict::ErrorWhen(conditions.join(", or "));
    }
    let mut reasons: Vec<String> = entry.exhausted.iter().map(|budget| stopped_at(budget)).collect();
    for (what, _) in &entry.not_understood {
        if !reasons.contains(what) {
            reasons.push(what.clone());
        }
    }
    let mut calls: Vec<String> = Vec::new();
    for (what, _) in &entry.not_followed {
        if !calls.contains(what) {
            calls.push(what.clone());
        }
    }
    match (reasons.is_empty(), provided(&entry.provided)) {
        (false, _) => {
            reasons.extend(calls.into_iter().filter(|call| !entry.not_understood.iter().any(|(what, _)| what == call)));
            Verdict::DontKnow(reasons)
        }
        (true, condition) if !calls.is_empty() => Verdict::NoErrorBeside { calls, condition },
        (true, Some(condition)) => Verdict::NoErrorWhen(condition),
        (true, None) => Verdict::NoErrorPossible,
    }
}

/// What must hold so that nothing fails, in one sentence.
fn provided(conditions: &[String]) -> Option<String> {
    let is_one = conditions.len() == 1;
    let apart = |condition: &String| match !is_one && condition.contains(" or ") && !condition.starts_with('(') {
        true => format!("({condition})"),
        false => condition.clone(),
    };
    let shown = conditions.iter().take(MOST_CONDITIONS).map(apart).collect::<Vec<_>>().join(" and ");
    match conditions.len().saturating_sub(MOST_CONDITIONS) {
        _ if conditions.is_empty() => None,
        0 => Some(shown),
        more => Some(format!("{shown} and {more} more of its kind hold")),
    }
}
