//! What Harp brings along of libraries: the files of `api_annotations/` as tables. The room stands above those that read them, so that a changed
//! word in a file compiles this room and the program, and nothing else.

#![deny(missing_docs)]

use std::sync::OnceLock;

use harp_annotations::Library;
use harp_annotations::builtin::{Decoded, Forms, Tables};

include!(concat!(env!("OUT_DIR"), "/annotations.rs"));

/// The built-in entries alone.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::of(&ANNOTATIONS))
}

#[cfg(test)]
mod tests;
