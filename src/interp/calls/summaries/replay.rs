//! Replaying the summary of a call: doing again what the recorded call did.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::calls::call::CallArguments;
use crate::calls::summaries::matching::{
    Contents, Matching, are_identical, are_identical_payloads, are_same_functions, matching_of,
};
use crate::heap::location::Location;
use crate::heap::objects::{Content, DictData, InstanceData, ListData, Object, Payload, SymbolicData};
use crate::heap::read_log::Read;
use crate::judge::expected_failures::ExpectedInCalls;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{
    BoundMethod, Closure, Device, LibraryMethod, Literal, ObjectId, OperationId, SuperProxy, Tensor, Value,
};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{DType, Knowledge};
use harp_trace::OperationRecord;
use harp_trace::identity::Identity;

/// So many objects and operations are made again in the time of a step.
const MADE_IN_A_STEP: usize = 16;
/// Operations that replays add in an entry beyond those that made what calls left behind.
const MOST_OPERATIONS: usize = 1 << 14;

/// What a call did, and when it does so again.
#[derive(Debug)]
pub(super) struct Summary {
    pub callee: Rc<Closure>,
    /// The steps that it took.
    pub steps: u64,
    pub arguments: Vec<Value>,
    pub keywords: Vec<Name>,
    /// What the objects of the arguments held.
    pub contents: Contents,
    pub context: Context,
    /// What was known of sizes, where the call asked for it.
    pub knowledge: Option<Knowledge>,
    /// The path, where the call asked for it.
    pub path: Option<Box<[Literal]>>,
    /// What was read of what was there before.
    pub footprint: Vec<(Read, Found)>,
    /// What such places held in the end.
    pub effects: Vec<(Location, Content)>,
    /// Objects from this one on were made by the call.
    pub own: usize,
    /// Those that it left behind, in the order of their making.
    pub objects: Vec<(ObjectId, Object)>,
    pub result: Value,
    /// The operations that it added, as places in the trace.
    pub operations: Range<usize>,
    /// How often it changed something.
    pub changes: u32,
    /// Those among them that made what it left behind.
    pub visible: Vec<usize>,
    /// How many calls and loops ran around it.
    pub calls: usize,
    pub loops: usize,
    pub not_understood: Vec<(String, Span)>,
    pub unproved: Vec<(String, Span)>,
    /// The objects whose methods it called, and where.
    pub receivers: Vec<(ObjectId, Span)>,
}

/// What was found where a call read.
#[derive(Debug)]
pub(super) enum Found {
    Content(Content),
    Attributes(Vec<(Name, Value)>),
}

/// What calls depend on besides values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    is_in_loop: bool,
    is_in_abstract_loop: bool,
    is_caught: bool,
    takes_refusals: bool,
    expected: ExpectedInCalls,
    is_after_exit: bool,
    is_in_generated: bool,
    device: Device,
    float: DType,
}

/// A summary rests on what was learned of sizes and taken back since.
pub(super) struct Outdated;

impl Summary {
    /// How much it holds.
    pub fn size(&self) -> usize {
        self.contents.len() + self.footprint.len() + self.effects.len() + self.objects.len() + 1
    }
}

/// What takes the place of what the recorded call made and was given.
struct Renewal<'s> {
    summary: &'s Summary,
    matching: &'s Matching,
    /// By the objects that the recorded call left behind.
    objects: FxHashMap<ObjectId, ObjectId>,
    again: Again<'s>,
    /// How many operations there were before those that are added again.
    operations: usize,
}

/// Which operations of the recorded call are added again, as places in the trace.
enum Again<'s> {
    All(Range<usize>),
    Some(&'s [usize]),
}

impl Again<'_> {
    fn len(&self) -> usize {
        match self {
            Again::All(places) => places.len(),
            Again::Some(places) => places.len(),
        }
    }

    fn place(&self, index: usize) -> usize {
        match self {
            Again::All(places) => places.start + index,
            Again::Some(places) => places[index],
        }
    }

    fn index(&self, place: usize) -> Option<usize> {
        match self {
            Again::All(places) => places.contains(&place).then(|| place - places.start),
            Again::Some(places) => places.binary_search(&place).ok(),
        }
    }
}

impl Interpreter<'_> {
    pub(super) fn context_of_call(&self) -> Context {
        Context {
            is_in_loop: !self.loops.stack.is_empty(),
            is_in_abstract_loop: self.loops.abstract_loops > 0,
            is_caught: self.exceptions.caught > 0,
            takes_refusals: self.exceptions.takes_refusals(),
            expected: self.expected_in_calls(),
            is_after_exit: self.entry.is_after_exit,
            is_in_generated: !self.calls.generated.is_empty(),
            device: self.model_state.default_device,
            float: self.model_state.default_float,
        }
    }

    /// What takes the place of what, where a summary tells what a call does; `None` where it is about other arguments.
    pub(super) fn matching_of_call(
        &self,
        summary: &Summary,
        closure: &Rc<Closure>,
        arguments: &CallArguments,
    ) -> Result<Option<Matching>, Outdated> {
        let keywords = arguments.keywords.iter();
        if !are_same_functions(&summary.callee, closure)
            || summary.context != self.context_of_call()
            || !keywords.clone().map(|(name, _)| name).eq(&summary.keywords)
            || summary.path.as_ref().is_some_and(|path| path[..] != self.path[..])
        {
            return Ok(None);
        }
        let values: Vec<&Value> = arguments.positional.iter().chain(keywords.map(|(_, value)| value)).collect();
        let Some(matching) = matching_of(self, &summary.contents, &summary.arguments, &values) else { return Ok(None) };
        if !summary.knowledge.as_ref().is_none_or(|known| self.solver.still_knows(known)) {
            return Err(Outdated);
        }
        let is_same = |(read, found): &(Read, Found)| self.is_found_again(&matching, *read, found);
        Ok(summary.footprint.iter().all(is_same).then_some(matching))
    }

    fn is_found_again(&self, matching: &Matching, read: Read, found: &Found) -> bool {
        // What took its place was compared as a whole.
        let is_replaced = |id: ObjectId| matching.objects.get(&id).is_some_and(|other| *other != id);
        match (read, found) {
            (Read::Place(Location::Attribute(id, name)), Found::Content(Content::Attribute(before))) => {
                is_replaced(id)
                    || match (before, self.heap.peek(id).attributes.get(name)) {
                        (None, None) => true,
                        (Some(before), Some(now)) => are_identical(before, now),
                        _ => false,
                    }
            }
            (Read::Place(Location::Payload(id)), Found::Content(Content::Payload(before))) => {
                is_replaced(id) || are_identical_payloads(before, &self.heap.peek(id).payload)
            }
            (Read::Attributes(id), Found::Attributes(before)) => {
                let mut now = self.heap.peek(id).attributes.iter();
                is_replaced(id)
                    || (before.iter().all(|(name, before)| {
                        now.next().is_some_and(|(other, now)| *name == other && are_identical(before, now))
                    }) && now.next().is_none())
            }
            _ => false,
        }
    }

    /// Does what a summary tells, and gives the result.
    pub(super) fn replay(&mut self, summary: &Summary, matching: &Matching, arguments: &CallArguments) -> Eval {
        let again = self.operations_again(summary);
        let made = summary.objects.len() + again.len();
        self.entry.steps += (made / MADE_IN_A_STEP) as u64;
        self.step()?;
        self.summaries.steps = self.summaries.steps.saturating_add(summary.steps);
        self.note_reads(summary, matching);
        if summary.path.is_some() {
            self.path.note_question();
        }
        let first = self.heap.len();
        let renew = |(place, (id, _)): (usize, &(ObjectId, Object))| (*id, ObjectId((first + place) as u32));
        let objects = summary.objects.iter().enumerate().map(renew).collect();
        let renewal = Renewal { summary, matching, objects, again, operations: self.trace.operations.len() };
        self.add_operations_again(&renewal, arguments.span);
        for (_, object) in &summary.objects {
            self.heap.allocate(renewal.payload(&object.payload));
        }
        for (id, object) in &summary.objects {
            for (name, value) in object.attributes.iter() {
                self.heap.set_attribute(renewal.object(*id), name, renewal.value(value));
            }
        }
        for (place, content) in &summary.effects {
            let (place, content) = (renewal.place(*place), renewal.content(content));
            self.heap.store(place, content);
        }
        let result = renewal.value(&summary.result);
        // An object that the call made and did not leave behind is not made again.
        let is_there = |id: &ObjectId| (id.0 as usize) < summary.own || renewal.objects.contains_key(id);
        let receivers = summary.receivers.iter().filter(|(id, _)| is_there(id));
        self.note_receivers_again(receivers.map(|(id, span)| (renewal.object(*id), *span)).collect::<Vec<_>>());
        for (what, span) in &summary.not_understood {
            self.not_understood(what, *span);
        }
        for (what, span) in &summary.unproved {
            self.unproved(what, *span);
        }
        Ok(result)
    }

    /// A call around that is being recorded read what this one would read.
    fn note_reads(&self, summary: &Summary, matching: &Matching) {
        for (read, _) in &summary.footprint {
            self.heap.reads.note(|| *read);
        }
        for (_, now) in matching.objects.iter().filter(|(earlier, now)| earlier != now) {
            self.heap.reads.note(|| Read::Attributes(*now));
            self.heap.reads.note(|| Read::Place(Location::Payload(*now)));
        }
    }

    /// All operations of the recorded call, as long as those that were added so are not too many: the first two calls have shown what such
    /// calls do, and a call that is made by calls that are made twice adds operations beyond all measure.
    fn operations_again<'s>(&mut self, summary: &'s Summary) -> Again<'s> {
        let added = self.summaries.operations + summary.operations.len();
        if added > MOST_OPERATIONS {
            return Again::Some(&summary.visible);
        }
        self.summaries.operations = added;
        Again::All(summary.operations.clone())
    }

    /// Adds the operations of the recorded call as those of this one, which stands at `span`.
    fn add_operations_again(&mut self, renewal: &Renewal<'_>, span: Span) {
        let summary = renewal.summary;
        let mut calls = Behind::new(summary.calls + 1, self.calls.stack.iter().copied().chain([span]).collect());
        let mut loops = Behind::new(summary.loops, self.loops.stack.clone());
        let mut rounds = Behind::new(summary.loops, self.loops.rounds.clone());
        let mut places = (0..renewal.again.len()).map(|index| renewal.again.place(index)).peekable();
        let first = places.peek().and_then(|place| self.trace.operations.get(*place)).map(|record| record.identity);
        let changes = summary.changes;
        // Each of them may have been made before any of these operations.
        self.executions.catch_up(changes);
        for place in places {
            let Some(record) = self.trace.operations.get(place) else { return };
            let mut record = OperationRecord { route: self.route.clone(), ..record.clone() };
            let unchanged = record.identity;
            let identity = renewal.identity(unchanged);
            if let Some(first) = first {
                record.identity = self.executions.moved(identity, first);
            }
            if let Some(object) = record.identity.object.checked_sub(1).filter(|_| identity != unchanged) {
                record.identity.described = self.describe_object(ObjectId(object));
            }
            record.given.iter_mut().for_each(|given| given.operation = renewal.operation(given.operation));
            record.inputs.iter_mut().for_each(|input| input.operation = renewal.operation(input.operation));
            record.shape_from = renewal.source(record.shape_from);
            record.calls = calls.of(&record.calls);
            record.loops = loops.of(&record.loops);
            record.rounds = rounds.of(&record.rounds);
            self.work.costs.note_operation(&record);
            self.show_operation(&record);
            let strides = self.model_state.strides.get(&OperationId(place as u32 + 1)).cloned();
            record.identity.read = self.last_change(record.identity.object, &record.given);
            let operation = self.trace.add_operation(record);
            self.note_memory_again(OperationId(place as u32 + 1), operation, |made| renewal.operation(made));
            if let Some(strides) = strides {
                self.model_state.strides.insert(operation, strides);
            }
        }
        self.executions.catch_up(changes);
    }
}

/// A stack, and what stands for it.
type Replaced<T> = (Rc<[T]>, Rc<[T]>);

/// Stacks of calls or loops with what is around them now in the place of what was around them.
struct Behind<T> {
    /// How much was around them.
    before: usize,
    around: Vec<T>,
    /// The stack that was asked for last: most operations have the one of the operation before.
    last: Option<Replaced<T>>,
}

impl<T: Copy> Behind<T> {
    fn new(before: usize, around: Vec<T>) -> Behind<T> {
        Behind { before, around, last: None }
    }

    fn of(&mut self, stack: &Rc<[T]>) -> Rc<[T]> {
        if let Some((asked, given)) = &self.last
            && Rc::ptr_eq(asked, stack)
        {
            return Rc::clone(given);
        }
        let inner = stack.get(self.before..).unwrap_or_default();
        let given: Rc<[T]> = self.around.iter().chain(inner).copied().collect();
        self.last = Some((Rc::clone(stack), Rc::clone(&given)));
        given
    }
}

impl Renewal<'_> {
    fn object(&self, id: ObjectId) -> ObjectId {
        let made = self.objects.get(&id).or_else(|| self.matching.objects.get(&id));
        made.copied().unwrap_or(id)
    }

    /// Of an object that the call made, nobody knows whether it is like the earlier one.
    fn identity(&self, identity: Identity) -> Identity {
        let Some(object) = identity.object.checked_sub(1) else { return identity };
        if object as usize >= self.summary.own {
            return Identity { settings: None, ..identity };
        }
        Identity { object: self.object(ObjectId(object)).0 + 1, ..identity }
    }

    fn operation(&self, operation: OperationId) -> OperationId {
        let index = (operation.0 as usize).checked_sub(1).and_then(|place| self.again.index(place));
        match index {
            Some(index) => OperationId((self.operations + index + 1) as u32),
            None => self.matching.operations.get(&operation).copied().unwrap_or(operation),
        }
    }

    /// The operation whose result's shape another one has.
    fn source(&self, operation: OperationId) -> OperationId {
        self.matching.sources.get(&operation).copied().unwrap_or_else(|| self.operation(operation))
    }

    fn place(&self, place: Location) -> Location {
        match place {
            Location::Attribute(id, name) => Location::Attribute(self.object(id), name),
            Location::Payload(id) => Location::Payload(self.object(id)),
        }
    }

    fn content(&self, content: &Content) -> Content {
        match content {
            Content::Attribute(value) => Content::Attribute(value.as_ref().map(|value| self.value(value))),
            Content::Payload(payload) => Content::Payload(self.payload(payload)),
        }
    }

    fn values(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn optional(&self, value: &Option<Value>) -> Option<Value> {
        value.as_ref().map(|value| self.value(value))
    }

    fn value(&self, value: &Value) -> Value {
        light_tick();
        match value {
            Value::List(id) => Value::List(self.object(*id)),
            Value::Dict(id) => Value::Dict(self.object(*id)),
            Value::Set(id) => Value::Set(self.object(*id)),
            Value::Instance(id) => Value::Instance(self.object(*id)),
            Value::Symbolic(id) => Value::Symbolic(self.object(*id)),
            Value::Tuple(items) => {
                let renewed = self.values(items);
                let is_same = renewed.iter().zip(items.iter()).all(|(one, other)| is_one(one, other));
                // A tuple of sizes is known by where it is.
                if is_same { value.clone() } else { Value::tuple(renewed) }
            }
            Value::Slice(bounds) => Value::Slice(Rc::new([0, 1, 2].map(|at| self.value(&bounds[at])))),
            Value::Function(closure) => Value::Function(self.closure(closure)),
            Value::BoundMethod(method) => Value::BoundMethod(Rc::new(BoundMethod {
                receiver: self.value(&method.receiver),
                function: self.value(&method.function),
            })),
            Value::LibraryMethod(method) => {
                Value::LibraryMethod(Rc::new(LibraryMethod { receiver: self.value(&method.receiver), api: method.api }))
            }
            Value::Super(proxy) => {
                Value::Super(Rc::new(SuperProxy { class: proxy.class, receiver: self.value(&proxy.receiver) }))
            }
            Value::Tensor(tensor) => Value::Tensor(self.tensor(tensor)),
            Value::Alternatives(alternatives) => Value::Alternatives(Rc::new(
                alternatives.iter().map(|(guard, value)| (Rc::clone(guard), self.value(value))).collect(),
            )),
            other => other.clone(),
        }
    }

    fn tensor(&self, tensor: &Rc<Tensor>) -> Rc<Tensor> {
        let given = self.matching.tensors.iter().find(|(earlier, _)| Rc::ptr_eq(earlier, tensor));
        if let Some((_, now)) = given {
            return Rc::clone(now);
        }
        let operation = self.operation(tensor.operation);
        if operation == tensor.operation {
            Rc::clone(tensor)
        } else {
            Rc::new(Tensor { operation, ..Tensor::clone(tensor) })
        }
    }

    fn closure(&self, closure: &Rc<Closure>) -> Rc<Closure> {
        let is_own = closure.enclosing.iter().any(|id| id.0 as usize >= self.summary.own);
        if !is_own {
            return Rc::clone(closure);
        }
        let mut copy = closure.copy();
        copy.enclosing = closure.enclosing.iter().map(|id| self.object(*id)).collect();
        copy.defaults = closure.defaults.iter().map(|value| self.optional(value)).collect();
        copy.wrapped = self.optional(&closure.wrapped);
        copy.accessors =
            closure.accessors.as_ref().map(|both| Rc::new([self.optional(&both[0]), self.optional(&both[1])]) as _);
        copy.attributes = Rc::default();
        Rc::new(copy)
    }

    fn payload(&self, payload: &Payload) -> Payload {
        match payload {
            Payload::List(data) => {
                Payload::List(Rc::new(ListData { items: self.values(&data.items), rest: self.optional(&data.rest) }))
            }
            Payload::Dict(data) => {
                let pair = |(key, value): &(Value, Value)| (self.value(key), self.value(value));
                Payload::Dict(Rc::new(DictData::new(
                    data.entries.iter().map(pair).collect(),
                    data.rest.as_ref().map(pair),
                )))
            }
            Payload::Instance(data) => Payload::Instance(Rc::new(InstanceData {
                class: self.value(&data.class),
                arguments: data.arguments.iter().map(|(name, value)| (*name, self.value(value))).collect(),
                origin: data.origin,
            })),
            Payload::Symbolic(data) => Payload::Symbolic(Rc::new(SymbolicData {
                refined: self.optional(&data.refined),
                owner: data.owner.map(|(owner, name)| (self.object(owner), name)),
                ..SymbolicData::clone(data)
            })),
            other => other.clone(),
        }
    }
}

/// Whether nothing was put in the place of a value or of a part of it.
fn is_one(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Tensor(one), Value::Tensor(other)) => Rc::ptr_eq(one, other),
        (Value::Tuple(one), Value::Tuple(other)) => Rc::ptr_eq(one, other),
        (
            Value::Slice(_)
            | Value::BoundMethod(_)
            | Value::LibraryMethod(_)
            | Value::Super(_)
            | Value::Alternatives(_),
            _,
        ) => false,
        (Value::Function(one), Value::Function(other)) => Rc::ptr_eq(one, other),
        _ => one.same(other),
    }
}
