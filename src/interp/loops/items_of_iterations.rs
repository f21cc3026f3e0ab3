//! Gives each iteration of a loop an item of its own, where one item stands for all of a sequence. Each iteration gets
//! another one, so that what an iteration changes of its item the next one does not find changed.

use crate::heap::objects::{Location, LogMark, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_limits::light_tick;

/// How deep containers are looked for in an item.
const DEEPEST: usize = 3;
/// More containers than this are left as they are.
const MOST_CONTAINERS: usize = 64;

impl Interpreter<'_> {
    /// The containers of an item, with what they hold before the first iteration.
    pub(crate) fn containers_of_item(&self, item: &Value) -> Vec<(ObjectId, Payload)> {
        let mut found = Vec::new();
        self.add_containers(item, DEEPEST, &mut found);
        if found.len() > MOST_CONTAINERS { Vec::new() } else { found }
    }

    fn add_containers(&self, value: &Value, depth: usize, found: &mut Vec<(ObjectId, Payload)>) {
        light_tick();
        if found.len() > MOST_CONTAINERS {
            return;
        }
        match self.read(value) {
            Value::Tuple(items) if depth > 0 => {
                items.iter().for_each(|item| self.add_containers(item, depth - 1, found))
            }
            Value::List(id) | Value::Set(id) => {
                let Some(data) = self.heap.list(id).filter(|_| !is_found(found, id)).cloned() else { return };
                found.push((id, Payload::List(data.clone())));
                if depth > 0 && data.items.len() <= MOST_CONTAINERS {
                    data.items.iter().for_each(|item| self.add_containers(item, depth - 1, found));
                }
            }
            Value::Dict(id) => {
                let Some(data) = self.heap.dict(id).filter(|_| !is_found(found, id)).cloned() else { return };
                found.push((id, Payload::Dict(data.clone())));
                if depth > 0 && data.entries.len() <= MOST_CONTAINERS {
                    data.entries.iter().for_each(|(_, item)| self.add_containers(item, depth - 1, found));
                }
            }
            _ => {}
        }
    }

    /// Gives containers back what they held before; returns those that iterations had changed.
    pub(crate) fn take_back_changes(&mut self, begin: LogMark, containers: &[(ObjectId, Payload)]) -> Vec<Location> {
        let mut changed = Vec::new();
        for (id, before) in containers {
            if self.heap.is_changed_since(begin, *id) {
                self.heap.set_payload(*id, before.clone());
                changed.push(Location::Payload(*id));
            }
        }
        changed
    }
}

fn is_found(found: &[(ObjectId, Payload)], id: ObjectId) -> bool {
    found.iter().any(|(known, _)| *known == id)
}
