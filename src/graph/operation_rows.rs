//! What the interpreter found out, as rows: operations and edges, requirements, entries, assumptions.

use std::collections::BTreeMap;

use crate::facts::{FactAssumption, Facts, Symbol, Wanted};
use crate::host::Host;
use crate::host_rows::source;
use crate::rows_of_operation::{self, OfAll, RowsOfOperation};
use crate::schema::Relation;
use crate::{Program, callee, executions, value_rows};
use harp_corpus::Span;
use harp_python::start_of_last_link;
use harp_trace::{Issue, IssueKind, Operand, OperationRecord};

/// The relations of operations that tell no shape: what runs where, and what is given to what.
const OF_PLACES: [Relation; 32] = [
    Relation::Operation,
    Relation::OperationStmt,
    Relation::Edge,
    Relation::OutputMutability,
    Relation::InputDevice,
    Relation::OperationIn,
    Relation::EveryIteration,
    Relation::Iteration,
    Relation::ValueNumber,
    Relation::Sequence,
    Relation::OperationCall,
    Relation::ControlInput,
    Relation::RequiredBy,
    Relation::State,
    Relation::Input,
    Relation::Output,
    Relation::Source,
    Relation::PartOf,
    Relation::Attribute,
    Relation::AttributeNumber,
    Relation::Evaluates,
    Relation::Execution,
    Relation::Feeds,
    Relation::Fetches,
    Relation::Updates,
    Relation::BuildsGraph,
    Relation::OperationObject,
    Relation::Object,
    Relation::ObjectAttribute,
    Relation::ObjectNumber,
    Relation::Holds,
    Relation::MethodOf,
];

/// Those that tell shapes, or what follows from them.
const OF_SHAPES: [Relation; 12] = [
    Relation::OutputShape,
    Relation::OutputDim,
    Relation::OutputRank,
    Relation::OutputDtype,
    Relation::OutputDevice,
    Relation::InputShape,
    Relation::Transfer,
    Relation::DefaultSize,
    Relation::ValueShape,
    Relation::ValueDim,
    Relation::ValueRank,
    Relation::ValueDtype,
];

/// Whether somebody asks for the tensors that operations take and give, or for the shapes of expressions.
pub fn are_tensors_wanted(wanted: &Wanted) -> bool {
    OF_SHAPES.iter().chain(&[Relation::ExprShape]).any(|relation| wanted.has(*relation))
}

/// Whether somebody asks for the arguments of operations, or for objects.
pub fn are_details_wanted(wanted: &Wanted) -> bool {
    value_rows::are_details_wanted(|relation| wanted.has(relation))
}

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

/// Of a chain of methods on several lines the last, as Python's own message has it.
fn failing_part(program: Program<'_>, span: Span) -> Span {
    let text = program.corpus.file(span.file).and_then(|file| file.text.get(span.start as usize..span.end as usize));
    let start = text.and_then(start_of_last_link).and_then(|start| u32::try_from(start).ok());
    start.map_or(span, |start| Span { start: span.start + start, ..span })
}

fn add_requirement(program: Program<'_>, facts: &mut Facts, index: usize, issue: &Issue) -> Symbol {
    let expression = facts.expression(program.corpus, issue.span);
    let text = format!("{}!{index}", facts.text(expression));
    let requirement = facts.named_place(&text, failing_part(program, issue.span));
    facts.requirements.insert(requirement, index);
    let ids: Vec<u32> = issue.assumptions.iter().map(|id| id.0).collect();
    let (api, message) = (facts.symbol(issue.api.as_str()), facts.symbol(&issue.message));
    facts.add(Relation::Requirement, [requirement.into(), api.into(), message.into()]);
    let subject = facts.symbol(issue.subject.name());
    facts.add(Relation::RequirementAbout, [requirement.into(), subject.into()]);
    if facts.wants(Relation::Operand) {
        for operand in &issue.operands {
            let made_by = facts.symbol(made_by(program, operand));
            let (parameter, shape) = (facts.symbol(&operand.name), facts.symbol(&operand.shape));
            let row = [requirement.into(), parameter.into(), shape.into(), made_by.into()];
            facts.add(Relation::Operand, row);
        }
    }
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
        IssueKind::WrongAnnotation => {
            facts.add_assuming(Relation::WrongAnnotation, [requirement.into()], &ids);
        }
    }
    requirement
}

/// The API that gave an operand its shape: operations on each element are looked through.
fn made_by<'a>(program: Program<'a>, operand: &'a Operand) -> &'a str {
    let Some((api, span)) = &operand.origin else { return "" };
    let own = program.trace.operation(operand.operation).map(|record| record.shape_from);
    let (api, span) = match own.and_then(|before| program.trace.operation(before)) {
        Some(before) => (before.api.as_str(), before.span),
        None => (api.as_str(), *span),
    };
    let text = source(program, span);
    let is_new_axis = api.ends_with("__getitem__") && (text.contains("None") || text.contains("newaxis"));
    if is_new_axis { "newaxis" } else { api }
}

/// Executions of APIs, the tensors that flow between them, and what controls them.
pub fn add_operations(program: Program<'_>, host: &Host, facts: &mut Facts) {
    use Relation as R;
    if !facts.wants_any(&OF_PLACES) && !facts.wants_any(&OF_SHAPES) {
        return;
    }
    let mut of_all = OfAll::default();
    of_all.prepare(program, host, |relation| facts.wants(relation));
    if facts.wants_any(&rows_of_operation::RELATIONS) {
        let all = 0..program.trace.operations.len();
        all.for_each(|index| RowsOfOperation::new(program, host, facts, index).add_wanted(&of_all));
    }
    value_rows::add_origins(program, facts);
    value_rows::add_objects(program, facts);
    executions::add(program, facts);
    if facts.wants(R::DefaultSize) {
        of_all.add_sizes(facts, None);
    }
    if facts.wants(R::RequiredBy) {
        for (requirement, index) in facts.requirements.clone().into_iter().collect::<BTreeMap<_, _>>() {
            let operation =
                program.trace.issues.get(index).and_then(|issue| (issue.operation.0 as usize).checked_sub(1));
            let Some(index) = operation.filter(|index| *index < program.trace.operations.len()) else { continue };
            let operation = operation_symbol(program, facts, index, &program.trace.operations[index]);
            facts.add(R::RequiredBy, [requirement.into(), operation.into()]);
        }
    }
}

/// The index in the trace of an operation's symbol.
pub fn index_of(facts: &Facts, symbol: Symbol) -> Option<usize> {
    if let Some(known) = facts.by_operation.get(&symbol) {
        return Some(*known);
    }
    let text = facts.text(symbol);
    let (_, number) = text.rsplit_once('#')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// `train.py:12:5-20#7`: several operations may run at one place.
pub fn operation_symbol(program: Program<'_>, facts: &mut Facts, index: usize, record: &OperationRecord) -> Symbol {
    if let Some(known) = facts.of_operations.get(index) {
        return known;
    }
    let expression = facts.expression(program.corpus, record.span);
    let text = format!("{}#{}", facts.text(expression), index + 1);
    let symbol = facts.named_place(&text, record.span);
    facts.of_operations.insert(index, symbol);
    facts.by_operation.insert(symbol, index);
    symbol
}

/// The numbers of what it rests on that an operation runs: a function that the program calls by its name runs whatever it is given.
pub fn grounds_of_run(program: Program<'_>, record: &OperationRecord) -> Vec<u32> {
    let site = program.trace.sites.get(&record.span);
    let is_named = site.is_some_and(|site| site.calls_object || site.library.contains(&record.api));
    if is_named && !callee::is_member(record.api.as_str()) { Vec::new() } else { grounds_of(record) }
}

/// The numbers of what an operation rests on.
pub fn grounds_of(record: &OperationRecord) -> Vec<u32> {
    record.assumptions.iter().map(|id| id.0).collect()
}
