//! Shapes: lists of dimensions in which shape variables stand for parts of unknown length.

use std::fmt;
use std::rc::Rc;

use super::dim::Dim;
use super::variable::{ShapeVar, Var, VarInfo};
use crate::interner::{self, Part};

/// One part of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// One dimension of this size.
    Dim(Dim),
    /// Any number of dimensions.
    Rest(ShapeVar),
    /// One dimension whose size differs across the tensor.
    Ragged,
}

/// The shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape(Rc<[Element]>);

impl Shape {
    /// A shape of these parts.
    pub fn new(elements: Vec<Element>) -> Shape {
        Shape(Rc::from(elements))
    }

    /// A shape of known rank.
    pub fn known(dims: impl Into<Vec<Dim>>) -> Shape {
        Shape(dims.into().into_iter().map(Element::Dim).collect())
    }

    /// A shape without dimensions.
    pub fn scalar() -> Shape {
        Shape(Rc::from([]))
    }

    /// A shape of which nothing is known: one fresh shape variable.
    pub fn unknown(name: &str) -> Shape {
        Shape(Rc::from([Element::Rest(ShapeVar::fresh(name))]))
    }

    /// Its parts, from left to right.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// The dimensions, where the rank is known. A ragged one is opaque.
    pub fn dims(&self) -> Option<Vec<Dim>> {
        self.0.iter().map(|element| element.as_dim()).collect()
    }

    /// The number of dimensions, where it is known.
    pub fn rank(&self) -> Option<usize> {
        let is_known = self.0.iter().all(|element| !matches!(element, Element::Rest(_)));
        is_known.then_some(self.0.len())
    }

    /// The rank without what shape variables may add.
    pub fn minimum_rank(&self) -> usize {
        self.0.iter().filter(|element| !matches!(element, Element::Rest(_))).count()
    }

    /// The rank as a number, also where it is unknown.
    pub fn rank_dim(&self) -> Dim {
        self.0.iter().fold(Dim::ZERO, |rank, element| {
            rank + match element {
                Element::Rest(var) => Dim::rank(*var),
                Element::Dim(_) | Element::Ragged => Dim::ONE,
            }
        })
    }

    /// The number of elements.
    pub fn prod(&self) -> Dim {
        self.0.iter().fold(Dim::ONE, |product, element| {
            product
                * match element {
                    Element::Dim(dim) => *dim,
                    Element::Rest(var) => Dim::product(*var),
                    Element::Ragged => Dim::opaque(),
                }
        })
    }

    /// This shape's dimensions, then those of `other`.
    pub fn concat(&self, other: &Shape) -> Shape {
        Shape(self.0.iter().chain(other.0.iter()).copied().collect())
    }

    /// The dimensions with configurable ones at their defaults, where all are known then.
    pub fn at_defaults(&self) -> Option<Vec<i64>> {
        let value = |dim: Dim| dim.as_const().or_else(|| dim.evaluate(&mut |var| var.default_value()));
        self.dims()?.into_iter().map(value).collect()
    }

    /// How many elements a value of the shape has at the defaults.
    pub fn count_at_defaults(&self) -> Option<i64> {
        self.0.iter().try_fold(1i64, |all, element| {
            let dim = element.as_dim()?;
            let size = dim.as_const().or_else(|| dim.evaluate(&mut |var| var.default_value()))?;
            all.checked_mul(size)
        })
    }

    /// Whether all dimensions are known numbers.
    pub fn has_no_variables(&self) -> bool {
        self.0.iter().all(|element| matches!(element, Element::Dim(dim) if dim.as_const().is_some()))
    }

    /// A shape that says as much at the defaults and names no variable, so that it can be kept when variables are forgotten.
    pub fn without_variables(&self) -> Shape {
        let is_small = |value: &i64| value.unsigned_abs() < 1 << 48;
        match self.at_defaults().filter(|dims| dims.iter().all(is_small)) {
            Some(dims) => Shape::known(dims.into_iter().map(Dim::constant).collect::<Vec<_>>()),
            None => Shape::new(vec![Element::Ragged]),
        }
    }

    /// The same shape with every dimension replaced.
    pub fn map_dims(&self, mut replace: impl FnMut(Dim) -> Dim) -> Shape {
        let replaced = self.0.iter().map(|element| match element {
            Element::Dim(dim) => Element::Dim(replace(*dim)),
            other => *other,
        });
        Shape(replaced.collect())
    }

    /// The shape variables in it, in order.
    pub fn shape_vars(&self) -> impl Iterator<Item = ShapeVar> {
        self.0.iter().filter_map(|element| match element {
            Element::Rest(var) => Some(*var),
            _ => None,
        })
    }
}

impl Element {
    /// The dimension; opaque where it is ragged, `None` for a part of unknown length.
    pub fn as_dim(&self) -> Option<Dim> {
        match self {
            Element::Dim(dim) => Some(*dim),
            Element::Ragged => Some(Dim::opaque()),
            Element::Rest(_) => None,
        }
    }
}

/// Fresh dimensions of an input, for a shape variable that turns out to have `count` of them.
pub(super) fn fresh_dims(var: ShapeVar, count: usize) -> Vec<Dim> {
    let names =
        interner::with(|table| (0..count).map(|index| table.name_of_part(var, Part::Front(index))).collect::<Vec<_>>());
    names.iter().map(|name| Dim::var(Var::fresh(VarInfo::free(name)))).collect()
}

/// The first dimensions of an input, for a shape variable that turns out to have `count` of them; on another path they are the same ones.
pub(super) fn front_dims(var: ShapeVar, count: usize) -> Vec<Dim> {
    interner::with(|table| (0..count).map(|index| table.part_of(var, Part::Front(index))).collect::<Vec<_>>())
        .into_iter()
        .map(Dim::var)
        .collect()
}

/// The last dimensions of an input.
pub(super) fn back_dims(var: ShapeVar, count: usize) -> Vec<Dim> {
    interner::with(|table| (0..count).map(|index| table.part_of(var, Part::Back { count, index })).collect::<Vec<_>>())
        .into_iter()
        .map(Dim::var)
        .collect()
}

impl From<Vec<Dim>> for Shape {
    fn from(dims: Vec<Dim>) -> Shape {
        Shape::known(dims)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("[]");
        }
        let mut is_open = false;
        for (index, element) in self.0.iter().enumerate() {
            match element {
                Element::Rest(var) => {
                    formatter.write_str(if is_open { "]" } else { "" })?;
                    formatter.write_str(if index > 0 { "@" } else { "" })?;
                    formatter.write_str(&var.shown_name())?;
                    is_open = false;
                }
                Element::Dim(_) | Element::Ragged => {
                    formatter.write_str(match (is_open, index) {
                        (true, _) => ", ",
                        (false, 0) => "[",
                        (false, _) => "@[",
                    })?;
                    is_open = true;
                    match element {
                        Element::Dim(dim) => write!(formatter, "{dim}")?,
                        _ => formatter.write_str("*")?,
                    }
                }
            }
        }
        formatter.write_str(if is_open { "]" } else { "" })
    }
}
