//! What the interpreter found out, as rows: operations and edges, requirements, entries, assumptions.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::devices;
use crate::facts::{FactAssumption, Facts, Symbol, Wanted};
use crate::host::{Arm, Host, StatementId};
use crate::host_rows::source;
use crate::schema::Relation;
use crate::value_numbers::{self, Numbers};
use crate::{Program, callee, executions, value_rows};
use harp_annotations::ApiSpec;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_python::start_of_last_link;
use harp_shape::DType;
use harp_trace::ids::OperationId;
use harp_trace::{Given, Issue, IssueKind, Operand, OperationRecord};

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
    let changed = facts.wants(R::OutputMutability).then(|| changed_outputs(program));
    let mut of_all = OfAll::default();
    of_all.prepare(program, host, |relation| facts.wants(relation));
    let mut symbols = Vec::with_capacity(program.trace.operations.len());
    for (index, record) in program.trace.operations.iter().enumerate() {
        let operation = add_operation(program, host, facts, index, &of_all);
        symbols.push(operation);
        if let Some(changed) = &changed {
            let is_changed = changed.contains(&OperationId(index as u32 + 1));
            let mutability = facts.symbol(if is_changed { "mutable" } else { "constant" });
            let row = [operation.into(), mutability.into()];
            facts.add_assuming(R::OutputMutability, row, &grounds_of(record));
        }
        value_rows::add_values(program, facts, operation, record);
    }
    value_rows::add_origins(program, facts);
    value_rows::add_objects(program, facts);
    executions::add(program, facts);
    devices::add_default_sizes(program, facts);
    for (requirement, index) in facts.requirements.clone().into_iter().collect::<BTreeMap<_, _>>() {
        let operation = program.trace.issues.get(index).map(|issue| issue.operation);
        let symbol = operation.and_then(|id| (id.0 as usize).checked_sub(1)).and_then(|at| symbols.get(at));
        if let Some(symbol) = symbol {
            facts.add(R::RequiredBy, [requirement.into(), (*symbol).into()]);
        }
    }
}

/// What rows of single operations are made from that all of them tell together.
#[derive(Debug, Default)]
pub struct OfAll {
    numbers: Option<Numbers>,
    /// The statements that operations stand in, by the places of the operations.
    statements: Option<FxHashMap<Span, StatementId>>,
}

impl OfAll {
    /// Finds out what the wanted relations need.
    pub fn prepare(&mut self, program: Program<'_>, host: &Host, wants: impl Fn(Relation) -> bool) {
        if self.numbers.is_none() && [Relation::ValueNumber, Relation::Sequence].into_iter().any(&wants) {
            self.numbers = Some(Numbers::of(program));
        }
        if self.statements.is_none()
            && [Relation::OperationStmt, Relation::ControlInput, Relation::EveryIteration].into_iter().any(&wants)
        {
            self.statements = Some(statements_by_place(host));
        }
    }
}

/// An operation's name, API, what it is given and gives, and the statements, loops and calls around it.
pub fn add_operation(program: Program<'_>, host: &Host, facts: &mut Facts, index: usize, of_all: &OfAll) -> Symbol {
    use Relation as R;
    let record = &program.trace.operations[index];
    let operation = operation_symbol(program, facts, index, record);
    if facts.wants(R::Edge) {
        for Given { parameter, operation: from, .. } in &record.given {
            let Some(from) = (from.0 as usize).checked_sub(1) else { continue };
            let Some(before) = program.trace.operations.get(from) else { continue };
            let from = operation_symbol(program, facts, from, before);
            let parameter = facts.symbol(parameter.as_str());
            let row = [from.into(), operation.into(), parameter.into()];
            facts.add_assuming(R::Edge, row, &grounds_of_run(program, record));
        }
    }
    if facts.wants(R::Iteration) {
        value_numbers::add_iterations(program, facts, operation, record);
    }
    if let Some(numbers) = &of_all.numbers {
        numbers.add(facts, operation, index);
    }
    value_rows::add_of_operation(program, facts, operation, record);
    if facts.wants(R::Operation) {
        let (expression, api) = (facts.expression(program.corpus, record.span), facts.symbol(record.api.as_str()));
        let row = [operation.into(), expression.into(), api.into()];
        facts.add_assuming(R::Operation, row, &grounds_of_run(program, record));
    }
    if facts.wants(R::OperationIn) {
        for around in record.loops.iter() {
            let around = facts.statement(program.corpus, *around);
            facts.add(R::OperationIn, [operation.into(), around.into()]);
        }
    }
    if facts.wants(R::OperationCall) {
        for (depth, call) in (0i64..).zip(record.calls.iter()) {
            let call = facts.expression(program.corpus, *call);
            facts.add(R::OperationCall, [operation.into(), depth.into(), call.into()]);
        }
    }
    devices::add(program, facts, operation, record);
    add_output(facts, operation, record);
    if let Some(statements) = &of_all.statements {
        add_surroundings(program, host, facts, operation, record, statements);
    }
    operation
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
    if let Some(known) = facts.of_operations.get(&index) {
        return *known;
    }
    let expression = facts.expression(program.corpus, record.span);
    let text = format!("{}#{}", facts.text(expression), index + 1);
    let symbol = facts.named_place(&text, record.span);
    facts.of_operations.insert(index, symbol);
    facts.by_operation.insert(symbol, index);
    symbol
}

/// The numbers of what it rests on that an operation runs: a function that the program calls by its name runs whatever it is given.
fn grounds_of_run(program: Program<'_>, record: &OperationRecord) -> Vec<u32> {
    let site = program.trace.sites.get(&record.span);
    let is_named = site.is_some_and(|site| site.calls_object || site.library.contains(&record.api));
    if is_named && !callee::is_member(record.api.as_str()) { Vec::new() } else { grounds_of(record) }
}

/// The numbers of what an operation rests on.
pub fn grounds_of(record: &OperationRecord) -> Vec<u32> {
    record.assumptions.iter().map(|id| id.0).collect()
}

fn statements_by_place(host: &Host) -> FxHashMap<Span, StatementId> {
    let known = host.expressions.iter().filter(|node| node.has_api).map(|node| (host.span(node), node.statement));
    let called = host.calls.iter().map(|call| host.expression(call.expression));
    // `a += b` is an operation as a whole.
    let updates = host.statements.iter().enumerate().filter(|(_, node)| node.kind == "update");
    let updates = updates.map(|(index, node)| (node.span, StatementId(index as u32)));
    called.map(|node| (host.span(node), node.statement)).chain(known).chain(updates).collect()
}

/// Operations whose result a later one changes in place.
fn changed_outputs(program: Program<'_>) -> FxHashSet<OperationId> {
    let mut changed = FxHashSet::default();
    let mut by_api: FxHashMap<Name, Option<&ApiSpec>> = FxHashMap::default();
    for record in &program.trace.operations {
        let spec = by_api
            .entry(record.api)
            .or_insert_with(|| callee::known_one(program, record.api, record.shape.is_some()).spec);
        let Some(spec) = spec else { continue };
        let written = record.given.iter().filter(|given| spec.effects.writes(given.parameter.as_str()));
        changed.extend(written.map(|given| given.operation));
    }
    changed
}

fn add_output(facts: &mut Facts, operation: Symbol, record: &OperationRecord) {
    use Relation as R;
    if let Some(shape) = &record.shape
        && facts.wants_any(&[R::OutputShape, R::OutputRank, R::OutputDim])
    {
        let grounds = grounds_of(record);
        if facts.wants(R::OutputShape) {
            let text = facts.symbol(&shape.to_string());
            facts.add_assuming(R::OutputShape, [operation.into(), text.into()], &grounds);
        }
        if let Some(dims) = shape.dims() {
            facts.add_assuming(R::OutputRank, [operation.into(), (dims.len() as i64).into()], &grounds);
            let dims = if facts.wants(R::OutputDim) { dims } else { Vec::new() };
            for (axis, dim) in (0i64..).zip(dims) {
                let size = facts.symbol(&dim.to_string());
                facts.add_assuming(R::OutputDim, [operation.into(), axis.into(), size.into()], &grounds);
            }
        }
    }
    if record.dtype != DType::Unknown && facts.wants(R::OutputDtype) {
        let dtype = facts.symbol(&record.dtype.to_string());
        facts.add_assuming(R::OutputDtype, [operation.into(), dtype.into()], &grounds_of(record));
    }
}

fn add_surroundings(
    program: Program<'_>,
    host: &Host,
    facts: &mut Facts,
    operation: Symbol,
    record: &OperationRecord,
    statements: &FxHashMap<Span, StatementId>,
) {
    if facts.wants(Relation::OperationStmt)
        && let Some(statement) = statements.get(&record.span)
    {
        let symbol = facts.statement(program.corpus, host.statement(*statement).span);
        facts.add(Relation::OperationStmt, [operation.into(), symbol.into()]);
    }
    if facts.wants(Relation::EveryIteration) {
        add_every_iteration(program, host, facts, operation, record, statements);
    }
    if !facts.wants(Relation::ControlInput) {
        return;
    }
    let mut found: Vec<StatementId> = Vec::new();
    for statement in record.calls.iter().chain([&record.span]).filter_map(|place| statements.get(place)) {
        let mut above = host.statement(*statement).parent;
        while let Some((parent, _)) = above {
            let node = host.statement(parent);
            if matches!(node.kind, "if" | "while" | "for" | "match" | "try") && !found.contains(&parent) {
                found.push(parent);
                let control = facts.statement(program.corpus, node.span);
                facts.add(Relation::ControlInput, [operation.into(), control.into()]);
            }
            above = node.parent;
        }
    }
}

/// The loops in each of whose iterations the operation runs: from it outwards, through the calls that lead to it, until a branch decides.
fn add_every_iteration(
    program: Program<'_>,
    host: &Host,
    facts: &mut Facts,
    operation: Symbol,
    record: &OperationRecord,
    statements: &FxHashMap<Span, StatementId>,
) {
    let mut found: Vec<Span> = Vec::new();
    for place in [&record.span].into_iter().chain(record.calls.iter().rev()) {
        let Some(statement) = statements.get(place) else { break };
        let mut node = host.statement(*statement);
        let mut is_decided = false;
        while let Some((parent, arm)) = node.parent {
            let above = host.statement(parent);
            is_decided |= matches!(arm, Arm::Then | Arm::Else | Arm::Handler) || above.kind == "match";
            if is_decided {
                break;
            }
            if matches!(above.kind, "for" | "while") && record.loops.contains(&above.span) {
                found.push(above.span);
            }
            node = above;
        }
        if is_decided {
            break;
        }
    }
    for around in found {
        let around = facts.statement(program.corpus, around);
        facts.add(Relation::EveryIteration, [operation.into(), around.into()]);
    }
}
