//! Answers of users that state values in comments, and where that is wrong.

use std::cell::Cell;
use std::collections::BTreeMap;

use harp_corpus::Span;
use harp_python::ir::Expr;
use harp_shape::{Dim, Shape};

use super::comment::Described;

/// What a comment says of a value.
#[derive(Debug)]
pub struct Stated {
    /// The comment's words.
    pub span: Span,
    pub path: Expr,
    pub path_text: String,
    pub described: Described,
    pub is_used: Cell<bool>,
}

/// When a comment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Before,
    After,
}

/// The names in comments, which stand for the same sizes throughout one execution of a function.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    /// Sizes by name.
    pub dims: BTreeMap<String, Dim>,
    /// Parts of shapes by name.
    pub shapes: BTreeMap<String, Shape>,
}

/// A comment that says something else than what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The comment's words.
    pub span: Span,
    pub message: String,
    /// Where the value comes from, with what it is.
    pub origin: Option<(String, Span)>,
    /// The call that led there.
    pub call: Option<Span>,
}
