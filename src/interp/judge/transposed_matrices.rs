//! Judges requirements on matrices whose rows and columns were taken for each other: `[16, n]` where 16 columns are
//! wanted, and `n` is what the data have. That a number that was counted is the other size of the same matrix is an
//! accident.

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::judge::data_sized_parameters::clashing_sizes;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_operations::size_names::READ_FROM_TENSOR;
use harp_shape::{Constraint, Counterexample, Dim, Var, VarKind};

/// Sizes of vectors and transformations in space, whose matrices are often square.
const SIZES_OF_SPACE: i64 = 4;

impl Interpreter<'_> {
    /// An example for which a requirement fails that wants a size of data to be one that it is by accident alone.
    pub(crate) fn turned_around(
        &self,
        constraint: &Constraint,
        bound: &Bound,
        is_of_layer: bool,
    ) -> Option<Counterexample> {
        if self.inference.is_some() || self.exceptions.caught > 0 {
            return None;
        }
        let is_script = self.entry.kind != EntryKind::Symbolic;
        let constraint = &self.size_by_size(constraint);
        let constraint = clashing_sizes(constraint)?;
        let (Constraint::Equal(one, other) | Constraint::Broadcastable(one, other)) = constraint else { return None };
        let is_equation = matches!(constraint, Constraint::Equal(..));
        let is_accident = |data: Dim, wanted: Dim| {
            if !is_script {
                return is_equation
                    && !is_of_layer
                    && self.is_size_of_argument(data)
                    && self.is_turned_operand(data, wanted, bound);
            }
            (is_equation && self.is_of_data(data) && self.is_other_size(data, wanted, bound, is_of_layer))
                || self.is_read_for_size(data, wanted)
        };
        let (data, wanted) = if is_accident(*one, *other) {
            (*one, *other)
        } else if is_accident(*other, *one) {
            (*other, *one)
        } else {
            return None;
        };
        let next = || wanted.evaluate(&mut |var| var.default_value())?.checked_add(1);
        let assignment = data.as_var().and_then(|var| Some((var, next()?)));
        Some(Counterexample {
            assignment: assignment.into_iter().collect(),
            condition: constraint.negated(),
            is_default_fine: false,
            fails_usually: true,
        })
    }

    /// Whether a size is wanted of data that is the other one of a matrix. Who has one matrix alone asks whether it is square.
    fn is_other_size(&self, data: Dim, wanted: Dim, bound: &Bound, is_of_layer: bool) -> bool {
        let is_setting = |var: &Var| var.kind() == VarKind::Config && var.default_value().is_some();
        let is_stated = match wanted.as_const() {
            Some(size) => size > SIZES_OF_SPACE,
            None => wanted.shape_vars().is_empty() && wanted.vars().iter().all(is_setting),
        };
        let tensors = || {
            bound.iter().filter_map(|(_, value)| match self.read(value) {
                Value::Tensor(tensor) => {
                    tensor.shape.dims().or_else(|| self.solver.resolve_shape(&tensor.shape).dims())
                }
                _ => None,
            })
        };
        let is_turned = |dims: Vec<Dim>| dims.contains(&wanted) && dims.iter().filter(|dim| **dim == data).count() == 1;
        let has_partner = || is_of_layer || tensors().count() > 1;
        // No table has one record.
        let is_alone =
            wanted == Dim::ONE && data.as_var().is_some_and(|count| self.model_state.text_tables.contains_key(&count));
        (is_stated && has_partner() && tensors().any(is_turned)) || (is_alone && tensors().count() > 1)
    }

    /// Whether a size is one that whoever calls a function chooses.
    fn is_size_of_argument(&self, size: Dim) -> bool {
        let is_open = |var: Var| {
            var.kind() == VarKind::Free && !self.tables.counters.contains_key(&var) && !self.is_independent(size)
        };
        size.as_var().is_some_and(is_open)
    }

    /// Whether both operands are computed from the same argument, and one of them has the size that is wanted at another place.
    fn is_turned_operand(&self, data: Dim, wanted: Dim, bound: &Bound) -> bool {
        let is_stated = wanted.as_const().is_some_and(|size| size > SIZES_OF_SPACE) || self.is_independent(wanted);
        let tensors: Vec<Vec<Dim>> = bound
            .iter()
            .filter_map(|(_, value)| match self.read(value) {
                Value::Tensor(tensor) if !tensor.kind.is_parameter() => tensor.shape.dims(),
                _ => None,
            })
            .collect();
        let has = |dims: &Vec<Dim>, size: Dim| dims.iter().filter(|dim| **dim == size).count() == 1;
        is_stated
            && tensors.len() == 2
            && tensors.iter().all(|dims| has(dims, data))
            && tensors.iter().any(|dims| has(dims, wanted))
    }

    /// Whether a number that was read from what tensors hold, such as the number of classes, is wanted of a part of a table.
    fn is_read_for_size(&self, part: Dim, read: Dim) -> bool {
        let all = |size: Dim, is: &dyn Fn(&Var) -> bool| {
            let vars = size.vars();
            !vars.is_empty() && size.shape_vars().is_empty() && vars.iter().all(is)
        };
        part.as_var().is_none()
            && all(part, &|var| self.is_of_table(*var))
            && all(read, &|var| var.name() == READ_FROM_TENSOR)
    }

    /// Whether a size is what was counted in data, or how many fields they have.
    fn is_of_data(&self, size: Dim) -> bool {
        let is_count = |var: &Var| match var.kind() {
            VarKind::Counted | VarKind::Varying => true,
            VarKind::Free => self.tables.by_chance.contains_key(var) || self.is_of_table(*var),
            VarKind::Config | VarKind::Fixed => false,
        };
        let vars = size.vars();
        !vars.is_empty()
            && size.shape_vars().is_empty()
            && vars.iter().all(|var| is_count(var) && !self.tables.counters.contains_key(var))
    }

    /// Whether a number is how many records a table has, or how many fields.
    fn is_of_table(&self, var: Var) -> bool {
        self.model_state.text_tables.contains_key(&var)
            || self.model_state.text_tables.values().any(|fields| self.solver.sizes_within(*fields).contains(&var))
    }
}
