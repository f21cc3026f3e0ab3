//! Loops over loaders that may have no mini-batch at all: the state that is left is the one from before.

use crate::corpus::Span;
use crate::interp::machine::{Flow, Interpreter};
use crate::interp::value::{DecisionId, Literal};
use crate::shape::{Constraint, Dim, VarKind, Verdict};

/// A loader that has no mini-batch, as it drops the last one and has too few samples for another.
pub(super) enum Shortage {
    Certain,
    /// Where this is so.
    Possible(Literal),
}

impl Interpreter<'_> {
    /// The decision whether a condition of a loader holds: the same loader fulfils it or does not, however often it is gone through.
    pub(super) fn batch_decision(&mut self, origin: Span, text: &str, condition: &Constraint) -> DecisionId {
        let question = (origin, text.to_owned());
        if let Some(known) = self.batch_decisions.get(&question) {
            return *known;
        }
        let decision = self.new_decision(text, Some(condition.clone()));
        self.batch_decisions.insert(question, decision);
        decision
    }

    /// Whether a loop that runs so often may not run at all, for want of samples. Nobody trains in no epochs, but a data set may be smaller than a
    /// batch.
    pub(super) fn shortage(&mut self, trips: Option<Dim>) -> Option<Shortage> {
        if self.inference.is_some() {
            return None;
        }
        let trips = self.solver.resolve(trips?);
        if let Some(count) = trips.as_const() {
            return (count <= 0).then_some(Shortage::Certain);
        }
        let (samples, batch) = trips.as_quotient()?;
        let are_of_kind = |kinds: &[VarKind]| samples.vars().iter().all(|var| kinds.contains(&var.kind()));
        let is_given = are_of_kind(&[VarKind::Fixed, VarKind::Config]) && !are_of_kind(&[VarKind::Config]);
        let condition = Constraint::Less(samples, batch);
        if !is_given || matches!(self.solver.judge(&condition), Verdict::Holds | Verdict::Violated) {
            return None;
        }
        let span = self.loop_stack.last().copied()?;
        let origin = Span::new(span.file, 0, 0);
        let decision = self.batch_decision(origin, &condition.to_string(), &condition);
        match self.path.iter().find(|known| known.decision == decision) {
            Some(known) if known.taken => Some(Shortage::Certain),
            Some(_) => None,
            None => Some(Shortage::Possible(Literal { decision, taken: true })),
        }
    }

    /// The way on which the loop ends before it began.
    pub(super) fn keep_way_without_batches(&mut self, literal: Literal) {
        self.path.push(literal);
        self.keep_exit(Flow::Break, Some(self.loop_base));
        self.path.pop();
    }
}
