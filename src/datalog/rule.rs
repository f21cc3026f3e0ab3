//! Checked rules: what the planner and the proofs work on. Every name is resolved, every body is a conjunction.

use serde::{Deserialize, Serialize};

use super::closed_words::ClosedWords;
use super::functors::{Base, Builtin};
use super::metadata::Documentation;
use super::source::Place;
use super::syntax::{AggregateKind, Comparison};

/// A relation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RelationId(pub(super) u32);

impl RelationId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A type of a program: `symbol`, `number`, or a declared one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct TypeId(pub u32);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Column {
    pub name: String,
    pub type_id: TypeId,
    pub type_name: String,
    pub base: Base,
    pub words: ClosedWords,
}

/// A declared relation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RelationInfo {
    /// As declared; several files may declare the same name.
    pub name: String,
    pub columns: Vec<Column>,
    pub documentation: Documentation,
    /// The database supplies its rows.
    pub input: bool,
    pub place: Place,
}

/// A variable of a rule, by number.
pub(super) type VariableId = usize;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Variable {
    /// Empty for a variable that stands for a wildcard's or an expression's value.
    pub name: String,
    pub base: Base,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Term {
    Variable(VariableId),
    /// A constant of the program, by number.
    Constant(usize),
    Wildcard,
    Call(FunctorId, Vec<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FunctorId {
    Builtin(Builtin),
    /// One of the caller's.
    Custom(usize),
}

impl FunctorId {
    /// Whether users may have written a guard for it.
    pub fn is_partial(self) -> bool {
        match self {
            FunctorId::Builtin(builtin) => builtin.is_partial(),
            FunctorId::Custom(_) => true,
        }
    }
}

impl Term {
    /// Every variable in the term.
    pub fn variables(&self, each: &mut impl FnMut(VariableId)) {
        match self {
            Term::Variable(variable) => each(*variable),
            Term::Call(_, arguments) => arguments.iter().for_each(|argument| argument.variables(each)),
            Term::Constant(_) | Term::Wildcard => {}
        }
    }

    pub fn has_partial_call(&self) -> bool {
        match self {
            Term::Call(functor, arguments) => functor.is_partial() || arguments.iter().any(Term::has_partial_call),
            _ => false,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RelationAtom {
    pub relation: RelationId,
    /// Variables, constants and wildcards only.
    pub arguments: Vec<Term>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Literal {
    pub kind: LiteralKind,
    pub place: Place,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum LiteralKind {
    Atom(RelationAtom),
    Absent(RelationAtom),
    Compare { operator: Comparison, base: Base, left: Term, right: Term },
    Test { functor: FunctorId, arguments: Vec<Term>, expected: bool },
    Aggregate(AggregateLiteral),
    Never,
}

/// `result = kind target : { body; body }`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct AggregateLiteral {
    pub kind: AggregateKind,
    /// The alternatives; every match of each counts.
    pub groups: Vec<Group>,
    pub result: VariableId,
    /// Variables of the groups that the rule around it binds.
    pub outer: Vec<VariableId>,
}

/// One alternative of an aggregate. Each has variables of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Group {
    pub body: Vec<Literal>,
    pub target: Option<Term>,
}

/// One head with one conjunction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Rule {
    pub head: RelationId,
    pub arguments: Vec<Term>,
    pub body: Vec<Literal>,
    pub variables: Vec<Variable>,
    /// The whole clause.
    pub place: Place,
    pub head_place: Place,
}

impl Literal {
    /// Every variable that occurs in the literal; of an aggregate, its outer ones and its result.
    pub fn variables(&self, each: &mut impl FnMut(VariableId)) {
        match &self.kind {
            LiteralKind::Atom(atom) | LiteralKind::Absent(atom) => {
                atom.arguments.iter().for_each(|argument| argument.variables(each));
            }
            LiteralKind::Compare { left, right, .. } => {
                left.variables(each);
                right.variables(each);
            }
            LiteralKind::Test { arguments, .. } => arguments.iter().for_each(|argument| argument.variables(each)),
            LiteralKind::Aggregate(aggregate) => {
                aggregate.outer.iter().for_each(|variable| each(*variable));
                each(aggregate.result);
            }
            LiteralKind::Never => {}
        }
    }
}

impl Rule {
    /// How many positive atoms the body has, those of aggregates aside.
    pub fn premise_count(&self) -> usize {
        self.body.iter().filter(|literal| matches!(literal.kind, LiteralKind::Atom(_))).count()
    }
}

/// How a relation occurs in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Positive,
    /// Under a negation.
    Negated,
    /// Inside an aggregate.
    Aggregated,
}

/// Every occurrence of a relation in a body, aggregates included.
pub(super) fn uses(body: &[Literal], each: &mut impl FnMut(RelationId, Use, Place)) {
    for literal in body {
        match &literal.kind {
            LiteralKind::Atom(atom) => each(atom.relation, Use::Positive, literal.place),
            LiteralKind::Absent(atom) => each(atom.relation, Use::Negated, literal.place),
            LiteralKind::Aggregate(aggregate) => {
                aggregate.groups.iter().for_each(|group| uses_inside(&group.body, literal.place, each));
            }
            LiteralKind::Compare { .. } | LiteralKind::Test { .. } | LiteralKind::Never => {}
        }
    }
}

fn uses_inside(body: &[Literal], place: Place, each: &mut impl FnMut(RelationId, Use, Place)) {
    for literal in body {
        match &literal.kind {
            LiteralKind::Atom(atom) | LiteralKind::Absent(atom) => each(atom.relation, Use::Aggregated, place),
            LiteralKind::Aggregate(aggregate) => {
                aggregate.groups.iter().for_each(|group| uses_inside(&group.body, place, each));
            }
            LiteralKind::Compare { .. } | LiteralKind::Test { .. } | LiteralKind::Never => {}
        }
    }
}
