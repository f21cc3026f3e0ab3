//! Rows on executions of graphs that the program built before: what each feeds, fetches and updates, and which
//! operations such a graph has.
//!
//! Whether a call computes at once or adds to a graph is no property of the function: the same addition does either. It shows in what becomes
//! of the tensors. What a run is asked for, what leads there, and what is computed from any of it belongs to a graph.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Program;
use crate::callee;
use crate::facts::{Facts, Symbol};
use crate::operation_rows::{grounds_of, operation_symbol};
use crate::schema::Relation;
use crate::value_rows::given_value;
use harp_annotations::{ApiSpec, Effects};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::Family;
use harp_trace::details::{Details, Run};
use harp_trace::ids::OperationId;
use harp_trace::{Given, OperationRecord};

const ALL: [Relation; 5] =
    [Relation::Execution, Relation::Feeds, Relation::Fetches, Relation::Updates, Relation::BuildsGraph];

/// The rows of all executions.
pub fn add(program: Program<'_>, facts: &mut Facts) {
    if !facts.wants_any(&ALL) {
        return;
    }
    let operations = &program.trace.operations;
    let runs = operations.iter().enumerate().filter_map(|(index, record)| Some((index, run_of(record)?)));
    let runs: Vec<(usize, &Run)> = runs.collect();
    if runs.is_empty() {
        return;
    }
    let (specs, places) = (Specs::of(program), Places::of(program));
    for (index, run) in &runs {
        let record = &operations[*index];
        let execution = operation_symbol(program, facts, *index, record);
        facts.add_assuming(Relation::Execution, [execution.into()], &grounds_of(record));
        add_values(program, facts, Relation::Feeds, execution, record, &run.feeds);
        add_values(program, facts, Relation::Fetches, execution, record, &run.fetches);
        if facts.wants(Relation::Updates) {
            let mut updated: Vec<Given> =
                run.updates.iter().flat_map(|given| places.recorded(program, given)).collect();
            updated.extend(behind(program, &run.fetches, |index, record| specs.written(index, record)));
            updated.extend(behind(program, &run.trains, |index, record| trained(program, index, record)));
            add_values(program, facts, Relation::Updates, execution, record, &updated);
        }
    }
    if facts.wants(Relation::BuildsGraph) {
        for index in built(program, &specs, &runs) {
            let record = &operations[index];
            let operation = operation_symbol(program, facts, index, record);
            facts.add_assuming(Relation::BuildsGraph, [operation.into()], &grounds_of(record));
        }
    }
}

/// What the operation runs.
fn run_of(record: &OperationRecord) -> Option<&Run> {
    let details: &Rc<Details> = record.details.as_ref()?;
    details.run.as_ref()
}

fn add_values(
    program: Program<'_>,
    facts: &mut Facts,
    relation: Relation,
    execution: Symbol,
    record: &OperationRecord,
    values: &[Given],
) {
    if !facts.wants(relation) {
        return;
    }
    for value in values.iter().filter_map(|given| given_value(program, facts, given)).collect::<Vec<_>>() {
        facts.add_assuming(relation, [execution.into(), value.into()], &grounds_of(record));
    }
}

/// What is known of the APIs of operations, by their indices.
struct Specs<'a>(Vec<Option<&'a ApiSpec>>);

impl<'a> Specs<'a> {
    fn of(program: Program<'a>) -> Specs<'a> {
        let mut known: FxHashMap<(Name, bool), Option<&'a ApiSpec>> = FxHashMap::default();
        let spec = |record: &OperationRecord| {
            let key = (record.api, record.shape.is_some());
            *known.entry(key).or_insert_with(|| callee::known_one(program, key.0, key.1).spec)
        };
        Specs(program.trace.operations.iter().map(spec).collect())
    }

    fn builds(&self, index: usize) -> bool {
        self.0[index].is_some_and(|spec| spec.effects.has(Effects::BUILDS_GRAPH))
    }

    /// Whether it runs a graph, also where it is not known what it computes.
    fn runs(&self, index: usize) -> bool {
        self.0[index].is_some_and(|spec| spec.effects.has(Effects::RUNS_GRAPH))
    }

    /// The operands that the operation changes.
    fn written(&self, index: usize, record: &OperationRecord) -> Vec<Given> {
        let spec = self.0[index];
        let is_written = |given: &&Given| spec.is_some_and(|spec| spec.effects.writes(given.parameter.as_str()));
        record.given.iter().filter(is_written).copied().collect()
    }
}

/// The operations that gave tensors, by the places of the calls.
struct Places(FxHashMap<Span, Vec<usize>>);

impl Places {
    fn of(program: Program<'_>) -> Places {
        let mut found: FxHashMap<Span, Vec<usize>> = FxHashMap::default();
        let numbered = program.trace.operations.iter().enumerate();
        numbered.for_each(|(index, record)| found.entry(record.span).or_default().push(index));
        Places(found)
    }

    /// A tensor as what the operation at its place gave, where a source keeps it as it was before it was recorded.
    fn recorded(&self, program: Program<'_>, given: &Given) -> Vec<Given> {
        let source = (given.part as usize).checked_sub(1).and_then(|index| program.trace.sources.get(index));
        let source = source.filter(|_| given.operation == OperationId::NONE);
        let made = source.and_then(|source| self.0.get(&source.origin)).filter(|made| !made.is_empty());
        made.map_or_else(|| vec![*given], |made| made.iter().map(|index| result(*index, given.parameter)).collect())
    }
}

/// The result of an operation.
fn result(index: usize, parameter: Name) -> Given {
    Given { parameter, operation: OperationId(index as u32 + 1), part: 0, is_result: true, is_whole: true }
}

/// The operation's result, where it is a variable that a program trains.
fn trained(program: Program<'_>, index: usize, record: &OperationRecord) -> Vec<Given> {
    let api = record.api.as_str();
    let family = program.library.families().made_by(api);
    let is_variable = family.is_some_and(|family| family.rules().parameters.iter().any(|class| **class == *api));
    is_variable.then(|| result(index, record.api)).into_iter().collect()
}

fn index_of(operation: OperationId) -> Option<usize> {
    (operation.0 as usize).checked_sub(1)
}

/// What is found in the operations from which tensors are computed.
fn behind(program: Program<'_>, tensors: &[Given], find: impl Fn(usize, &OperationRecord) -> Vec<Given>) -> Vec<Given> {
    let mut waiting: Vec<usize> = tensors.iter().filter_map(|given| index_of(given.operation)).collect();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(index) = waiting.pop() {
        let Some(record) = program.trace.operations.get(index).filter(|_| seen.insert(index)) else { continue };
        // What another run has computed is no part of this one.
        if run_of(record).is_some() {
            continue;
        }
        found.extend(find(index, record));
        waiting.extend(record.given.iter().filter_map(|given| index_of(given.operation)));
    }
    found
}

/// The operations that belong to a graph, in their order.
fn built(program: Program<'_>, specs: &Specs<'_>, runs: &[(usize, &Run)]) -> Vec<usize> {
    let operations = &program.trace.operations;
    let told = runs.iter().flat_map(|(_, run)| run.feeds.iter().chain(&run.fetches).chain(&run.updates));
    let mut waiting: Vec<usize> = told.filter_map(|given| index_of(given.operation)).collect();
    waiting.extend((0..operations.len()).filter(|index| specs.builds(*index)));
    let family = |index: usize| {
        let record: &OperationRecord = operations.get(index)?;
        program.library.families().made_by(record.api.as_str())
    };
    let told: FxHashSet<usize> = waiting.iter().copied().collect();
    let families: Vec<Family> = told.iter().filter_map(|index| family(*index)).collect();
    let mut takers: FxHashMap<OperationId, Vec<usize>> = FxHashMap::default();
    for (index, record) in operations.iter().enumerate() {
        record.given.iter().for_each(|given| takers.entry(given.operation).or_default().push(index));
    }
    // Arrays of another library that an operation takes are copied into the graph, and what a run gives is outside of it again.
    let is_graphs = |index: usize| {
        operations.get(index).is_some_and(|record| run_of(record).is_none() && !specs.runs(index))
            && (told.contains(&index) || family(index).is_some_and(|family| families.contains(&family)))
    };
    let mut found = vec![false; operations.len()];
    while let Some(index) = waiting.pop() {
        if !is_graphs(index) || std::mem::replace(&mut found[index], true) {
            continue;
        }
        waiting.extend(operations[index].given.iter().filter_map(|given| index_of(given.operation)));
        waiting.extend(takers.get(&OperationId(index as u32 + 1)).into_iter().flatten());
    }
    found.iter().enumerate().filter_map(|(index, is_built)| is_built.then_some(index)).collect()
}
