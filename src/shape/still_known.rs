//! Whether a solver still knows all that it knew at some moment, so that what was proved then holds.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::dim::Dim;
use crate::shapes::{Element, Shape};
use crate::solver::Solver;

/// For each change that is not undone, a number that stands for it and all before it. It is no part of the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamps {
    of_changes: Vec<u64>,
    /// How often something was asked whose answer may rest on what is known.
    questions: Cell<u64>,
}

impl PartialEq for Stamps {
    fn eq(&self, _: &Stamps) -> bool {
        true
    }
}

impl Stamps {
    /// Something was learned, which `content` tells apart from all else that can be.
    pub fn push(&mut self, content: impl Hash) {
        let mut hasher = FxHasher::default();
        (self.top(), content).hash(&mut hasher);
        self.of_changes.push(hasher.finish());
    }

    pub fn note_question(&self) {
        self.questions.set(self.questions.get() + 1);
    }

    /// Forgets the changes behind the first `length`.
    pub fn truncate(&mut self, length: usize) {
        self.of_changes.truncate(length);
    }

    /// The last change, with how many there are.
    fn top(&self) -> (usize, u64) {
        (self.of_changes.len(), self.of_changes.last().copied().unwrap_or(0))
    }

    fn has(&self, (length, stamp): (usize, u64)) -> bool {
        length == 0 || self.of_changes.get(length - 1) == Some(&stamp)
    }
}

/// What a solver knows at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    last: (usize, u64),
    loop_lengths: Vec<Dim>,
}

impl Solver {
    /// How often something was asked whose answer may rest on what is known: what asked nothing rests on nothing.
    pub fn questions(&self) -> u64 {
        self.stamps.questions.get()
    }

    pub(super) fn note_question_about(&self, shape: &Shape) {
        if shape.elements().iter().any(|element| matches!(element, Element::Rest(_))) {
            self.stamps.note_question();
        }
    }

    /// The moment, for [`Solver::still_knows`] and [`Solver::knows_as_much`] to compare with.
    pub fn knowledge(&self) -> Knowledge {
        Knowledge { last: self.stamps.top(), loop_lengths: self.loop_lengths.clone() }
    }

    /// Whether all that was known then is known, learned in the same order. More may be known.
    pub fn still_knows(&self, then: &Knowledge) -> bool {
        self.stamps.has(then.last) && self.loop_lengths == then.loop_lengths
    }

    /// Whether nothing more is known than was then, and nothing less.
    pub fn knows_as_much(&self, then: &Knowledge) -> bool {
        self.stamps.top() == then.last && self.loop_lengths == then.loop_lengths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constraint, Dim, Var, VarInfo};

    #[test]
    fn what_was_undone_is_known_where_it_was_learned_again_as_it_was() {
        let mut solver = Solver::default();
        let nothing = solver.knowledge();
        let var = Dim::var(Var::fresh(VarInfo::free("n")));
        let fact = Constraint::Equal(var, Dim::constant(4));
        let mark = solver.mark();
        solver.assume(&fact);
        let then = solver.knowledge();
        assert!(solver.still_knows(&nothing) && solver.knows_as_much(&then) && !solver.knows_as_much(&nothing));
        solver.rollback(mark);
        assert!(!solver.still_knows(&then) && solver.knows_as_much(&nothing));
        solver.assume(&Constraint::Equal(var, Dim::constant(5)));
        assert!(!solver.still_knows(&then) && solver.still_knows(&nothing));
        solver.rollback(mark);
        solver.assume(&fact);
        assert!(solver.still_knows(&then) && solver.knows_as_much(&then));
    }
}
