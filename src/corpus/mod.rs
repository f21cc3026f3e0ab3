//! Which files are read: folders, notebooks, ignore rules, size limits and encodings.
//! This room knows nothing of Python's meaning.

mod span;

pub use span::{FileId, Span};
