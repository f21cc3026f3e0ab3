//! The speculative interpreter: values, heap, calls, branches, loops, paths, entry points, assumptions.
//!
//! It executes a program symbolically and leaves a [`trace::Trace`]; it knows nothing of rules or reports. Nothing that it meets may
//! stop it: what it cannot follow becomes an unknown value, is counted, and is listed.

mod api;
mod budget;
mod builtins;
mod calls;
mod classes;
mod entries;
mod evaluate;
mod generators;
mod heap;
mod hints;
pub mod inference;
mod judge;
mod libraries;
mod loops;
mod modules;
mod paths;
mod state;
mod unknown;
mod values;

pub use api::registry::FOLLOWED_PACKAGES;
pub use entries::entry_points::analyse;
pub use harp_trace::defect_of_entry::DefectOfEntry;
pub use inference::infer;
pub use state::interpreter::{Limits, Options};
pub use values::value::OperationId;
