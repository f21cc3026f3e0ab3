//! Interpreter state of library models: what scripts have saved in files.

use std::path::PathBuf;

use crate::values::value::Value;
use harp_corpus::{FileId, Span};
use harp_python::name::Name;

/// What a script has saved in a file.
pub struct SavedFile {
    pub script: FileId,
    pub folder: PathBuf,
    pub path: Name,
    pub value: Value,
    pub place: Span,
}

impl SavedFile {
    /// What was saved.
    pub fn value(&self) -> &Value {
        &self.value
    }
}
