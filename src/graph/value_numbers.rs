//! Rows on value numbers: which executions of operations compute the same.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::Program;
use crate::callee;
use crate::facts::{Facts, Symbol};
use crate::schema::Relation;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::identity::Identity;
use harp_trace::ids::OperationId;
use harp_trace::{Given, OperationRecord};

/// Modules that draw random numbers or keep statistics while they train, and do neither while they evaluate.
const OF_TRAINING: [&str; 5] = ["Dropout", "dropout", "BatchNorm", "batch_norm", "RReLU"];

/// What an execution computes, as a number of 128 bits: of so few executions no two get the same by chance.
type Computation = (u64, u64);

/// The numbers of all operations' values, in their order; what is not known to compute the same as another has a number of its own.
fn value_numbers(program: Program<'_>) -> Vec<u32> {
    let mut numbers: Vec<u32> = Vec::with_capacity(program.trace.operations.len());
    let mut known: FxHashMap<Computation, u32> = FxHashMap::default();
    let mut steady: FxHashMap<(Name, bool, bool), bool> = FxHashMap::default();
    for record in &program.trace.operations {
        let new = numbers.len() as u32;
        let key = (record.api, record.shape.is_some(), record.identity.evaluates);
        let is_steady = *steady.entry(key).or_insert_with(|| is_steady(program, record));
        let number = match computation(record, &numbers).filter(|_| is_steady) {
            Some(computation) => *known.entry(computation).or_insert(new),
            None => new,
        };
        numbers.push(number);
    }
    numbers
}

/// What an operation computes, where all that it depends on is known.
fn computation(record: &OperationRecord, numbers: &[u32]) -> Option<Computation> {
    record.identity.settings?;
    let number_of = |operation: OperationId| numbers.get((operation.0 as usize).checked_sub(1)?).copied();
    let mut hashers = [FxHasher::default(), FxHasher::default()];
    hashers[1].write_u64(SECOND);
    for hasher in &mut hashers {
        (record.api, Identity { state: 0, way: 0, many: 0, described: 0, result: None, ..record.identity })
            .hash(hasher);
    }
    for Given { parameter, operation, part, is_result, .. } in &record.given {
        // What a function is given is one value wherever the function reads it.
        let number = match *operation {
            OperationId::NONE => None,
            operation => Some(number_of(operation)?),
        };
        if !is_result {
            return None;
        }
        hashers.iter_mut().for_each(|hasher| (parameter, number, part).hash(hasher));
    }
    let [first, second] = hashers;
    Some((first.finish(), second.finish()))
}

/// What the second of two hashes begins with.
const SECOND: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether equal inputs give equal results.
fn is_steady(program: Program<'_>, record: &OperationRecord) -> bool {
    let last = record.api.as_str().rsplit('.').next().unwrap_or_default();
    if OF_TRAINING.iter().any(|name| last.contains(name)) {
        return record.identity.evaluates;
    }
    callee::known_one(program, record.api, record.shape.is_some()).spec.is_some_and(callee::is_pure)
}

/// What is known of all operations together, each in its order.
#[derive(Debug)]
pub struct Numbers {
    values: Vec<u32>,
    ways: Vec<u32>,
}

impl Numbers {
    pub fn of(program: Program<'_>) -> Numbers {
        let mut known: FxHashMap<(u32, &[Span], &[u32]), u32> = FxHashMap::default();
        let mut last: Option<(&OperationRecord, u32)> = None;
        let ways = program.trace.operations.iter().map(|record| {
            // Most operations run on the way of the one before.
            if let Some((before, way)) = last
                && before.identity.way == record.identity.way
                && Rc::ptr_eq(&before.loops, &record.loops)
                && Rc::ptr_eq(&before.rounds, &record.rounds)
            {
                return way;
            }
            let next = known.len() as u32;
            let way = *known.entry((record.identity.way, &record.loops, &record.rounds)).or_insert(next);
            last = Some((record, way));
            way
        });
        Numbers { ways: ways.collect(), values: value_numbers(program) }
    }

    /// The rows of one operation, by its index.
    pub fn add(&self, facts: &mut Facts, operation: Symbol, index: usize) {
        if let (Some(value), Some(way)) = (self.values.get(index), self.ways.get(index)) {
            facts.add(Relation::ValueNumber, [operation.into(), i64::from(*value).into()]);
            facts.add(Relation::Sequence, [operation.into(), i64::from(*way).into(), (index as i64).into()]);
        }
    }
}

/// In which iterations of the loops around it the operation runs.
pub fn add_iterations(program: Program<'_>, facts: &mut Facts, operation: Symbol, record: &OperationRecord) {
    // The last loop of a place counts: a function may run within itself.
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    for (around, round) in record.loops.iter().zip(record.rounds.iter()).rev() {
        if seen.insert(*around) {
            let around = facts.statement(program.corpus, *around);
            facts.add(Relation::Iteration, [operation.into(), around.into(), i64::from(*round).into()]);
        }
    }
}
