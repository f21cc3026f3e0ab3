//! Syntax trees with positions, scopes, and module and import resolution.
//! This room knows nothing of tensors. Parsing never fails: it yields a tree and a list of errors.

#![deny(missing_docs)]

mod deferred_imports;
mod enclosing;
mod exports;
mod follow_imports;
pub mod harp_comments;
mod imported_names;
mod importers;
mod installed_modules;
pub mod ir;
mod library_modules;
mod lower;
mod mentions;
mod method_chains;
mod module_paths;
pub mod name;
mod nesting;
mod parse;
mod plain_commands;
pub mod project;
mod python_2;
mod reassigned_names;
mod search_path_folders;
mod statement_blocks;
mod stdlib_names;
mod subexpressions;
#[cfg(test)]
mod tests;

pub use deferred_imports::{DeferredImports, DeferredName, stated_imports};
pub use enclosing::{Enclosing, enclosing, names_in};
pub use exports::{exports, names_bound_in};
pub use follow_imports::follow_imports;
pub use imported_names::{ImportedName, Imports};
pub use installed_modules::Described;
pub use library_modules::{defined_names, defines};
pub use mentions::{Written, visit_written};
pub use method_chains::start_of_last_link;
pub use nesting::MAX_EXPRESSION_DEPTH;
pub use parse::{ParsedModule, SyntaxError, comments_in, parse_module, parse_notebook};
pub use project::{ImportTarget, ModuleId, NamespaceId, Project};
pub use reassigned_names::renewed_names;
pub use statement_blocks::blocks_of;
pub use stdlib_names::is_standard_library;
pub use subexpressions::subexpressions;
