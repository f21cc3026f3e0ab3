//! What is known where several of the ways on that a branch had go on, and others have ended: one of these is the case.

use crate::paths::branch::ArmResult;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Guard, Literal};

/// Of more ways than this, nothing is noted.
const MOST_SURVIVORS: usize = 8;

impl Interpreter<'_> {
    /// Adds to the path that one of these ways was taken, without what is `shared` by all of them, which the path has. Gives back what it adds.
    pub(crate) fn hold_one_of<T>(&mut self, survivors: &[ArmResult<T>], shared: &[Literal]) -> Option<Literal> {
        if self.inference.is_some() || survivors.len() > MOST_SURVIVORS {
            return None;
        }
        let own = |result: &ArmResult<T>| -> Vec<Literal> {
            result.literals.iter().filter(|literal| !shared.contains(literal)).copied().collect()
        };
        let mut ways: Vec<Guard> = Vec::with_capacity(survivors.len());
        for way in survivors.iter().map(own) {
            if way.is_empty() {
                return None;
            }
            if !ways.iter().any(|known| **known == *way) {
                ways.push(Guard::from(way));
            }
        }
        let literal = Literal { decision: self.decision_for_ways(ways), taken: true };
        self.path.push(literal, &self.decisions);
        Some(literal)
    }
}
