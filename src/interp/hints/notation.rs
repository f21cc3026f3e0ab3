//! Reads the shape annotations that users write: jaxtyping's `Float[Tensor, "batch d"]`, torchtyping's
//! `TensorType["batch", "d"]`, `Tensor[[batch, d]]` with `Int[d]` for numbers, and Harp's own notation in
//! `Annotated[Tensor, "[batch, d]"]` or as the whole annotation.

use std::fmt;

use harp_corpus::FileId;
use harp_python::ir::{BinaryOperator, Expr, ExprKind, StmtKind};
use harp_python::name::Name;
use harp_shape::notation::{BinaryOperator as DimOperator, PatternDim, PatternElement, PatternPart, PatternShape};
use harp_shape::{DType, parse_dim, parse_shape};

/// Names of annotations whose last part is a shape in jaxtyping's words, with the type of the elements where the name says which.
const WORDS: [(&str, DType); 18] = [
    ("Bool", DType::Bool),
    ("Complex", DType::Unknown),
    ("Complex64", DType::Complex64),
    ("Complex128", DType::Complex128),
    ("Float", DType::Unknown),
    ("Float16", DType::Float16),
    ("Float32", DType::Float32),
    ("Float64", DType::Float64),
    ("Inexact", DType::Unknown),
    ("Int", DType::Unknown),
    ("Int32", DType::Int32),
    ("Int64", DType::Int64),
    ("Integer", DType::Unknown),
    ("Num", DType::Unknown),
    ("Real", DType::Unknown),
    ("Shaped", DType::Unknown),
    ("UInt8", DType::UInt8),
    ("BFloat16", DType::BFloat16),
];

/// The longest text that is read as a shape.
const LONGEST: usize = 400;
/// Annotations within annotations are not read deeper.
const DEEPEST: usize = 8;

/// A part of the shape that an annotation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Any dimension.
    Any,
    /// Any number of dimensions.
    Rest,
    Dim(PatternDim),
    /// Any number of dimensions, by name.
    Named(String),
}

/// What an annotation says of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    pub parts: Vec<Part>,
    /// The last name of the class that the annotation names.
    pub class: Option<String>,
    pub dtype: DType,
}

/// What an annotation says of a value's sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotated {
    Tensor(Hint),
    /// `Int[n]`: a number.
    Number(PatternDim),
    /// `tuple[A, B]`; `None` for a part without sizes.
    Tuple(Vec<Option<Annotated>>),
}

impl fmt::Display for Hint {
    /// The shape in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, part) in self.parts.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            match part {
                Part::Any => write!(f, "{separator}_")?,
                Part::Rest => write!(f, "{separator}...")?,
                Part::Dim(dim) => write!(f, "{separator}{dim}")?,
                Part::Named(name) => write!(f, "{separator}*{name}")?,
            }
        }
        f.write_str("]")
    }
}

/// What an annotation says of sizes; `None` where it says nothing.
pub fn annotated(annotation: &Expr) -> Option<Annotated> {
    annotated_within(annotation, 0)
}

fn annotated_within(annotation: &Expr, depth: usize) -> Option<Annotated> {
    if depth > DEEPEST {
        return None;
    }
    let within = |inner: &Expr| annotated_within(inner, depth + 1);
    match &annotation.kind {
        ExprKind::Str(text) => match notation(text) {
            Some(parts) => Some(Annotated::Tensor(Hint { parts, class: None, dtype: DType::Unknown })),
            None => within(&quoted(text)?),
        },
        // `X | None`; of more types nothing says which it is.
        ExprKind::Binary { operator: BinaryOperator::BitOr, left, right } => match (&left.kind, &right.kind) {
            (_, ExprKind::None) => within(left),
            (ExprKind::None, _) => within(right),
            _ => None,
        },
        ExprKind::Subscript { value, index } => match (last_name(value)?, &index.kind) {
            ("Optional", _) => within(index),
            ("Union", ExprKind::Tuple(parts)) => {
                let mut other = parts.iter().filter(|part| !matches!(part.kind, ExprKind::None));
                let (only, None) = (other.next()?, other.next()) else { return None };
                within(only)
            }
            ("tuple" | "Tuple", ExprKind::Tuple(parts)) => {
                let parts: Vec<Option<Annotated>> = parts.iter().map(within).collect();
                parts.iter().any(Option::is_some).then_some(Annotated::Tuple(parts))
            }
            ("Int" | "Dim", ExprKind::Name(_) | ExprKind::Binary { .. } | ExprKind::Int(_)) => {
                Some(Annotated::Number(dim(index)?))
            }
            _ => tensor(annotation).map(Annotated::Tensor),
        },
        _ => None,
    }
}

/// The shape that an annotation says; `None` where it says none.
pub fn hint(annotation: &Expr) -> Option<Vec<Part>> {
    match annotated(annotation)? {
        Annotated::Tensor(hint) => Some(hint.parts),
        _ => None,
    }
}

/// The parts of `tuple[A, B]`.
pub fn tuple_parts(annotation: &Expr) -> Option<&[Expr]> {
    let ExprKind::Subscript { value, index } = &annotation.kind else { return None };
    match (last_name(value)?, &index.kind) {
        ("tuple" | "Tuple", ExprKind::Tuple(parts)) => Some(parts),
        _ => None,
    }
}

fn last_name(expression: &Expr) -> Option<&'static str> {
    expression.last_name().map(Name::as_str)
}

/// An annotation in quotes.
fn quoted(text: &str) -> Option<Expr> {
    if text.len() > LONGEST || !text.contains('[') {
        return None;
    }
    let module = harp_python::parse_module(FileId(u32::MAX), Name::new("annotation"), false, text).module;
    match module.body.into_iter().next()?.kind {
        StmtKind::Expr(expression) => Some(expression),
        _ => None,
    }
}

/// What a subscript says of a tensor.
fn tensor(annotation: &Expr) -> Option<Hint> {
    let ExprKind::Subscript { value, index } = &annotation.kind else { return None };
    let name = last_name(value)?;
    let said =
        |parts: Option<Vec<Part>>| Some(Hint { parts: parts?, class: Some(name.to_owned()), dtype: DType::Unknown });
    match (name, &index.kind) {
        ("Annotated", ExprKind::Tuple(parts)) => {
            let text = parts.iter().skip(1).find_map(|part| match &part.kind {
                ExprKind::Str(text) => notation(text),
                _ => None,
            });
            Some(Hint { parts: text?, class: Some(last_name(parts.first()?)?.to_owned()), dtype: DType::Unknown })
        }
        ("TensorType" | "Tensor", ExprKind::Tuple(parts)) => said(parts.iter().map(part).collect()),
        ("Tensor" | "NDArray" | "Array", ExprKind::List(parts)) => said(parts.iter().map(part).collect()),
        ("TensorType" | "Tensor", ExprKind::Str(text)) => said(notation(text).or_else(|| words(text))),
        (name, ExprKind::Tuple(parts)) => {
            let (_, dtype) = WORDS.iter().find(|(known, _)| *known == name)?;
            let [array, Expr { kind: ExprKind::Str(text), .. }] = parts.as_slice() else { return None };
            let class = last_name(array).map(str::to_owned);
            Some(Hint { parts: words(text)?, class, dtype: *dtype })
        }
        _ => None,
    }
}

/// A dimension of `TensorType["batch", 3]` or `Tensor[[batch, 3]]`.
fn part(expression: &Expr) -> Option<Part> {
    match &expression.kind {
        ExprKind::Ellipsis => Some(Part::Rest),
        ExprKind::Unary { .. } => Some(Part::Any),
        // `*Bs`, and `*Elements[Bs]`
        ExprKind::Starred(inner) => match &inner.kind {
            ExprKind::Name(name) => Some(Part::Named(name.to_string())),
            ExprKind::Subscript { index, .. } => Some(Part::Named(last_name(index)?.to_owned())),
            _ => None,
        },
        ExprKind::Name(_) if last_name(expression) == Some("Any") => Some(Part::Any),
        _ => dim(expression).map(Part::Dim),
    }
}

fn dim(expression: &Expr) -> Option<PatternDim> {
    match &expression.kind {
        ExprKind::Int(value) if *value >= 0 => Some(PatternDim::Constant(*value)),
        ExprKind::Str(text) if text.len() <= LONGEST => parse_dim(text).ok(),
        ExprKind::Name(name) => Some(PatternDim::Name(name.to_string())),
        ExprKind::Binary { operator, left, right } => {
            let operator = match operator {
                BinaryOperator::Add => DimOperator::Add,
                BinaryOperator::Subtract => DimOperator::Subtract,
                BinaryOperator::Multiply => DimOperator::Multiply,
                BinaryOperator::FloorDivide => DimOperator::FloorDivide,
                BinaryOperator::Modulo => DimOperator::Modulo,
                _ => return None,
            };
            Some(PatternDim::Binary(operator, Box::new(dim(left)?), Box::new(dim(right)?)))
        }
        _ => None,
    }
}

/// jaxtyping: words between spaces. `...` and `*name` are any number of dimensions, `_` is any one, `name=3` is documented by its number,
/// and `#name` may be 1, which says nothing that a shape could say.
pub fn words(text: &str) -> Option<Vec<Part>> {
    if text.len() > LONGEST {
        return None;
    }
    text.split_whitespace()
        .map(|word| match word {
            "..." => Some(Part::Rest),
            "_" => Some(Part::Any),
            _ if word.starts_with('#') || word.starts_with("*#") => {
                Some(if word.contains('*') { Part::Rest } else { Part::Any })
            }
            _ => match word.strip_prefix('*') {
                Some(name) => Some(Part::Named(name.trim_start_matches('_').to_owned())),
                None => {
                    let word = word.split_once('=').map_or(word, |(_, size)| size);
                    let named = word.strip_prefix('_').filter(|name| !name.is_empty());
                    match named {
                        Some(_) => Some(Part::Any),
                        None => Some(Part::Dim(parse_dim(word).ok()?)),
                    }
                }
            },
        })
        .collect()
}

/// Harp's notation, where a text is in it: `[batch, 3]@s`.
pub fn notation(text: &str) -> Option<Vec<Part>> {
    if text.len() > LONGEST || !text.contains('[') {
        return None;
    }
    let shape: PatternShape = parse_shape(text).ok()?;
    let mut parts = Vec::new();
    for part in shape.parts {
        match part {
            PatternPart::Dims(elements) => {
                for element in elements {
                    parts.push(match element {
                        PatternElement::Dim(PatternDim::Any) | PatternElement::Ragged => Part::Any,
                        PatternElement::Dim(dim) => Part::Dim(dim),
                    });
                }
            }
            PatternPart::Name(name) => parts.push(Part::Named(name)),
            _ => return None,
        }
    }
    Some(parts)
}
