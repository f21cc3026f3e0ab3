//! Files of settings: what they hold, and what it becomes in the program that reads them.

mod data_files;
mod env;
mod ini;
mod toml;
mod tree;
mod values;
mod yaml;

pub use values::{Format, Settings, Source, Words};
pub use yaml::{Dialect, word};

/// A file with more values than this holds data rather than settings.
const MOST_NODES: usize = 20_000;
/// How deep values lie within each other.
const DEEPEST: usize = 48;
