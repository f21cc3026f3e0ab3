//! Loops that may have no iteration: a tensor that their bodies put in the place of another one is there only where they run.

use std::rc::Rc;

use crate::heap::objects::{Content, DictData, ListData, LogMark, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Guard, Iteration, Literal, Tensor, Value};
use harp_corpus::Span;
use harp_shape::{Constraint, Dim, Verdict};
use harp_trace::assumption::{AssumptionKind, words};

/// Longer containers are not looked through.
const MOST_ITEMS: usize = 64;
/// Longer heads of loops are not written out.
const LONGEST_HEAD: usize = 60;

impl Interpreter<'_> {
    /// Whether a loop over this may have no iteration. A loader of mini-batches is taken to have one.
    pub(crate) fn may_have_no_round(&self, iteration: &Iteration) -> bool {
        let count = match iteration {
            Iteration::Items(_) | Iteration::View { .. } | Iteration::Counter { stop: None, .. } => return false,
            Iteration::Repeated { residual: Some(_), .. } => return false,
            Iteration::Repeated { count, .. } => *count,
            Iteration::Counter { start, step, stop: Some(stop) } => match step.as_const() {
                Some(1..) => Some(*stop - *start),
                Some(..=-1) => Some(*start - *stop),
                _ => None,
            },
        };
        let Some(count) = count.map(|count| self.solver.resolve(count)) else { return true };
        // A setting is taken for what it is by default, which is told where it matters.
        let count = self.solver.at_default(count).map_or(count, Dim::constant);
        self.solver.judge(&Constraint::LessEqual(Dim::ONE, count)) != Verdict::Holds
    }

    /// What a loop left since `before` that may have had no iteration: tensors in the place of tensors of another shape rest on its having run.
    pub(crate) fn doubt_what_loop_left(&mut self, before: LogMark, place: Span) {
        if self.inference.is_some() {
            return;
        }
        for ((location, old), (_, new)) in self.heap.old_since(before).into_iter().zip(self.heap.delta_since(before)) {
            if self.heap.is_newer(location, before) {
                continue;
            }
            let left = match (&old, &new) {
                (Content::Attribute(Some(old)), Content::Attribute(Some(new))) => {
                    self.in_doubt(old, new, place).map(|left| Content::Attribute(Some(left)))
                }
                (Content::Payload(Payload::List(old)), Content::Payload(Payload::List(new))) => {
                    let items = self.items_in_doubt(&old.items, &new.items, place);
                    items.map(|items| {
                        Content::Payload(Payload::List(Rc::new(ListData { items, rest: new.rest.clone() })))
                    })
                }
                (Content::Payload(Payload::Dict(old)), Content::Payload(Payload::Dict(new))) => {
                    self.entries_in_doubt(old, new, place).map(|data| Content::Payload(Payload::Dict(Rc::new(data))))
                }
                _ => None,
            };
            if let Some(left) = left {
                self.heap.store(location, left);
            }
        }
    }

    /// What stands in the place of something else where a loop may not have run; `None` where that is as good.
    fn in_doubt(&mut self, old: &Value, new: &Value, place: Span) -> Option<Value> {
        if old.same(new) {
            return None;
        }
        match (self.read(old), self.read(new)) {
            (old @ Value::Tensor(_), Value::Tensor(tensor)) => self.tensor_in_doubt(&old, &tensor, place),
            (Value::Int(was), Value::Int(is)) if was != is && was.as_const().is_some() && is.as_const().is_some() => {
                Some(self.one_or_other(old, new, place))
            }
            (old @ Value::Instance(_), new @ Value::Instance(_))
                if self.is_module(&old) && self.is_module(&new) && !self.is_equivalent(&old, &new) =>
            {
                Some(self.one_or_other(&old, &new, place))
            }
            _ => None,
        }
    }

    fn tensor_in_doubt(&mut self, old: &Value, tensor: &Rc<Tensor>, place: Span) -> Option<Value> {
        let new = Value::Tensor(Rc::clone(tensor));
        if self.is_equivalent(old, &new) {
            return None;
        }
        let head = self.head_of_loop(place);
        let evidence = "nothing says how often it runs, and what it changes is used afterwards".to_owned();
        let text = words::trip_count_once(&head);
        Some(match self.speculate(AssumptionKind::TripCount, &head, text, evidence, place).granted() {
            Some(assumed) => {
                let assumptions = tensor.assumptions.union(&assumed);
                Value::Tensor(Rc::new(Tensor { assumptions, ..Tensor::clone(tensor) }))
            }
            None => self.widen(&[old.clone(), new]),
        })
    }

    /// A value of which it depends on whether the loop runs what it is.
    fn one_or_other(&mut self, old: &Value, new: &Value, place: Span) -> Value {
        let head = self.head_of_loop(place);
        let decision = self.new_decision(&format!("`{head}` runs at least once"), None);
        let guard = |taken: bool| -> Guard { Rc::from([Literal { decision, taken }]) };
        self.join(vec![(guard(true), new.clone()), (guard(false), old.clone())])
    }

    fn items_in_doubt(&mut self, old: &[Value], new: &[Value], place: Span) -> Option<Vec<Value>> {
        if old.len() != new.len() || old.len() > MOST_ITEMS {
            return None;
        }
        let left: Vec<Option<Value>> = old.iter().zip(new).map(|(old, new)| self.in_doubt(old, new, place)).collect();
        let is_changed = left.iter().any(Option::is_some);
        is_changed.then(|| left.into_iter().zip(new).map(|(left, new)| left.unwrap_or_else(|| new.clone())).collect())
    }

    fn entries_in_doubt(&mut self, old: &DictData, new: &DictData, place: Span) -> Option<DictData> {
        let has_same_keys = old.entries.len() == new.entries.len()
            && old.entries.iter().zip(&new.entries).all(|((old, _), (new, _))| old.same(new));
        if !has_same_keys {
            return None;
        }
        let values = |data: &DictData| data.entries.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        let left = self.items_in_doubt(&values(old), &values(new), place)?;
        let mut data = DictData::clone(new);
        data.entries.iter_mut().zip(left).for_each(|((_, held), value)| *held = value);
        Some(data)
    }

    /// The first line of a loop without its colon: `for i in range(n)`; of a long one the beginning.
    pub(crate) fn head_of_loop(&self, place: Span) -> String {
        let text = self.source_text(place);
        let head = text.lines().next().unwrap_or_default().trim_end();
        let head = head.split_once(": #").map_or(head, |(head, _)| head).trim_end_matches(':');
        let head = head.replace('`', "'");
        match head.char_indices().nth(LONGEST_HEAD) {
            None => head,
            Some((end, _)) => format!("{}…", head[..end].trim_end()),
        }
    }
}
