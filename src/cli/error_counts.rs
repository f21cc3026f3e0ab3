//! How many errors of which kind an analysis found, so that `harp review` can compare two versions of a program.

use std::collections::BTreeMap;

use harp_corpus::FileId;
use harp_report::{Finding, Severity};
use serde::{Deserialize, Serialize};

/// How often a rule says something of a file, wherever it stands there: edits move lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCounts(BTreeMap<(FileId, String, String), usize>);

impl ErrorCounts {
    /// Counts what is an error by its rule, before anybody chooses among the findings.
    pub fn of(found: &[Finding]) -> ErrorCounts {
        let mut counts = BTreeMap::new();
        for finding in found.iter().filter(|finding| finding.severity == Severity::Error) {
            let key = (finding.primary.span.file, finding.rule.clone(), finding.message.clone());
            *counts.entry(key).or_default() += 1;
        }
        ErrorCounts(counts)
    }

    /// An error that is not among those of `before`, or not as often: its file, rule and message.
    pub fn anew(&self, before: &ErrorCounts) -> Option<(FileId, &str, &str)> {
        let is_new =
            |(key, count): &(&(FileId, String, String), &usize)| before.0.get(*key).is_none_or(|old| old < count);
        self.0.iter().find(is_new).map(|((file, rule, message), _)| (*file, rule.as_str(), message.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::Span;
    use harp_report::Label;

    #[test]
    fn errors_that_come_anew_are_told() {
        let finding = |severity, message: &str, start| {
            Finding::new("shape/mismatch", severity, message, Label::new(Span::new(FileId(0), start, start + 1), ""))
        };
        let before = ErrorCounts::of(&[finding(Severity::Error, "a", 0), finding(Severity::Warning, "b", 0)]);
        let same = ErrorCounts::of(&[finding(Severity::Error, "a", 7), finding(Severity::Warning, "c", 0)]);
        assert_eq!(same.anew(&before), None);
        let more = ErrorCounts::of(&[finding(Severity::Error, "a", 7), finding(Severity::Error, "a", 9)]);
        assert_eq!(more.anew(&before), Some((FileId(0), "shape/mismatch", "a")));
    }
}
