//! Python by its syntax: statements, expressions, attributes, subscripts, operators, comparisons, `with`, `try`, `match`. Each file holds the
//! meaning of one form; what a value of a certain kind does with it stands in the room of that kind.

pub mod attributes;
pub mod binary_operators;
pub mod comparisons;
pub mod exception_groups;
pub mod exceptions;
pub mod expressions;
pub mod item_assignment;
pub mod match_patterns;
pub mod membership;
mod nesting;
pub mod operator_overloads;
pub mod sequence_items;
pub mod sequence_operators;
pub mod shared_items;
pub mod starred_assignment;
pub mod statements;
pub mod subscripts;
pub mod with_blocks;
