//! Shapes addressed by axis, from either end, whether or not their rank is known.

use super::support::{Stop, joined};
use crate::interp::operation::Operation;
use crate::shape::{Dim, Shape};

/// A place in [`Axes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Axis {
    Front(usize),
    /// An index into the dimensions after the rest.
    Back(usize),
}

/// A shape taken apart so that chosen axes can be read and replaced. Where the rank is known, all dimensions are in `front`.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    pub front: Vec<Dim>,
    pub rest: Option<Shape>,
    pub back: Vec<Dim>,
}

impl Axes {
    pub fn shape(&self) -> Shape {
        joined(&self.front, self.rest.as_ref(), &self.back)
    }

    pub fn get(&self, axis: Axis) -> Dim {
        match axis {
            Axis::Front(index) => self.front[index],
            Axis::Back(index) => self.back[index],
        }
    }

    pub fn set(&mut self, axis: Axis, dim: Dim) {
        match axis {
            Axis::Front(index) => self.front[index] = dim,
            Axis::Back(index) => self.back[index] = dim,
        }
    }

    /// Puts `dims` in the place of an axis.
    pub fn splice(&mut self, axis: Axis, dims: &[Dim]) {
        match axis {
            Axis::Front(index) => {
                self.front.splice(index..=index, dims.iter().copied());
            }
            Axis::Back(index) => {
                self.back.splice(index..=index, dims.iter().copied());
            }
        }
    }

    /// The shape without these axes.
    pub fn without(&self, axes: &[Axis]) -> Shape {
        let keep = |dims: &[Dim], place: fn(usize) -> Axis| -> Vec<Dim> {
            let kept = dims.iter().enumerate().filter(|(index, _)| !axes.contains(&place(*index)));
            kept.map(|(_, dim)| *dim).collect()
        };
        joined(&keep(&self.front, Axis::Front), self.rest.as_ref(), &keep(&self.back, Axis::Back))
    }
}

impl Operation<'_> {
    /// The axis that `dim` names in a tensor of this rank; a tensor of rank 0 has an axis 0 in this respect.
    pub(super) fn axis(&mut self, dim: i64, rank: usize, parameter: &str, shape: &Shape) -> Result<usize, Stop> {
        let limit = i64::try_from(rank.max(1)).unwrap_or(i64::MAX);
        let wrapped = if dim < 0 { dim.saturating_add(limit) } else { dim };
        match usize::try_from(wrapped) {
            Ok(axis) if wrapped < limit => Ok(axis),
            _ => {
                let input = self.input_name();
                let message = format!(
                    "dimension out of range: `{parameter}` is {dim}, but {} has only the dimensions {} to {}",
                    self.operand(input, shape),
                    -limit,
                    limit - 1
                );
                self.reject(&[parameter, input], message)
            }
        }
    }

    /// Distinct axes named by `dims` in a tensor of known rank.
    pub(super) fn distinct_axes(
        &mut self,
        dims: &[i64],
        rank: usize,
        parameter: &str,
        shape: &Shape,
    ) -> Result<Vec<usize>, Stop> {
        let mut axes = Vec::with_capacity(dims.len());
        for dim in dims {
            let axis = self.axis(*dim, rank, parameter, shape)?;
            if axes.contains(&axis) {
                return self.reject(
                    &[parameter],
                    format!("dimension {axis} appears more than once in `{parameter}` ({dims:?})"),
                );
            }
            axes.push(axis);
        }
        Ok(axes)
    }

    /// Takes a shape apart at the axes that `dims` names. `None` where the rank is not known and the axes are named from both
    /// ends, or where the rank is 0: then there are no axes to take.
    pub(super) fn open(
        &mut self,
        shape: &Shape,
        dims: &[i64],
        parameter: &str,
    ) -> Result<Option<(Axes, Vec<Axis>)>, Stop> {
        let shape = self.solver.resolve_shape(shape);
        if let Some(known) = shape.dims() {
            let axes = self.distinct_axes(dims, known.len(), parameter, &shape)?;
            if known.is_empty() {
                return Ok(None);
            }
            let axes = axes.into_iter().map(Axis::Front).collect();
            return Ok(Some((Axes { front: known, rest: None, back: Vec::new() }, axes)));
        }
        let front = dims.iter().map(|dim| dim.saturating_add(1)).max().unwrap_or(0).max(0) as usize;
        let back = dims.iter().map(|dim| dim.saturating_neg()).max().unwrap_or(0).max(0) as usize;
        if (front > 0 && back > 0) || front.max(back) > MOST_AXES {
            return Ok(None);
        }
        let Some((front, rest, back)) = self.solver.split(&shape, front, back) else {
            let input = self.input_name();
            let message = format!("dimension out of range: `{parameter}` is {dims:?}, but `{input}` has shape {shape}");
            return self.reject(&[parameter, input], message);
        };
        let places = dims.iter().map(|dim| match usize::try_from(*dim) {
            Ok(index) => Axis::Front(index),
            Err(_) => Axis::Back((back.len() as i64 + dim) as usize),
        });
        let places: Vec<Axis> = places.collect();
        if let Some(position) = (1..places.len()).find(|position| places[..*position].contains(&places[*position])) {
            let message = format!("dimension {} appears more than once in `{parameter}` ({dims:?})", dims[position]);
            return self.reject(&[parameter], message);
        }
        Ok(Some((Axes { front, rest: Some(rest), back }, places)))
    }

    /// Like [`Operation::open`], for one axis.
    pub(super) fn open_at(&mut self, shape: &Shape, dim: i64, parameter: &str) -> Result<Option<(Axes, Axis)>, Stop> {
        let opened = self.open(shape, &[dim], parameter)?;
        Ok(opened.and_then(|(axes, places)| places.first().map(|axis| (axes, *axis))))
    }

    /// Whether a shape is known to have rank 0.
    pub(super) fn is_scalar(&self, shape: &Shape) -> bool {
        self.rank(shape) == Some(0)
    }
}

/// No tensor of unknown rank is given more axes than this (PyTorch itself stops at 64).
const MOST_AXES: usize = 64;
