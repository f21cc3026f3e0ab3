//! Outlines of values, by which a loop sees whether an iteration brings something new: what shapes and decisions see of
//! them. Two values have the same outline where they differ by numbers, by the names of sizes that a loop makes, or by
//! how often something was added to a collection.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use rustc_hash::FxHasher;

use crate::heap::objects::Payload;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_shape::{Element, Remembered, Shape, Var};
use harp_trace::OperationRecord;

/// Objects within objects that are looked into.
const DEPTH: u32 = 4;
/// Of a collection so many items are looked at from its beginning, and as many from its end.
const ITEMS: usize = 32;

/// Parts that are looked at in all.
const PARTS: u32 = 4_096;

/// A number, or something of which nothing is known: a loop that adds up what it works out has now one and now the other.
const NUMBER: u8 = 0;

/// What a look at a value may still see.
struct Look {
    /// Sizes that were made since are not told by their names.
    since: Remembered,
    depth: u32,
    parts: u32,
}

impl Interpreter<'_> {
    /// The outline of a value. Sizes that were made since a moment are told apart from known ones alone.
    pub(crate) fn outline_of(&self, value: &Value, since: Remembered) -> u64 {
        self.outline_within(value, &mut Look { since, depth: DEPTH, parts: PARTS })
    }

    /// The same of what an object holds besides its attributes.
    pub(crate) fn outline_of_payload(&self, payload: &Payload, since: Remembered) -> u64 {
        self.payload_within(payload, &mut Look { since, depth: DEPTH, parts: PARTS })
    }

    fn outline_within(&self, value: &Value, look: &mut Look) -> u64 {
        let mut hasher = FxHasher::default();
        let Some(parts) = look.parts.checked_sub(1) else { return 0 };
        look.parts = parts;
        match value {
            Value::Int(_)
            | Value::Float(_)
            | Value::Ratio(_)
            | Value::Condition(_)
            | Value::Symbolic(_)
            | Value::Unknown(_) => NUMBER.hash(&mut hasher),
            Value::Bool(truth) => (discriminant(value), truth).hash(&mut hasher),
            Value::Library(name) => (discriminant(value), name).hash(&mut hasher),
            Value::Tensor(tensor) => {
                (discriminant(value), discriminant(&tensor.dtype)).hash(&mut hasher);
                tensor.dtype.hash(&mut hasher);
                hash_outline(&tensor.shape, look.since, &mut hasher);
            }
            Value::Size(shape) => {
                discriminant(value).hash(&mut hasher);
                hash_outline(shape, look.since, &mut hasher);
            }
            Value::Tuple(items) => {
                (discriminant(value), items.len()).hash(&mut hasher);
                items.iter().for_each(|item| self.outline_within(item, look).hash(&mut hasher));
            }
            Value::Alternatives(alternatives) => {
                let outlines = self.outlines_of(alternatives.iter().map(|(_, value)| value), look);
                if let [outline] = outlines[..] {
                    return outline;
                }
                outlines.hash(&mut hasher);
            }
            Value::List(id) | Value::Set(id) | Value::Dict(id) => {
                discriminant(value).hash(&mut hasher);
                self.hash_object(*id, look, &mut hasher);
            }
            Value::Instance(id) => {
                if let Payload::Instance(instance) = &self.heap.peek(*id).payload {
                    self.class_outline(&instance.class).hash(&mut hasher);
                }
                self.hash_object(*id, look, &mut hasher);
            }
            _ => discriminant(value).hash(&mut hasher),
        }
        hasher.finish()
    }

    fn class_outline(&self, class: &Value) -> u64 {
        let mut hasher = FxHasher::default();
        match class {
            Value::Class(id) => id.hash(&mut hasher),
            Value::Library(name) => name.hash(&mut hasher),
            _ => discriminant(class).hash(&mut hasher),
        }
        hasher.finish()
    }

    fn hash_object(&self, id: ObjectId, look: &mut Look, hasher: &mut FxHasher) {
        if look.depth == 0 {
            return;
        }
        look.depth -= 1;
        let object = self.heap.peek(id);
        for (name, value) in object.attributes.iter().take(2 * ITEMS) {
            (name, self.outline_within(value, look)).hash(hasher);
        }
        self.payload_within(&object.payload, look).hash(hasher);
        look.depth += 1;
    }

    fn payload_within(&self, payload: &Payload, look: &mut Look) -> u64 {
        let mut hasher = FxHasher::default();
        discriminant(payload).hash(&mut hasher);
        match payload {
            Payload::List(list) => {
                self.outlines_of(list.items.iter().chain(&list.rest), look).hash(&mut hasher);
            }
            Payload::Dict(dict) => {
                let entries = dict.entries.iter().chain(&dict.rest).map(|(_, value)| value);
                self.outlines_of(entries, look).hash(&mut hasher);
            }
            Payload::Instance(instance) => {
                for (name, value) in &instance.arguments {
                    (name, self.outline_within(value, look)).hash(&mut hasher);
                }
            }
            _ => {}
        }
        hasher.finish()
    }

    /// The different outlines among items, in the order of their numbers: how many items there are of each is not told.
    fn outlines_of<'v>(&self, items: impl DoubleEndedIterator<Item = &'v Value> + Clone, look: &mut Look) -> Vec<u64> {
        let looked_at = items.clone().take(ITEMS).chain(items.rev().take(ITEMS));
        let mut outlines: Vec<u64> = looked_at.map(|item| self.outline_within(item, look)).collect();
        outlines.sort_unstable();
        outlines.dedup();
        outlines
    }
}

/// The outline of an operation: where it ran, and on what shape.
pub(crate) fn outline_of_operation(record: &OperationRecord, made: Remembered) -> u64 {
    let mut hasher = FxHasher::default();
    record.span.hash(&mut hasher);
    match &record.shape {
        Some(shape) => hash_outline(shape, made, &mut hasher),
        None => false.hash(&mut hasher),
    }
    hasher.finish()
}

/// The sizes of a shape, but for those that rest on what was made since: iterations make sizes of the same kind anew. Sizes go by their names, as
/// executions of a loop in several entries have the same ones, and by which of them are one.
fn hash_outline(shape: &Shape, made: Remembered, hasher: &mut FxHasher) {
    shape.elements().len().hash(hasher);
    let mut seen: Vec<Var> = Vec::new();
    for element in shape.elements() {
        let Element::Dim(dim) = element else {
            false.hash(hasher);
            continue;
        };
        if let Some(constant) = dim.as_const() {
            constant.hash(hasher);
            continue;
        }
        let vars = dim.vars();
        if !vars.iter().all(|var| made.has(*var)) {
            false.hash(hasher);
            continue;
        }
        dim.named().hash(hasher);
        for var in vars {
            let place = seen.iter().position(|known| *known == var).unwrap_or_else(|| {
                seen.push(var);
                seen.len() - 1
            });
            place.hash(hasher);
        }
    }
}
