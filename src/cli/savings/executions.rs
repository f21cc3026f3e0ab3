//! Which operations of a trace ran within a place, also in functions that are called there, and in which loops.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use harp_corpus::Span;
use harp_trace::{OperationRecord, Trace};

/// So many executions within a place are looked at.
const MOST_EXECUTIONS: usize = 50_000;

/// The operations of a run, ready to be found by the places around them.
pub(super) struct Executions<'a> {
    trace: &'a Trace,
    /// By their own place.
    by_place: Vec<(Span, u32)>,
    /// By each call through which they were reached, as a number of [`Executions::reached`].
    by_call: Vec<(Span, u32)>,
    /// Operations that were reached through the same calls.
    reached: Vec<Vec<u32>>,
}

/// An operation that ran within a place.
#[derive(Clone, Copy)]
pub(super) struct Execution<'a> {
    pub record: &'a OperationRecord,
    /// How many of the record's calls lie around the place.
    pub calls_around: usize,
    /// How many of its loops lie around the place; the others run within.
    pub loops_around: usize,
}

impl<'a> Execution<'a> {
    /// The calls through which the place was reached.
    pub fn calls(&self) -> &'a [Span] {
        &self.record.calls[..self.calls_around]
    }

    /// The loops around the place, outermost first, through calls.
    pub fn around(&self) -> &'a [Span] {
        &self.record.loops[..self.loops_around]
    }

    /// The loops that run within it.
    pub fn within(&self) -> &'a [Span] {
        &self.record.loops[self.loops_around..]
    }
}

impl<'a> Executions<'a> {
    pub fn of(trace: &'a Trace) -> Executions<'a> {
        let numbered = || (0..).zip(&trace.operations);
        let mut by_place: Vec<(Span, u32)> = numbered().map(|(number, record)| (record.span, number)).collect();
        by_place.sort_unstable();
        let mut lists: FxHashMap<*const Span, usize> = FxHashMap::default();
        let (mut by_call, mut reached): (Vec<(Span, u32)>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        for (number, record) in numbered().filter(|(_, record)| !record.calls.is_empty()) {
            let list = *lists.entry(Rc::as_ptr(&record.calls).cast()).or_insert_with(|| {
                by_call.extend(record.calls.iter().map(|call| (*call, reached.len() as u32)));
                reached.push(Vec::new());
                reached.len() - 1
            });
            reached[list].push(number);
        }
        by_call.sort_unstable();
        by_call.dedup();
        Executions { trace, by_place, by_call, reached }
    }

    /// What ran within a place, in the order in which it did.
    pub fn within(&self, place: Span) -> Vec<Execution<'a>> {
        let mut numbers: Vec<u32> = inside(&self.by_place, place).collect();
        let lists = inside(&self.by_call, place);
        numbers.extend(lists.flat_map(|list| &self.reached[list as usize]).take(MOST_EXECUTIONS));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.truncate(MOST_EXECUTIONS);
        let records = numbers.into_iter().filter_map(|number| self.trace.operations.get(number as usize));
        records.map(|record| execution(record, place)).collect()
    }

    /// The loops that were seen to run whose statements lie around a place, outermost first.
    pub fn loops_around(&self, place: Span) -> Vec<Span> {
        let mut loops: Vec<Span> = self.trace.loops.keys().copied().filter(|span| is_around(*span, place)).collect();
        loops.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        loops
    }
}

/// The numbers of what lies within a place.
fn inside(sorted: &[(Span, u32)], place: Span) -> impl Iterator<Item = u32> {
    let first = sorted.partition_point(|(span, _)| (span.file, span.start) < (place.file, place.start));
    let near = sorted[first..].iter().take_while(move |(span, _)| span.file == place.file && span.start < place.end);
    near.filter(move |(span, _)| span.end <= place.end).map(|(_, number)| *number)
}

/// Where the place lies among the calls and loops of an operation within it.
fn execution(record: &OperationRecord, place: Span) -> Execution<'_> {
    let calls_around = match is_around(place, record.span) {
        true => record.calls.len(),
        false => record.calls.iter().position(|call| is_around(place, *call)).unwrap_or(record.calls.len()),
    };
    // The loops of a function stand behind those around the call that entered it.
    let mut loops_around = 0;
    for inner in record.calls[..calls_around].iter().copied().chain([place]) {
        while record.loops.get(loops_around).is_some_and(|around| is_around(*around, inner)) {
            loops_around += 1;
        }
    }
    Execution { record, calls_around, loops_around }
}

/// Whether a place lies within another one, or is it.
pub(super) fn is_around(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
