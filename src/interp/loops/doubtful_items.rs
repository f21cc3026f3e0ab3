//! Loops over dictionaries of which only some of the ways to here have made an entry: its iteration is one of those ways alone.

use crate::loops::loop_statements::Iterated;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::{Iteration, Value};
use harp_python::ir::{Expr, Stmt};

impl Interpreter<'_> {
    /// For each of the items of a dictionary whether it is there, where that is not known of all of them.
    pub(crate) fn doubts_of_items(&self, value: &Value, iteration: &Iteration) -> Vec<Option<Value>> {
        let Iteration::Items(items) = iteration else { return Vec::new() };
        let dict = match self.read(value) {
            Value::Dict(id) => id,
            Value::Iterator(iteration) => match *iteration {
                Iteration::View { dict, .. } => dict,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        // A body that may stop at a `yield` is run as any other.
        let is_stepping = self.frames.last().is_some_and(|frame| frame.stepping.is_some());
        let Some(data) = self.heap.dict(dict).filter(|_| !is_stepping && self.inference.is_none()) else {
            return Vec::new();
        };
        if data.doubtful.is_empty() || data.entries.len() != items.len() {
            return Vec::new();
        }
        data.entries.iter().map(|(key, _)| data.doubt_of(key).cloned()).collect()
    }

    /// Executes the body for each item, and for one that may not be there on the ways that have it.
    pub(crate) fn loop_doubtful_items(
        &mut self,
        target: &Expr,
        items: Vec<Value>,
        doubts: &[Option<Value>],
        body: &[Stmt],
    ) -> Eval<Flow> {
        let begin = self.begin_loop(body, items.len());
        let place = self.span(target.range);
        for (index, (item, doubt)) in items.iter().zip(doubts).enumerate() {
            let left = items.len() - index;
            if !self.may_iterate(index, Some(left), begin) {
                self.note_cut(body, items.len(), begin);
                let further = self.widen(&items[index..]);
                return self.loop_abstract(target, &[further.clone(), further], None, body, None);
            }
            self.note_iteration(|_| format!("iteration {} of {}", index + 1, items.len()));
            let iterated = self.iterate_by(body, |this| match doubt {
                None => this.iterate_with(target, item, body),
                Some(truth) => this.branch(truth, place, |this, is_there| match is_there {
                    true => this.iterate_with(target, item, body),
                    false => Ok(Flow::Normal),
                }),
            });
            if let Iterated::Stops(flow) = iterated? {
                return Ok(flow);
            }
        }
        Ok(Flow::Normal)
    }

    fn iterate_with(&mut self, target: &Expr, item: &Value, body: &[Stmt]) -> Eval<Flow> {
        self.assign(target, item.clone())?;
        self.execute_block(body)
    }
}
