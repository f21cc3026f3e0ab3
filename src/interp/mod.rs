//! The speculative interpreter: values, heap, calls, branches, loops, paths, entry points, assumptions.
//!
//! It executes a program symbolically and leaves a [`trace::Trace`]; it knows nothing of rules or reports. Nothing that it meets may
//! stop it: what it cannot follow becomes an unknown value, is counted, and is listed.

mod alike;
pub mod answers;
mod apis;
mod array_likes;
pub mod assumption;
mod attributes;
mod builtins;
mod call_forms;
mod callers;
mod calls;
mod clashes;
mod class_hooks;
mod classes;
pub mod comparisons;
pub mod complexity;
mod counters;
mod elements;
mod entries;
mod expressions;
pub mod few;
mod handlers;
mod heap;
mod imports;
pub mod inference;
mod iterate;
mod joins;
mod later_state;
mod library;
mod lookups;
mod loops;
mod machine;
mod open_dicts;
pub mod operation;
mod operators;
mod outside;
mod packages;
mod paths;
mod patterns;
mod reachability;
mod rehearsal;
mod representatives;
mod results;
mod returned;
pub mod route;
mod scoped;
mod settings;
mod signatures;
mod speculation;
mod statements;
mod strides;
mod subscripts;
mod sweep;
mod tensors;
pub mod trace;
pub mod transfer;
mod truth;
mod value;
mod walk;

pub use entries::analyse;
pub use handlers::FOLLOWED_PACKAGES;
pub use inference::infer;
pub use machine::{Limits, Options};
pub use value::OperationId;
