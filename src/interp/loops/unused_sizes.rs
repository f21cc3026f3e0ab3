//! Forgets what an iteration of a loop learned of sizes that it made and left nowhere. A loop that reads a batch from
//! data of unknown length learns a dozen facts each time, and of the first iterations' facts as many are known as of
//! all.

use harp_shape::{Dim, Element, Mark, Remembered, Shape, ShapeVar, Var, remembered};
use rustc_hash::FxHashSet;

use crate::heap::location::Location;
use crate::heap::objects::{Content, LogMark, Payload};
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};

/// What the first iterations learned is kept.
const FIRST: usize = 2;

/// Of the innermost loop: what there was of sizes when it began, and how many of its iterations have ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoopMoment {
    pub made: Option<Remembered>,
    pub iterations: usize,
}

/// The moment before an iteration.
#[derive(Clone, Copy)]
pub(crate) struct IterationMoment {
    heap: LogMark,
    solver: Mark,
    made: Remembered,
    waiting: usize,
}

/// Sizes that values hold.
#[derive(Default)]
struct Held {
    sizes: FxHashSet<Var>,
    shapes: FxHashSet<ShapeVar>,
    seen: FxHashSet<ObjectId>,
}

impl Interpreter<'_> {
    /// The moment before an iteration of the innermost loop, for [`Interpreter::forget_unused_sizes`].
    pub(crate) fn before_iteration(&self) -> IterationMoment {
        IterationMoment {
            heap: self.heap.mark(),
            solver: self.solver.mark(),
            made: remembered(),
            waiting: self.pending.len(),
        }
    }

    /// Forgets what the iteration learned where all of it is about sizes that it made and that nothing holds.
    pub(crate) fn forget_unused_sizes(&mut self, before: IterationMoment) {
        self.loops.moment.iterations += 1;
        let is_first = self.loops.moment.iterations <= FIRST;
        if is_first || self.inference.is_some() || self.pending.len() > before.waiting {
            return;
        }
        if self.solver.mark() <= before.solver || remembered() == before.made {
            return;
        }
        let Some(held) = self.held_since(before.heap) else { return };
        let made = before.made;
        self.solver.forget_unused(
            before.solver,
            |variable| !made.has(variable) && !held.sizes.contains(&variable),
            |variable| !made.has_shape(variable) && !held.shapes.contains(&variable),
        );
    }

    /// The sizes in what was changed since a moment, and in what is reached from there alone; `None` where they cannot all be told.
    fn held_since(&self, mark: LogMark) -> Option<Held> {
        let mut held = Held::default();
        let mut walk = Walk::short();
        // What a generator that runs to its end has given is nowhere else.
        for value in self.frames.iter().flat_map(|frame| frame.receiver.iter().chain(&frame.yields)) {
            self.add_held(value, mark, &mut held, &mut walk)?;
        }
        for (location, content) in self.heap.peek_delta_since(mark) {
            if self.heap.is_newer(location, mark) {
                continue;
            }
            match content {
                Content::Attribute(Some(value)) => self.add_held(&value, mark, &mut held, &mut walk)?,
                Content::Attribute(None) => {}
                Content::Payload(payload) => self.add_held_by(&payload, mark, &mut held, &mut walk)?,
            }
        }
        Some(held)
    }

    fn add_held(&self, value: &Value, mark: LogMark, held: &mut Held, walk: &mut Walk) -> Option<()> {
        walk.part(|walk| self.add_held_here(value, mark, held, walk))?
    }

    fn add_held_here(&self, value: &Value, mark: LogMark, held: &mut Held, walk: &mut Walk) -> Option<()> {
        let mut all = |values: &[Value], held: &mut Held| {
            values.iter().try_for_each(|value| self.add_held(value, mark, held, walk))
        };
        match value {
            Value::None
            | Value::Bool(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Bytes
            | Value::Complex
            | Value::Ellipsis
            | Value::Library(_)
            | Value::DType(_)
            | Value::Unknown(_) => Some(()),
            Value::Int(number) => held.add(*number),
            Value::Ratio(numbers) => numbers.iter().try_for_each(|number| held.add(*number)),
            Value::Range(numbers) => numbers.iter().try_for_each(|number| held.add(*number)),
            Value::Size(shape) => held.add_shape(shape),
            Value::Tensor(tensor) => held.add_shape(&tensor.shape),
            Value::Tuple(items) => all(items, held),
            Value::Slice(bounds) => all(bounds.as_slice(), held),
            Value::LibraryMethod(method) => all(std::slice::from_ref(&method.receiver), held),
            Value::BoundMethod(method) => {
                all(std::slice::from_ref(&method.receiver), held)?;
                all(std::slice::from_ref(&method.function), held)
            }
            Value::List(id)
            | Value::Set(id)
            | Value::Dict(id)
            | Value::Instance(id)
            | Value::Class(id)
            | Value::Module(id) => self.add_held_in(*id, mark, held, walk),
            Value::Function(closure) => {
                let values = closure.defaults.iter().flatten().chain(&closure.wrapped);
                let mut values =
                    values.chain(closure.accessors.iter().flat_map(|accessors| accessors.iter().flatten()));
                values.try_for_each(|value| self.add_held(value, mark, held, walk))?;
                let attributes = closure.attributes.get();
                let objects = closure.enclosing.iter().chain(&closure.class).chain(&attributes);
                objects.copied().try_for_each(|id| self.add_held_in(id, mark, held, walk))?;
                self.add_held_in(closure.globals, mark, held, walk)
            }
            Value::Condition(_)
            | Value::Super(_)
            | Value::Iterator(_)
            | Value::Cursor(_)
            | Value::Symbolic(_)
            | Value::Alternatives(_) => None,
        }
    }

    /// What an object holds that was made since; one from before has its changes among the others.
    fn add_held_in(&self, id: ObjectId, mark: LogMark, held: &mut Held, walk: &mut Walk) -> Option<()> {
        if !self.heap.is_newer(Location::Payload(id), mark) || !held.seen.insert(id) {
            return Some(());
        }
        let object = self.heap.peek(id);
        for (_, value) in object.attributes.iter() {
            self.add_held(value, mark, held, walk)?;
        }
        self.add_held_by(&object.payload, mark, held, walk)
    }

    fn add_held_by(&self, payload: &Payload, mark: LogMark, held: &mut Held, walk: &mut Walk) -> Option<()> {
        let mut add = |value: &Value| self.add_held(value, mark, held, walk);
        match payload {
            Payload::Plain | Payload::Class(_) | Payload::Module(_) => Some(()),
            Payload::List(list) => list.items.iter().chain(&list.rest).try_for_each(add),
            Payload::Dict(dict) => {
                let entries = dict.entries.iter().chain(&dict.rest).chain(&dict.doubtful);
                entries.flat_map(|(key, value)| [key, value]).try_for_each(add)
            }
            Payload::Instance(instance) => instance.arguments.iter().try_for_each(|(_, value)| add(value)),
            Payload::Symbolic(_) | Payload::Generator(_) => None,
        }
    }
}

impl Held {
    fn add(&mut self, number: Dim) -> Option<()> {
        number.for_each_var(|variable| _ = self.sizes.insert(variable));
        self.shapes.extend(number.shape_vars());
        Some(())
    }

    fn add_shape(&mut self, shape: &Shape) -> Option<()> {
        shape.elements().iter().try_for_each(|element| match element {
            Element::Dim(number) => self.add(*number),
            Element::Rest(variable) => {
                self.shapes.insert(*variable);
                Some(())
            }
            Element::Ragged => Some(()),
        })
    }
}
