//! Readers of the formats in which programs keep their settings: YAML, JSON, TOML, INI and dotenv texts become trees.
//!
//! They know neither Python's values nor libraries; what a library makes of a tree stands with its model. Every reader is bounded in depth and
//! in the number of values, and gives nothing rather than half a tree.

pub mod dotenv;
pub mod ini;
pub mod json;
pub mod toml;
pub mod tree;
pub mod yaml;
pub mod yaml_scalars;

/// A file with more values than this holds data rather than settings.
const MOST_NODES: usize = 20_000;
/// How deep values lie within each other.
const DEEPEST: usize = 48;
