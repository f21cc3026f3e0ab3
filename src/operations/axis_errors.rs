//! What transfer functions answer to a wrong axis of their tensors.

use crate::operation::Operation;
use crate::support::Stop;
use harp_shape::Shape;
pub(crate) use harp_shape::{Axes, Axis};
use harp_shape::{AxisError, axis_of, distinct_axes};

impl Operation<'_> {
    fn reject_axis<T>(&mut self, error: &AxisError, parameter: &str, shape: &Shape) -> Result<T, Stop> {
        let input = self.input_name();
        let message = error.describe(parameter, &self.operand(input, shape).to_string());
        let operands = match error {
            AxisError::Repeated { .. } => vec![parameter],
            _ => vec![parameter, input],
        };
        self.reject(&operands, message)
    }

    /// The error of naming axes of a scalar, where scalars have none.
    fn axis_of_scalar(&self, dims: &[i64], rank: usize) -> Result<(), AxisError> {
        if self.rules.scalars_have_axis { Ok(()) } else { harp_shape::axis_of_scalar(dims, rank) }
    }

    /// The axis that `dim` names in a tensor of this rank; in most libraries a tensor of rank 0 has an axis 0 in this respect.
    pub(crate) fn axis(&mut self, dim: i64, rank: usize, parameter: &str, shape: &Shape) -> Result<usize, Stop> {
        self.axis_of_scalar(&[dim], rank)
            .and_then(|()| axis_of(dim, rank))
            .or_else(|error| self.reject_axis(&error, parameter, shape))
    }

    /// Distinct axes named by `dims` in a tensor of known rank.
    pub(crate) fn distinct_axes(
        &mut self,
        dims: &[i64],
        rank: usize,
        parameter: &str,
        shape: &Shape,
    ) -> Result<Vec<usize>, Stop> {
        self.axis_of_scalar(dims, rank)
            .and_then(|()| distinct_axes(dims, rank))
            .or_else(|error| self.reject_axis(&error, parameter, shape))
    }

    /// Takes a shape apart at the axes that `dims` names. `None` where the rank is not known and the axes are named from both
    /// ends, or where the rank is 0: then there are no axes to take.
    pub(crate) fn open(
        &mut self,
        shape: &Shape,
        dims: &[i64],
        parameter: &str,
    ) -> Result<Option<(Axes, Vec<Axis>)>, Stop> {
        let scalar = self.rank(shape).map_or(Ok(()), |rank| self.axis_of_scalar(dims, rank));
        scalar
            .and_then(|()| self.solver.open_axes(shape, dims))
            .or_else(|error| self.reject_axis(&error, parameter, shape))
    }

    /// Like [`Operation::open`], for one axis.
    pub(crate) fn open_at(&mut self, shape: &Shape, dim: i64, parameter: &str) -> Result<Option<(Axes, Axis)>, Stop> {
        let opened = self.open(shape, &[dim], parameter)?;
        Ok(opened.and_then(|(axes, places)| places.first().map(|axis| (axes, *axis))))
    }

    /// Whether a shape is known to have rank 0.
    pub(crate) fn is_scalar(&self, shape: &Shape) -> bool {
        self.rank(shape) == Some(0)
    }
}
