//! Modules that are executed although parts of their file are left out: what is no Python, and what nests more deeply
//! than is followed.

use rustc_hash::FxHashMap;

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::{FileId, Span};
use harp_python::Project;
use harp_python::ir::{Function, Range};

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

/// Where the parts of files begin that are left out.
pub(crate) fn places_left_out(project: &Project) -> FxHashMap<FileId, Vec<u32>> {
    let mut places: FxHashMap<FileId, Vec<u32>> = FxHashMap::default();
    for (file, error) in &project.errors {
        places.entry(*file).or_default().push(error.range.start);
    }
    places
}

impl Interpreter<'_> {
    /// What a function gives whose body ends: `None`, unless a part of it may be left out, which may return something else.
    pub(crate) fn result_at_end(&mut self) -> Value {
        let Some(function) = self.frames.last().and_then(|frame| frame.function.clone()) else { return Value::None };
        if !self.is_cut_off(&function) {
            return Value::None;
        }
        let span = function.name_range.in_file(function.file);
        self.not_understood(Broken::SyntaxError.what(), span);
        self.symbolic("result", span, true)
    }

    /// Whether a part that is left out of a file may be one of a function's body: it begins before the next line that stands no deeper than the
    /// function does.
    fn is_cut_off(&self, function: &Function) -> bool {
        let Some(places) = self.caches.left_out.get(&function.file) else { return false };
        let Some(file) = self.corpus.file(function.file).filter(|_| !function.is_lambda) else { return false };
        let (start, end) = (function.range.start as usize, function.range.end as usize);
        let Some((before, rest)) = file.text.get(..start).zip(file.text.get(end..)) else { return false };
        let depth = start - before.rfind('\n').map_or(0, |line| line + 1);
        let mut lines = rest.split_inclusive('\n');
        let mut next = end + lines.next().map_or(0, str::len);
        for line in lines {
            let text = line.trim_start();
            if !text.is_empty() && line.len() - text.len() <= depth {
                break;
            }
            next += line.len();
        }
        places.iter().any(|place| (start..next.max(end + 1)).contains(&(*place as usize)))
    }
}
