//! Lists that a loop makes longer, of which only a representative is known, and a length: an iteration that stands for
//! others says by how much they make it longer, and where nobody knows how many those are, the length is not known any
//! more.

use std::rc::Rc;

use crate::heap::objects::{Content, ListData, Location, LogMark, Payload};
use crate::inference::Growth;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_shape::Dim;

impl Interpreter<'_> {
    /// A moment before which lists have lengths of their own.
    pub(crate) fn moment_of_lengths(&self) -> usize {
        self.tables.counts.len()
    }

    /// How long a list was that held `old` at a moment.
    pub(crate) fn length_at(&self, list: ObjectId, old: &Rc<ListData>, moment: usize) -> Option<Dim> {
        if old.rest.is_none() {
            return i64::try_from(old.items.len()).ok().map(Dim::constant);
        }
        let (known, length) = self.tables.counts.value_at(&list, moment)?;
        known.is_one_with(&Payload::List(Rc::clone(old))).then_some(*length)
    }

    /// The lists of known length that changed since an iteration began, and by how many items they grew, where that is a number.
    fn grown_lists(&self, mark: LogMark, moment: usize) -> Vec<(ObjectId, Dim, Option<i64>)> {
        if self.tables.counts.len() == moment && self.tables.counts.holds_nothing() {
            return Vec::new();
        }
        let changed = self.heap.peek_old_since(mark).into_iter().filter_map(|(location, old)| match (location, old) {
            (Location::Payload(id), Content::Payload(Payload::List(old))) if !self.heap.is_newer(location, mark) => {
                Some((id, old))
            }
            _ => None,
        });
        changed
            .filter_map(|(id, old)| {
                let now = self.length_of_open(&Value::List(id))?;
                let grown = self.length_at(id, &old, moment).and_then(|before| (now - before).as_const());
                Some((id, now, grown))
            })
            .collect()
    }

    /// The iteration since `mark` stands for `more` others; without them nobody knows how many there are.
    pub(crate) fn repeat_growth(&mut self, mark: LogMark, moment: usize, more: Option<Dim>) {
        for (id, now, grown) in self.grown_lists(mark, moment) {
            match (grown, more) {
                (Some(0), _) => {}
                (Some(grown), Some(more)) if self.inference.is_none() => {
                    let length = now + Dim::constant(grown) * more;
                    self.tables.counts.insert(id, (self.heap.payload(id).clone(), length));
                }
                _ => self.tables.counts.remove(&id),
            }
        }
    }

    /// Notes by how much an iteration made lists longer of which not all items are known, and forgets how long they are until all iterations
    /// are counted.
    pub(crate) fn note_growth(&mut self, growth: &mut Growth, mark: LogMark, moment: usize) {
        for (id, _, grown) in self.grown_lists(mark, moment) {
            growth.note_open(id, grown);
        }
        self.repeat_growth(mark, moment, None);
    }
}
