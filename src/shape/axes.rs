//! Shapes addressed by axis, from either end, whether or not their rank is known.

use crate::{Dim, Element, Shape, Solver};

/// A place in [`Axes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// An index into the dimensions before the rest.
    Front(usize),
    /// An index into the dimensions after the rest.
    Back(usize),
}

/// A shape taken apart so that chosen axes can be read and replaced. Where the rank is known, all dimensions are in `front`.
#[derive(Clone, Debug)]
pub struct Axes {
    /// The dimensions before the rest.
    pub front: Vec<Dim>,
    /// What is not taken apart; `None` where the rank is known.
    pub rest: Option<Shape>,
    /// The dimensions after the rest.
    pub back: Vec<Dim>,
}

/// Why axes cannot be those of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisError {
    /// A shape of this rank has no such axis.
    OutOfRange {
        /// As it is written.
        axis: i64,
        /// Of the shape.
        rank: usize,
    },
    /// A shape of unknown rank cannot have as many dimensions.
    TooFew {
        /// As they are written.
        axes: Vec<i64>,
    },
    /// An axis is named twice; in a shape of unknown rank, as it is written.
    Repeated {
        /// Counted from the front where the rank is known.
        axis: i64,
        /// All of them, as they are written.
        axes: Vec<i64>,
    },
    /// No axis can be put there into a shape of this rank.
    NoPlace {
        /// As it is written.
        axis: i64,
        /// Of the shape, before anything is put there.
        rank: usize,
    },
}

impl AxisError {
    /// The clause for the reader. `parameter` is what names the axes; `subject` is the tensor with its shape:
    /// `` `input` [2, 3] ``.
    pub fn describe(&self, parameter: &str, subject: &str) -> String {
        match self {
            // Of a family whose scalars have no axis.
            AxisError::OutOfRange { axis: -1 | 0, rank: 0 } => {
                format!("dimension out of range: {subject} has no dimensions, so that `{parameter}` names none")
            }
            // A number says itself what it is.
            AxisError::OutOfRange { axis, .. } if parameter.parse() == Ok(*axis) => {
                format!("dimension out of range: {subject} has no dimension {axis}")
            }
            AxisError::OutOfRange { axis, rank } => {
                let limit = count(*rank).max(1);
                format!(
                    "dimension out of range: `{parameter}` is {axis}, but {subject} has only the dimensions {} to {}",
                    -limit,
                    limit - 1
                )
            }
            AxisError::TooFew { axes } => {
                format!("dimension out of range: `{parameter}` is {axes:?}, but the shape is that of {subject}")
            }
            AxisError::Repeated { axis, axes } => {
                format!("dimension {axis} appears more than once in `{parameter}` ({axes:?})")
            }
            AxisError::NoPlace { axis, rank } => {
                let limit = count(*rank).saturating_add(1);
                format!(
                    "dimension out of range: `{parameter}` is {axis}, but a dimension can be added to {subject} only at {} \
                     to {}",
                    -limit,
                    limit - 1
                )
            }
        }
    }
}

/// No shape of unknown rank is given more axes than this (PyTorch itself stops at 64).
const MOST_AXES: usize = 64;

fn count(rank: usize) -> i64 {
    i64::try_from(rank).unwrap_or(i64::MAX)
}

impl Axes {
    /// The shape put together again.
    pub fn shape(&self) -> Shape {
        joined(&self.front, self.rest.as_ref(), &self.back)
    }

    /// The dimension at an axis of this shape.
    pub fn get(&self, axis: Axis) -> Dim {
        match axis {
            Axis::Front(index) => self.front[index],
            Axis::Back(index) => self.back[index],
        }
    }

    /// Puts another dimension in the place of one.
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

/// `front` followed by the dimensions of `rest` and by `back`.
fn joined(front: &[Dim], rest: Option<&Shape>, back: &[Dim]) -> Shape {
    let mut elements: Vec<Element> = front.iter().copied().map(Element::Dim).collect();
    elements.extend(rest.iter().flat_map(|rest| rest.elements().iter().copied()));
    elements.extend(back.iter().copied().map(Element::Dim));
    Shape::new(elements)
}

/// The axis that a number names in a shape of this rank; a shape of rank 0 has an axis 0 in this respect.
pub fn axis_of(axis: i64, rank: usize) -> Result<usize, AxisError> {
    let limit = count(rank.max(1));
    let wrapped = if axis < 0 { axis.saturating_add(limit) } else { axis };
    match usize::try_from(wrapped) {
        Ok(place) if wrapped < limit => Ok(place),
        _ => Err(AxisError::OutOfRange { axis, rank }),
    }
}

/// The error of naming an axis of a scalar, in libraries whose scalars have none.
pub fn axis_of_scalar(axes: &[i64], rank: usize) -> Result<(), AxisError> {
    match axes.first() {
        Some(axis) if rank == 0 => Err(AxisError::OutOfRange { axis: *axis, rank }),
        _ => Ok(()),
    }
}

/// The distinct axes that numbers name in a shape of this rank.
pub fn distinct_axes(axes: &[i64], rank: usize) -> Result<Vec<usize>, AxisError> {
    let mut places = Vec::with_capacity(axes.len());
    for axis in axes {
        let place = axis_of(*axis, rank)?;
        if places.contains(&place) {
            return Err(AxisError::Repeated { axis: count(place), axes: axes.to_vec() });
        }
        places.push(place);
    }
    Ok(places)
}

impl Solver {
    /// Takes a shape apart at the axes that `axes` names. `None` where the rank is not known and the axes are named from both
    /// ends, or where the rank is 0: then there are no axes to take.
    pub fn open_axes(&mut self, shape: &Shape, axes: &[i64]) -> Result<Option<(Axes, Vec<Axis>)>, AxisError> {
        let shape = self.resolve_shape(shape);
        if let Some(known) = shape.dims() {
            let places = distinct_axes(axes, known.len())?;
            if known.is_empty() {
                return Ok(None);
            }
            let places = places.into_iter().map(Axis::Front).collect();
            return Ok(Some((Axes { front: known, rest: None, back: Vec::new() }, places)));
        }
        let farthest = |distance: fn(&i64) -> i64| {
            let farthest = axes.iter().map(distance).max().unwrap_or(0).max(0);
            usize::try_from(farthest).unwrap_or(usize::MAX)
        };
        let front = farthest(|axis| axis.saturating_add(1));
        let back = farthest(|axis| axis.saturating_neg());
        if (front > 0 && back > 0) || front.max(back) > MOST_AXES {
            return Ok(None);
        }
        let Some((front, rest, back)) = self.split(&shape, front, back) else {
            return Err(AxisError::TooFew { axes: axes.to_vec() });
        };
        let mut places = Vec::with_capacity(axes.len());
        for axis in axes {
            let place = match usize::try_from(*axis) {
                Ok(index) => Axis::Front(index),
                Err(_) => Axis::Back(back.len().saturating_sub(usize::try_from(axis.saturating_neg()).unwrap_or(0))),
            };
            if places.contains(&place) {
                return Err(AxisError::Repeated { axis: *axis, axes: axes.to_vec() });
            }
            places.push(place);
        }
        Ok(Some((Axes { front, rest: Some(rest), back }, places)))
    }
}
