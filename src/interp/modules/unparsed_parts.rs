//! Modules that are executed although parts of their file are left out: what is no Python, and what nests more deeply
//! than is followed.

use rustc_hash::FxHashMap;

use harp_corpus::{FileId, Span};
use harp_python::Project;
use harp_python::ir::Range;

/// Why parts of a file are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    SyntaxError,
    /// Python may well accept it; this is the first such place.
    Limit(Range),
}

impl Broken {
    pub(crate) fn files(project: &Project) -> FxHashMap<FileId, Broken> {
        let mut files = FxHashMap::default();
        for (file, error) in &project.errors {
            match error.is_limit {
                true => _ = files.entry(*file).or_insert(Broken::Limit(error.range)),
                false => _ = files.insert(*file, Broken::SyntaxError),
            }
        }
        files
    }

    pub(crate) fn what(self) -> &'static str {
        match self {
            Broken::SyntaxError => "a syntax error",
            Broken::Limit(_) => "code beyond what is followed",
        }
    }

    /// Where to look: at what is left out, and of a syntax error, which has a finding of its own, at what does not run for it.
    pub(crate) fn place(self, span: Span) -> Span {
        match self {
            Broken::SyntaxError => span,
            Broken::Limit(range) => range.in_file(span.file),
        }
    }
}
