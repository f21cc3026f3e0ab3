//! Loops that may have no iteration: a tensor that their bodies put in the place of another one is there only where they run.

use crate::heap::objects::{Content, LogMark};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Iteration, Tensor, Value};
use harp_corpus::Span;
use harp_shape::{Constraint, Dim, Verdict};
use harp_trace::assumption::{AssumptionKind, words};
use std::rc::Rc;

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
            let (Content::Attribute(Some(old)), Content::Attribute(Some(new))) = (old, new) else { continue };
            if self.heap.is_newer(location, before) || old.same(&new) {
                continue;
            }
            let (old, new) = (self.read(&old), self.read(&new));
            let (Value::Tensor(was), Value::Tensor(tensor)) = (&old, &new) else { continue };
            if was.shape == tensor.shape || self.is_equivalent(&old, &new) {
                continue;
            }
            let head = self.head_of_loop(place);
            let evidence = "nothing says how often it runs, and what it changes is used afterwards".to_owned();
            let text = words::trip_count_once(&head);
            let assumed = self.speculate(AssumptionKind::TripCount, &head, text, evidence, place).granted();
            let left = match assumed {
                Some(assumed) => {
                    let assumptions = tensor.assumptions.union(&assumed);
                    Value::Tensor(Rc::new(Tensor { assumptions, ..Tensor::clone(tensor) }))
                }
                None => self.widen(&[old.clone(), new.clone()]),
            };
            self.heap.store(location, Content::Attribute(Some(left)));
        }
    }

    /// The first line of a loop without its colon: `for i in range(n)`.
    fn head_of_loop(&self, place: Span) -> String {
        let text = self.source_text(place);
        let head = text.lines().next().unwrap_or_default().trim_end();
        let head = head.split_once(": #").map_or(head, |(head, _)| head).trim_end_matches(':');
        match head.len() <= LONGEST_HEAD && !head.contains('`') {
            true => head.to_owned(),
            false => "the loop".to_owned(),
        }
    }
}
