//! Constraints on windows of data: `min(length, rest)` is the length of a window, or what is left of the data. All
//! windows but the last are full.

use crate::constraint::Constraint;
use crate::dim::{Dim, atom};
use crate::polynomial::{Atom, Factor};
use crate::shapes::Shape;
use crate::solver::Solver;
use crate::variable::VarKind;

/// Windows within windows are followed to this depth.
const DEEPEST: usize = 4;

impl Solver {
    /// A constraint as it is where the windows in it are full, and what then holds of the data; `None` where there are no windows in it.
    pub fn in_full_windows(&self, constraint: &Constraint) -> Option<(Constraint, Constraint)> {
        let mut conditions = Vec::new();
        let resolved = self.resolve_constraint(constraint);
        let full = {
            let conditions = std::cell::RefCell::new(&mut conditions);
            let mut dim = |number: Dim| filled(number, &mut conditions.borrow_mut(), 0);
            let of_shape = |shape: &Shape| match shape.dims() {
                Some(dims) => Shape::known(
                    dims.into_iter().map(|dim| filled(dim, &mut conditions.borrow_mut(), 0)).collect::<Vec<_>>(),
                ),
                None => shape.clone(),
            };
            resolved.map(&mut dim, &mut { of_shape })
        };
        let condition = match conditions.len() {
            0 => return None,
            1 => conditions.swap_remove(0),
            _ => Constraint::And(conditions),
        };
        Some((full, condition))
    }
}

fn filled(number: Dim, conditions: &mut Vec<Constraint>, depth: usize) -> Dim {
    number.rewrite(&mut |factor| {
        let Factor::Atom(id) = factor else { return None };
        let Some(Atom::Minimum(one, other)) = atom(id).filter(|_| depth < DEEPEST) else { return None };
        let (one, other) = (filled(one, conditions, depth + 1), filled(other, conditions, depth + 1));
        let (length, rest) = match (is_stated(one), is_stated(other)) {
            (true, true) => return Some(one.min(other)),
            (true, false) if is_of_data(other) => (one, other),
            (false, true) if is_of_data(one) => (other, one),
            _ => return None,
        };
        let condition = Constraint::LessEqual(length, rest);
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
        Some(length)
    })
}

/// Whether a number is one that the program or its user states.
fn is_stated(number: Dim) -> bool {
    number.shape_vars().is_empty()
        && number.vars().iter().all(|var| var.kind() == VarKind::Config && var.default_value().is_some())
}

fn is_of_data(number: Dim) -> bool {
    number.vars().iter().any(|var| var.kind() != VarKind::Config)
}
