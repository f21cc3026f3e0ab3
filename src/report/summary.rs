//! What a run covered: verdicts per entry, what was not understood, what was left out.

use crate::corpus::Span;

use super::finding::Assumption;

/// What is known of an entry after it was executed symbolically.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every operation was understood, and no requirement can be violated.
    NoErrorPossible,
    /// A requirement is violated.
    Error,
    /// A requirement is violated under this condition.
    ErrorWhen(String),
    /// Something was not understood, or a budget ran out; the reasons.
    DontKnow(Vec<String>),
}

/// An entry and its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryVerdict {
    /// Such as `train.py` for a script or `model.Net` for a class that nobody calls.
    pub name: String,
    pub span: Span,
    pub verdict: Verdict,
    pub assumptions: Vec<Assumption>,
}

/// Calls that the analysis could not follow, by API or reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// The qualified name of an API, or a reason.
    pub what: String,
    pub count: u64,
    pub example: Option<Span>,
}

/// A file that was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

/// What a run covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: usize,
    pub lines: usize,
    pub entries: Vec<EntryVerdict>,
    pub not_understood: Vec<NotUnderstood>,
    pub skipped: Vec<Skipped>,
    /// Budgets that ran out, a sentence each.
    pub budgets: Vec<String>,
    /// Findings that comments or the configuration silence.
    pub suppressed: usize,
}

impl Summary {
    /// Brings every list into the order in which it is shown: the most frequent first, then by name.
    pub fn sort(&mut self) {
        self.not_understood.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.what.cmp(&b.what)));
        self.entries.sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
        self.skipped.sort();
        self.budgets.sort();
        self.budgets.dedup();
    }
}
