//! Turns what an analysis found into rows.

use std::time::Duration;

use harp_corpus::{Corpus, Span};
use harp_limits::Ceiling;
use harp_report::{Assumption, Edit, Finding, Sources, Summary, TrainingStep, Verdict, Work};
use harp_tables::rows::{self, Entries, Place, Repository, Status};

use crate::pipeline::{self, Analysis};

/// Of a line of code, a table has so many characters.
const LONGEST_CODE: usize = 200;
/// Of the reasons why a repository was analysed in part, a table has so many.
const MOST_REASONS: usize = 5;

/// What is known of a repository. `late` is its time, where that ran out.
pub(super) fn repository(analysis: &Analysis, late: Option<Duration>) -> Repository {
    let Analysis { corpus, summary, findings, .. } = analysis;
    let (status, reason) = status(analysis, late);
    let mut findings: Vec<rows::Finding> = findings.iter().map(|it| finding(it, corpus)).collect();
    findings.sort_by(|left, right| (&left.place, &left.rule).cmp(&(&right.place, &right.rule)));
    Repository {
        status,
        reason,
        files: summary.files as u64,
        lines: summary.lines as u64,
        skipped: summary.skipped.len() as u64,
        entries: entries(summary),
        training_step: training_step(summary),
        not_understood: summary.not_understood.iter().map(|it| it.count).sum(),
        cpu_ms: None,
        peak_memory: None,
        paths: corpus.files.iter().map(|file| file.display_path.clone()).collect(),
        findings,
    }
}

fn status(analysis: &Analysis, late: Option<Duration>) -> (Status, String) {
    let summary = &analysis.summary;
    let defects = analysis.defects.messages();
    let skipped = summary.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason));
    let incomplete = summary.incomplete_rules.iter().map(|rule| format!("{rule} was stopped"));
    let errors = analysis.errors.iter().chain(&defects).map(|error| error.message.clone());
    let time = late.map(|time| format!("its {} seconds ran out", time.as_secs_f64()));
    let mut reasons: Vec<String> =
        time.into_iter().chain(errors).chain(summary.budgets.iter().cloned()).chain(incomplete).collect();
    // What decides the status is among those that are told.
    reasons.sort_by_key(|reason| !is_of_memory(reason));
    let status = match () {
        () if late.is_some() => Status::Time,
        () if reasons.first().is_some_and(|reason| is_of_memory(reason)) => Status::Memory,
        () if !defects.is_empty() => Status::Crash,
        () if reasons.is_empty() && summary.skipped.is_empty() => Status::Ok,
        () => Status::Partial,
    };
    reasons.extend(skipped);
    let more = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    if more > 0 {
        reasons.push(format!("{more} more"));
    }
    (status, reasons.join("; "))
}

/// Whether a reason says that memory ran out; names of the program stand before what it says.
fn is_of_memory(reason: &str) -> bool {
    let name = Ceiling::Memory.name();
    let endings = [pipeline::stopped_at(name), format!(": {name}"), format!("{name} ran out")];
    endings.iter().any(|end| reason.ends_with(end))
}

fn entries(summary: &Summary) -> Entries {
    let mut entries = Entries::default();
    for entry in &summary.entries {
        *match entry.verdict {
            Verdict::NoErrorPossible | Verdict::NoErrorWhen(_) | Verdict::NoErrorBeside { .. } => &mut entries.no_error,
            Verdict::Error | Verdict::ErrorWhen(_) => &mut entries.error,
            Verdict::DontKnow(_) => &mut entries.unknown,
        } += 1;
    }
    entries
}

/// The best that is known of a script.
fn training_step(summary: &Summary) -> Option<String> {
    let known: Vec<TrainingStep> = summary.entries.iter().filter_map(|entry| entry.training_step).collect();
    let best = [TrainingStep::Reached, TrainingStep::NotReached, TrainingStep::None];
    best.into_iter().find(|step| known.contains(step)).map(|step| step.as_str().to_owned())
}

fn finding(finding: &Finding, corpus: &Corpus) -> rows::Finding {
    let span = finding.primary.span;
    rows::Finding {
        place: place(span, corpus),
        rule: finding.rule.clone(),
        severity: finding.severity.as_str().to_owned(),
        certain: finding.certain(),
        condition: finding.condition.clone(),
        fingerprint: finding.fingerprint.clone(),
        message: finding.message.clone(),
        help: finding.help.clone(),
        code: code(span, corpus),
        assumptions: finding.assumptions.iter().map(assumption).collect(),
        saving: finding.saving.as_ref().map(|saving| self::saving(&saving.in_all)),
        edits: finding.edits.iter().map(|it| edit(it, corpus)).collect(),
        applicability: finding.applicability.as_ref().map(|it| it.as_str().to_owned()),
    }
}

fn place(span: Span, corpus: &Corpus) -> Place {
    let (start, end) = (corpus.position(span.file, span.start), corpus.position(span.file, span.end));
    Place {
        path: Sources::name(corpus, span.file).to_owned(),
        cell: start.cell,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}

/// The line in which a place begins, shortened.
fn code(span: Span, corpus: &Corpus) -> String {
    let text = Sources::text(corpus, span.file);
    let line = text.get(Sources::line(corpus, span.file, span.start as usize)).unwrap_or_default().trim();
    match line.char_indices().nth(LONGEST_CODE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn assumption(assumption: &Assumption) -> rows::Assumption {
    let Assumption { kind, subject, text, evidence, .. } = assumption;
    rows::Assumption { kind: kind.clone(), subject: subject.clone(), text: text.clone(), evidence: evidence.clone() }
}

fn saving(work: &Work) -> rows::Saving {
    let Work { calls, bytes, flops, syncs } = work;
    let named = [("calls", calls), ("bytes", bytes), ("flops", flops), ("syncs", syncs)];
    let told = named.iter().filter_map(|(name, amount)| Some(format!("{} {name}", amount.as_ref()?)));
    let text = told.collect::<Vec<_>>().join(", ");
    let [calls, bytes, flops, syncs] = named.map(|(_, amount)| amount.as_ref().and_then(|it| it.number()));
    rows::Saving { calls, bytes, flops, syncs, text }
}

fn edit(edit: &Edit, corpus: &Corpus) -> rows::Edit {
    rows::Edit { place: place(edit.span, corpus), replacement: edit.replacement.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_program_are_no_reasons() {
        let is_told = is_of_memory;
        assert!(is_told("train.py: stopped at the memory limit (`--memory`)"));
        assert!(is_told("the relation `edge`: memory"));
        assert!(is_told("acme/loop was stopped: memory ran out"));
        assert!(!is_told("replay_memory.sample: stopped at the step limit (`--effort high` or `--steps`)"));
        assert!(!is_told("memory.py: a binary file"));
    }
}
