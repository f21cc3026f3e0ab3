//! Calls of the program's own functions: binding of arguments, frames, recursion, and summaries of calls that were made before.

pub(crate) mod argument_mismatch;
pub(crate) mod arguments;
pub(crate) mod call;
pub(crate) mod identity_decorators;
pub(crate) mod lru_cache;
pub(crate) mod structural_recursion;
pub(crate) mod summaries;
pub(crate) mod unknown_caller_arguments;
pub(crate) mod unpacked_arguments;
