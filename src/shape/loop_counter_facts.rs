//! The solver's facts on the counters of loops. They bear on what has a counter in it and on nothing else: a loop may
//! have no iteration.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::dim::Dim;
use crate::formula::Formula;
use crate::interner::{Remembered, remembered};
use crate::polynomial::Factor;
use crate::variable::Var;

/// Of more counters than this, the earlier ones are forgotten.
const MAX_STOPS: usize = 4_096;

/// The counters of loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counters {
    /// What they stay below, and how much was remembered when that was said.
    stops: FxHashMap<Var, (Dim, usize)>,
    /// The counters of `stops` by that age.
    by_age: BTreeSet<(usize, Var)>,
    /// Those of iterations that may not be there.
    doubtful: BTreeSet<Var>,
}

impl Counters {
    /// Says what a loop's counter stays below.
    pub fn limit(&mut self, counter: Var, stop: Dim) {
        if self.stops.len() >= MAX_STOPS {
            self.stops.clear();
            self.by_age.clear();
        }
        // A bound may be younger than all that stands in it.
        let age = remembered().amount();
        if let Some((_, before)) = self.stops.insert(counter, (stop, age)) {
            self.by_age.remove(&(before, counter));
        }
        self.by_age.insert((age, counter));
    }

    /// What a counter stays below.
    pub fn limit_of(&self, counter: Var) -> Option<Dim> {
        self.stops.get(&counter).map(|(stop, _)| *stop)
    }

    /// Says that there may be no iteration with this counter.
    pub fn doubt(&mut self, counter: Var) {
        if self.doubtful.len() >= MAX_STOPS {
            self.doubtful.clear();
        }
        self.doubtful.insert(counter);
    }

    /// Whether a formula speaks of an iteration that may not be there.
    pub fn are_doubtful(&self, formula: &Formula) -> bool {
        let is_doubtful = |leaf: Factor| matches!(leaf, Factor::Var(var) if self.doubtful.contains(&var));
        !self.doubtful.is_empty() && formula.leaves().into_iter().any(is_doubtful)
    }

    /// Forgets the counters that were made since a moment, or whose bounds were.
    pub fn forget_since(&mut self, moment: Remembered) {
        while self.by_age.last().is_some_and(|(age, _)| *age > moment.amount()) {
            if let Some((_, counter)) = self.by_age.pop_last() {
                self.stops.remove(&counter);
            }
        }
        while self.doubtful.last().is_some_and(|counter| !moment.has(*counter)) {
            self.doubtful.pop_last();
        }
    }
}
