//! Syntax trees with positions, scopes, and module and import resolution.
//! This room knows nothing of tensors. Parsing never fails: it yields a tree and a list of errors.

pub mod ir;
pub mod name;
