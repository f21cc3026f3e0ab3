//! Judges requirements that give one size of the data two roles: the length of the sequences is to be the width of a
//! layer, the number of samples that of the classes. Data that fits its first layer is what a script is written for;
//! that two roles of it are one number is not.

use crate::budget::costly_calls::EntryKind;
use crate::judge::alarms::Context;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_operations::operation::Judged;
use harp_shape::{Constraint, Counterexample, Dim, Outcome, Var, VarKind};

impl Interpreter<'_> {
    /// An example for which a requirement fails that was taken to hold: it makes a size of the data equal to a number
    /// that is another dimension of what was computed from the same data.
    pub(crate) fn gives_two_roles(&self, context: &Context<'_>, judged: &Judged) -> Option<Counterexample> {
        let is_script =
            self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0;
        let is_open = matches!(judged.outcome, Outcome::Assumed | Outcome::Unknown);
        if !is_open || !is_script || !self.path_conditions().is_empty() {
            return None;
        }
        let (size, number) = fixed_size(&self.size_by_size(&judged.constraint))?;
        // A size that a file of settings, or the user, states is no size of data.
        let is_of_data = |var: &Var| var.kind() == VarKind::Free && !self.tables.by_chance.contains_key(var);
        if !size.vars().iter().all(is_of_data) {
            return None;
        }
        let made: Vec<Vec<Dim>> = context
            .bound
            .iter()
            .filter_map(|(_, value)| match self.read(value) {
                Value::Tensor(tensor) => tensor.shape.dims(),
                _ => None,
            })
            .collect();
        let has = |dims: &[Dim], size: Dim| dims.contains(&size);
        let both = made.iter().position(|dims| has(dims, size) && has(dims, Dim::constant(number)))?;
        let in_other = made.iter().enumerate().any(|(place, dims)| place != both && has(dims, size));
        in_other.then(|| Counterexample {
            assignment: size.as_var().map(|var| (var, number + 1)).into_iter().collect(),
            condition: Constraint::NotEqual(size, Dim::constant(number)),
            is_default_fine: false,
            fails_usually: true,
        })
    }
}

/// The size and the number that a requirement makes equal.
fn fixed_size(constraint: &Constraint) -> Option<(Dim, i64)> {
    match constraint {
        Constraint::Equal(one, other) | Constraint::Broadcastable(one, other) => {
            let pair = |one: &Dim, other: &Dim| {
                one.as_const().is_none().then_some((*one, other.as_const().filter(|size| *size > 1)?))
            };
            pair(one, other).or_else(|| pair(other, one))
        }
        Constraint::And(parts) => parts.iter().find_map(fixed_size),
        _ => None,
    }
}
