//! A solver that knows the conditions of a path alone, and not the requirements that were taken to hold.
//!
//! A solver that knows nothing else is kept from one question to the next: most conditions are the same as then.

use std::cell::RefCell;

use crate::constraint::{Constraint, Verdict};
use crate::solver::{Mark, Solver};

/// A solver with the conditions that it assumed, and the moment before each. It is no part of the state.
#[derive(Debug, Default)]
pub(super) struct ConditionsAlone(RefCell<Option<Box<Kept>>>);

#[derive(Debug, Default)]
struct Kept {
    solver: Solver,
    assumed: Vec<(Constraint, Mark)>,
}

impl Clone for ConditionsAlone {
    fn clone(&self) -> ConditionsAlone {
        ConditionsAlone::default()
    }
}

impl PartialEq for ConditionsAlone {
    fn eq(&self, _: &ConditionsAlone) -> bool {
        true
    }
}

impl Kept {
    /// Goes back to the conditions that are still there, and assumes those that came since.
    fn follow<'c>(&mut self, conditions: impl Iterator<Item = &'c Constraint>) {
        let mut known = 0;
        for condition in conditions {
            if self.assumed.get(known).is_some_and(|(assumed, _)| assumed == condition) {
                known += 1;
                continue;
            }
            self.keep(known);
            self.assumed.push((condition.clone(), self.solver.mark()));
            self.solver.assume(condition);
            known += 1;
        }
        self.keep(known);
    }

    fn keep(&mut self, known: usize) {
        if let Some((_, before)) = self.assumed.get(known) {
            self.solver.rollback(*before);
            self.assumed.truncate(known);
        }
    }
}

impl Solver {
    /// What is certain of a constraint by the conditions of the path alone, where `given` hold besides; `None` where they contradict each other.
    pub fn judge_by_conditions(&self, given: &[Constraint], constraint: &Constraint) -> Option<Verdict> {
        let mut kept = self.alone.0.borrow_mut();
        let kept = kept.get_or_insert_default();
        kept.follow(self.conditions());
        let mark = kept.solver.mark();
        given.iter().for_each(|condition| kept.solver.assume(condition));
        let verdict = (!kept.solver.is_contradictory()).then(|| kept.solver.judge(constraint));
        kept.solver.rollback(mark);
        verdict
    }

    /// Forgets the conditions: their variables may stand for something else from now on.
    pub(super) fn forget_conditions_alone(&mut self) {
        self.alone = ConditionsAlone::default();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Constraint, Dim, Solver, Var, VarInfo, Verdict};

    #[test]
    fn conditions_that_come_and_go_are_followed() {
        let [a, b] = ["a", "b"].map(|name| Dim::var(Var::fresh(VarInfo::counted(name))));
        let is_more = |number: Dim| Constraint::LessEqual(Dim::constant(4), number);
        let mut solver = Solver::new();
        assert_eq!(solver.judge_by_conditions(&[], &is_more(a)), Some(Verdict::Unknown));
        let mark = solver.mark();
        solver.assume(&is_more(a));
        assert_eq!(solver.judge_by_conditions(&[], &is_more(a)), Some(Verdict::Holds));
        solver.assume(&Constraint::LessEqual(a, b));
        assert_eq!(solver.judge_by_conditions(&[], &is_more(b)), Some(Verdict::Holds));
        solver.rollback(mark);
        assert_eq!(solver.judge_by_conditions(&[], &is_more(b)), Some(Verdict::Unknown));
        assert_eq!(solver.judge_by_conditions(&[is_more(b)], &is_more(b)), Some(Verdict::Holds));
        solver.assume(&Constraint::LessEqual(b, Dim::constant(2)));
        assert_eq!(solver.judge_by_conditions(&[is_more(b)], &is_more(b)), None);
        assert_eq!(solver.judge_by_conditions(&[], &is_more(b)), Some(Verdict::Violated));
    }
}
