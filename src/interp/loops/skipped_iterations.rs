//! Iterations that are not executed: what is left of a loop that runs no operation where an entry goes in great haste. The last iteration stands for them, and
//! nothing is vouched for in the entry any more.

use std::rc::Rc;

use crate::heap::objects::{Content, DictData, ListData, Payload};
use crate::inference::list_lengths::Growth;
use crate::loops::novelty::Watch;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::ir::Expr;
use harp_shape::Dim;

impl Interpreter<'_> {
    /// Ends a loop behind the iteration that was watched last, where nobody waits for the others: the loop's target becomes an item that stands for those that
    /// are `left`, and what the iteration changed becomes anything that it may be after as many of its kind. `false` where they are to be executed.
    pub(crate) fn skip_rest(&mut self, target: &Expr, item: &Value, left: usize, watch: &Watch) -> Eval<bool> {
        if watch.runs() || !self.is_in_great_haste() {
            return Ok(false);
        }
        if let Some(place) = self.loops.stack.last().copied() {
            self.not_understood("a loop of which not every iteration is executed", place);
        }
        let mark = watch.iteration();
        let mut growth = Growth::new(mark, watch.lengths(), true);
        growth.note_iteration(&self.heap, mark);
        self.note_growth(&mut growth, mark, watch.lengths());
        self.spread_replaced(watch);
        self.widen_since(mark);
        self.forget_drifting(mark);
        self.note_lengths(&growth, Dim::constant(left as i64 + 1));
        self.assign_item(target, item.clone())?;
        Ok(true)
    }

    /// Where the last iteration put something of another kind in the place of an item of a list, or of an entry, more iterations may have done so with any
    /// other. What it put there again, as a sum, is of the same kind.
    pub(crate) fn spread_replaced(&mut self, watch: &Watch) {
        let mark = watch.iteration();
        for ((location, old), (_, new)) in self.heap.old_since(mark).into_iter().zip(self.heap.delta_since(mark)) {
            let payload = match (&old, new) {
                (Content::Payload(Payload::List(old)), Content::Payload(Payload::List(new))) => {
                    let items = self.spread(&old.items, &new.items, watch);
                    items.map(|items| Payload::List(Rc::new(ListData { items, rest: new.rest.clone() })))
                }
                (Content::Payload(Payload::Dict(old)), Content::Payload(Payload::Dict(new))) => {
                    let values =
                        |data: &DictData| data.entries.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
                    self.spread(&values(old), &values(&new), watch).map(|values| {
                        let mut data = DictData::clone(&new);
                        data.entries.iter_mut().zip(values).for_each(|((_, held), value)| *held = value);
                        Payload::Dict(Rc::new(data))
                    })
                }
                _ => None,
            };
            if let Some(payload) = payload {
                self.heap.store(location, Content::Payload(payload));
            }
        }
    }

    /// The items after as many more replacements; `None` where none was replaced.
    fn spread(&mut self, old: &[Value], new: &[Value], watch: &Watch) -> Option<Vec<Value>> {
        if old.len() != new.len() {
            return None;
        }
        let outline = |value: &Value| self.outline_of(value, watch.made());
        let is_other = |(old, new): &(&Value, &Value)| !old.same(new) && outline(old) != outline(new);
        let replaced: Vec<Value> = old.iter().zip(new).filter(is_other).map(|(_, new)| new.clone()).collect();
        if replaced.is_empty() {
            return None;
        }
        let any = self.widen(&replaced);
        Some(new.iter().map(|item| self.widen(&[item.clone(), any.clone()])).collect())
    }
}
