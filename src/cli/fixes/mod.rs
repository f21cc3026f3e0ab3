//! `--fix` and `--diff`: makes the edits that findings suggest, and analyses the program that comes out of them.
//!
//! All edits that do not overlap are made at once; what the program is found to be then decides whether they stay. Where an error came with them, they are
//! made one by one until the one is known that brings it. What was found then is edited in a further round.

mod choice;

use std::collections::BTreeSet;

use harp_report::{Fixes, NotFixed, UserError, text};

use crate::pipeline::{self, Analysis, AnalysisOptions};
use crate::progress::Progress;
use crate::source_edits::SourceEdits;
use choice::Choice;
pub(super) use choice::Wanted;

/// Edits are made in so many rounds at most. `docs/fixes.md` says so.
const MOST_ROUNDS: usize = 10;

/// For all rounds together, the program is analysed so often at most, beside the first time. `docs/fixes.md` says so, too.
const MOST_ANALYSES: usize = 40;

/// A program after edits.
pub(super) struct Fixed<'a> {
    /// What is found now.
    pub analysis: Analysis,
    /// What became of the edits.
    pub fixes: Fixes,
    /// The files that were edited.
    pub edits: SourceEdits<'a>,
}

/// Makes the edits of an analysis in memory. `leave_out` takes out of an analysis what nobody wants to hear of.
///
/// # Errors
///
/// Those of `leave_out`.
pub(super) fn make<'a>(
    analysis: Analysis,
    options: &'a AnalysisOptions,
    wanted: Wanted,
    leave_out: impl Fn(&mut Analysis) -> Result<(), UserError>,
) -> Result<Fixed<'a>, UserError> {
    let mut fixing = Fixing {
        analysis,
        edits: SourceEdits::new(options),
        fixes: Fixes::default(),
        refused: BTreeSet::new(),
        analyses: 0,
    };
    let mut is_one_by_one = false;
    for _ in 0..MOST_ROUNDS {
        // The round of one-by-one ends with the edit that is refused.
        loop {
            let most = if is_one_by_one { 1 } else { usize::MAX };
            let choice = fixing.choose(wanted, most);
            if choice.replacements.is_empty() || fixing.analyses >= MOST_ANALYSES {
                return Ok(fixing.finish(wanted));
            }
            let reason = fixing.attempt(&choice, options, &leave_out)?;
            match reason {
                None if !is_one_by_one => break,
                None => {}
                Some(reason) if choice.findings.len() == 1 => {
                    fixing.refuse(&choice, &reason);
                    is_one_by_one = false;
                }
                Some(_) => is_one_by_one = true,
            }
        }
    }
    Ok(fixing.finish(wanted))
}

/// What was done so far.
struct Fixing<'a> {
    analysis: Analysis,
    edits: SourceEdits<'a>,
    fixes: Fixes,
    /// The fingerprints of findings whose edits were tried and not kept.
    refused: BTreeSet<String>,
    analyses: usize,
}

impl<'a> Fixing<'a> {
    /// Edits that can be made together, of so many findings at most.
    fn choose(&mut self, wanted: Wanted, most: usize) -> Choice {
        let mut skipped = Vec::new();
        let choice = Choice::of(
            &self.analysis,
            wanted,
            &self.refused,
            most,
            |file| self.edits.objection(&self.analysis.corpus, file),
            &mut skipped,
        );
        for (index, reason) in skipped {
            self.note_refusal(index, reason);
        }
        choice
    }

    /// Makes edits, and keeps them unless something speaks against it: that is given back.
    fn attempt(
        &mut self,
        choice: &Choice,
        options: &AnalysisOptions,
        leave_out: &impl Fn(&mut Analysis) -> Result<(), UserError>,
    ) -> Result<Option<String>, UserError> {
        let Some(corpus) = self.edits.apply(&self.analysis.corpus, &choice.replacements) else {
            return Ok(Some("it lies outside of the file".to_owned()));
        };
        if let Some((_, reason)) = self.edits.unwritable(&corpus) {
            return Ok(Some(reason));
        }
        self.analyses += 1;
        let progress = Progress::on_terminal();
        let run = || pipeline::analyse_corpus(corpus, options, &progress);
        let mut next = pipeline::with_threads(options.threads, run);
        if let Some((_, rule, message)) = next.all_errors.anew(&self.analysis.all_errors) {
            return Ok(Some(format!("it would bring {rule}: {message}")));
        }
        if !next.defects.is_empty() && self.analysis.defects.is_empty() {
            return Ok(Some("Harp fails on the program that comes out of it".to_owned()));
        }
        leave_out(&mut next)?;
        // What could not be read, and what is wrong with rules, was told already.
        next.errors = std::mem::take(&mut self.analysis.errors);
        next.warnings = std::mem::take(&mut self.analysis.warnings);
        self.analysis = next;
        self.fixes.made += choice.findings.len();
        Ok(None)
    }

    fn refuse(&mut self, choice: &Choice, reason: &str) {
        for index in &choice.findings {
            self.note_refusal(*index, reason);
        }
    }

    fn note_refusal(&mut self, index: usize, reason: &str) {
        let Some(finding) = self.analysis.findings.get(index) else { return };
        if self.refused.insert(finding.fingerprint.clone()) {
            let place = text::whole_place(finding.primary.span, &self.analysis.corpus);
            self.fixes.refused.push(NotFixed { place, rule: finding.rule.clone(), reason: reason.to_owned() });
        }
    }

    fn finish(mut self, wanted: Wanted) -> Fixed<'a> {
        self.fixes.files = self.edits.count(&self.analysis.corpus);
        let left = |wanted| choice::count(&self.analysis, wanted, &self.refused);
        self.fixes.left = left(wanted);
        self.fixes.unsafe_left = left(Wanted::Unsafe) - self.fixes.left;
        self.analysis.summary.fixes = Some(self.fixes.clone());
        Fixed { analysis: self.analysis, fixes: self.fixes, edits: self.edits }
    }
}
