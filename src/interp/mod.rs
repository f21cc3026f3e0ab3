//! The speculative interpreter: values, heap, calls, branches, loops, paths, entry points, assumptions.

pub mod operation;
pub mod transfer;
