//! What the solver's answer to a question rests on: the facts that it can reach, and the ranges of what is in them.
//!
//! Most questions are asked again with nothing learned that bears on them. A scope has a key that is made without looking into the facts: they
//! have numbers by which they are known.

use std::hash::Hash;
use std::rc::Rc;

use crate::decision_cache::{Form, Lanes};
use crate::formula::Formula;
use crate::interval::Interval;
use crate::normalised_facts::{MAX_RELEVANT, Reached};
use crate::polynomial::Factor;
use crate::solver::Solver;
use crate::variable::Var;

/// What a formula is decided from.
pub(super) struct Scope {
    pub reached: Rc<Reached>,
    /// What the counters in the formula stay below.
    pub limits: Vec<Formula>,
    /// Narrower ranges than the variables' own.
    pub ranges: Vec<(Var, Interval)>,
    /// Whether a range, perhaps of another variable, has no number in it.
    pub has_empty_range: bool,
    /// Whether all facts that have to do with the formula are there.
    pub is_whole: bool,
}

impl Scope {
    pub fn of(solver: &Solver, formula: &Formula) -> Scope {
        let own = formula.leaves();
        let limit = |leaf: &Factor| match leaf {
            Factor::Var(var) => solver.limit_of_counter(*var),
            Factor::Atom(_) => None,
        };
        let limits: Vec<Formula> = own.iter().filter_map(limit).collect();
        let reached = solver.reach(own);
        let known = solver.ranges();
        let range_of = |leaf: &Factor| match leaf {
            Factor::Var(var) => known.get(var).map(|range| (*var, *range)),
            Factor::Atom(_) => None,
        };
        let mut ranges: Vec<(Var, Interval)> = Vec::new();
        if !known.is_empty() {
            ranges.extend(reached.leaves.iter().filter_map(range_of));
            // A variable that is there already has the same range.
            ranges.extend(limits.iter().flat_map(Formula::leaves).filter_map(|leaf| range_of(&leaf)));
        }
        Scope {
            ranges,
            has_empty_range: solver.has_empty_range(),
            is_whole: reached.facts.len() + limits.len() < MAX_RELEVANT,
            reached,
            limits,
        }
    }

    /// What tells a question in this scope from all others that are asked until dimensions are forgotten.
    pub fn key(&self, question: impl Hash) -> Form {
        let mut hasher = Lanes::default();
        question.hash(&mut hasher);
        self.limits.hash(&mut hasher);
        self.ranges.hash(&mut hasher);
        self.has_empty_range.hash(&mut hasher);
        self.reached.digest.hash(&mut hasher);
        hasher.form()
    }
}
