//! Syntax trees with positions, scopes, and module and import resolution.
//! This room knows nothing of tensors. Parsing never fails: it yields a tree and a list of errors.

pub mod ir;
mod lower;
pub mod name;
mod nesting;
mod parse;

pub use nesting::MAX_EXPRESSION_DEPTH;
pub use parse::{ParsedModule, SyntaxError, parse_module, parse_notebook};

#[cfg(test)]
mod tests;
