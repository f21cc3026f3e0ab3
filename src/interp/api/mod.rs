//! Calls of library functions: which handler or annotation means a name, how arguments bind to its parameters, in which of its forms it is
//! called, and what its result is.

pub(crate) mod arguments;
pub(crate) mod bind_parameters;
pub(crate) mod call_api;
pub(crate) mod call_forms;
pub(crate) mod described_results;
pub(crate) mod dispatch;
pub(crate) mod monkey_patched_members;
pub(crate) mod registry;
pub(crate) mod results;
pub(crate) mod unbound_methods;
