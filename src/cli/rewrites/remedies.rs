//! Checks a rewrite that a finding's help names on the whole program: a layer that is made otherwise may fail at its
//! other calls, and an operand that fits its operation may not fit the next one. What the program does not confirm is
//! not told.

use std::collections::BTreeMap;

use harp_corpus::{FileId, Provenance, Replacements, Span};
use harp_python::name::Name;
use harp_report::{Edit, Finding};
use harp_trace::{IssueKind, Trace};

use super::{Recheck, StepsLeft, replacements};
use crate::pipeline::{self, Extent};
use crate::progress::Progress;

/// So many remedies are tried in a run: each costs an analysis of the files that it may concern. `docs/output.md` says so.
const MOST_REMEDIES: usize = 20;

/// Where requirements fail, in the places of the text that was not edited, and how often.
type Failures = BTreeMap<(FileId, Provenance), Vec<Failure>>;

#[derive(PartialEq, Eq)]
struct Failure {
    api: Name,
    message: String,
    /// Whether it fails whenever the program comes there.
    is_certain: bool,
}

impl Recheck<'_> {
    /// Tries the remedies of findings in their order, and takes away the help of those that are not confirmed.
    pub(super) fn check_remedies(&self, findings: &mut [Finding], left: &mut StepsLeft) {
        let before = failures(self.trace, None);
        // Findings of several places may ask for the same.
        let mut tried: BTreeMap<Edit, Option<Failures>> = BTreeMap::new();
        for finding in findings {
            let Some(edit) = finding.remedy.clone() else { continue };
            let is_new = !tried.contains_key(&edit);
            if is_new && tried.len() < MOST_REMEDIES && left.take(self.trace, edit.span.file, 1) {
                let after = self.failures_with(&edit);
                tried.insert(edit.clone(), after);
            }
            let after = tried.get(&edit).and_then(Option::as_ref);
            if !after.is_some_and(|after| is_mended(&before, after, finding)) {
                finding.help = None;
                finding.remedy = None;
            }
        }
    }

    /// What fails with an edit; `None` where not all of the program is followed then.
    fn failures_with(&self, edit: &Edit) -> Option<Failures> {
        let file = edit.span.file;
        let edits = replacements(std::slice::from_ref(edit)).ok()?;
        let checked = self.files_that_reach(file);
        let (subject, options) = self.edited(file, &edits, &checked)?;
        let examined = |examined: pipeline::Examined<'_>| {
            let trace = examined.program.trace;
            let is_complete = examined.syntax_errors.is_empty()
                && examined.defects.is_empty()
                && trace.entries.iter().all(|entry| entry.exhausted.is_none());
            is_complete.then(|| failures(trace, Some((file, &edits))))
        };
        pipeline::examine(&subject, None, Extent::Findings, &options, &Progress::hidden(), examined)
    }
}

fn failures(trace: &Trace, edited: Option<(FileId, &Replacements)>) -> Failures {
    let place = |span: Span| match edited {
        Some((file, edits)) if file == span.file => (file, edits.provenance(span.start)),
        _ => (span.file, Provenance::Kept(span.start)),
    };
    let mut failures = Failures::new();
    for issue in &trace.issues {
        failures.entry(place(issue.span)).or_default().push(Failure {
            api: issue.api,
            message: issue.message.clone(),
            is_certain: issue.kind == IssueKind::Violated && issue.conditions.is_empty(),
        });
    }
    failures
}

/// Whether a finding is gone, and nothing fails where nothing failed before. Behind what fails for certain, something may come to light that fails
/// under a condition.
fn is_mended(before: &Failures, after: &Failures, finding: &Finding) -> bool {
    let target = (finding.primary.span.file, Provenance::Kept(finding.primary.span.start));
    // What is named otherwise in the edited program may be the same failure: of the place itself, that one fails less is asked.
    let count = |failures: &Failures, place| failures.get(place).map_or(0, Vec::len);
    let has_less = count(after, &target) < count(before, &target);
    let same = before.get(&target).and_then(|known| known.iter().find(|failure| failure.message == finding.message));
    // What fails alike elsewhere has one cause with it, which is not here.
    let is_same = |other: &Failure| same.is_some_and(|same| (other.api, &other.message) == (same.api, &same.message));
    let is_alone = !after.values().flatten().any(is_same);
    let is_certain = same.is_some_and(|same| same.is_certain);
    let counts = |failure: &&Failure| failure.is_certain || !is_certain;
    has_less
        && is_alone
        && after.iter().all(|(place, failing)| failing.iter().filter(counts).count() <= count(before, place))
}
