//! Functors over shapes by name, for the program and for the build, which compiles the built-in rules.

use harp_datalog::{Base, FunctorSignature};

use Base::{Number, Symbol};

/// A functor over shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Functor {
    Rank,
    Dim,
    Prod,
    Known,
    DimEq,
    Divides,
}

/// A functor as users read of it.
pub struct Description {
    pub(super) functor: Functor,
    /// As rules call it.
    pub name: &'static str,
    /// Names and types of its arguments.
    pub arguments: &'static [(&'static str, Base)],
    /// `None` for a test.
    pub result: Option<Base>,
    /// What it gives, in a sentence or two.
    pub documentation: &'static str,
}

/// All of them, in the order in which they are listed.
pub const FUNCTORS: [Description; 6] = [
    Description {
        functor: Functor::Rank,
        name: "rank",
        arguments: &[("shape", Symbol)],
        result: Some(Number),
        documentation: "The number of dimensions. No value where it is not known.",
    },
    Description {
        functor: Functor::Dim,
        name: "dim",
        arguments: &[("shape", Symbol), ("axis", Number)],
        result: Some(Symbol),
        documentation: "A dimension, from the end where the axis is negative. No value where the shape has none there, or that is not known.",
    },
    Description {
        functor: Functor::Prod,
        name: "prod",
        arguments: &[("shape", Symbol)],
        result: Some(Symbol),
        documentation: "The number of elements, as a dimension. No value where a dimension is ragged or unknown.",
    },
    Description {
        functor: Functor::Known,
        name: "known",
        arguments: &[("shape_or_dim", Symbol)],
        result: None,
        documentation: "A test: the dimension is a constant, or all dimensions of the shape are.",
    },
    Description {
        functor: Functor::DimEq,
        name: "dim_eq",
        arguments: &[("dim", Symbol), ("other", Symbol)],
        result: Some(Symbol),
        documentation: "Whether two dimensions are equal: \"holds\", \"violated\" or \"unknown\", for all values of at least 1 of their variables.",
    },
    Description {
        functor: Functor::Divides,
        name: "divides",
        arguments: &[("divisor", Symbol), ("dim", Symbol)],
        result: Some(Symbol),
        documentation: "Whether the dimension is a multiple of the divisor: \"holds\", \"violated\" or \"unknown\".",
    },
];

/// Their names and types, by number.
pub(super) fn signatures() -> Vec<FunctorSignature> {
    let signature = |functor: &Description| {
        let arguments: Vec<Base> = functor.arguments.iter().map(|(_, base)| *base).collect();
        FunctorSignature::new(functor.name, &arguments, functor.result)
    };
    FUNCTORS.iter().map(signature).collect()
}
