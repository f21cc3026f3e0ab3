//! Every place that the findings and the summary of a report speak of.

use harp_corpus::Span;

use crate::finding::{Assumption, Finding};
use crate::summary::Summary;

/// Shows every place that a finding speaks of, to be changed.
pub fn in_finding(finding: &mut Finding, change: &mut dyn FnMut(&mut Span)) {
    change(&mut finding.primary.span);
    finding.labels.iter_mut().chain(&mut finding.origins).for_each(|label| change(&mut label.span));
    finding.assumptions.iter_mut().for_each(|assumption| in_assumption(assumption, change));
    finding.path.iter_mut().for_each(|step| change(&mut step.span));
    let nodes = finding.explanation.iter_mut().flat_map(|explanation| &mut explanation.slice.nodes);
    nodes.filter_map(|node| node.span.as_mut()).for_each(&mut *change);
    if let Some(saving) = &mut finding.saving {
        saving.loops.iter_mut().for_each(|around| change(&mut around.span));
        saving.assumptions.iter_mut().for_each(|assumption| in_assumption(assumption, change));
    }
    finding.edits.iter_mut().chain(&mut finding.remedy).for_each(|edit| change(&mut edit.span));
}

fn in_assumption(assumption: &mut Assumption, change: &mut dyn FnMut(&mut Span)) {
    assumption.span.as_mut().map(change).unwrap_or_default();
}

/// Shows every place that a summary speaks of, to be changed.
pub fn in_summary(summary: &mut Summary, change: &mut dyn FnMut(&mut Span)) {
    for entry in &mut summary.entries {
        change(&mut entry.span);
        entry.assumptions.iter_mut().for_each(|assumption| in_assumption(assumption, change));
    }
    for unknown in &mut summary.not_understood {
        unknown.example.as_mut().map(&mut *change).unwrap_or_default();
    }
    summary.complexities.iter_mut().for_each(|complexity| change(&mut complexity.example));
    summary.silenced.iter_mut().for_each(|alarm| change(&mut alarm.span));
    summary.rewrites.withheld.iter_mut().for_each(|withheld| change(&mut withheld.span));
    summary.in_source.iter_mut().for_each(|finding| in_finding(finding, change));
    summary.answered.iter_mut().for_each(|answered| in_assumption(&mut answered.assumption, change));
}
