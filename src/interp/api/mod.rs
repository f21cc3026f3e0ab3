//! Calls of library functions: which handler or annotation means a name, how arguments bind to its parameters, in which of its forms it is
//! called, and what its result is.

mod alternatives;
pub mod arguments;
pub mod bind_parameters;
pub mod call_api;
pub mod call_forms;
mod cells;
pub mod described_results;
pub mod details;
pub mod dispatch;
pub mod executions;
pub mod fed_operations;
pub mod fed_runs;
pub mod fed_sources;
pub mod library_model;
pub mod monkey_patched_members;
pub mod registry;
pub mod replaced_methods;
pub mod results;
mod source_call_forms;
mod source_entries;
mod stages;
mod taken_arrays;
pub mod unbound_methods;
