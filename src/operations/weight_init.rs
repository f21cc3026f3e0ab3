//! Transfer functions that initialise parameters in place, where it depends on the numbers of inputs and outputs of a
//! unit.

use crate::operation::{Operation, Output};
use crate::support::{Evaluated, Stop, constant, product};
use harp_shape::{Dim, Shape};

/// The parameter of all functions here.
const TENSOR: &str = "tensor";

/// `xavier_…_(tensor)` and `orthogonal_(tensor)`: a weight `[outputs, inputs]@receptive field`, returned as it is.
pub(crate) fn fan_scaled(op: &mut Operation) -> Evaluated {
    weight(op)?;
    Ok(Output::Argument(TENSOR.into()))
}

/// `kaiming_…_(tensor)`: the same, but that a weight without elements is left alone.
pub(crate) fn fan_scaled_unless_empty(op: &mut Operation) -> Evaluated {
    let shape = op.tensor(TENSOR).shape;
    let dims = op.solver.resolve_shape(&shape).dims().unwrap_or_default();
    if !dims.iter().any(|dim| *dim == constant(0)) {
        weight(op)?;
    }
    Ok(Output::Argument(TENSOR.into()))
}

/// `_calculate_fan_in_and_fan_out(tensor)`: what one unit takes and gives, with its receptive field.
pub(crate) fn fans(op: &mut Operation) -> Evaluated {
    let Some((outputs, inputs, field)) = weight(op)? else { return Ok(Output::Unknown("the shape of a weight")) };
    let Some(field) = field.dims() else { return Ok(Output::Tuple(vec![any_count(), any_count()])) };
    let size = product(&field);
    Ok(Output::Tuple(vec![Output::Integer(inputs * size), Output::Integer(outputs * size)]))
}

/// `eye_(tensor)` and `sparse_(tensor)`: a matrix.
pub(crate) fn matrix_in_place(op: &mut Operation) -> Evaluated {
    of_rank(op, &[2])
}

/// `dirac_(tensor)`: the weight of a convolution.
pub(crate) fn kernel_in_place(op: &mut Operation) -> Evaluated {
    of_rank(op, &[3, 4, 5])
}

fn of_rank(op: &mut Operation, ranks: &[usize]) -> Evaluated {
    let shape = op.tensor(TENSOR).shape;
    // Which of several ranks an unknown tensor has stays open.
    if op.rank(&shape).is_some() || (op.solver.fixes_ranks && ranks.len() == 1) {
        op.with_rank_of(&shape, ranks, TENSOR)?;
    }
    Ok(Output::Argument(TENSOR.into()))
}

/// The outputs, inputs and receptive field of a weight, which has at least two dimensions. `None` where they are not known.
fn weight(op: &mut Operation) -> Result<Option<(Dim, Dim, Shape)>, Stop> {
    let shape = op.tensor(TENSOR).shape;
    // Outside of signatures, what a loop over all parameters meets is of no one rank.
    if op.rank(&shape).is_none() && !op.solver.fixes_ranks {
        return Ok(None);
    }
    match op.solver.split(&shape, 2, 0) {
        Some((front, field, _)) => Ok(Some((front[0], front[1], field))),
        None => op.reject(&[TENSOR], format!("{} needs at least 2 dimensions", op.operand(TENSOR, &shape))),
    }
}

fn any_count() -> Output {
    Output::Integer(crate::support::fresh_count("fan"))
}
