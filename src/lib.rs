//! Harp reads Python machine-learning programs without running them and reports tensor-shape errors and
//! inefficiencies, each with the assumptions that it rests on.
//!
//! Each room of the house is a crate of its own, given on here; data moves from the first to the last:
//! `corpus → python → interp → trace → graph → datalog → report`, with `annotations`, `operations` and `shape` as helpers of `interp`, and `libraries`
//! (which reads files with `settings`) above it.
//! `limits` is for all of them; `builtin` has what Harp brings along of libraries. `docs/architecture.md` has a paragraph on each.

#![forbid(unsafe_code)]

pub use harp_annotations as annotations;
pub use harp_builtin as builtin;
pub use harp_cli as cli;
pub use harp_corpus as corpus;
pub use harp_datalog as datalog;
pub use harp_graph as graph;
pub use harp_interp as interp;
pub use harp_libraries as libraries;
pub use harp_limits as limits;
pub use harp_operations as operations;
pub use harp_python as python;
pub use harp_report as report;
pub use harp_settings as settings;
pub use harp_shape as shape;
pub use harp_trace as trace;
