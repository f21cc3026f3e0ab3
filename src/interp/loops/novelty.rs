//! Loops end by novelty. A loop that trains counts its steps and keeps its losses, so that its state never settles; but its iterations run the same
//! operations on the same shapes. An iteration adds something where it runs an operation on an outline of shapes that no iteration before it had,
//! finds something, or leaves behind what has an outline that was not in that place before. Once an iteration added nothing, those that are left need not be
//! executed one by one, and what stands for them need not be executed again.
//!
//! What a loop showed is remembered: a loop within a loop is executed again and again, as is a script with other options.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::heap::objects::{Content, Location, LogMark};
use crate::loops::loop_statements::{Begin, STEPS_OF_A_SHORT_LOOP};
use crate::loops::outlines::hash_outline;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::FileId;
use harp_python::ir::Stmt;
use harp_python::name::Name;
use harp_shape::{Remembered, remembered};

/// Layers and tables that a loop builds are told apart up to so many iterations.
const BUILT_ONE_BY_ONE: usize = 32;
/// To build a layer takes fewer steps than this.
const STEPS_TO_BUILD: u64 = 1_000;
/// Different operations of one loop that are remembered.
const MOST_REMEMBERED: usize = 4_096;

/// What the iterations of loops have shown, by the place of the loops' bodies.
#[derive(Debug, Default)]
pub struct ShownIterations {
    loops: FxHashMap<(FileId, u32), Shown>,
    executions: u64,
}

/// The outlines of a loop's operations, with the execution of the loop that showed them first.
type Shown = FxHashMap<u64, u64>;

/// What the iterations of a loop have shown.
#[derive(Clone, Debug)]
pub struct Watch {
    begin: Begin,
    place: Option<(FileId, u32)>,
    execution: u64,
    /// What the solver had made when the loop began.
    made: Remembered,
    operations: usize,
    issues: usize,
    steps: u64,
    mark: LogMark,
    /// The outlines of operations.
    seen: FxHashSet<u64>,
    /// The outlines of what places held, of those that changed.
    held: FxHashMap<Location, Vec<u64>>,
    last: Added,
}

/// What the last iteration added.
#[derive(Clone, Copy, Debug, Default)]
struct Added {
    /// Whether it ran operations.
    runs: bool,
    /// Whether it added an operation, a shape, an issue, or something that lives on.
    anything: bool,
    /// Whether an earlier execution of the loop showed all that it did, and it left nothing behind that it did not find.
    is_shown: bool,
    /// Whether the program asks for a number that it counted.
    is_asked: bool,
}

impl Interpreter<'_> {
    /// A loop begins.
    pub(crate) fn watch(&mut self, begin: Begin, body: &[Stmt]) -> Watch {
        self.shown_iterations.executions += 1;
        Watch {
            begin,
            place: self.place_of_body(body),
            execution: self.shown_iterations.executions,
            made: remembered(),
            operations: self.trace.operations.len(),
            issues: self.trace.issues.len(),
            steps: self.steps,
            mark: self.heap.mark(),
            seen: FxHashSet::default(),
            held: FxHashMap::default(),
            last: Added::default(),
        }
    }

    /// An iteration begins.
    pub(crate) fn watch_iteration(&self, watch: &mut Watch) {
        watch.operations = self.trace.operations.len();
        watch.issues = self.trace.issues.len();
        watch.steps = self.steps;
        watch.mark = self.heap.mark();
    }

    /// The iteration of this number is over, and `left` are left, at most one of which can be executed for what stands for them. Whether they are not
    /// executed one by one: the loop is no short one, and this iteration added nothing.
    pub(crate) fn is_stale(&mut self, watch: &mut Watch, index: usize, left: Option<usize>) -> bool {
        self.compare_iterations(watch);
        let used = self.steps.saturating_sub(watch.begin.steps);
        let per_iteration = used / (index as u64 + 1);
        let total = left.map_or(u64::MAX, |left| per_iteration.saturating_mul(left as u64));
        let is_short = used.saturating_add(total) <= STEPS_OF_A_SHORT_LOOP;
        // A loop without an operation works out what others are given.
        watch.last.runs
            && (!watch.last.anything || watch.last.is_shown)
            && !is_short
            && left.is_none_or(|left| left > 1)
            && self.inference.is_none()
            && (index >= BUILT_ONE_BY_ONE || per_iteration > STEPS_TO_BUILD || !self.heap.builds_since(watch.mark))
    }

    /// A round that stands for others is over. Whether another one, of values that are widened further, would show nothing that this one and those
    /// before it did not.
    pub(crate) fn adds_nothing(&mut self, watch: &mut Watch) -> bool {
        self.compare_iterations(watch);
        self.inference.is_none() && (!watch.last.anything || watch.last.is_shown) && !watch.last.is_asked
    }

    /// Compares the iteration that is over with those before it, and with those of earlier executions.
    fn compare_iterations(&mut self, watch: &mut Watch) {
        // Signatures are inferred of all iterations.
        if self.inference.is_some() {
            return;
        }
        let (is_new, is_shown) = self.compare_operations(watch);
        let (leaves_new, leaves_other, counted) = self.compare_places(watch);
        let finds = self.trace.issues.len() != watch.issues;
        watch.last = Added {
            runs: self.trace.operations.len() > watch.operations,
            anything: is_new || leaves_new || finds,
            is_shown: is_shown && !leaves_other && !finds,
            is_asked: self.asks_for(&counted, watch.steps),
        };
    }

    /// Whether the iteration ran an operation on an outline of shapes that was not seen in this execution of the loop, and whether earlier ones had
    /// all of them; notes those of this one.
    fn compare_operations(&mut self, watch: &mut Watch) -> (bool, bool) {
        let mut shown = watch.place.map(|place| self.shown_iterations.loops.entry(place).or_default());
        let (mut is_new, mut is_shown) = (false, shown.is_some());
        let mut last = None;
        for operation in self.trace.operations.get(watch.operations..).unwrap_or_default() {
            let mut hasher = FxHasher::default();
            operation.span.hash(&mut hasher);
            match &operation.shape {
                Some(shape) => hash_outline(shape, watch.made, &mut hasher),
                None => false.hash(&mut hasher),
            }
            let outline = hasher.finish();
            if last == Some(outline) {
                continue;
            }
            last = Some(outline);
            is_new |= watch.seen.insert(outline);
            if let Some(shown) = &mut shown {
                is_shown &= if shown.len() < MOST_REMEMBERED {
                    *shown.entry(outline).or_insert(watch.execution) < watch.execution
                } else {
                    shown.get(&outline).is_some_and(|execution| *execution < watch.execution)
                };
            }
        }
        (is_new, is_shown)
    }

    /// Whether places that live on hold what has an outline that they did not have before, in the loop and at the beginning of the iteration; and the
    /// names of numbers that changed.
    fn compare_places(&self, watch: &mut Watch) -> (bool, bool, FxHashSet<Name>) {
        let before = self.heap.peek_old_since(watch.mark);
        let now = self.heap.peek_delta_since(watch.mark);
        let (mut leaves_new, mut leaves_other, mut counted) = (false, false, FxHashSet::default());
        for ((location, old), (_, new)) in before.iter().zip(&now) {
            if self.heap.is_newer(*location, watch.mark) {
                continue;
            }
            if let Some(name) = self.counted_name(*location, old, new) {
                counted.insert(name);
            }
            let [old, new] = [old, new].map(|content| self.outline_of_content(content, watch.made));
            // What was not there before is no change: the iterations to come begin with it.
            leaves_other |= old.is_some() && old != new;
            let held = watch.held.entry(*location).or_insert_with(|| old.into_iter().collect());
            if let Some(new) = new
                && !held.contains(&new)
            {
                held.push(new);
                leaves_new = true;
            }
        }
        (leaves_new, leaves_other, counted)
    }

    fn outline_of_content(&self, content: &Content, since: Remembered) -> Option<u64> {
        match content {
            Content::Attribute(value) => value.as_ref().map(|value| self.outline_of(value, since)),
            Content::Payload(payload) => Some(self.outline_of_payload(payload, since)),
        }
    }

    /// The name of a number that an iteration changed, where it does not stand for any number already.
    fn counted_name(&self, location: Location, old: &Content, new: &Content) -> Option<Name> {
        let Location::Attribute(_, name) = location else { return None };
        let (Content::Attribute(Some(old)), Content::Attribute(Some(new))) = (old, new) else { return None };
        let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(Some(_)) | Value::Bool(_));
        (is_number(old) && is_number(new) && !self.is_equivalent(old, new)).then_some(name)
    }
}
