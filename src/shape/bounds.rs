//! Between which values a dimension lies, for callers outside of the solver.

use super::dim::Dim;
use super::solver::Solver;

impl Solver {
    /// The least and the greatest value that a number can have, where they are known.
    pub fn bounds(&self, dim: Dim) -> (Option<i64>, Option<i64>) {
        let interval = self.interval(self.resolve(dim));
        (interval.low(), interval.high())
    }
}
