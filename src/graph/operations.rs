//! What the interpreter found out, as rows: operations and edges, requirements, entries, assumptions.

use crate::graph::Program;
use crate::graph::facts::{FactAssumption, Facts, Symbol};
use crate::graph::schema::Relation;
use crate::interp::trace::{Issue, IssueKind};

/// The trace's assumptions, under their own numbers.
pub fn add_assumptions(program: Program<'_>, facts: &mut Facts) {
    for (id, assumption) in program.trace.assumptions.iter() {
        facts.assume(FactAssumption {
            kind: assumption.kind.as_str().to_owned(),
            subject: assumption.subject.clone(),
            text: assumption.text.clone(),
            evidence: assumption.evidence.clone(),
            span: Some(assumption.span),
        });
        if facts.wants(Relation::Assumption) {
            let kind = facts.symbol(assumption.kind.as_str());
            let subject = facts.symbol(&assumption.subject);
            let sentence = facts.symbol(&assumption.text);
            let row = [i64::from(id.0).into(), kind.into(), subject.into(), sentence.into()];
            facts.add(Relation::Assumption, row);
        }
    }
}

/// Requirements that do not hold, and the entries in which they were found.
pub fn add_requirements(program: Program<'_>, facts: &mut Facts) {
    let mut symbols = Vec::with_capacity(program.trace.issues.len());
    for (index, issue) in program.trace.issues.iter().enumerate() {
        symbols.push(add_requirement(program, facts, index, issue));
    }
    if !facts.wants_any(&[Relation::Entry, Relation::EntryRequirement, Relation::NotUnderstood]) {
        return;
    }
    for entry in &program.trace.entries {
        let place = facts.statement(program.corpus, entry.span);
        let name = facts.symbol(&entry.name);
        facts.add(Relation::Entry, [place.into(), name.into()]);
        for issue in &entry.issues {
            if let Some(requirement) = symbols.get(*issue) {
                facts.add(Relation::EntryRequirement, [place.into(), (*requirement).into()]);
            }
        }
        for (what, _) in &entry.not_understood {
            let what = facts.symbol(what);
            facts.add(Relation::NotUnderstood, [place.into(), what.into()]);
        }
    }
}

fn add_requirement(program: Program<'_>, facts: &mut Facts, index: usize, issue: &Issue) -> Symbol {
    let expression = facts.expression(program.corpus, issue.span);
    let text = format!("{}!{index}", facts.text(expression));
    let requirement = facts.named_place(&text, issue.span);
    facts.requirements.insert(requirement, index);
    let ids: Vec<u32> = issue.assumptions.iter().map(|id| id.0).collect();
    let (api, message) = (facts.symbol(issue.api.as_str()), facts.symbol(&issue.message));
    facts.add(Relation::Requirement, [requirement.into(), api.into(), message.into()]);
    match issue.kind {
        // On a branch that may not be taken, it is violated where the branch is.
        IssueKind::Violated if issue.conditions.is_empty() => {
            facts.add_assuming(Relation::Violated, [requirement.into()], &ids);
        }
        IssueKind::Violated | IssueKind::Possible => {
            let condition = facts.symbol(&issue.conditions.join(" and "));
            facts.add_assuming(Relation::Possible, [requirement.into(), condition.into()], &ids);
        }
        IssueKind::SuspiciousBroadcast => {
            facts.add_assuming(Relation::SuspiciousBroadcast, [requirement.into()], &ids);
        }
    }
    requirement
}
