//! Calls of the program's own functions: binding of arguments, frames, recursion, and summaries of calls that were made before.

pub mod argument_mismatch;
pub mod arguments;
pub mod call;
pub mod identity_decorators;
pub mod lru_cache;
mod origins_of_arguments;
pub mod structural_recursion;
pub mod summaries;
pub mod unknown_caller_arguments;
pub mod unpacked_arguments;
