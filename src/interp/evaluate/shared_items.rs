//! Executes changes of a container within another one by a key that is not known: `buckets[label].append(i)`.
//!
//! Which of them it is depends on the run, so that each of them may be the one. From then on one container stands for all of them: what is put
//! into it may be in each, and how many items each has is not known.

use std::rc::Rc;

use crate::heap::objects::{ListData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;

/// Marks a container that stands for several.
const FOR_SEVERAL: &str = "\u{1}for_several";
/// More items than this are not made one.
const MOST_ITEMS: usize = 256;

/// Methods that change the container that they are called on.
const CHANGES: [&str; 8] = ["add", "append", "clear", "discard", "extend", "insert", "remove", "update"];

/// Whether a method changes what it is called on.
pub(crate) fn changes_container(method: Name) -> bool {
    CHANGES.contains(&method.as_str())
}

fn list_of(container: &Value) -> Option<ObjectId> {
    match container {
        Value::List(id) | Value::Set(id) => Some(*id),
        _ => None,
    }
}

impl Interpreter<'_> {
    /// Evaluates what is about to be changed.
    pub(crate) fn evaluate_changed(&mut self, expression: &Expr) -> Eval {
        let ExprKind::Subscript { value, index } = &expression.kind else { return self.evaluate(expression) };
        let object = self.evaluate_changed(value)?;
        let index = self.evaluate_index(index)?;
        let span = self.span(expression.range);
        if let Some(shared) = self.shared_item(&object, &index) {
            return Ok(shared);
        }
        self.note_kind(value, &object);
        let result = self.get_item(&object, &index, span);
        self.note_owner(&object, span);
        result
    }

    /// The container that stands for all that a key may name, where it is not known which.
    fn shared_item(&mut self, object: &Value, index: &Value) -> Option<Value> {
        let Value::Int(number) = self.read(index) else { return None };
        if self.solver.resolve(number).as_const().is_some() || self.inference.is_some() {
            return None;
        }
        let (id, items) = match self.read(object) {
            Value::Dict(id) => {
                let data = self.heap.dict(id).filter(|data| data.rest.is_none() && data.find(index).is_none())?;
                (id, data.entries.iter().map(|(_, value)| value.clone()).collect::<Vec<Value>>())
            }
            Value::List(id) => {
                let data = self.heap.list(id).filter(|data| data.rest.is_none())?;
                (id, data.items.clone())
            }
            _ => return None,
        };
        if !(2..=MOST_ITEMS).contains(&items.len()) {
            return None;
        }
        let items: Vec<Value> = items.iter().map(|item| self.read(item)).collect();
        let are_lists = items.iter().all(|item| matches!(item, Value::List(_)));
        let are_sets = items.iter().all(|item| matches!(item, Value::Set(_)));
        if !(are_lists || are_sets) {
            return None;
        }
        let one =
            match items.iter().find_map(list_of).filter(|one| items.iter().all(|item| list_of(item) == Some(*one))) {
                Some(one) => one,
                None => self.one_for_all(&items),
            };
        let shared = if are_sets { Value::Set(one) } else { Value::List(one) };
        self.put_everywhere(id, &shared);
        if self.heap.attribute(one, Name::new(FOR_SEVERAL)).is_some() {
            self.loops.shared_items.push(one);
        }
        Some(shared)
    }

    /// A container with what any of several holds.
    fn one_for_all(&mut self, containers: &[Value]) -> ObjectId {
        let contents = containers.iter().filter_map(list_of).filter_map(|id| self.heap.list(id));
        let all: Vec<Value> = contents.flat_map(|data| data.items.iter().chain(&data.rest)).cloned().collect();
        let rest = (!all.is_empty()).then(|| self.widen(&all));
        let one = self.heap.allocate(Payload::List(Rc::new(ListData { items: Vec::new(), rest })));
        self.heap.set_attribute(one, Name::new(FOR_SEVERAL), Value::Bool(true));
        one
    }

    fn put_everywhere(&mut self, id: ObjectId, shared: &Value) {
        if self.heap.dict(id).is_some() {
            self.heap.change_dict(id, |data| data.entries.iter_mut().for_each(|(_, value)| *value = shared.clone()));
        } else {
            self.heap.change_list(id, |data| data.items.iter_mut().for_each(|item| *item = shared.clone()));
        }
    }

    /// How many items the containers have that were changed is not known, once the statement is over that changed them.
    pub(crate) fn open_shared_items(&mut self) {
        for id in std::mem::take(&mut self.loops.shared_items) {
            let Some(data) = self.heap.list(id).filter(|data| !data.items.is_empty()).cloned() else { continue };
            let all: Vec<Value> = data.items.iter().chain(&data.rest).cloned().collect();
            let rest = Some(self.widen(&all));
            self.heap.set_payload(id, Payload::List(Rc::new(ListData { items: Vec::new(), rest })));
        }
    }

    /// One of the containers that one stands for: it has a number of items of its own.
    pub(crate) fn one_of_several(&mut self, value: Value) -> Value {
        let (Value::List(id) | Value::Set(id)) = value else { return value };
        if self.heap.attribute(id, Name::new(FOR_SEVERAL)).is_none() {
            return value;
        }
        let Some(data) = self.heap.list(id).cloned() else { return value };
        let copy = self.heap.allocate(Payload::List(data));
        if matches!(value, Value::Set(_)) { Value::Set(copy) } else { Value::List(copy) }
    }
}
