//! The textual shape language: `[n, 3, h//2]`, `s@[d1, d2]`, `(s@[n, k], s@[k, m]) -> s@[n, m]`.
//!
//! `docs/shapes.md` has the grammar. Here names stay names: a pattern becomes a [`Shape`](crate::Shape) only when it is
//! instantiated with a [`Scope`], and a signature only when it is applied to actual shapes.

mod actual;
mod apply;
mod build;
mod describe;
mod edits;
mod lexer;
mod matching;
mod names;
mod parser;
mod print;
mod scope;
mod sentence;
#[cfg(test)]
mod tests;
mod truth;
mod windows;

use std::fmt;

use crate::Dim;

pub use actual::Actual;
pub use apply::Applied;
pub use build::Returned;
pub use names::Role;
pub use parser::{parse_condition, parse_dim, parse_shape, parse_signature};
pub use scope::Scope;
pub use sentence::Names;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The byte of the text at which it goes wrong.
    pub offset: usize,
    /// What is wrong, without the place.
    pub message: String,
    /// What to write instead, where there is a good guess.
    pub hint: Option<String>,
}

/// A number by name: a dimension of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternDim {
    /// `3`
    Constant(i64),
    /// `n`: a variable, or a parameter.
    Name(String),
    /// `_`: any number, without a name.
    Any,
    /// `-n`
    Negate(Box<PatternDim>),
    /// `a + b` and its like.
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
    /// `len(tensors)`: how many items a parameter holds.
    Length(String),
    /// `sum(t[0] for t in tensors)`
    Fold(Fold, Box<PatternDim>, Loop),
    /// `2 if bidirectional else 1`
    If(Box<Condition>, Box<PatternDim>, Box<PatternDim>),
    /// `pick(strides, 0, 2)`
    Pick(Box<Pick>),
    /// `window(n, k, s, d, padding)`, `transposed_window(n, k, s, d, padding)`
    Window(Box<Window>),
}

/// What a parameter says of one of several axes: itself where it is one value, else an item of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The name of the parameter.
    pub parameter: String,
    /// Which of the axes, from 0.
    pub index: PatternDim,
    /// How many axes there are. A list may hold one value, so many, or two more, for all dimensions of the data.
    pub count: PatternDim,
    /// Where the first of the axes stands in a list for all dimensions; 1 where nothing is said.
    pub first: Option<PatternDim>,
}

/// A window that slides over an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Whether the length is asked for over which a window has so many places.
    pub is_transposed: bool,
    /// The length of the axis; of a transposed window, the number of its places.
    pub length: PatternDim,
    /// The number of elements that the window takes.
    pub size: PatternDim,
    /// How far it is moved at a time.
    pub stride: PatternDim,
    /// How far apart its elements are.
    pub dilation: PatternDim,
    /// What the axis is padded with.
    pub padding: Padding,
    /// `0`, where a window larger than the axis leaves nothing instead of failing; of a transposed window, what is added behind.
    pub extra: Option<PatternDim>,
}

/// How an axis is padded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Padding {
    /// `'SAME'`
    Text(String),
    /// A number, or a parameter that holds a text, a number, or two numbers.
    Of(PatternDim),
}

/// How the numbers of a loop become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// `sum(…)`
    Sum,
    /// `min(…)`
    Minimum,
    /// `max(…)`
    Maximum,
}

/// `for t in tensors`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The name of each item in the loop's body.
    pub variable: String,
    /// Where the items come from.
    pub over: Domain,
}

/// What a loop runs over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// `range(n)`
    Range(Box<PatternDim>),
    /// The tensors or numbers that a parameter holds.
    Items(String),
}

/// An operator between two numbers; `//` and `%` round down as Python's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `//`
    FloorDivide,
    /// `%`
    Modulo,
}

impl BinaryOperator {
    /// The number that it makes of two.
    pub fn apply(self, left: Dim, right: Dim) -> Dim {
        match self {
            BinaryOperator::Add => left + right,
            BinaryOperator::Subtract => left - right,
            BinaryOperator::Multiply => left * right,
            BinaryOperator::FloorDivide => left.floor_div(right),
            BinaryOperator::Modulo => left.modulo(right),
        }
    }
}

/// A shape by name: parts joined with `@`. There is at least one part; the scalar's is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternShape {
    /// From left to right.
    pub parts: Vec<PatternPart>,
}

/// A part of a shape: some of its dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// `[n, 3, *]`
    Dims(Vec<PatternElement>),
    /// A shape variable.
    Name(String),
    /// `s[1:-1]`
    Slice {
        /// The name of the shape.
        shape: String,
        /// The first dimension, counted from the end where negative; `None` for the first of all.
        from: Option<PatternDim>,
        /// The dimension behind the last; `None` for the end.
        to: Option<PatternDim>,
    },
    /// `broadcast(s, t)`
    Broadcast(Vec<PatternShape>),
    /// `broadcast(t for t in tensors)`
    BroadcastAll(Box<PatternShape>, Loop),
    /// `drop(s, dim)` and the other functions that address a shape by axis.
    Edit(Box<Edit>),
}

/// A shape made from another by axis. Axes count from the end where they are negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// `drop(s, dim)`: without the axes.
    Drop(PatternShape, PatternAxes),
    /// `replace(s, dim, n)`: with another size at each of the axes.
    Replace(PatternShape, PatternAxes, PatternDim),
    /// `insert(s, dim, n)`: with further axes, which are counted in the result.
    Insert(PatternShape, PatternAxes, PatternDim),
    /// `permute(s, dims)`: axis `i` of the result is axis `dims[i]`.
    Permute(PatternShape, PatternAxes),
    /// `swap(s, a, b)`
    Swap(PatternShape, PatternAxes, PatternAxes),
    /// `move(s, source, destination)`: the other axes keep their order.
    Move(PatternShape, PatternAxes, PatternAxes),
}

/// Axes by name or number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternAxes {
    /// `None`: all axes.
    All,
    /// A number, or a parameter that holds one, several, or `None`.
    One(PatternDim),
    /// `(0, -1)`
    Several(Vec<PatternDim>),
    /// `dim if dim != () else None`
    If(Box<Condition>, Box<PatternAxes>, Box<PatternAxes>),
}

/// A dimension between brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternElement {
    /// A size.
    Dim(PatternDim),
    /// `*`: the size differs across the tensor.
    Ragged,
}

/// What a signature says of one parameter or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `_`: not a tensor, or one of which nothing is said.
    Nothing,
    /// `None`, as a result.
    None,
    /// A tensor of this shape.
    Shape(PatternShape),
    /// Several results, or a tuple of tensors.
    Tuple(Vec<Pattern>),
    /// `list of s`, `tuple of replace(s, dim, n) for n in sizes`. Without a loop, the length of a result is not known.
    List(Sequence, Box<Pattern>, Option<Loop>),
    /// `[b, t, e] if batch_first else [t, b, e]`
    If(Box<Condition>, Box<Pattern>, Box<Pattern>),
}

/// What a function gives several tensors in. As a parameter, either may be passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// Python's `list`.
    List,
    /// Python's `tuple`.
    Tuple,
}

/// A statement about numbers by name, such as `k % groups == 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `a < b` and its like.
    Compare(Comparison, PatternDim, PatternDim),
    /// `a and b`
    And(Vec<Condition>),
    /// `a or b`
    Or(Vec<Condition>),
    /// `not a`
    Not(Box<Condition>),
    /// A parameter that is true or false.
    Flag(String),
    /// `bias is not None`, `reduction == 'none'`
    Is {
        /// The name of the parameter.
        parameter: String,
        /// What it is compared with.
        value: Value,
        /// `is not` or `!=`.
        negated: bool,
    },
    /// `has_axis(s, dim)`
    HasAxis(PatternShape, PatternAxes),
}

/// A value that is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Python's `None`.
    None,
    /// `()`
    Empty,
    /// `'mean'`
    Text(String),
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// The shapes that a function takes and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// In the order of the parameters.
    pub inputs: Vec<Input>,
    /// What follows `->`.
    pub outputs: Pattern,
    /// What follows `where`.
    pub condition: Option<Condition>,
}

/// What a signature says of one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The parameter, where it is named: `(input: s@[k], weight: [m, k]) -> s@[m]`.
    pub name: Option<String>,
    /// How it takes its argument.
    pub passing: Passing,
    /// What the argument must look like.
    pub pattern: Pattern,
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// `input: [n]`: a call must give it.
    Required,
    /// `bias?: [n]`: it may be left out, or be `None`.
    Optional,
    /// `*tensors: s`: any number of arguments, or one sequence of them, each matched.
    Variadic,
    /// `**options: _`: any keywords, which are not looked at.
    Keywords,
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
