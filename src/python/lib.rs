//! Syntax trees with positions, scopes, and module and import resolution.
//! This room knows nothing of tensors. Parsing never fails: it yields a tree and a list of errors.

mod blocks;
mod chains;
mod deferred;
mod exports;
mod foreign;
mod imported;
mod importers;
pub mod ir;
mod lower;
pub mod name;
mod nesting;
mod parse;
mod places;
pub mod project;
pub mod remarks;
mod renewed;
mod standard;
mod stdlib;
mod subexpressions;
mod written;

pub use blocks::blocks_of;
pub use chains::start_of_last_link;
pub use deferred::{DeferredImports, DeferredName, stated_imports};
pub use exports::{exports, names_bound_in};
pub use foreign::Described;
pub use imported::follow_imports;
pub use nesting::MAX_EXPRESSION_DEPTH;
pub use parse::{ParsedModule, SyntaxError, parse_module, parse_notebook};
pub use project::{ImportTarget, ModuleId, NamespaceId, Project};
pub use renewed::renewed_names;
pub use stdlib::is_standard_library;
pub use subexpressions::subexpressions;
pub use written::{Written, visit_written};

#[cfg(test)]
mod project_tests;
#[cfg(test)]
mod tests;
