//! The speculative interpreter: values, heap, calls, branches, loops, paths, entry points, assumptions.
//!
//! It executes a program symbolically and leaves a [`harp_trace::Trace`]; it knows nothing of rules or reports. Nothing that it meets may
//! stop it: what it cannot follow becomes an unknown value, is counted, and is listed.

pub mod api;
pub mod budget;
pub mod builtins;
pub mod calls;
pub mod classes;
pub mod entries;
pub mod evaluate;
pub mod generators;
pub mod heap;
pub mod hints;
pub mod inference;
pub mod judge;
pub mod loops;
pub mod modules;
pub mod paths;
pub mod state;
pub mod unknown;
pub mod values;

pub use api::library_model::{LibraryModel, NoModels};
pub use entries::entry_points::analyse;
pub use inference::infer;
pub use judge::filters::filter_names;
pub use state::interpreter::{Limits, Options};
