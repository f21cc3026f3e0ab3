//! `--fix`: which edits are made together, those that are wanted and do not overlap.

use std::collections::{BTreeMap, BTreeSet};

use harp_corpus::{FileId, Replacement, Replacements};
use harp_report::{Applicability, Finding};

use crate::pipeline::Analysis;

/// Which edits somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Those after which the program does the same.
    Safe,
    /// Also those after which it may do something else.
    Unsafe,
}

impl Wanted {
    /// Whether a finding has edits of this kind.
    fn includes(self, finding: &Finding) -> bool {
        let is_safe = || finding.applicability == Some(Applicability::Safe) && finding.certain();
        !finding.edits.is_empty() && (self == Wanted::Unsafe || is_safe())
    }
}

/// How many findings have edits that are wanted and were not refused.
pub(super) fn count(analysis: &Analysis, wanted: Wanted, refused: &BTreeSet<String>) -> usize {
    let is_open = |finding: &&Finding| wanted.includes(finding) && !refused.contains(&finding.fingerprint);
    analysis.findings.iter().filter(is_open).count()
}

/// Edits that are made together.
#[derive(Default)]
pub(super) struct Choice {
    /// By file, apart from each other.
    pub replacements: BTreeMap<FileId, Replacements>,
    /// The findings whose edits they are, by their places among all.
    pub findings: Vec<usize>,
}

impl Choice {
    /// The edits of the first findings that can be made together, of `most` at most. Findings in files that `objection` is raised against come to `skipped`.
    pub fn of(
        analysis: &Analysis,
        wanted: Wanted,
        refused: &BTreeSet<String>,
        most: usize,
        objection: impl Fn(FileId) -> Option<&'static str>,
        skipped: &mut Vec<(usize, &'static str)>,
    ) -> Choice {
        let mut choice = Choice::default();
        let mut objections: BTreeMap<FileId, Option<&'static str>> = BTreeMap::new();
        for (index, finding) in analysis.findings.iter().enumerate() {
            if choice.findings.len() >= most {
                break;
            }
            let Some(file) = finding.edits.first().map(|edit| edit.span.file) else { continue };
            if !wanted.includes(finding) || refused.contains(&finding.fingerprint) {
                continue;
            }
            if let Some(reason) = *objections.entry(file).or_insert_with(|| objection(file)) {
                skipped.push((index, reason));
                continue;
            }
            let known = choice.replacements.get(&file).into_iter().flat_map(Replacements::iter).cloned();
            let own = finding.edits.iter().map(|edit| Replacement {
                start: edit.span.start,
                end: edit.span.end,
                text: edit.replacement.clone(),
            });
            if let Some(together) = Replacements::new(known.chain(own).collect()) {
                choice.replacements.insert(file, together);
                choice.findings.push(index);
            }
        }
        choice
    }
}
