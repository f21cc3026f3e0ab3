//! What a signature in the shape notation sees of a call's arguments.

use std::rc::Rc;

use crate::{Dim, Shape};

/// An argument, as far as signatures can depend on it.
#[derive(Clone, Debug, PartialEq)]
pub enum Actual {
    /// One of which nothing is known, or nothing that matters.
    Unknown,
    /// Python's `None`.
    None,
    /// A tensor.
    Shape(Shape),
    /// An `int`, by its value.
    Integer(Dim),
    /// A number that is no integer.
    Number,
    /// `True` or `False`.
    Flag(bool),
    /// A `str`, by its value.
    Text(Rc<str>),
    /// A list or tuple of known length.
    Items(Vec<Actual>),
}

impl Actual {
    /// The number, where it is one (`True` counts as 1).
    pub fn as_dim(&self) -> Option<Dim> {
        match self {
            Actual::Integer(dim) => Some(*dim),
            Actual::Flag(value) => Some(Dim::constant(i64::from(*value))),
            _ => None,
        }
    }

    /// The shape of the tensor; a number is one without dimensions.
    pub fn as_shape(&self) -> Option<Shape> {
        match self {
            Actual::Shape(shape) => Some(shape.clone()),
            Actual::Integer(_) | Actual::Number | Actual::Flag(_) => Some(Shape::scalar()),
            _ => None,
        }
    }

    /// The items; those of the one sequence where a variadic parameter was given a sequence.
    pub fn items(&self) -> Option<&[Actual]> {
        match self {
            Actual::Items(items) => match items.as_slice() {
                [Actual::Items(inner)] => Some(inner),
                items => Some(items),
            },
            _ => None,
        }
    }

    /// The integers of a sequence.
    pub fn dims(&self) -> Option<Vec<Dim>> {
        self.items()?.iter().map(Actual::as_dim).collect()
    }

    /// Whether it counts as true, as Python has it; `None` where that is not known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Actual::None => Some(false),
            Actual::Flag(value) => Some(*value),
            Actual::Integer(dim) => dim.as_const().map(|value| value != 0),
            Actual::Text(text) => Some(!text.is_empty()),
            Actual::Items(items) => Some(!items.is_empty()),
            Actual::Unknown | Actual::Shape(_) | Actual::Number => None,
        }
    }
}
