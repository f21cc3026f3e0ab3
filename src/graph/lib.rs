//! The augmented computation graph: the host program and the operations that it runs, as relations (`schema.dl`).
//!
//! This room turns the syntax trees and the interpreter's trace into rows; it knows nothing of how a rule is evaluated.

#![deny(missing_docs)]

mod all_rows;
mod call_chains;
mod callee;
mod closures;
mod contexts;
mod default_grounds;
mod defects;
mod devices;
pub mod dot;
mod effects;
mod executions;
pub mod export;
mod expression_rows;
mod facts;
mod host;
mod host_rows;
mod hot_paths;
mod lookup;
mod loop_variance;
mod observed_changes;
mod operation_costs;
mod operation_rows;
mod phases;
mod reaching_definitions;
mod read_expressions;
mod read_statements;
mod rows_of_operation;
mod rows_on_request;
pub mod schema;
mod scopes;
mod source_lines;
mod speculations;
mod subscripts;
mod symbols_by_number;
mod text_table;
mod value_numbers;
mod value_rows;
mod vectorise;

use harp_annotations::Library;
use harp_corpus::Corpus;
use harp_trace::Trace;

pub use all_rows::build;
pub use callee::ApiNames;
pub use defects::DefectOfGraph;
pub use facts::{Cell, FactAssumption, Facts, Rows, Symbol, Wanted};
pub use operation_costs::{OperationCost, operation_cost};
pub use operation_rows::{are_details_wanted, are_tensors_wanted};
pub use rows_on_request::Graph;
pub use schema::{Relation, Schema};

/// What is tested alone, in `tests/it/rooms`: this room takes too long to compile to be compiled twice.
#[doc(hidden)]
pub mod tested {
    pub use crate::call_chains::{FOLLOWED, short_name};
    pub use crate::closures::{reachability, varying};
    pub use crate::effects::AliasGroups;
    pub use crate::host::VariableId;
    pub use crate::host_rows::without_comment;
    pub use crate::lookup::{ByKey, ByNumber};
    pub use crate::text_table::{Form, Texts};
    pub use crate::vectorise::bounds::{Bound, moved_text};
}

/// What the relations are made from, beside the syntax trees, which only making a graph reads.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    /// The files.
    pub corpus: &'a Corpus,
    /// What is known of library APIs.
    pub library: &'a Library,
    /// What the interpreter left behind.
    pub trace: &'a Trace,
    /// Of the library's names.
    pub names: &'a ApiNames,
}
