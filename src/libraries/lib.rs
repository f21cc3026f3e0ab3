//! What libraries mean beyond their annotations and Python sources: a folder a library. Python's own library stands in `stdlib`, the settings
//! of programs in `settings`, their command lines in `command_line`.

mod command_line;
mod gymnasium;
mod hugging_face;
mod known_families;
mod library_primitives;
mod lightning;
mod methods;
mod models;
mod numpy;
mod pandas;
mod settings;
mod stdlib;
mod suppositions;
mod torch;
mod torchtext;
mod torchvision;
mod trees;

pub use models::ALL;

/// What is tested alone, in `tests/it/rooms`: this room takes too long to compile to be compiled twice.
#[doc(hidden)]
pub mod tested {
    pub use crate::models::{FUNCTIONS, INSTANCE_CALLS, METHODS};
}
