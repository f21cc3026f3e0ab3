//! What libraries mean beyond their annotations and Python sources: a folder a library. Python's own library stands in `stdlib`, the settings
//! of programs in `settings`, their command lines in `command_line`.

pub mod command_line;
pub(crate) mod gymnasium;
pub(crate) mod hugging_face;
pub(crate) mod lightning;
pub mod numpy;
pub(crate) mod pandas;
pub(crate) mod settings;
pub mod stdlib;
pub mod torch;
pub(crate) mod torchtext;
pub(crate) mod torchvision;
