//! The textual shape language: `[n, 3, h//2]`, `s@[d1, d2]`, `(s@[n, k], s@[k, m]) -> s@[n, m]`.
//!
//! `docs/shapes.md` has the grammar. Here names stay names: a pattern becomes a [`Shape`](super::Shape) only when it is
//! instantiated with a [`Scope`], and a signature only when it is applied to actual shapes.

mod apply;
mod lexer;
mod matching;
mod parser;
mod print;
mod scope;
#[cfg(test)]
mod tests;

use std::fmt;

pub use apply::Applied;
pub use parser::{parse_condition, parse_dim, parse_shape, parse_signature};
pub use scope::Scope;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The byte of the text at which it goes wrong.
    pub offset: usize,
    pub message: String,
    /// What to write instead, where there is a good guess.
    pub hint: Option<String>,
}

/// A number by name: a dimension of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternDim {
    Constant(i64),
    Name(String),
    /// `_`: any number, without a name.
    Any,
    Negate(Box<PatternDim>),
    Binary(BinaryOperator, Box<PatternDim>, Box<PatternDim>),
    /// `min(a, b, …)`
    Minimum(Vec<PatternDim>),
    /// `max(a, b, …)`
    Maximum(Vec<PatternDim>),
    /// `ceil_div(a, b)`: the quotient rounded up.
    CeilDivide(Box<PatternDim>, Box<PatternDim>),
    /// `rank(s)`
    Rank(PatternShape),
    /// `prod(s)`: the number of elements.
    Product(PatternShape),
    /// `s[i]`, counted from the end where negative.
    Index(String, Box<PatternDim>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Modulo,
}

/// A shape by name: parts joined with `@`. There is at least one part; the scalar's is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternShape {
    pub parts: Vec<PatternPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// `[n, 3, *]`
    Dims(Vec<PatternElement>),
    /// A shape variable.
    Name(String),
    /// `s[1:-1]`
    Slice { shape: String, from: Option<PatternDim>, to: Option<PatternDim> },
    /// `broadcast(s, t)`
    Broadcast(Vec<PatternShape>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternElement {
    Dim(PatternDim),
    /// `*`: the size differs across the tensor.
    Ragged,
}

/// What a signature says of one parameter or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `_`: not a tensor, or one of which nothing is said.
    Nothing,
    Shape(PatternShape),
    /// Several results.
    Tuple(Vec<Pattern>),
}

/// A statement about numbers by name, such as `k % groups == 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Compare(Comparison, PatternDim, PatternDim),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// The shapes that a function takes and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The names of the parameters, where they are given: `(input: s@[k], weight: [m, k]) -> s@[m]`. As long as `inputs`.
    pub parameters: Vec<Option<String>>,
    pub inputs: Vec<Pattern>,
    pub outputs: Pattern,
    /// What follows `where`.
    pub condition: Option<Condition>,
}

impl Signature {
    /// The names that the results or the condition use although no input binds them and `is_scalar` does not know them; sorted.
    pub fn unbound(&self, is_scalar: impl Fn(&str) -> bool) -> Vec<String> {
        let mut bound = Vec::new();
        self.inputs.iter().for_each(|pattern| pattern.for_each_name(&mut |name| bound.push(name.to_owned())));
        let mut unbound = Vec::new();
        let mut visit = |name: &str| {
            if !is_scalar(name) && !bound.iter().any(|known| known == name) {
                unbound.push(name.to_owned());
            }
        };
        self.outputs.for_each_name(&mut visit);
        if let Some(condition) = &self.condition {
            condition.for_each_name(&mut visit);
        }
        unbound.sort();
        unbound.dedup();
        unbound
    }
}

impl Pattern {
    /// Every name in it, of dimensions and of shapes.
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Pattern::Nothing => {}
            Pattern::Shape(shape) => shape.for_each_name(visit),
            Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| pattern.for_each_name(visit)),
        }
    }
}

impl PatternShape {
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str)) {
        for part in &self.parts {
            match part {
                PatternPart::Name(name) => visit(name),
                PatternPart::Dims(elements) => {
                    for element in elements {
                        if let PatternElement::Dim(dim) = element {
                            dim.for_each_name(visit);
                        }
                    }
                }
                PatternPart::Slice { shape, from, to } => {
                    visit(shape);
                    from.iter().chain(to).for_each(|dim| dim.for_each_name(visit));
                }
                PatternPart::Broadcast(shapes) => shapes.iter().for_each(|shape| shape.for_each_name(visit)),
            }
        }
    }
}

impl PatternDim {
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            PatternDim::Constant(_) | PatternDim::Any => {}
            PatternDim::Name(name) => visit(name),
            PatternDim::Negate(inner) => inner.for_each_name(visit),
            PatternDim::Binary(_, left, right) | PatternDim::CeilDivide(left, right) => {
                left.for_each_name(visit);
                right.for_each_name(visit);
            }
            PatternDim::Minimum(dims) | PatternDim::Maximum(dims) => {
                dims.iter().for_each(|dim| dim.for_each_name(visit));
            }
            PatternDim::Rank(shape) | PatternDim::Product(shape) => shape.for_each_name(visit),
            PatternDim::Index(shape, index) => {
                visit(shape);
                index.for_each_name(visit);
            }
        }
    }
}

impl Condition {
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Condition::Compare(_, left, right) => {
                left.for_each_name(visit);
                right.for_each_name(visit);
            }
            Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| part.for_each_name(visit)),
            Condition::Not(inner) => inner.for_each_name(visit),
        }
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (at byte {})", self.message, self.offset)?;
        match &self.hint {
            Some(hint) => write!(formatter, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NotationError {}
