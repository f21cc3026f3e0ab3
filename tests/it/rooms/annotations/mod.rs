//! What a file of annotations says.

mod files;
mod parts;
