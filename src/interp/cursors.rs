//! Iterators that the program holds on to: each item is taken once, by whoever asks first.

use std::rc::Rc;

use crate::interp::heap::{ListData, Payload};
use crate::interp::machine::Interpreter;
use crate::interp::value::{Iteration, ObjectId, Value};
use crate::python::name::Name;

/// The attribute of an iterator that counts the items that were taken.
const TAKEN: &str = "#taken";

/// What an iterator gives next.
pub enum Next {
    Item(Value),
    End,
    /// How many were taken is not known: any of the items.
    Any(Value),
}

impl Interpreter<'_> {
    /// A value as a variable holds it: an iterator remembers what was taken from it.
    pub fn held(&mut self, value: Value) -> Value {
        match &value {
            Value::Iterator(iteration) if self.inference.is_none() => match &**iteration {
                Iteration::Items(items) => self.new_cursor(items.clone()),
                _ => value,
            },
            _ => value,
        }
    }

    pub fn new_cursor(&mut self, items: Vec<Value>) -> Value {
        let id = self.heap.allocate(Payload::List(Rc::new(ListData { items, rest: None })));
        self.heap.set_attribute(id, Name::new(TAKEN), Value::int(0));
        Value::Cursor(id)
    }

    /// How many items were taken from an iterator; `None` where that differs from way to way.
    pub fn taken(&self, id: ObjectId) -> Option<usize> {
        let taken = self.heap.attribute(id, Name::new(TAKEN)).map(|taken| self.read(taken));
        taken.as_ref().and_then(Value::as_int).and_then(|taken| usize::try_from(taken).ok())
    }

    pub fn set_taken(&mut self, id: ObjectId, taken: usize) {
        self.heap.set_attribute(id, Name::new(TAKEN), Value::int(taken as i64));
    }

    /// The items that an iterator still has, where they are known.
    pub fn items_left(&self, id: ObjectId) -> Option<Vec<Value>> {
        let taken = self.taken(id)?;
        let data = self.heap.list(id)?;
        Some(data.items.get(taken..).unwrap_or_default().to_vec())
    }

    /// Takes all that is left.
    pub fn take_rest(&mut self, id: ObjectId) -> Iteration {
        let left = self.items_left(id);
        let all = self.heap.list(id).map(|data| data.items.clone()).unwrap_or_default();
        self.set_taken(id, all.len());
        match left {
            Some(items) => Iteration::Items(items),
            None => Iteration::Repeated { element: self.widen(&all), count: None, residual: None },
        }
    }

    /// Takes the next item.
    pub fn take_next(&mut self, id: ObjectId) -> Next {
        let Some(taken) = self.taken(id).filter(|_| self.abstract_loops == 0) else {
            let all = self.heap.list(id).map(|data| data.items.clone()).unwrap_or_default();
            return Next::Any(self.widen(&all));
        };
        match self.heap.list(id).and_then(|data| data.items.get(taken)).cloned() {
            Some(item) => {
                self.set_taken(id, taken + 1);
                Next::Item(item)
            }
            None => Next::End,
        }
    }
}
