//! How long lists are of which only a representative is known: what is taken from such a list is shorter by as many items as are left out.

use std::rc::Rc;

use crate::interp::heap::{ListData, Payload};
use crate::interp::machine::Interpreter;
use crate::interp::value::{ObjectId, Value};
use crate::shape::Dim;

impl Interpreter<'_> {
    /// The length of a list of which not all items are known, where something was said of it before.
    pub(in crate::interp) fn length_of_open(&self, list: &Value) -> Option<Dim> {
        let Value::List(id) = self.read(list) else { return None };
        let (known, length) = self.counts.get(&id)?;
        known.is_one_with(self.heap.payload(id)).then_some(*length)
    }

    /// Remembers the length of such a list until its items change.
    pub(super) fn note_length_of_open(&mut self, list: &Value, length: Dim) {
        let Value::List(id) = self.read(list) else { return };
        let is_open = self.heap.list(id).is_some_and(|data| data.rest.is_some());
        // A list that was made elsewhere may stand for many, each with a length of its own.
        let is_made_here = self.frames.last().is_some_and(|frame| frame.function.is_some() && id > frame.locals);
        if !is_open || !is_made_here || self.inference.is_some() {
            return;
        }
        let payload: Payload = self.heap.payload(id).clone();
        self.counts.renew(id, (payload, length));
    }

    /// A list of which a representative is known, and a number that stands for its length.
    pub(in crate::interp) fn list_of_length(&mut self, item: Value, length: Dim) -> Value {
        let data = ListData { items: Vec::new(), rest: Some(item) };
        let list = self.heap.allocate(Payload::List(Rc::new(data)));
        if self.inference.is_none() {
            self.counts.renew(list, (self.heap.payload(list).clone(), length));
        }
        Value::List(list)
    }

    /// Relates the length of a slice to the length of the list that it is taken from, where the slice leaves out known numbers of items at the
    /// ends. Who leaves out so many has more.
    pub(super) fn note_length_of_slice(&mut self, list: ObjectId, bounds: &[Value; 3], taken: &Value) {
        let is_one = matches!(bounds[2], Value::None) || bounds[2].as_int() == Some(1);
        let at_front = match &bounds[0] {
            Value::None => Some(0),
            lower => lower.as_int().filter(|lower| (0..=i64::from(i32::MAX)).contains(lower)),
        };
        let at_end = match &bounds[1] {
            Value::None => Some(0),
            upper => upper.as_int().filter(|upper| (i64::from(i32::MIN)..0).contains(upper)).map(|upper| -upper),
        };
        let (Some(at_front), Some(at_end), true) = (at_front, at_end, is_one) else { return };
        let left_out = at_front + at_end;
        let whole = Value::List(list);
        let length = match self.length_of_open(&whole) {
            Some(length) => length,
            None => {
                let length = self.free_dim("n", left_out + 1);
                self.note_length_of_open(&whole, length);
                length
            }
        };
        self.note_length_of_open(taken, length - Dim::constant(left_out));
    }
}
