//! Judges requirements on parameters that are made to measure: where a program asks its data how large they are and
//! makes weights of that size, it is there for data of any size. A requirement that wants one certain size of them
//! fails for all others.

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::heap::objects::InstanceData;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_operations::size_names::READ_FROM_TENSOR;
use harp_python::name::Name;
use harp_shape::{Constraint, Counterexample, Dim, Shape, Solver, Var, VarKind, Verdict};

/// Sizes tried as an example of one that does not fit.
const EXAMPLES: [i64; 3] = [2, 3, 5];
/// Sizes up to this are tried for such that fit.
const GREATEST_TRIED: i64 = 64;

impl Interpreter<'_> {
    /// Whether a requirement that was taken to hold wants a certain size, or that of a setting, of what weights were made to measure of.
    pub(crate) fn is_made_to_measure(
        &self,
        constraint: &Constraint,
        bound: &Bound,
        object: Option<&InstanceData>,
    ) -> bool {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() || self.exceptions.caught > 0 {
            return false;
        }
        let Some(measure) = clashing_sizes(constraint).and_then(measure_of) else {
            return false;
        };
        if self.tables.counters.contains_key(&measure) {
            return false;
        }
        let has = |dim: &Dim| dim.vars().contains(&measure);
        let of_operand = bound.iter().any(|(_, value)| match self.read(value) {
            Value::Tensor(tensor) if tensor.kind.is_parameter() => {
                tensor.shape.dims().is_some_and(|dims| dims.iter().any(has))
            }
            _ => false,
        });
        let of_object = || {
            object.is_some_and(|object| {
                object.arguments.iter().any(|(_, value)| self.read(value).as_dim().is_some_and(|dim| has(&dim)))
            })
        };
        (of_operand || of_object()) && self.is_size_of_data(measure, bound)
    }

    /// Whether a requirement that was taken to hold wants a certain size of what the elements of tensors count, which stands at another place of
    /// another operand: `[selected, 64]` against `[selected]`.
    pub(crate) fn is_count_out_of_place(&self, constraint: &Constraint, bound: &Bound) -> bool {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() || self.exceptions.caught > 0 {
            return false;
        }
        let Some(count) = clashing_sizes(constraint).and_then(measure_of).filter(|count| self.is_count(*count)) else {
            return false;
        };
        let mut places: Vec<usize> = Vec::new();
        for (_, value) in bound {
            let Value::Tensor(tensor) = self.read(value) else { continue };
            let Some(dims) = tensor.shape.dims() else { continue };
            // The same number once more within a tensor makes a square.
            let mut own = dims.iter().rev().enumerate().filter(|(_, dim)| dim.as_var() == Some(count));
            match (own.next(), own.next()) {
                (Some((place, _)), None) => places.push(place),
                (None, _) => {}
                _ => return false,
            }
        }
        matches!(places[..], [one, other] if one != other)
    }

    /// Whether a requirement wants a leading size of what is stored to be 1, which is a size of where it is stored, too: `[n, 1]` into
    /// `[n]`.
    pub(crate) fn is_column_for_a_vector(&self, api: Name, constraint: &Constraint, bound: &Bound) -> bool {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() || self.exceptions.caught > 0 {
            return false;
        }
        let Constraint::Equal(size, Dim::ONE) = constraint else { return false };
        if !api.as_str().ends_with("__setitem__") || size.as_var().is_none_or(|size| size.kind() == VarKind::Config) {
            return false;
        }
        let dims_of = |operand: &str| {
            bound.iter().filter(|(name, _)| name.as_str() == operand).find_map(|(_, value)| match self.read(value) {
                Value::Tensor(tensor) => tensor.shape.dims(),
                _ => None,
            })
        };
        let (Some(value), Some(input)) = (dims_of("value"), dims_of("self")) else { return false };
        value.len() > 1 && value[0] == *size && input.contains(size)
    }

    /// Reports a matrix with a row for each element that is not zero and a column for each dimension that is unpacked to as many names as it
    /// has columns.
    pub(crate) fn rows_are_taken_for_columns(&mut self, value: &Value, width: usize, place: Option<Span>) -> bool {
        let (Value::Tensor(tensor), Some(place)) = (value, place) else { return false };
        let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { return false };
        let [rows, columns] = dims[..] else { return false };
        let is_found = rows.as_var().is_some_and(|count| count.name() == "nonzero" && self.is_count(count));
        if !is_found || columns.as_const() != i64::try_from(width).ok() || self.entry.kind == EntryKind::Symbolic {
            return false;
        }
        let message = format!("too many values to unpack: there is a row for each element found, and {width} names");
        self.may_fail("tuple.__iter__", message, format!("{rows} != {width}"), place);
        true
    }

    /// Whether a number is how many elements fulfil something.
    fn is_count(&self, var: Var) -> bool {
        const COUNTS: [&str; 4] = ["selected", "matches", "nonzero", "unique"];
        self.tables.by_chance.contains_key(&var) && COUNTS.contains(&var.name().as_str())
    }

    /// Whether a number is a size of the tensor that the operation works on, or was read from one.
    fn is_size_of_data(&self, measure: Var, bound: &Bound) -> bool {
        measure.name() == READ_FROM_TENSOR
            || self.model_state.text_tables.values().any(|record| self.solver.sizes_within(*record).contains(&measure))
            || bound.iter().any(|(_, value)| match self.read(value) {
                Value::Tensor(tensor) if !tensor.kind.is_parameter() => {
                    tensor.shape.dims().is_some_and(|dims| dims.iter().any(|dim| dim.vars().contains(&measure)))
                }
                _ => false,
            })
    }

    /// A size for which such a requirement fails.
    pub(crate) fn counterexample_of_measure(&self, constraint: &Constraint) -> Option<Counterexample> {
        let constraint = clashing_sizes(constraint)?;
        let alone = || match constraint {
            Constraint::Equal(size, Dim::ONE) => size.as_var(),
            _ => None,
        };
        let measure = measure_of(constraint).or_else(alone)?;
        let fails = |size: i64| {
            let mut at = |dim: Dim| {
                dim.substitute(&mut |var: Var| {
                    let value = if var == measure { Some(size) } else { var.default_value() };
                    value.map(Dim::constant)
                })
            };
            let certain = constraint.map(&mut at, &mut Shape::clone);
            Solver::new().judge(&certain) == Verdict::Violated
        };
        let size = EXAMPLES.into_iter().find(|size| fails(*size))?;
        Some(Counterexample {
            assignment: vec![(measure, size)],
            condition: constraint.negated(),
            is_default_fine: false,
            fails_usually: true,
        })
    }
}

/// The only part of a requirement that does not hold whatever the sizes are.
pub(crate) fn clashing_sizes(constraint: &Constraint) -> Option<&Constraint> {
    match constraint {
        Constraint::And(parts) => {
            let mut open = parts.iter().filter(|part| {
                !matches!(part, Constraint::Equal(a, b) | Constraint::Broadcastable(a, b) if a == b)
                    && !matches!(part, Constraint::Broadcastable(a, b) if *a == Dim::ONE || *b == Dim::ONE)
                    && **part != Constraint::True
            });
            open.next().filter(|_| open.next().is_none())
        }
        constraint => Some(constraint),
    }
}

/// The only size of data in an equation that has settings and numbers besides.
fn measure_of(constraint: &Constraint) -> Option<Var> {
    let is_of_sizes =
        |constraint: &Constraint| matches!(constraint, Constraint::Equal(..) | Constraint::Broadcastable(..));
    // A size that is to be expanded is 1 or the other one.
    let is_expanded = matches!(constraint, Constraint::Or(parts) if parts.iter().all(is_of_sizes));
    if !is_of_sizes(constraint) && !is_expanded {
        return None;
    }
    let (free, others): (Vec<Var>, Vec<Var>) =
        constraint.variables().into_iter().partition(|var| var.kind() == VarKind::Free);
    let [measure] = free.as_slice() else { return None };
    let is_setting = |var: &Var| var.kind() == VarKind::Config && var.default_value().is_some();
    let fits = |size: &i64| {
        let value = |var: Var| if var == *measure { Some(*size) } else { var.default_value() };
        constraint.evaluate(&mut { value }) == Some(true)
    };
    // What several sizes fulfil, as the multiples of a number, is no certain size.
    let are_several = (1..=GREATEST_TRIED).filter(fits).nth(2).is_some();
    (others.iter().all(is_setting) && !are_several).then_some(*measure)
}
