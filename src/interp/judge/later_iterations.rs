//! Requirements of an iteration after the first, of loops that may have one alone.

use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_shape::Constraint;

impl Interpreter<'_> {
    /// Whether a requirement is one of an iteration after the first of a loop that may have one alone.
    pub(crate) fn is_of_later_iteration(&self, constraint: &Constraint) -> bool {
        constraint.variables().iter().any(|variable| self.later_counters.contains_key(variable))
    }

    /// What is to hold for a later iteration to run of loops that may have one alone.
    pub(crate) fn repeated_loops(&self) -> Vec<String> {
        let head = |span: &Span| {
            let text = self.source_text(*span);
            text.split(":\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        self.later_rounds.iter().map(|span| format!("`{}` has a second iteration", head(span))).collect()
    }
}
