//! Iterations that show nothing new. A loop that trains counts its steps and keeps its losses, so that its state never settles; but its iterations
//! run the same operations on the same shapes. Once several of them in turn did, and found nothing, those that are left need not be executed one by one.
//!
//! What a loop showed is remembered: a loop within a loop is executed again and again, and would show the same each time.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::heap::objects::{Content, Location, LogMark};
use crate::loops::loop_statements::{Begin, STEPS_OF_A_SHORT_LOOP};
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::Interpreter;
use harp_corpus::FileId;
use harp_python::ir::Stmt;
use harp_shape::{Element, Remembered, Shape, remembered};

/// So many iterations in turn have to be like the one before.
const ALIKE: usize = 3;
/// A loop that took so many times the steps that it may take before its iterations are compared has iterations that cost much, and one will do.
const COSTLY: u64 = 4;
/// The same of rounds that stand for others already.
const ALIKE_ROUNDS: usize = 2;
/// The same of iterations that an earlier execution of the loop showed.
const SHOWN: usize = 2;
/// A loop with no more iterations left is executed to its end.
const FEW_LEFT: usize = 8;
/// Layers and tables that a loop builds are told apart up to so many iterations.
const BUILT_ONE_BY_ONE: usize = 32;
/// To work out a number takes fewer steps than this: what comes out of a loop that does is asked for.
const STEPS_OF_COUNTING: u64 = 50;
/// An iteration that takes more is an epoch or a step of training, and one that is like the one before stands for those that are left, as few as
/// they may be.
const STEPS_OF_AN_EPOCH: u64 = 400;
/// To build a layer takes fewer steps than this.
const STEPS_TO_BUILD: u64 = 1_000;
/// Different iterations of one loop that are remembered.
const MOST_REMEMBERED: usize = 64;

/// What the iterations of loops have shown, by the place of the loops' bodies.
#[derive(Debug, Default)]
pub struct ShownIterations {
    loops: FxHashMap<(FileId, u32), Shown>,
    executions: u64,
}

#[derive(Debug, Default)]
struct Shown {
    /// The operations of iterations, with the execution of the loop that showed them first.
    iterations: FxHashMap<u64, u64>,
    /// Whether iterations had to stand for others in an execution.
    is_long: bool,
}

/// What the iterations of a loop have shown.
#[derive(Clone, Debug)]
pub struct Watch {
    begin: Begin,
    place: Option<(FileId, u32)>,
    execution: u64,
    /// Steps that the loop may take before its iterations are compared.
    patience: u64,
    /// Whether iterations are told apart by a number alone that no condition asks for.
    is_counted: bool,
    /// Whether each iteration gets an item that is known. One that runs no operation is not like the one before it, then: the table that they fill has
    /// an entry for each, and would have some of which nothing is known.
    has_items: bool,
    operations: usize,
    issues: usize,
    mark: LogMark,
    made: Remembered,
    /// The operations of the last iteration.
    last: Option<u64>,
    alike: usize,
    /// Iterations in turn that an earlier execution of the loop showed already.
    shown: usize,
    /// The places that the last iteration changed, and whether the one before it changed them all: what changes only some iterations later may be
    /// handed on from place to place.
    changed: Option<FxHashSet<Location>>,
    is_settled: bool,
}

impl Interpreter<'_> {
    /// A loop begins. What tests its counter may do something else later, and is followed further.
    pub(crate) fn watch(&mut self, begin: Begin, body: &[Stmt], decides: bool) -> Watch {
        self.shown_iterations.executions += 1;
        Watch {
            begin,
            place: self.place_of_body(body),
            execution: self.shown_iterations.executions,
            patience: if decides { 5 * STEPS_OF_A_SHORT_LOOP } else { STEPS_OF_A_SHORT_LOOP },
            is_counted: false,
            has_items: false,
            operations: self.trace.operations.len(),
            issues: self.trace.issues.len(),
            mark: self.heap.mark(),
            made: remembered(),
            last: None,
            alike: 0,
            shown: 0,
            changed: None,
            is_settled: false,
        }
    }

    /// A loop begins that counts.
    pub(crate) fn watch_counter(&mut self, begin: Begin, body: &[Stmt], decides: bool) -> Watch {
        Watch { is_counted: !decides, ..self.watch(begin, body, decides) }
    }

    /// A loop over items begins that are known.
    pub(crate) fn watch_items(&mut self, begin: Begin, body: &[Stmt]) -> Watch {
        Watch { has_items: true, ..self.watch(begin, body, false) }
    }

    /// An iteration begins.
    pub(crate) fn watch_iteration(&self, watch: &mut Watch) {
        watch.operations = self.trace.operations.len();
        watch.issues = self.trace.issues.len();
        watch.mark = self.heap.mark();
        watch.made = remembered();
    }

    /// The iteration of this number is over. Whether those after it, `left` of them, show nothing that it and those before it did not.
    pub(crate) fn is_stale(&mut self, watch: &mut Watch, index: usize, left: Option<usize>) -> bool {
        self.compare_iterations(watch);
        let used = self.steps.saturating_sub(watch.begin.steps);
        let per_iteration = used / (index as u64 + 1);
        let was_stale = watch.is_settled
            && watch.shown >= SHOWN
            && watch.alike + 1 >= SHOWN
            && per_iteration >= STEPS_OF_COUNTING
            && self.is_known_to_be_long(watch);
        let is_epoch = watch.is_settled && watch.is_counted && per_iteration >= STEPS_OF_AN_EPOCH;
        let is_costly = watch.is_settled && used > COSTLY * watch.patience;
        let needed = if is_epoch || is_costly { 1 } else { ALIKE };
        let is_patient = !is_epoch && used <= watch.patience;
        let few_left = if is_epoch { 1 } else { FEW_LEFT };
        let may_stand = !watch.has_items || self.trace.operations.len() > watch.operations;
        let is_stale = may_stand
            && (watch.alike >= needed && !is_patient || was_stale)
            && left.is_none_or(|left| left > few_left)
            && self.inference.is_none()
            && (index >= BUILT_ONE_BY_ONE || per_iteration > STEPS_TO_BUILD || !self.heap.builds_since(watch.mark));
        if is_stale {
            self.note_stands(watch.place);
        }
        is_stale
    }

    /// Notes that iterations of a loop had to stand for others.
    pub(crate) fn note_stands(&mut self, place: Option<(FileId, u32)>) {
        if let Some(shown) = place.and_then(|place| self.shown_iterations.loops.get_mut(&place)) {
            shown.is_long = true;
        }
    }

    /// A round that stands for others is over, and it was not the first. Whether another one, of values that are widened further, would show nothing
    /// that this one and those before it did not.
    pub(crate) fn adds_nothing(&mut self, watch: &mut Watch) -> bool {
        self.compare_iterations(watch);
        let adds_nothing =
            self.inference.is_none() && watch.is_settled && (watch.alike >= ALIKE_ROUNDS || watch.shown >= SHOWN);
        if adds_nothing {
            self.note_stands(watch.place);
        }
        adds_nothing
    }

    fn is_known_to_be_long(&self, watch: &Watch) -> bool {
        watch.place.and_then(|place| self.shown_iterations.loops.get(&place)).is_some_and(|shown| shown.is_long)
    }

    /// Compares the iteration that is over with the one before it, and with those of earlier executions.
    fn compare_iterations(&mut self, watch: &mut Watch) {
        // Signatures are inferred of all iterations.
        if self.inference.is_some() {
            return;
        }
        let known = self.operations_since(watch.operations, watch.made);
        let is_quiet = self.trace.issues.len() == watch.issues;
        let is_alike = watch.last == Some(known) && is_quiet;
        watch.alike = if is_alike { watch.alike + 1 } else { 0 };
        watch.last = Some(known);
        let is_shown = self.was_shown(watch, known) && is_quiet;
        watch.shown = if is_shown { watch.shown + 1 } else { 0 };
        let changed = self.changed_since(watch.mark);
        watch.is_settled = watch.changed.as_ref().is_some_and(|before| changed.is_subset(before));
        watch.changed = Some(changed);
    }

    /// The places that hold something else than they did, as far as the analysis can tell.
    fn changed_since(&self, mark: LogMark) -> FxHashSet<Location> {
        let (before, now) = (self.heap.old_since(mark), self.heap.delta_since(mark));
        let is_changed = |old: &Content, new: &Content| match (old, new) {
            (Content::Attribute(Some(old)), Content::Attribute(Some(new))) => !self.is_equivalent(old, new),
            (Content::Payload(old), Content::Payload(new)) => !self.is_same_payload(old, new, &mut Walk::short()),
            _ => false,
        };
        let pairs = before.iter().zip(now).filter(|((location, _), _)| !self.heap.is_newer(*location, mark));
        pairs.filter(|((_, old), (_, new))| is_changed(old, new)).map(|((location, _), _)| *location).collect()
    }

    /// Whether an earlier execution of the loop had an iteration with these operations; notes that this one has.
    fn was_shown(&mut self, watch: &Watch, operations: u64) -> bool {
        let Some(place) = watch.place else { return false };
        let shown = self.shown_iterations.loops.entry(place).or_default();
        if shown.iterations.len() >= MOST_REMEMBERED && !shown.iterations.contains_key(&operations) {
            return false;
        }
        *shown.iterations.entry(operations).or_insert(watch.execution) < watch.execution
    }

    /// The operations since then, by their places and what is known of the shapes that they gave.
    fn operations_since(&self, start: usize, made: Remembered) -> u64 {
        let mut hasher = FxHasher::default();
        for operation in self.trace.operations.get(start..).unwrap_or_default() {
            operation.span.hash(&mut hasher);
            match &operation.shape {
                Some(shape) => hash_outline(shape, made, &mut hasher),
                None => false.hash(&mut hasher),
            }
        }
        hasher.finish()
    }
}

/// The sizes of a shape, but for those that rest on what was made since: iterations make sizes of the same kind anew. Sizes go by their names, as
/// executions of a loop in several entries have the same ones.
fn hash_outline(shape: &Shape, made: Remembered, hasher: &mut FxHasher) {
    shape.elements().len().hash(hasher);
    for element in shape.elements() {
        match element {
            Element::Dim(dim) if dim.as_const().is_some() => dim.as_const().hash(hasher),
            Element::Dim(dim) if dim.vars().into_iter().all(|var| made.has(var)) => dim.to_string().hash(hasher),
            _ => false.hash(hasher),
        }
    }
}
