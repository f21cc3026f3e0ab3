//! Harp reads Python machine-learning programs without running them and reports tensor-shape errors and
//! inefficiencies, each with the assumptions that it rests on.
//!
//! The modules are the rooms of the house; data moves from the first to the last:
//! `corpus → python → interp → graph → datalog → report`, with `annotations` and `shape` as helpers of `interp`.
//! `limits` is for all of them. `docs/architecture.md` has a paragraph on each.

#![forbid(unsafe_code)]

pub mod annotations;
pub mod cli;
pub mod corpus;
pub mod datalog;
pub mod graph;
pub mod interp;
pub mod limits;
pub mod python;
pub mod report;
pub mod shape;
