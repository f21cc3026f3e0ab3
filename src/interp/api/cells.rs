//! When what an API call reads was changed last. Each tensor and each object of a library has a time of its own, so
//! that an append to a list, or a tensor that something else is written to, leaves the rest as it is; weights have one
//! together, which a step of an optimizer moves on.

use rustc_hash::FxHashMap;

use crate::api::call_api::Bound;
use crate::calls::call::CallArguments;
use crate::heap::objects::Standing;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, OperationId, Tensor, Value};
use harp_annotations::{ApiSpec, Effects};
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_trace::Given;

/// Items of containers that are looked at, and how deep.
const MOST_ITEMS: usize = 64;
const DEEPEST: usize = 3;
/// Attributes of attributes are followed so far to what they belong to.
const MOST_OWNERS: usize = 8;

/// Something that can be changed in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    /// The memory of a tensor that an operation made.
    Made(OperationId),
    /// The memory of a tensor that the program was given, by the number of its source.
    Source(u32),
    /// An object of a library, with its weights.
    Object(ObjectId),
}

/// The times of changes, on the clock that counts all of them.
#[derive(Debug, Default)]
pub struct Cells {
    changed: FxHashMap<Cell, u32>,
    /// When code ran that may change anything.
    everything: u32,
    /// When weights may have been changed, or tensors that were made of no others: an optimizer may own these.
    weights: u32,
    /// In whose memory the results of operations lie that share it with an argument.
    memory: FxHashMap<OperationId, Cell>,
}

/// What a call reaches that it may change.
#[derive(Debug, Default)]
struct Reach {
    cells: Vec<Cell>,
    weights: bool,
    everything: bool,
}

impl Cells {
    /// Code ran at this time that may change anything.
    pub(super) fn everything_changes(&mut self, now: u32) {
        self.everything = now;
    }

    fn last_change(&self, cell: Cell) -> u32 {
        self.changed.get(&cell).copied().unwrap_or(0)
    }
}

impl Interpreter<'_> {
    /// The cell that a tensor lies in, and whether it was made of no other tensor.
    fn cell_of(&self, operation: OperationId, part: u32) -> (Cell, bool) {
        let made = match operation {
            OperationId::NONE => Cell::Source(part),
            operation => self.executions.cells.memory.get(&operation).copied().unwrap_or(Cell::Made(operation)),
        };
        let is_first = match made {
            Cell::Made(operation) => self.trace.operation(operation).is_none_or(|record| record.given.is_empty()),
            _ => true,
        };
        (made, is_first)
    }

    /// When something was changed last that an operation reads which is given these tensors and is that of the object, by its number and 1.
    pub(crate) fn last_change(&self, object: u32, given: &[Given]) -> u32 {
        let cells = &self.executions.cells;
        let of_object =
            object.checked_sub(1).map(|id| cells.last_change(Cell::Object(ObjectId(id))).max(cells.weights));
        let of_tensors = given.iter().map(|given| {
            let (cell, is_first) = self.cell_of(given.operation, given.part);
            cells.last_change(cell).max(if is_first { cells.weights } else { 0 })
        });
        of_object.into_iter().chain(of_tensors).fold(cells.everything, u32::max)
    }

    /// Notes in whose memory the result of an operation lies.
    pub(super) fn note_memory(&mut self, spec: &ApiSpec, operation: OperationId, given: &[Given]) {
        let is_written = |given: &&Given| spec.effects.writes(given.parameter.as_str());
        let shares = match spec.effects.has(Effects::VIEWS) {
            true => given.first(),
            false => given.iter().find(is_written),
        };
        let cell = shares.map(|given| self.cell_of(given.operation, given.part).0);
        self.share_memory(operation, cell);
    }

    /// The result of an operation that is recorded again lies where that of the first one does, in what stands for it now.
    pub(crate) fn note_memory_again(
        &mut self,
        from: OperationId,
        to: OperationId,
        renewed: impl Fn(OperationId) -> OperationId,
    ) {
        let cell = self.executions.cells.memory.get(&from).map(|cell| match *cell {
            Cell::Made(operation) => Cell::Made(renewed(operation)),
            cell => cell,
        });
        self.share_memory(to, cell);
    }

    fn share_memory(&mut self, operation: OperationId, cell: Option<Cell>) {
        let memory = &mut self.executions.cells.memory;
        match cell {
            Some(cell) => _ = memory.insert(operation, cell),
            // An operation that was forgotten may have had the number.
            None => _ = memory.remove(&operation),
        }
    }

    /// What an annotated call writes to is changed.
    pub(crate) fn note_change(&mut self, spec: &ApiSpec, bound: &Bound) {
        let is_written = |(name, value): &&(Name, Value)| {
            spec.effects.writes(name.as_str()) || name.as_str() == "out" && !matches!(value, Value::None)
        };
        if spec.effects.has(Effects::GLOBAL) {
            return self.executions.change();
        }
        let written: Vec<Value> = bound.iter().filter(is_written).map(|(_, value)| value.clone()).collect();
        self.change_all_of(&written);
    }

    /// What is given to a call that may change all of it is changed.
    pub(crate) fn change_arguments(&mut self, receiver: Option<&Value>, arguments: &CallArguments) {
        let keywords = arguments.keywords.iter().map(|(_, value)| value);
        let given: Vec<Value> = receiver.into_iter().chain(&arguments.positional).chain(keywords).cloned().collect();
        self.change_all_of(&given);
    }

    /// An attribute of an object is assigned: what objects of the program hold is read where it is used, but a layer runs with its weights.
    pub(crate) fn note_assigned_attribute(&mut self, object: &Value) {
        match self.read(object) {
            Value::Instance(id) => {
                let instance = self.heap.instance(id);
                if instance.is_some_and(|data| matches!(data.class, Value::Library(_))) {
                    self.change_cells(&[Cell::Object(id)], false);
                }
            }
            object => self.change_all_of(&[object]),
        }
    }

    /// A value was called that nothing is known of: it may be an optimizer, or hold one, unless it came from code that was given none.
    pub(crate) fn note_change_by_unknown(&mut self, callee: ObjectId) {
        let owner =
            std::iter::successors(Some(callee), |id| Some(self.heap.symbolic(*id)?.owner?.0)).take(MOST_OWNERS).last();
        let standing = owner.and_then(|owner| Some(&self.heap.symbolic(owner)?.standing));
        if matches!(standing, None | Some(Standing::Plain)) {
            self.change_cells(&[], true);
        }
    }

    /// These values are changed in place, with what they hold.
    pub(crate) fn change_all_of(&mut self, values: &[Value]) {
        let mut reach = Reach::default();
        for value in values {
            self.add_reach(value, &mut reach, 0);
        }
        if reach.everything {
            return self.executions.change();
        }
        self.change_cells(&reach.cells, reach.weights);
    }

    fn change_cells(&mut self, changed: &[Cell], weights: bool) {
        if changed.is_empty() && !weights {
            return;
        }
        // Each at a time of its own: two that held the same may hold something else each.
        for cell in changed {
            let now = self.executions.tick();
            self.executions.cells.changed.insert(*cell, now);
        }
        if weights {
            self.executions.cells.weights = self.executions.tick();
        }
    }

    fn add_reach(&mut self, value: &Value, reach: &mut Reach, depth: usize) {
        light_tick();
        match self.read(value) {
            Value::Tensor(tensor) => {
                let cell = self.cell_of_tensor(&tensor);
                // A parameter of a module, as far as anybody knows.
                reach.weights |= matches!(cell, Cell::Source(_));
                reach.cells.push(cell);
            }
            Value::Tuple(items) => self.add_items(&items, reach, depth),
            Value::List(id) => {
                let items = self.heap.list(id).map_or(Vec::new(), |data| data.items.clone());
                self.add_items(&items, reach, depth);
            }
            Value::Dict(id) => {
                let entries = self.heap.dict(id).map(|data| data.entries.iter().map(|(_, value)| value.clone()));
                let values: Vec<Value> = entries.map_or(Vec::new(), Iterator::collect);
                self.add_items(&values, reach, depth);
            }
            // An optimizer, a module, an object that holds one.
            Value::Instance(id) => {
                reach.cells.push(Cell::Object(id));
                reach.weights = true;
            }
            // It may be a module, or what holds one.
            Value::Symbolic(_) => reach.weights = true,
            Value::Alternatives(ways) => {
                let ways: Vec<Value> = ways.iter().map(|(_, value)| value.clone()).collect();
                self.add_items(&ways, reach, depth);
            }
            // What is given may be called.
            Value::Function(_) | Value::BoundMethod(_) | Value::LibraryMethod(_) => reach.everything = true,
            _ => {}
        }
    }

    fn add_items(&mut self, items: &[Value], reach: &mut Reach, depth: usize) {
        if depth >= DEEPEST || items.len() > MOST_ITEMS {
            reach.everything = true;
            return;
        }
        for item in items {
            self.add_reach(item, reach, depth + 1);
        }
    }

    fn cell_of_tensor(&mut self, tensor: &Tensor) -> Cell {
        let part = match tensor.operation {
            OperationId::NONE => self.number_of_source(tensor),
            _ => u32::from(tensor.part),
        };
        self.cell_of(tensor.operation, part).0
    }
}
