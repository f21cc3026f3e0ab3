//! Judges requirements of an iteration after the first, of loops that may have one alone.

use crate::state::interpreter::Interpreter;
use harp_shape::Constraint;
use harp_trace::assumption::{AssumptionKind, AssumptionSet, words};

impl Interpreter<'_> {
    /// Whether a requirement is one of an iteration after the first of a loop that may have one alone.
    pub(crate) fn is_of_later_iteration(&self, constraint: &Constraint) -> bool {
        constraint.variables().iter().any(|variable| self.tables.later_counters.contains_key(variable))
    }

    /// Assumes that the loops which may have one iteration alone have the later one that runs; `None` where an answer of the
    /// user denies it.
    pub(crate) fn loops_are_repeated(&mut self) -> Option<AssumptionSet> {
        let mut assumed = AssumptionSet::default();
        for place in self.loops.later_rounds.clone() {
            let head = self.head_of_loop(place);
            let text = words::trip_count_repeated(&head);
            let evidence = "nothing says how often it runs, and this is not its first iteration".to_owned();
            let granted = self.speculate(AssumptionKind::TripCount, &head, text, evidence, place).granted()?;
            assumed = assumed.union(&granted);
        }
        Some(assumed)
    }
}
