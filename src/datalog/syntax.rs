//! The syntax tree of a rule file.

use serde::{Deserialize, Serialize};

use super::source::Place;

/// A name as it was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    pub text: String,
    pub place: Place,
}

/// One file, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub types: Vec<TypeDeclaration>,
    pub relations: Vec<Declaration>,
    pub clauses: Vec<Clause>,
    pub includes: Vec<Name>,
    /// Relations named by `.input`.
    pub inputs: Vec<Name>,
    /// Functors declared for Soufflé's sake; the names must be known.
    pub functors: Vec<Name>,
}

/// `.type Name <: parent` or `.type Name = A | B`.
#[derive(Clone, Debug)]
pub(super) struct TypeDeclaration {
    pub name: Name,
    pub parents: Parents,
}

#[derive(Clone, Debug)]
pub(super) enum Parents {
    Subtype(Name),
    Union(Vec<Name>),
}

/// A line `/// …` above a declaration, without the slashes.
#[derive(Clone, Debug)]
pub(super) struct DocLine {
    pub text: String,
    pub place: Place,
}

/// `.decl name(column: type, …)`.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub name: Name,
    pub columns: Vec<(Name, Name)>,
    pub documentation: Vec<DocLine>,
}

/// `head, head :- body.` or a fact.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub heads: Vec<Atom>,
    pub body: Option<Body>,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub name: Name,
    pub arguments: Vec<Expression>,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    All(Vec<Body>),
    Any(Vec<Body>),
    Not(Box<Body>),
    /// `name(…)`: a relation or a functor that is a test.
    Atom(Atom),
    Compare(Comparison, Box<Expression>, Box<Expression>, Place),
    Truth(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// The comparison that holds exactly when this one does not.
    pub fn negated(self) -> Self {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
        }
    }

    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterEqual => ordering.is_ge(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Variable(Name),
    Wildcard(Place),
    Number(i64, Place),
    Text(String, Place),
    /// A functor; operators are functors named by their sign.
    Call(Name, Vec<Expression>, Place),
    /// `as(x, Type)`.
    Cast(Box<Expression>, Name, Place),
    Aggregate(Box<Aggregate>),
}

impl Expression {
    pub fn place(&self) -> Place {
        match self {
            Expression::Variable(name) => name.place,
            Expression::Wildcard(place)
            | Expression::Number(_, place)
            | Expression::Text(_, place)
            | Expression::Call(_, _, place)
            | Expression::Cast(_, _, place) => *place,
            Expression::Aggregate(aggregate) => aggregate.place,
        }
    }
}

/// `count : { … }`, `sum x : { … }`.
#[derive(Clone, Debug)]
pub(super) struct Aggregate {
    pub kind: AggregateKind,
    pub target: Option<Expression>,
    pub body: Body,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AggregateKind {
    Count,
    Sum,
    Min,
    Max,
}

impl AggregateKind {
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "count" => Some(AggregateKind::Count),
            "sum" => Some(AggregateKind::Sum),
            "min" => Some(AggregateKind::Min),
            "max" => Some(AggregateKind::Max),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            AggregateKind::Count => "count",
            AggregateKind::Sum => "sum",
            AggregateKind::Min => "min",
            AggregateKind::Max => "max",
        }
    }
}
