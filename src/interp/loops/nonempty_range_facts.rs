//! What a loop whose body runs says of its range: it is not empty.

use crate::judge::filters::EMPTY_RANGE;
use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim};

impl Interpreter<'_> {
    /// Notes while the body runs that `range(start, stop, step)` has a first number. It is no fact of the code behind the loop, and what is
    /// learned in the body is kept there, so that it is asked for alone where something would fail. Returns how many facts there were before.
    pub(crate) fn enter_range(&mut self, start: Dim, step: Dim, stop: Option<Dim>) -> usize {
        let before = self.solver.loop_lengths.len();
        match (step.as_const(), stop) {
            (Some(1..), Some(stop)) => self.solver.loop_lengths.push(stop - start),
            (Some(..=-1), Some(stop)) => self.solver.loop_lengths.push(start - stop),
            _ => {}
        }
        before
    }

    /// What fails only where the body does not run is no failure.
    pub(crate) fn forgive_empty_ranges(&mut self, api: Name, span: Span, judged: &mut Vec<Judged>) {
        if self.solver.loop_lengths.is_empty() || self.inference.is_some() {
            return;
        }
        judged.retain(|judged| {
            let is_forgiven = judged.may_fail() && self.follows_from_a_range(&judged.constraint);
            if is_forgiven {
                self.note_silenced(EMPTY_RANGE, span, api, &judged.message);
            }
            !is_forgiven
        });
    }

    /// Whether a requirement says no more than that a range around is not empty, whose length it asks to be positive.
    fn follows_from_a_range(&self, constraint: &Constraint) -> bool {
        let (low, high) = match constraint {
            Constraint::Less(low, high) => (*low + Dim::ONE, *high),
            Constraint::LessEqual(low, high) => (*low, *high),
            Constraint::And(parts) => return parts.iter().any(|part| self.follows_from_a_range(part)),
            _ => return false,
        };
        self.solver.resolve(high - low).as_const().is_none() && self.solver.follows_from_a_loop(low, high)
    }
}
