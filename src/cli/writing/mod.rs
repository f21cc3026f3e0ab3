//! Everything that Harp writes. The [`gate`] decides where, and over what; no other folder of the program creates, renames or fills files, which a
//! test holds (`tests/it/architecture.rs`). `docs/security.md` lists what is written, and who names it.

mod content;
pub mod files;
pub mod gate;
mod scratch;
pub mod sources;
pub mod unfinished;

pub(crate) use content::LARGEST_BASELINE;
pub(crate) use gate::Refusal;
