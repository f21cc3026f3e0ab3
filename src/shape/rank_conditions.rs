//! The solver binds a shape to the number of dimensions that a constraint says: `if x.dim() == 4:`.

use crate::dim::{Dim, atom};
use crate::polynomial::{Atom, Factor};
use crate::shapes::{Element, Shape};
use crate::solver::Solver;

/// Shapes with more dimensions are left open; PyTorch allows 64.
const MOST_DIMENSIONS: usize = 64;

impl Solver {
    /// Where `number`, which is 0, is the rank of a shape variable and a constant: gives the variable as many fresh dimensions.
    pub(super) fn bind_rank(&mut self, number: Dim) -> bool {
        let polynomial = number.polynomial();
        let [(monomial, coefficient @ (1 | -1))] = polynomial.variable_terms() else { return false };
        let [Factor::Atom(id)] = **monomial else { return false };
        let Some(Atom::Rank(var)) = atom(id) else { return false };
        let rank = polynomial.constant_term().checked_mul(-coefficient).and_then(|rank| usize::try_from(rank).ok());
        match rank {
            Some(rank) if rank <= MOST_DIMENSIONS => {
                self.with_rank(&Shape::new(vec![Element::Rest(var)]), rank).is_some()
            }
            _ => false,
        }
    }
}
