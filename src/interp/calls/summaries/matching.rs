//! Whether a summary of an earlier call holds for a call, as its arguments are equal: the same constants, tensors of
//! the same shapes and types that share what the others shared, the same objects, or others with the same content, as a
//! constructor is given.

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::calls::call::CallArguments;
use crate::heap::objects::{Object, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, ObjectId, OperationId, Tensor, Value};
use harp_limits::light_tick;

/// Values within the arguments that are compared.
const MOST_PARTS: u32 = 2048;
/// Values within values are compared so far down.
const DEEPEST: u32 = 32;
/// Objects of an argument whose content is kept, so that others can be compared with it.
const MOST_OBJECTS: usize = 64;
/// Values in them that are still to be looked at.
const MOST_WAITING: usize = 1024;
/// The attributes of objects with more than these are no part of the number of a call.
const MOST_HASHED: usize = 16;

/// What objects held when a call began.
pub(super) type Contents = FxHashMap<ObjectId, Object>;

/// What of a later call takes the place of what an earlier one was given.
#[derive(Debug, Default)]
pub(super) struct Matching {
    pub objects: FxHashMap<ObjectId, ObjectId>,
    taken: FxHashSet<ObjectId>,
    pub operations: FxHashMap<OperationId, OperationId>,
    made: FxHashSet<OperationId>,
    /// Those whose results the shapes of others are.
    pub sources: FxHashMap<OperationId, OperationId>,
    pub tensors: Vec<(Rc<Tensor>, Rc<Tensor>)>,
    parts: u32,
}

/// Compares with the arguments of one earlier call.
struct Comparison<'a, 'p> {
    interpreter: &'a Interpreter<'p>,
    /// What the objects of the earlier call held.
    contents: &'a Contents,
    matching: Matching,
    depth: u32,
}

/// A number that is the same for equal arguments of the same function.
pub(super) fn hash_of_call(interpreter: &Interpreter<'_>, closure: &Closure, arguments: &CallArguments) -> u64 {
    let mut hasher = FxHasher::default();
    (Arc::as_ptr(&closure.function) as usize).hash(&mut hasher);
    closure.enclosing.hash(&mut hasher);
    hasher.write_usize(arguments.positional.len());
    for value in &arguments.positional {
        hash_value(interpreter, value, &mut hasher, 0);
    }
    for (name, value) in &arguments.keywords {
        name.hash(&mut hasher);
        hash_value(interpreter, value, &mut hasher, 0);
    }
    hasher.finish()
}

fn hash_value(interpreter: &Interpreter<'_>, value: &Value, hasher: &mut FxHasher, depth: u32) {
    light_tick();
    std::mem::discriminant(value).hash(hasher);
    match value {
        Value::Bool(value) => value.hash(hasher),
        Value::Int(dim) => dim.hash(hasher),
        Value::Float(value) => value.map(f64::to_bits).hash(hasher),
        Value::Str(text) => text.hash(hasher),
        Value::Tuple(items) => {
            hasher.write_usize(items.len());
            if depth < 3 {
                items.iter().take(16).for_each(|item| hash_value(interpreter, item, hasher, depth + 1));
            }
        }
        Value::Class(id) | Value::Module(id) | Value::Symbolic(id) => id.hash(hasher),
        // Objects with the same content are equal, too.
        Value::Instance(id) => {
            let object = interpreter.heap.peek(*id);
            if let (Payload::Instance(data), 0..2) = (&object.payload, depth) {
                hash_value(interpreter, &data.class, hasher, depth + 1);
                let attributes = object.attributes.iter();
                if attributes.clone().count() <= MOST_HASHED {
                    attributes.for_each(|(_, value)| hash_value(interpreter, value, hasher, depth + 1));
                }
            }
        }
        Value::Range(bounds) => bounds.hash(hasher),
        Value::Function(closure) => (Arc::as_ptr(&closure.function) as usize).hash(hasher),
        Value::Library(name) => name.hash(hasher),
        Value::Tensor(tensor) => (&tensor.shape, tensor.dtype, tensor.kind, tensor.device).hash(hasher),
        Value::DType(dtype) => dtype.hash(hasher),
        Value::Size(shape) => shape.hash(hasher),
        _ => {}
    }
}

/// What the objects of the arguments hold, those in them included; arguments that hold too many objects are left out.
pub(super) fn contents_of(interpreter: &Interpreter<'_>, arguments: &[Value]) -> Contents {
    let mut contents = Contents::default();
    for argument in arguments {
        let mut own = Contents::default();
        if add_contents(interpreter, argument, &contents, &mut own).is_some() {
            contents.extend(own);
        }
    }
    contents
}

/// Adds what the objects of an argument hold; `None` where there are too many of them.
fn add_contents(interpreter: &Interpreter<'_>, argument: &Value, known: &Contents, own: &mut Contents) -> Option<()> {
    let mut waiting: Vec<&Value> = vec![argument];
    while let Some(value) = waiting.pop() {
        let id = match value {
            Value::List(id) | Value::Dict(id) | Value::Set(id) | Value::Instance(id) => *id,
            Value::Tuple(items) => {
                waiting.extend(items.iter());
                continue;
            }
            _ => continue,
        };
        if waiting.len() > MOST_WAITING || own.len() >= MOST_OBJECTS {
            return None;
        }
        if known.contains_key(&id) || own.contains_key(&id) {
            continue;
        }
        let object = interpreter.heap.peek(id);
        waiting.extend(object.attributes.iter().map(|(_, value)| value));
        match &object.payload {
            Payload::List(data) => waiting.extend(&data.items),
            Payload::Dict(data) => waiting.extend(data.entries.iter().flat_map(|(key, value)| [key, value])),
            _ => {}
        }
        own.insert(id, object.clone());
    }
    Some(())
}

/// What takes the place of what, where the arguments are equal.
pub(super) fn matching_of(
    interpreter: &Interpreter<'_>,
    contents: &Contents,
    earlier: &[Value],
    now: &[&Value],
) -> Option<Matching> {
    let matching = Matching { parts: MOST_PARTS, ..Matching::default() };
    let mut comparison = Comparison { interpreter, contents, matching, depth: DEEPEST };
    let is_equal =
        earlier.len() == now.len() && earlier.iter().zip(now).all(|(one, other)| comparison.values(one, other));
    is_equal.then_some(comparison.matching)
}

/// Whether two values are one and the same: also the same objects, and tensors of the same operation.
pub(super) fn are_identical(one: &Value, other: &Value) -> bool {
    light_tick();
    match (one, other) {
        (Value::Tensor(one), Value::Tensor(other)) => {
            Rc::ptr_eq(one, other) || (one.operation == other.operation && are_alike(one, other))
        }
        (Value::Tuple(one), Value::Tuple(other)) => {
            Rc::ptr_eq(one, other)
                || (one.len() == other.len() && one.iter().zip(other.iter()).all(|(a, b)| are_identical(a, b)))
        }
        (Value::Function(one), Value::Function(other)) => are_same_functions(one, other),
        (Value::BoundMethod(one), Value::BoundMethod(other)) => {
            are_identical(&one.receiver, &other.receiver) && are_identical(&one.function, &other.function)
        }
        (Value::LibraryMethod(one), Value::LibraryMethod(other)) => {
            one.api == other.api && are_identical(&one.receiver, &other.receiver)
        }
        (Value::Alternatives(one), Value::Alternatives(other)) => {
            Rc::ptr_eq(one, other)
                || (one.len() == other.len()
                    && one.iter().zip(other.iter()).all(|(a, b)| a.0 == b.0 && are_identical(&a.1, &b.1)))
        }
        (Value::Slice(one), Value::Slice(other)) => one.iter().zip(other.iter()).all(|(a, b)| are_identical(a, b)),
        (Value::Unknown(one), Value::Unknown(other)) => one == other,
        (Value::Super(one), Value::Super(other)) => Rc::ptr_eq(one, other),
        _ => one.same(other),
    }
}

/// Whether objects are the same kind of thing with the very same content.
pub(super) fn are_identical_payloads(one: &Payload, other: &Payload) -> bool {
    match (one, other) {
        (Payload::Plain, Payload::Plain) => true,
        (Payload::List(one), Payload::List(other)) => Rc::ptr_eq(one, other),
        (Payload::Dict(one), Payload::Dict(other)) => Rc::ptr_eq(one, other),
        (Payload::Class(one), Payload::Class(other)) => Rc::ptr_eq(one, other),
        (Payload::Instance(one), Payload::Instance(other)) => Rc::ptr_eq(one, other),
        (Payload::Module(one), Payload::Module(other)) => Rc::ptr_eq(one, other),
        (Payload::Symbolic(one), Payload::Symbolic(other)) => Rc::ptr_eq(one, other),
        _ => false,
    }
}

pub(super) fn are_same_functions(one: &Rc<Closure>, other: &Rc<Closure>) -> bool {
    let are_same = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => are_identical(one, other),
        _ => false,
    };
    Rc::ptr_eq(one, other)
        || (Arc::ptr_eq(&one.function, &other.function)
            && one.enclosing == other.enclosing
            && one.globals == other.globals
            && one.kind == other.kind
            && one.class == other.class
            && one.attributes.get() == other.attributes.get()
            && one.accessors.is_none()
            && other.accessors.is_none()
            && are_same(&one.wrapped, &other.wrapped)
            && one.defaults.len() == other.defaults.len()
            && one.defaults.iter().zip(&other.defaults).all(|(one, other)| are_same(one, other)))
}

/// Whether two tensors differ in nothing but the operations that made them.
fn are_alike(one: &Tensor, other: &Tensor) -> bool {
    let are_same_elements = match (&one.elements, &other.elements) {
        (None, None) => true,
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        _ => false,
    };
    one.shape == other.shape
        && one.dtype == other.dtype
        && one.kind == other.kind
        && one.device == other.device
        && one.origin == other.origin
        && one.name == other.name
        && one.assumptions == other.assumptions
        && are_same_elements
}

impl Comparison<'_, '_> {
    fn values(&mut self, earlier: &Value, now: &Value) -> bool {
        if self.matching.parts == 0 || self.depth == 0 {
            return false;
        }
        self.matching.parts -= 1;
        self.depth -= 1;
        let are_equal = self.values_here(earlier, now);
        self.depth += 1;
        are_equal
    }

    fn values_here(&mut self, earlier: &Value, now: &Value) -> bool {
        match (earlier, now) {
            (Value::Tuple(earlier), Value::Tuple(now)) => self.all(earlier, now),
            (Value::Slice(earlier), Value::Slice(now)) => self.all(&earlier[..], &now[..]),
            (Value::List(earlier), Value::List(now))
            | (Value::Dict(earlier), Value::Dict(now))
            | (Value::Set(earlier), Value::Set(now))
            | (Value::Instance(earlier), Value::Instance(now)) => self.objects(*earlier, *now),
            (Value::BoundMethod(earlier), Value::BoundMethod(now)) => {
                self.values(&earlier.receiver, &now.receiver) && self.values(&earlier.function, &now.function)
            }
            (Value::LibraryMethod(earlier), Value::LibraryMethod(now)) => {
                earlier.api == now.api && self.values(&earlier.receiver, &now.receiver)
            }
            (Value::Super(earlier), Value::Super(now)) => {
                earlier.class == now.class && self.values(&earlier.receiver, &now.receiver)
            }
            (Value::Alternatives(earlier), Value::Alternatives(now)) => {
                earlier.len() == now.len()
                    && earlier
                        .iter()
                        .zip(now.iter())
                        .all(|(one, other)| one.0 == other.0 && self.values(&one.1, &other.1))
            }
            (Value::Tensor(earlier), Value::Tensor(now)) => self.tensors(earlier, now),
            // What was taken from an iterator is no part of its value.
            (Value::Iterator(_) | Value::Cursor(_), _) => false,
            _ => are_identical(earlier, now),
        }
    }

    fn all(&mut self, earlier: &[Value], now: &[Value]) -> bool {
        earlier.len() == now.len() && earlier.iter().zip(now).all(|(earlier, now)| self.values(earlier, now))
    }

    fn tensors(&mut self, earlier: &Rc<Tensor>, now: &Rc<Tensor>) -> bool {
        if !self.operations(earlier.operation, now.operation) {
            return false;
        }
        let is_same = Rc::ptr_eq(earlier, now);
        if !is_same {
            self.matching.tensors.push((Rc::clone(earlier), Rc::clone(now)));
        }
        is_same || are_alike(earlier, now)
    }

    /// Whether an operation can take another one's place: where something is known of what one made beyond its shape, it is of both.
    fn operations(&mut self, earlier: OperationId, now: OperationId) -> bool {
        if let Some(known) = self.matching.operations.get(&earlier) {
            return *known == now;
        }
        if earlier == OperationId::NONE || now == OperationId::NONE {
            return earlier == now;
        }
        let (strides, masks) = (&self.interpreter.model_state.strides, &self.interpreter.model_state.mask_counts);
        let is_equal = strides.get(&earlier) == strides.get(&now) && masks.get(&earlier) == masks.get(&now);
        if !is_equal || !self.matching.made.insert(now) {
            return false;
        }
        self.matching.operations.insert(earlier, now);
        if earlier != now {
            let source = |operation: OperationId| {
                let record = self.interpreter.trace.operation(operation);
                record.map(|record| record.shape_from).filter(|source| *source != OperationId::NONE)
            };
            if let Some(earlier) = source(earlier) {
                self.matching.sources.insert(earlier, source(now).unwrap_or(now));
            }
        }
        true
    }

    /// Whether an object is the earlier one, or holds what that one held when it was passed.
    fn objects(&mut self, earlier: ObjectId, now: ObjectId) -> bool {
        if let Some(known) = self.matching.objects.get(&earlier) {
            return *known == now;
        }
        if !self.matching.taken.insert(now) {
            return false;
        }
        self.matching.objects.insert(earlier, now);
        earlier == now || self.have_equal_contents(earlier, now)
    }

    fn have_equal_contents(&mut self, earlier: ObjectId, now: ObjectId) -> bool {
        let contents = self.contents;
        let interpreter = self.interpreter;
        let Some(before) = contents.get(&earlier) else { return false };
        if interpreter.is_noted_elsewhere(earlier) || interpreter.is_noted_elsewhere(now) {
            return false;
        }
        let object = interpreter.heap.peek(now);
        let mut both = before.attributes.iter().zip(object.attributes.iter());
        before.attributes.iter().count() == object.attributes.iter().count()
            && self.payloads(&before.payload, &object.payload)
            && both.all(|((name, earlier), (other, now))| name == other && self.values(earlier, now))
    }

    fn payloads(&mut self, earlier: &Payload, now: &Payload) -> bool {
        match (earlier, now) {
            (Payload::Plain, Payload::Plain) => true,
            (Payload::List(earlier), Payload::List(now)) => {
                self.all(&earlier.items, &now.items) && self.rests(earlier.rest.as_ref(), now.rest.as_ref())
            }
            (Payload::Dict(earlier), Payload::Dict(now)) => {
                let rest =
                    |rest: &Option<(Value, Value)>| rest.clone().map(|(key, value)| Value::tuple(vec![key, value]));
                earlier.entries.len() == now.entries.len()
                    && earlier
                        .entries
                        .iter()
                        .zip(&now.entries)
                        .all(|(earlier, now)| self.values(&earlier.0, &now.0) && self.values(&earlier.1, &now.1))
                    && self.rests(rest(&earlier.rest).as_ref(), rest(&now.rest).as_ref())
            }
            (Payload::Instance(earlier), Payload::Instance(now)) => {
                earlier.origin == now.origin
                    && self.values(&earlier.class, &now.class)
                    && earlier.arguments.len() == now.arguments.len()
                    && earlier
                        .arguments
                        .iter()
                        .zip(&now.arguments)
                        .all(|(earlier, now)| earlier.0 == now.0 && self.values(&earlier.1, &now.1))
            }
            _ => false,
        }
    }

    fn rests(&mut self, earlier: Option<&Value>, now: Option<&Value>) -> bool {
        match (earlier, now) {
            (None, None) => true,
            (Some(earlier), Some(now)) => self.values(earlier, now),
            _ => false,
        }
    }
}

impl Interpreter<'_> {
    /// Whether something is known of an object that it does not hold itself.
    fn is_noted_elsewhere(&self, id: ObjectId) -> bool {
        self.tables.counts.contains_key(&id)
            || self.tables.handed_out.contains_key(&id)
            || self.model_state.passes.contains_key(&id)
            || self.tables.shapes_of_values.contains_key(&id)
            || self.tables.object_decisions.contains_key(&id)
    }
}
