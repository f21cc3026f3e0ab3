//! The trace's record of an operation besides its tensors: what it was told, what it gave, and the objects of libraries
//! that were called.

use std::num::NonZeroU64;
use std::rc::Rc;

use crate::Given;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{DType, Shape};

/// What is kept of an execution that gives several results, and of each where somebody asks for its arguments.
#[derive(Debug, Clone, Default)]
pub struct Details {
    /// The arguments that are no tensors, with the defaults of those that are left out.
    pub attributes: Vec<(Name, Setting)>,
    /// The results, where there are several; tuples within tuples are told one after the other.
    pub results: Vec<PartOfResult>,
    /// What it runs, where it runs a graph.
    pub run: Option<Run>,
}

/// A run of operations that were made before.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The tensors that it is told to take others for.
    pub feeds: Box<[Given]>,
    /// The tensors that it computes: what it is asked for, and what it needs for its effects.
    pub fetches: Box<[Given]>,
    /// The variables that it changes beside those that the operations behind `fetches` write.
    pub updates: Box<[Given]>,
    /// The tensors for whose sake it changes the variables that they are computed from.
    pub trains: Box<[Given]>,
}

/// One of several results.
#[derive(Debug, Clone)]
pub struct PartOfResult {
    /// Stands for its shape.
    pub number: Option<NonZeroU64>,
    /// Its shape, where that is known.
    pub shape: Option<Shape>,
    /// The type of its elements.
    pub dtype: DType,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// A whole number.
    Integer(i64),
    /// Anything else, as Python writes it; text without its quotes.
    Other(Rc<str>),
}

/// An object that the program made of a library's class, or of one of its own, and that was called or holds one that was.
#[derive(Debug, Clone)]
pub struct ObjectRecord {
    /// Of which class it is.
    pub class: Name,
    /// The call that made it.
    pub origin: Span,
    /// What the constructor was told, with its defaults.
    pub settings: Vec<(Name, Setting)>,
    /// The objects that hold it, by their indices in the trace, and under which names.
    pub held: Vec<(u32, Name)>,
}

/// Where a tensor comes from that no recorded operation gave: an input of an entry, a parameter, a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    /// What the program calls it.
    pub name: Option<Name>,
    /// Where it came into being.
    pub origin: Span,
    /// Whether it is a whole parameter of a function, so that it is the same wherever it is read.
    pub is_parameter: bool,
    /// Counts the runs of entries: what is given to one is not what is given to another.
    pub run: u32,
}
