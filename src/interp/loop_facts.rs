//! That a loop's body runs says that its range is not empty.

use crate::interp::machine::Interpreter;
use crate::interp::operation::Judged;
use crate::shape::{Constraint, Dim, Outcome};

impl Interpreter<'_> {
    /// Notes while the body runs that `range(start, stop, step)` has a first number. It is no fact of the code behind the loop, and what is
    /// learned in the body is kept there, so that it is asked for alone where something would fail. Returns how many facts there were before.
    pub(super) fn enter_range(&mut self, start: Dim, step: Dim, stop: Option<Dim>) -> usize {
        let before = self.loop_facts.len();
        match (step.as_const(), stop) {
            (Some(1..), Some(stop)) => self.loop_facts.push(stop - start),
            (Some(..=-1), Some(stop)) => self.loop_facts.push(start - stop),
            _ => {}
        }
        before
    }

    /// What fails only where the body does not run is no failure.
    pub(super) fn forgive_empty_ranges(&mut self, judged: &mut Vec<Judged>) {
        if self.loop_facts.is_empty() || self.inference.is_some() {
            return;
        }
        let fails = |judged: &Judged| matches!(judged.outcome, Outcome::Violated | Outcome::Possible(_));
        judged.retain(|judged| !fails(judged) || !self.follows_from_a_range(&judged.constraint));
    }

    /// Whether a requirement says no more than that a range around is not empty, whose length it asks to be positive.
    fn follows_from_a_range(&self, constraint: &Constraint) -> bool {
        let difference = match constraint {
            Constraint::Less(low, high) => *high - *low,
            Constraint::LessEqual(low, high) => *high - *low + Dim::ONE,
            Constraint::And(parts) => return parts.iter().any(|part| self.follows_from_a_range(part)),
            _ => return false,
        };
        let difference = self.solver.resolve(difference);
        let beyond = |length: &Dim| self.solver.resolve(difference - *length).as_const();
        difference.as_const().is_none() && self.loop_facts.iter().any(|length| beyond(length).is_some_and(|it| it >= 0))
    }
}
