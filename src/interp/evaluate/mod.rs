//! Python by its syntax: statements, expressions, attributes, subscripts, operators, comparisons, `with`, `try`, `match`. Each file holds the
//! meaning of one form; what a value of a certain kind does with it stands in the room of that kind.

pub(crate) mod attributes;
pub(crate) mod binary_operators;
pub mod comparisons;
pub(crate) mod exception_groups;
pub(crate) mod exceptions;
pub(crate) mod expressions;
pub(crate) mod item_assignment;
pub(crate) mod match_patterns;
pub(crate) mod membership;
pub(crate) mod operator_overloads;
pub(crate) mod sequence_items;
pub(crate) mod sequence_operators;
pub(crate) mod starred_assignment;
pub(crate) mod statements;
pub(crate) mod subscripts;
pub(crate) mod with_blocks;
