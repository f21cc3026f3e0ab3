//! The results of an analysis as the cache keeps them.

use std::time::Instant;

use harp_corpus::{Corpus, Digest, Question, Span};
use harp_limits::Ceiling;
use harp_report::{Finding, RuleDescription, Summary, UserError, places};
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::defects::Defects;
use crate::error_counts::ErrorCounts;
use crate::libraries::Libraries;
use crate::pipeline::{Analysis, AnalysisOptions};
use crate::profile::Profile;

/// What a file with results begins with.
const MARK: &[u8; 8] = b"harp/2\r\n";

/// What an analysis gave, and what it was told of files that are no part of the program.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    asked: Vec<(Question, Digest)>,
    findings: Vec<Finding>,
    summary: Summary,
    all_errors: ErrorCounts,
    rules: Vec<RuleDescription>,
    warnings: Vec<UserError>,
}

impl Kept {
    /// The results of an analysis; `None` where a run on another day or another machine might give others, or where something failed.
    pub fn of(analysis: &Analysis, options: &AnalysisOptions) -> Option<Kept> {
        let is_whole = analysis.errors.is_empty() && analysis.defects.is_empty();
        let in_time = options.until.is_none_or(|until| Instant::now() < until);
        let ran_out = analysis.summary.budgets.iter().any(|budget| is_of_machine(budget));
        (is_whole && in_time && !ran_out).then(|| Kept {
            asked: analysis.corpus.questions(),
            findings: analysis.findings.clone(),
            summary: analysis.summary.clone(),
            all_errors: analysis.all_errors.clone(),
            rules: analysis.rules.clone(),
            warnings: analysis.warnings.clone(),
        })
    }

    /// The file's content, which says of what it holds the results.
    pub fn bytes(&self, key: &Key) -> Option<Vec<u8>> {
        let payload = postcard::to_stdvec(self).ok()?;
        let named = [key.name().as_bytes(), &payload].concat();
        let Digest(digest) = Digest::of_bytes(&named);
        Some([&MARK[..], &digest, &named].concat())
    }

    /// What a file holds; `None` where it was damaged, or holds the results of something else under this name.
    pub fn of_bytes(bytes: &[u8], key: &Key) -> Option<Kept> {
        let (digest, named) = bytes.strip_prefix(MARK)?.split_at_checked(32)?;
        let payload = named.strip_prefix(key.name().as_bytes())?;
        if Digest::of_bytes(named).0 != digest {
            return None;
        }
        postcard::from_bytes(payload).ok()
    }

    /// The analysis, where all that it was told is still so; else the corpus is as good as used up.
    pub fn analysis(mut self, corpus: Corpus, options: &AnalysisOptions) -> Option<Analysis> {
        if !corpus.answers_again(&self.asked) {
            return None;
        }
        // What library packs say in Python is only read where a finding points there.
        let corpus = match self.all_places(|span| corpus.file(span.file).is_some()) {
            true => corpus,
            false => corpus.with_libraries(Libraries::read(&options.annotations).sources),
        };
        if !self.fits(&corpus) {
            return None;
        }
        let Kept { findings, summary, all_errors, rules, warnings, .. } = self;
        Some(Analysis {
            errors: Vec::new(),
            warnings,
            defects: Defects::default(),
            corpus,
            findings,
            summary,
            coverage: None,
            all_errors,
            rules,
            profile: Profile::default(),
        })
    }

    /// Whether something is so of every place that findings and summary speak of.
    fn all_places(&mut self, is_so: impl Fn(Span) -> bool) -> bool {
        let mut are_so = true;
        let mut look = |span: &mut Span| are_so &= is_so(*span);
        self.findings.iter_mut().for_each(|finding| places::in_finding(finding, &mut look));
        places::in_summary(&mut self.summary, &mut look);
        are_so
    }

    /// Whether every place is within a text: what shows them relies on it.
    fn fits(&mut self, corpus: &Corpus) -> bool {
        let is_within = |span: Span| {
            corpus.file(span.file).is_some_and(|file| file.text.get(span.start as usize..span.end as usize).is_some())
        };
        let place_is_within = |warning: &UserError| {
            warning.place.as_ref().is_none_or(|place| place.text.get(place.range.clone()).is_some())
        };
        let is_connected = |finding: &Finding| finding.explanation.as_ref().is_none_or(|it| it.slice.is_connected());
        self.all_places(is_within)
            && self.findings.iter().all(is_connected)
            && self.warnings.iter().all(place_is_within)
    }
}

/// Whether what is said of a budget is that memory or time ran out: `train.py: stopped at the memory limit`, `the rule x was stopped: time ran out`.
fn is_of_machine(budget: &str) -> bool {
    let reason = budget.rsplit(": ").next().unwrap_or(budget);
    let is_reached = |name: &str| reason.starts_with(&format!("stopped at the {name} limit"));
    let what = reason.split(' ').next();
    [Ceiling::Memory, Ceiling::Time].iter().any(|ceiling| what == Some(ceiling.name()) || is_reached(ceiling.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_the_machine_is_known_by_what_ran_out() {
        for budget in [
            "train.py: stopped at the memory limit (`--memory`)",
            "the rule a/b was stopped: memory ran out",
            "x: all rules: time",
        ] {
            assert!(is_of_machine(budget), "{budget}");
        }
        for budget in [
            "time.py: stopped at the step limit (`--effort high` or `--steps`)",
            "memory.train: stopped: calls",
            "the rule a/b was stopped: work ran out",
        ] {
            assert!(!is_of_machine(budget), "{budget}");
        }
    }
}
