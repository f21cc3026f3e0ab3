//! Files of settings: what they hold, and what it becomes in the program that reads them.

mod data_files;
mod env;
mod ini;
mod json;
mod toml;
mod tree;
mod values;
mod yaml;
mod yaml_words;

pub use json::is_malformed as is_malformed_json;
pub use values::{Format, IniForm, Settings, Source, Words};
pub use yaml::word;
pub use yaml_words::Dialect;

/// A file with more values than this holds data rather than settings.
const MOST_NODES: usize = 20_000;
/// How deep values lie within each other.
const DEEPEST: usize = 48;
