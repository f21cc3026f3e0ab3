//! Abstract values of lists of which only a representative is known: how long they are, as what is taken from such a
//! list is shorter by as many items as are left out.

use std::rc::Rc;

use crate::heap::objects::{ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_shape::{Constraint, Dim, Var, VarInfo, Verdict};

/// Lists with more items are repeated without counting them.
const LONGEST_REPEATED: usize = 64;

impl Interpreter<'_> {
    /// The length of a list of which not all items are known, where something was said of it before.
    pub fn length_of_open(&self, list: &Value) -> Option<Dim> {
        let Value::List(id) = self.read(list) else { return None };
        let (known, length) = self.tables.counts.get(&id)?;
        known.is_one_with(self.heap.payload(id)).then_some(*length)
    }

    /// Remembers the length of such a list until its items change.
    pub fn note_length_of_open(&mut self, list: &Value, length: Dim) {
        let Value::List(id) = self.read(list) else { return };
        let is_open = self.heap.list(id).is_some_and(|data| data.rest.is_some());
        // A list that was made elsewhere may stand for many, each with a length of its own.
        let is_made_here = self.frames.last().is_some_and(|frame| frame.function.is_some() && id > frame.locals);
        if !is_open || !is_made_here || self.inference.is_some() {
            return;
        }
        let payload: Payload = self.heap.payload(id).clone();
        self.tables.counts.insert(id, (payload, length));
    }

    /// At most so many of the first items are no more than these, and no more than there are.
    fn note_length_of_front(&mut self, list: ObjectId, most: Dim, taken: &Value) {
        let whole = Value::List(list);
        let length = match self.length_of_open(&whole) {
            Some(length) => length,
            None => {
                let length = Dim::var(Var::fresh(VarInfo::counted("length")));
                self.note_length_of_open(&whole, length);
                length
            }
        };
        let holds = |this: &Self, one, other| this.solver.judge(&Constraint::LessEqual(one, other)) == Verdict::Holds;
        let taken_length = match () {
            () if holds(self, most, length) => most,
            () if holds(self, length, most) => length,
            () => length.min(most),
        };
        if let Value::List(taken) = self.read(taken) {
            self.keep_length_of_open(taken, Some(taken_length));
        }
    }

    /// A list of which a representative is known, and a number that stands for its length.
    pub fn list_of_length(&mut self, item: Value, length: Dim) -> Value {
        let data = ListData { items: Vec::new(), rest: Some(item) };
        let list = self.heap.allocate(Payload::List(Rc::new(data)));
        if self.inference.is_none() {
            self.tables.counts.insert(list, (self.heap.payload(list).clone(), length));
        }
        Value::List(list)
    }

    /// Notes the length of a list that was made here, or changed, where not all of its items are known.
    pub(crate) fn keep_length_of_open(&mut self, list: ObjectId, length: Option<Dim>) {
        let is_open = self.heap.list(list).is_some_and(|data| data.rest.is_some());
        if let (Some(length), true, true) = (length, is_open, self.inference.is_none()) {
            self.tables.counts.insert(list, (self.heap.payload(list).clone(), length));
        }
    }

    /// Notes that a list of which not all items are known lost so many of them, or nobody knows how many.
    pub(crate) fn shorten_open(&mut self, list: ObjectId, lost: Option<i64>) {
        if self.heap.list(list).is_none_or(|data| data.rest.is_none()) {
            return;
        }
        let length = self.length_of_open(&Value::List(list));
        if length.is_some() {
            // It is another list from here on, which is all that a loop sees of it.
            self.heap.change_list(list, |_| {});
        }
        let left = length.zip(lost).map(|(length, lost)| length - Dim::constant(lost));
        self.keep_length_of_open(list, left.filter(|left| left.as_const().is_none_or(|left| left >= 0)));
    }

    /// The length of a list of `items` known items, or of one whose length is known, that is repeated so often.
    pub(crate) fn length_of_repeated(&mut self, sequence: &Value, items: usize, count: Dim) -> Option<Dim> {
        let length = self.length_of(sequence).or_else(|| self.length_of_open(sequence))?;
        let is_short = items <= LONGEST_REPEATED && self.inference.is_none();
        // What is repeated less than no times is empty.
        let is_negative = || self.solver.judge(&Constraint::LessEqual(Dim::constant(0), count)) != Verdict::Holds;
        let count = if is_negative() { count.max(Dim::constant(0)) } else { count };
        is_short.then(|| self.solver.resolve(length * count))
    }

    /// The items of a list that repeats one, where their number is known or settings decide it, which have their defaults from here on.
    pub(crate) fn items_of_counted(&mut self, list: &Value, data: &ListData) -> Option<Vec<Value>> {
        let item = data.rest.as_ref().filter(|_| data.items.is_empty() && self.inference.is_none())?;
        let length = self.length_of_open(list).map(|length| self.solver.resolve(length))?;
        let count = self.default_of_configured(length)?;
        let count = usize::try_from(count).ok().filter(|count| *count <= LONGEST_REPEATED)?;
        self.settle(length, Dim::constant(count as i64));
        Some((0..count).map(|_| self.another(item)).collect())
    }

    /// A list with its items one by one, where settings decide how many there are.
    pub(crate) fn with_counted_items(&mut self, list: ObjectId, data: Rc<ListData>) -> Rc<ListData> {
        match self.items_of_counted(&Value::List(list), &data) {
            Some(items) => Rc::new(ListData { items, rest: None }),
            None => data,
        }
    }

    /// The length of two lists together, of which one at least is open.
    pub(crate) fn length_of_both(&mut self, one: &Value, other: &Value) -> Option<Dim> {
        let is_open = |this: &Self, value: &Value| this.length_of_open(value).is_some();
        if !is_open(self, one) && !is_open(self, other) {
            return None;
        }
        let first = self.length_of(one).or_else(|| self.length_of_open(one))?;
        let second = self.length_of(other).or_else(|| self.length_of_open(other))?;
        Some(self.solver.resolve(first + second))
    }

    /// Relates the length of a slice to the length of the list that it is taken from, where the slice leaves out known numbers of items at the
    /// ends. Who leaves out so many has more.
    pub(crate) fn note_length_of_slice(&mut self, list: ObjectId, bounds: &[Value; 3], taken: &Value) {
        let is_one = matches!(bounds[2], Value::None) || bounds[2].as_int() == Some(1);
        if let (Value::None, Some(most @ 0..), true) = (&bounds[0], bounds[1].as_int(), is_one) {
            return self.note_length_of_front(list, Dim::constant(most), taken);
        }
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
