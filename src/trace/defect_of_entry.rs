//! The trace's record of panics at which an entry ended.

use harp_corpus::Span;
use harp_limits::Defect;

/// A panic, and what ran when it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefectOfEntry {
    pub defect: Defect,
    /// What ran, as [`crate::EntryResult::name`] tells it.
    pub entry: String,
    pub span: Span,
}
