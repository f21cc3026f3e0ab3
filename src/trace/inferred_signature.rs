//! The trace's record of a function's inferred signature.

use crate::assumption::Assumption;
use harp_corpus::Span;
use harp_python::ir::ParameterKind;
use harp_shape::{DType, Element, Shape};

/// A function with the signatures that its body implies.
#[derive(Clone, Debug)]
pub struct InferredFunction {
    /// Dotted, from the module down: `models.unet.Block.forward`.
    pub name: String,
    /// The same within its module.
    pub qualified_name: String,
    /// The name in its definition.
    pub span: Span,
    pub receiver: Receiver,
    pub parameters: Vec<InferredParameter>,
    /// One signature for all calls, or one for each case; empty where `problem` says why.
    pub alternatives: Vec<Alternative>,
    /// Why there is no signature, or why there may be more cases than those listed.
    pub problems: Vec<Problem>,
    /// Whether a tensor goes in or comes out.
    pub has_tensors: bool,
}

/// What a function is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    None,
    Instance,
    Class,
    /// It stands in a class, and is called on nothing.
    Static,
}

/// A parameter that callers give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredParameter {
    pub name: String,
    pub kind: ParameterKind,
    pub has_default: bool,
}

/// Something that stands in the way of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub text: String,
    pub span: Option<Span>,
}

/// The signature of the calls that meet its conditions.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// When it is this one; empty where it always is.
    pub conditions: Vec<String>,
    /// What each parameter must be, in their order.
    pub parameters: Vec<Pattern>,
    pub result: Pattern,
    /// What must hold between the parameters besides.
    pub requirements: Vec<String>,
    /// What was taken for granted; with none, the signature is certain.
    pub assumptions: Vec<Assumption>,
    /// Calls that were not understood, where the shapes do not seem to depend on them.
    pub not_understood: Vec<Problem>,
    /// Where it is no signature but an error: what clashes there.
    pub clash: Option<Problem>,
}

impl Alternative {
    /// Whether it holds whatever is not known.
    pub fn is_certain(&self) -> bool {
        self.assumptions.is_empty() && self.not_understood.is_empty()
    }
}

/// A parameter or result.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Tensor(TensorPattern),
    /// An integer, as an expression over the names of the signature.
    Integer(String),
    Tuple(Vec<Pattern>),
    /// A list whose length is not known, of such elements.
    List(Box<Pattern>),
    /// No tensor, or nothing that is known: what it is.
    Other(String),
}

/// A shape whose variables have the names that readers see.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorPattern {
    /// The shape in the notation.
    pub text: String,
    /// Its parts, where it is a list of dimensions and shape variables.
    pub parts: Option<Vec<ShapePart>>,
    pub dtype: DType,
}

/// A part of a shape as readers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapePart {
    /// An expression in the notation.
    Dim(String),
    /// The name of a shape variable.
    Rest(String),
    Ragged,
}

impl ShapePart {
    /// The parts of a shape.
    pub fn of(shape: &Shape) -> Vec<ShapePart> {
        let part = |element: &Element| match element {
            Element::Dim(dim) => ShapePart::Dim(dim.to_string()),
            Element::Rest(variable) => ShapePart::Rest(variable.name()),
            Element::Ragged => ShapePart::Ragged,
        };
        shape.elements().iter().map(part).collect()
    }
}

impl Pattern {
    pub fn has_tensor(&self) -> bool {
        match self {
            Pattern::Tensor(_) => true,
            Pattern::Tuple(items) => items.iter().any(Pattern::has_tensor),
            Pattern::List(element) => element.has_tensor(),
            Pattern::Integer(_) | Pattern::Other(_) => false,
        }
    }
}

impl Pattern {
    /// Whether it is a value that the analysis could not follow.
    pub fn is_unknown(&self) -> bool {
        self.unknown().is_some()
    }

    /// What could not be followed.
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Pattern::Other(text) => text.strip_prefix("unknown: "),
            Pattern::Tuple(items) => items.iter().find_map(Pattern::unknown),
            Pattern::List(element) => element.unknown(),
            Pattern::Tensor(_) | Pattern::Integer(_) => None,
        }
    }
}

/// In the notation of shapes: what is no tensor is `_`.
impl std::fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Pattern::Tensor(tensor) => formatter.write_str(&tensor.text),
            Pattern::Tuple(items) if self.has_tensor() => {
                formatter.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    formatter.write_str(if index > 0 { ", " } else { "" })?;
                    write!(formatter, "{item}")?;
                }
                formatter.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Pattern::List(element) if self.has_tensor() => write!(formatter, "list of {element}"),
            Pattern::Tuple(_) | Pattern::List(_) | Pattern::Integer(_) | Pattern::Other(_) => formatter.write_str("_"),
        }
    }
}
