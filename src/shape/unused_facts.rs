//! The solver forgets facts on sizes that nothing refers to any more. A loop that draws its data anew learns as much in
//! each iteration, and what it learned in the ones before is of no use, but is looked through for each question.

use crate::constraint::Constraint;
use crate::shapes::{Element, Shape};
use crate::solver::{Change, Mark, Solver};
use crate::variable::{ShapeVar, Var};

impl Solver {
    /// Forgets what was learned since a mark, where each piece of it is about a variable that is of no use any more. Says whether it did.
    ///
    /// What such a piece says of other variables is forgotten as well, which loses precision only.
    pub fn forget_unused(
        &mut self,
        mark: Mark,
        is_unused: impl Fn(Var) -> bool,
        is_unused_shape: impl Fn(ShapeVar) -> bool,
    ) -> bool {
        let changes = self.changes_since(mark);
        let facts = changes.iter().filter(|change| matches!(change, Change::Fact)).count();
        let are_unused = changes.iter().all(|change| match change {
            Change::Dim(variable) | Change::Range(variable, _) => is_unused(*variable),
            Change::Shape(variable) => is_unused_shape(*variable),
            Change::Fact => true,
            Change::Contradiction | Change::ExcludedDefaults => false,
        });
        let is_of_unused = |fact: &Constraint| {
            fact.variables().into_iter().any(&is_unused) || shape_variables(fact).into_iter().any(&is_unused_shape)
        };
        let first = self.facts().len().saturating_sub(facts);
        if changes.is_empty() || !are_unused || !self.facts()[first..].iter().all(is_of_unused) {
            return false;
        }
        self.rollback(mark);
        true
    }
}

fn shape_variables(fact: &Constraint) -> Vec<ShapeVar> {
    let mut found = Vec::new();
    fact.for_each(&mut |_| (), &mut |shape: &Shape| {
        found.extend(shape.elements().iter().filter_map(|element| match element {
            Element::Rest(variable) => Some(*variable),
            _ => None,
        }));
    });
    found
}

#[cfg(test)]
mod tests {
    use crate::{Constraint, Dim, Solver, Var, VarInfo};

    #[test]
    fn what_is_known_of_others_stays() {
        let [old, new] = ["old", "new"].map(|name| Dim::var(Var::fresh(VarInfo::counted(name))));
        let is_new = |variable: Var| Dim::var(variable) == new;
        let mut solver = Solver::new();
        solver.assume(&Constraint::LessEqual(Dim::constant(3), old));
        let mark = solver.mark();
        solver.assume(&Constraint::Less(new, old));
        assert!(!solver.forget_unused(mark, |_| false, |_| false));
        assert_eq!(solver.facts().len(), 2);
        assert!(solver.forget_unused(mark, is_new, |_| false));
        assert_eq!(solver.facts().len(), 1);
        // One that is of use keeps all.
        solver.assume(&Constraint::Less(new, old));
        solver.assume(&Constraint::LessEqual(Dim::constant(5), old));
        assert!(!solver.forget_unused(mark, is_new, |_| false));
        assert_eq!(solver.facts().len(), 3);
    }
}
