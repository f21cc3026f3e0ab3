//! Objects that a loop would have gone to in iterations that are not executed: what such an iteration sets in them is not known.
//!
//! One item stands for all that are left, and has what they have in common; what the body writes into it is not seen through them. An iteration sets
//! what those that were executed set, by its name, and what waits to be set: an attribute that is still `None`.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::heap::objects::{Location, LogMark, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, words};

/// Objects that are looked at, from the items on.
const MOST_OBJECTS: usize = 400;

impl Interpreter<'_> {
    /// Forgets of the items that are left, and of the objects within them, what the iterations that began at `begin` may have set.
    pub(crate) fn forget_unvisited(&mut self, left: &[Value], begin: LogMark) {
        let changed: FxHashSet<Name> =
            self.heap.peek_delta_since(begin).iter().filter_map(|it| name_of(it.0)).collect();
        let mut waiting: VecDeque<ObjectId> = VecDeque::new();
        let mut seen: FxHashSet<ObjectId> = FxHashSet::default();
        left.iter().for_each(|item| self.note_objects(item, &mut seen, &mut waiting));
        if !waiting.is_empty() {
            self.assume_alike();
        }
        while let Some(id) = waiting.pop_front() {
            let attributes: Vec<(Name, Value)> =
                self.heap.peek(id).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
            for (name, value) in attributes {
                let waits = matches!(value, Value::None);
                if waits || changed.contains(&name) && !name.as_str().starts_with('#') {
                    self.heap.set_attribute(id, name, Value::Unknown("set in an iteration that was not executed"));
                } else if seen.len() < MOST_OBJECTS {
                    self.note_objects(&value, &mut seen, &mut waiting);
                }
            }
        }
    }

    /// What is found from here on rests on it that the iterations which were left out do nothing else.
    fn assume_alike(&mut self) {
        let Some(place) = self.loops.stack.last().copied() else { return };
        let head = self.head_of_loop(place);
        let text = words::trip_count_alike(&head);
        let evidence = "the steps of the analysis are bounded".to_owned();
        if let Some(assumed) = self.speculate(AssumptionKind::TripCount, &head, text, evidence, place).granted() {
            self.entry.left_out = self.entry.left_out.union(&assumed);
        }
    }

    /// Adds the objects of a value, and of a sequence's items, that were not met before.
    fn note_objects(&self, value: &Value, seen: &mut FxHashSet<ObjectId>, waiting: &mut VecDeque<ObjectId>) {
        let mut add = |value: &Value| {
            if let Value::Instance(id) = value
                && matches!(self.class_of(value), Value::Class(_))
                && seen.insert(*id)
            {
                waiting.push_back(*id);
            }
        };
        match value {
            Value::Tuple(items) => items.iter().for_each(add),
            Value::List(id) => {
                if let Payload::List(list) = &self.heap.peek(*id).payload {
                    list.items.iter().take(MOST_OBJECTS).for_each(add);
                }
            }
            value => add(value),
        }
    }
}

fn name_of(location: Location) -> Option<Name> {
    match location {
        Location::Attribute(_, name) => Some(name),
        Location::Payload(_) => None,
    }
}
