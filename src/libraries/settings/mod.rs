//! Files of settings: what they hold, and what it becomes in the program that reads them.

pub(crate) mod data_files;
pub(crate) mod hydra;
pub(crate) mod hydra_compose;
pub(crate) mod omegaconf;
pub(crate) mod open_files;
pub(crate) mod values;
pub(crate) mod yaml_dump;

pub use harp_interp::state::settings_in_files::Words;
pub use harp_settings::ini::IniForm;
pub use harp_settings::json::is_malformed as is_malformed_json;
pub use harp_settings::yaml::word;
pub use harp_settings::yaml_scalars::Dialect;
pub use values::{Format, Source};
