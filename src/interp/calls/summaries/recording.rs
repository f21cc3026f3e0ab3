//! Recording the summary of a call: whether what can be seen of it is all that it did.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::call::CallArguments;
use crate::calls::summaries::matching::{Contents, contents_of};
use crate::calls::summaries::replay::{Context, Found, Summary};
use crate::heap::location::Location;
use crate::heap::objects::{Content, LogMark, Object, Payload};
use crate::heap::read_log::Read;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, Literal, ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{Knowledge, remembered};

/// Objects that a call may make and leave behind.
const MOST_OBJECTS: usize = 1024;
/// Operations that it may add.
const MOST_OPERATIONS: usize = 1 << 14;
/// Places that it may change.
const MOST_EFFECTS: usize = 256;
/// Values that what it left behind may hold.
const MOST_VALUES: usize = 1 << 14;

/// Different things that were not understood in a call, as in an entry.
const MOST_NOTES: usize = 64;

/// Objects whose methods a call calls, each with its places; one that calls those of more is not summarised.
const MOST_RECEIVERS: usize = 256;

/// A call that is being recorded, as it was when it began.
#[derive(Debug)]
pub(super) struct Recording {
    key: u64,
    callee: Rc<Closure>,
    arguments: Vec<Value>,
    keywords: Vec<Name>,
    contents: Contents,
    context: Context,
    mark: LogMark,
    operations: usize,
    /// How often something had been changed.
    changes: u32,
    /// Steps before it, those of replayed calls among them.
    steps: u64,
    /// How many calls and loops ran around it.
    calls: usize,
    loops: usize,
    state: State,
    knowledge: Knowledge,
    path: Vec<Literal>,
    /// How often the path and what is known of sizes were asked for.
    questions: [u64; 2],
    decisions: usize,
    object_decisions: usize,
    /// What it did not understand, and what it could not prove.
    not_understood: Vec<(String, Span)>,
    unproved: Vec<(String, Span)>,
    /// The objects whose methods it called, and where.
    receivers: Vec<(ObjectId, Span)>,
}

/// Objects with what they hold, and the operations that made what is left behind.
type LeftBehind = (Vec<(ObjectId, Object)>, Vec<usize>);

/// How much there is of what a call can leave behind beside the heap and the operations. It grows, or is the same.
#[derive(Debug, PartialEq, Eq)]
struct State([usize; 27]);

/// Keeps each thing once: calls within calls within calls would keep it as often as there are ways to it.
fn note(notes: &mut Vec<(String, Span)>, what: &str, span: Span) {
    if notes.len() < MOST_NOTES && !notes.iter().any(|(known, at)| known == what && *at == span) {
        notes.push((what.to_owned(), span));
    }
}

impl Recording {
    /// Keeps each of them once.
    fn note_receiver(&mut self, noted: (ObjectId, Span)) {
        if self.receivers.len() < MOST_RECEIVERS && !self.receivers.contains(&noted) {
            self.receivers.push(noted);
        }
    }
}

impl Interpreter<'_> {
    fn state_of_analysis(&self) -> State {
        State([
            remembered().variables(),
            self.splits.len(),
            self.pending.len(),
            self.path.len(),
            self.entry.violated.len(),
            self.trace.issues.len(),
            self.entry.issues_met as usize,
            self.trace.reveals.len(),
            self.trace.contradictions.len(),
            self.entry.provided.len(),
            self.tables.modules.len(),
            self.heap.common_objects(),
            self.tables.decorated.len() + self.attributed.len() + self.caches.returned.len(),
            self.model_state.saved_at.len()
                + usize::from(self.model_state.saved.is_some())
                + self.model_state.saved_files.len(),
            self.tables.by_chance.changes() as usize,
            self.model_state.text_tables.changes() as usize,
            self.tables.counts.changes() as usize,
            self.tables.handed_out.changes() as usize,
            self.model_state.passes.changes() as usize,
            self.model_state.batch_decisions.changes() as usize + self.tables.installed.changes() as usize,
            self.tables.shapes_of_values.changes() as usize,
            self.tables.counters.changes() as usize
                + self.tables.later_counters.changes() as usize
                + self.loops.later_rounds.len(),
            (self.model_state.mask_counts.changes() + self.tables.variable_assumptions.changes()) as usize,
            self.settled.len() + self.entry.settled_defaults.len() + self.loops.circumstances.len(),
            self.model_state.last_batches.len() + self.sizes.guessed_ranks.len() + self.sizes.guessed_shapes.len(),
            (self.calls.cut_off + self.sizes.reshapes) as usize,
            self.model_state.fed.count(),
        ])
    }

    /// Begins to record a call.
    pub(crate) fn begin_recording(&mut self, key: u64, callee: &Rc<Closure>, arguments: &CallArguments) {
        let keywords = arguments.keywords.iter();
        let values: Vec<Value> =
            arguments.positional.iter().chain(keywords.clone().map(|(_, value)| value)).cloned().collect();
        let contents = contents_of(self, &values);
        let mark = self.heap.mark();
        self.heap.reads.begin(mark);
        let recording = Recording {
            key,
            callee: Rc::clone(callee),
            keywords: keywords.map(|(name, _)| *name).collect(),
            contents,
            context: self.context_of_call(),
            mark,
            operations: self.trace.operations.len(),
            changes: self.executions.changes(),
            steps: self.steps_without_summaries(),
            calls: self.calls.stack.len(),
            loops: self.loops.stack.len(),
            state: self.state_of_analysis(),
            knowledge: self.solver.knowledge(),
            path: self.path.to_vec(),
            questions: [self.path.questions(), self.solver.questions()],
            decisions: self.decisions.len(),
            object_decisions: self.tables.object_decisions.len(),
            arguments: values,
            not_understood: Vec::new(),
            unproved: Vec::new(),
            receivers: Vec::new(),
        };
        self.summaries.recordings.push(recording);
    }

    /// Ends with the call that was begun last, and keeps its summary where it gave a result and nothing else can have come of it.
    pub(crate) fn end_recording(&mut self, result: Option<&Value>) {
        let Some(recording) = self.summaries.recordings.pop() else { return };
        let reads = self.heap.reads.end();
        if let Some(around) = self.summaries.recordings.last_mut() {
            recording.not_understood.iter().for_each(|(what, span)| note(&mut around.not_understood, what, *span));
            recording.unproved.iter().for_each(|(what, span)| note(&mut around.unproved, what, *span));
            recording.receivers.iter().for_each(|noted| around.note_receiver(*noted));
        }
        let (key, callee) = (recording.key, Rc::clone(&recording.callee));
        let summary = match (result, reads) {
            (Some(result), Some(reads)) if self.is_all(&recording) => self.summarise(recording, &reads, result),
            _ => None,
        };
        match summary {
            Some(summary) => self.summaries.keep(key, summary),
            None => self.summaries.fail(key, &callee.function),
        }
    }

    /// Notes for the summaries of the running calls what was not understood.
    pub(crate) fn record_not_understood(&mut self, what: &str, span: Span) {
        if let Some(recording) = self.summaries.recordings.last_mut() {
            note(&mut recording.not_understood, what, span);
        }
    }

    /// The same for what was not proved.
    pub(crate) fn record_unproved(&mut self, what: &str, span: Span) {
        if let Some(recording) = self.summaries.recordings.last_mut() {
            note(&mut recording.unproved, what, span);
        }
    }

    /// The same for an object whose method is called.
    pub(crate) fn record_receiver(&mut self, id: ObjectId, span: Span) {
        if let Some(recording) = self.summaries.recordings.last_mut() {
            recording.note_receiver((id, span));
        }
    }

    /// Whether a call left nothing behind but objects and operations.
    fn is_all(&self, recording: &Recording) -> bool {
        self.state_of_analysis() == recording.state
            && self.solver.knows_as_much(&recording.knowledge)
            && self.context_of_call() == recording.context
            && self.trace.operations.len() - recording.operations <= MOST_OPERATIONS
            && self.entry.exhausted.is_none()
            && recording.receivers.len() < MOST_RECEIVERS
    }

    fn summarise(&self, recording: Recording, reads: &[Read], result: &Value) -> Option<Summary> {
        let mark = recording.mark;
        let is_old = |place: &Location| !self.heap.is_newer(*place, mark);
        let mut before = self.heap.peek_old_since(mark);
        before.retain(|(place, _)| is_old(place));
        if before.len() > MOST_EFFECTS {
            return None;
        }
        // In the order of the first change, which is that of new attributes.
        let effects: Vec<(Location, Content)> =
            before.iter().map(|(place, _)| (*place, self.heap.peek_content(*place))).collect();
        let before: FxHashMap<Location, Content> = before.into_iter().collect();
        let mut footprint = Vec::with_capacity(reads.len());
        let mut known: FxHashSet<Read> = FxHashSet::default();
        // What is added to a container depends on what it held.
        let changed = effects.iter().map(|(place, _)| *place).filter(|place| matches!(place, Location::Payload(_)));
        for read in reads.iter().copied().chain(changed.map(Read::Place)) {
            if known.insert(read) {
                footprint.push((read, self.found_before(read, &before)));
            }
        }
        let (objects, visible) = self.made_by(&recording, result, &effects)?;
        let path = (self.path.questions() != recording.questions[0]).then(|| recording.path.into_boxed_slice());
        let knowledge = (self.solver.questions() != recording.questions[1]).then_some(recording.knowledge);
        Some(Summary {
            callee: recording.callee,
            arguments: recording.arguments,
            keywords: recording.keywords,
            contents: recording.contents,
            context: recording.context,
            knowledge,
            path,
            footprint,
            effects,
            own: mark.objects,
            objects,
            result: result.clone(),
            visible,
            operations: recording.operations..self.trace.operations.len(),
            changes: self.executions.changes().wrapping_sub(recording.changes),
            steps: self.steps_without_summaries().saturating_sub(recording.steps),
            calls: recording.calls,
            loops: recording.loops,
            not_understood: recording.not_understood,
            unproved: recording.unproved,
            receivers: recording.receivers,
        })
    }

    /// What a call found where it read, whatever it put there later.
    fn found_before(&self, read: Read, before: &FxHashMap<Location, Content>) -> Found {
        match read {
            Read::Place(place) => {
                Found::Content(before.get(&place).cloned().unwrap_or_else(|| self.heap.peek_content(place)))
            }
            Read::Attributes(id) => {
                let now = self.heap.peek(id).attributes.iter().map(|(name, value)| (name, Some(value.clone())));
                let then = |(name, value): (Name, Option<Value>)| match before.get(&Location::Attribute(id, name)) {
                    Some(Content::Attribute(value)) => (name, value.clone()),
                    _ => (name, value),
                };
                Found::Attributes(now.map(then).filter_map(|(name, value)| Some((name, value?))).collect())
            }
        }
    }

    /// The objects that a call made and left behind, with what they hold; `None` where that cannot be made again, or rests on what was decided
    /// in the call. What was decided about objects that nobody can name any more is of no matter.
    fn made_by(&self, recording: &Recording, result: &Value, effects: &[(Location, Content)]) -> Option<LeftBehind> {
        let (own, decisions) = (recording.mark.objects, recording.decisions);
        let mut left = Left {
            own,
            decisions,
            first_operation: recording.operations,
            operations: BTreeSet::new(),
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            values: 0,
        };
        left.value(result)?;
        for (_, content) in effects {
            match content {
                Content::Attribute(value) => value.iter().try_for_each(|value| left.value(value))?,
                Content::Payload(payload) => left.payload(payload)?,
            }
        }
        let mut objects = Vec::new();
        while let Some(id) = left.waiting.pop() {
            let object = self.heap.peek(id);
            object.attributes.iter().try_for_each(|(_, value)| left.value(value))?;
            left.payload(&object.payload)?;
            objects.push((id, object.clone()));
        }
        objects.sort_unstable_by_key(|(id, _)| *id);
        let mut decided = self.tables.object_decisions.keys_since(recording.object_decisions);
        let is_settled = decided.all(|id| id.0 as usize >= own && !left.seen.contains(id));
        let operations = left.operations.into_iter().collect();
        (is_settled && objects.len() <= MOST_OBJECTS).then_some((objects, operations))
    }
}

/// Finds the objects that were left behind.
struct Left {
    own: usize,
    /// Decisions and operations from these on were made by the call.
    decisions: usize,
    first_operation: usize,
    /// The operations that made what was left behind, as places in the trace.
    operations: BTreeSet<usize>,
    waiting: Vec<ObjectId>,
    seen: FxHashSet<ObjectId>,
    values: usize,
}

impl Left {
    fn object(&mut self, id: ObjectId) -> Option<()> {
        if id.0 as usize >= self.own && self.seen.insert(id) {
            self.waiting.push(id);
        }
        (self.seen.len() <= MOST_OBJECTS).then_some(())
    }

    fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Option<()> {
        values.into_iter().try_for_each(|value| self.value(value))
    }

    fn value(&mut self, value: &Value) -> Option<()> {
        light_tick();
        self.values += 1;
        if self.values > MOST_VALUES {
            return None;
        }
        match value {
            Value::List(id) | Value::Dict(id) | Value::Set(id) | Value::Instance(id) | Value::Symbolic(id) => {
                self.object(*id)
            }
            Value::Class(id) | Value::Module(id) => ((id.0 as usize) < self.own).then_some(()),
            Value::Tuple(items) => self.values(items.iter()),
            Value::Slice(bounds) => self.values(bounds.iter()),
            Value::BoundMethod(method) => self.values([&method.receiver, &method.function]),
            Value::LibraryMethod(method) => self.value(&method.receiver),
            Value::Super(proxy) => self.value(&proxy.receiver),
            Value::Alternatives(alternatives) => {
                let is_older = |literal: &Literal| (literal.decision.0 as usize) < self.decisions;
                let are_older = alternatives.iter().all(|(guard, _)| guard.iter().all(is_older));
                are_older.then_some(())?;
                self.values(alternatives.iter().map(|(_, value)| value))
            }
            Value::Function(closure) => {
                closure.enclosing.iter().try_for_each(|id| self.object(*id))?;
                if closure.attributes.get().is_some_and(|id| id.0 as usize >= self.own) {
                    return None;
                }
                self.values(closure.defaults.iter().flatten().chain(&closure.wrapped))?;
                self.values(closure.accessors.iter().flat_map(|accessors| accessors.iter().flatten()))
            }
            Value::Tensor(tensor) => {
                let place = (tensor.operation.0 as usize).checked_sub(1);
                self.operations.extend(place.filter(|place| *place >= self.first_operation));
                Some(())
            }
            // What was taken from an iterator is not known to its copy.
            Value::Iterator(_) | Value::Cursor(_) => None,
            _ => Some(()),
        }
    }

    fn payload(&mut self, payload: &Payload) -> Option<()> {
        match payload {
            Payload::Plain => Some(()),
            Payload::List(data) => self.values(data.items.iter().chain(&data.rest)),
            Payload::Dict(data) => {
                self.values(data.entries.iter().chain(&data.rest).flat_map(|(key, value)| [key, value]))
            }
            Payload::Instance(data) => {
                self.value(&data.class)?;
                self.values(data.arguments.iter().map(|(_, value)| value))
            }
            Payload::Symbolic(data) => {
                self.values(&data.refined)?;
                data.owner.iter().try_for_each(|(owner, _)| self.object(*owner))
            }
            Payload::Class(_) | Payload::Module(_) | Payload::Generator(_) => None,
        }
    }
}
