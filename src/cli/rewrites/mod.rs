//! Rewrites that a program can apply. A rule says what takes the place of what; before a finding shows it, the program is analysed once more as it
//! would be then, in memory. What that does not confirm is not shown: the finding says what is wrong without it.

mod names;
mod outcome;
pub mod placing;
mod preview;
mod remedies;
mod reveals;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harp_corpus::{FileId, Replacement, Replacements, SourceFile, Span, parsed_ranges};
use harp_datalog::{FindingRow, Program};
use harp_python::ir::{Module, Range};
use harp_python::name::Name;
use harp_python::{SyntaxError, parse_module, parse_notebook};
use harp_report::{Applicability, Edit, Finding, Rewrites, Withheld};
use harp_trace::{EntryResult, Trace};

use crate::pipeline::{self, AnalysisOptions, Extent};
use crate::progress::Progress;
use crate::subject::Subject;
use names::Bound;
use outcome::{Outcome, Target};
use reveals::Questions;

/// So many rewrites are checked in a run: each costs an analysis of the files that it may concern. `docs/output.md` says so.
const MOST_CHECKS: usize = 50;

/// All checks of a run may read so many bytes of text together: a large program is parsed as a whole each time. `docs/output.md` says so, too.
const MOST_TEXT: usize = 64 << 20;

/// All checks of a run may follow so many steps together, or twice as many as the run itself took. `docs/output.md` says so as well.
const FEWEST_STEPS: u64 = 400_000;

/// How many rewrites of a program are checked, where each analysis reads so much text.
fn affordable(text: usize) -> usize {
    // One further analysis is needed to compare with.
    (MOST_TEXT / text.max(1)).saturating_sub(1).min(MOST_CHECKS)
}

/// The steps that checks may still follow.
struct StepsLeft(u64);

impl StepsLeft {
    /// Takes what analyses of what comes to a file take, where it is there.
    fn take(&mut self, trace: &Trace, file: FileId, analyses: u64) -> bool {
        let of_entry = |entry: &EntryResult| if entry.files.contains(&file) { entry.steps } else { 0 };
        let taken = trace.entries.iter().map(of_entry).sum::<u64>().saturating_mul(analyses);
        let is_there = taken <= self.0;
        self.0 = self.0.saturating_sub(taken);
        is_there
    }
}

/// Gives a finding the rewrite that its row stands for, with why it may not just be applied.
pub fn attach(finding: &mut Finding, row: &FindingRow, placed: placing::Placed) {
    let assumes = (!finding.assumptions.is_empty()).then(|| "it rests on what is assumed".to_owned());
    let conditional = finding.condition.is_some().then(|| "it is needed under a condition alone".to_owned());
    let because = row.unsafe_because.iter().cloned().chain(placed.losses);
    let reasons: Vec<String> = because.chain(assumes).chain(conditional).collect();
    finding.applicability =
        Some(if reasons.is_empty() { Applicability::Safe } else { Applicability::Unsafe(reasons.join("; ")) });
    finding.edits = placed.edits;
}

/// What it takes to analyse a program once more.
#[derive(Clone, Copy)]
pub struct Recheck<'a> {
    /// The program as it is.
    pub subject: &'a Subject,
    /// The rules of the run.
    pub rules: Option<&'a Program<'a>>,
    /// What bounds each analysis, too.
    pub options: &'a AnalysisOptions,
    /// What its analysis found.
    pub trace: &'a Trace,
}

/// A file with rewrites: what is asked of it, and what is said of it before any of them.
struct Edited<'a> {
    file: &'a SourceFile,
    module: Module,
    questions: Questions,
    /// The files that are analysed: those whose execution may reach the file.
    checked: BTreeSet<FileId>,
    before: Option<Outcome>,
    /// The names that rewrites bind which were shown already, with the scopes: whoever makes several rewrites needs them apart.
    taken: Bound,
}

impl Recheck<'_> {
    /// Checks the rewrites of findings in their order, and takes away those that are not confirmed.
    pub fn check(&self, findings: &mut [Finding]) -> Rewrites {
        let mut rewrites = Rewrites::default();
        let steps: u64 = self.trace.entries.iter().map(|entry| entry.steps).sum();
        let mut left = StepsLeft(FEWEST_STEPS.max(2 * steps));
        self.check_remedies(findings, &mut left);
        let with_edits = findings.iter_mut().filter(|finding| !finding.edits.is_empty());
        let mut with_edits: Vec<&mut Finding> = with_edits.collect();
        let text = self.subject.corpus.files.iter().map(|file| file.text.len()).sum();
        let left_out = with_edits.split_off(with_edits.len().min(affordable(text)));
        rewrites.unchecked = left_out.len();
        let mut left = StepsLeft(FEWEST_STEPS.max(2 * steps));
        left_out.into_iter().for_each(withhold);
        let mut files = self.files(&with_edits);
        for finding in with_edits {
            let edited = finding.edits.first().and_then(|edit| files.get_mut(&edit.span.file));
            // What there is to compare with is analysed as well, once.
            let analyses = |edited: &&mut Edited<'_>| (edited.file.id, if edited.before.is_none() { 2 } else { 1 });
            if let Some((file, analyses)) = edited.as_ref().map(analyses)
                && !left.take(self.trace, file, analyses)
            {
                rewrites.unchecked += 1;
                withhold(finding);
                continue;
            }
            rewrites.checked += 1;
            match edited.ok_or("its file is not there").and_then(|edited| self.confirmed(finding, edited)) {
                Ok(code) => finding.suggestion = Some(code),
                Err(reason) => {
                    withhold(finding);
                    let (rule, span) = (finding.rule.clone(), finding.primary.span);
                    rewrites.withheld.push(Withheld { span, rule, reason });
                }
            }
        }
        rewrites
    }

    /// The files of the rewrites, with what is asked of them.
    fn files(&self, findings: &[&mut Finding]) -> BTreeMap<FileId, Edited<'_>> {
        let corpus = &self.subject.corpus;
        let mut files: BTreeMap<FileId, Edited<'_>> = BTreeMap::new();
        let project =
            (!findings.is_empty() && corpus.files.len() > 1).then(|| self.subject.project(self.options.ceilings()));
        for finding in findings {
            let Some(file) = finding.edits.first().and_then(|edit| corpus.file(edit.span.file)) else { continue };
            let edited = files.entry(file.id).or_insert_with(|| {
                let concerned = project.as_ref().map(|project| {
                    let modules = project.modules_that_reach(project.module_of_file(file.id));
                    modules.into_iter().filter_map(|module| Some(project.module(module)?.file)).collect()
                });
                let checked: BTreeSet<FileId> = concerned.unwrap_or_else(|| BTreeSet::from([file.id]));
                Edited {
                    file,
                    module: parsed(file).0,
                    questions: Questions::new(),
                    checked,
                    before: None,
                    taken: Bound::new(),
                }
            });
            let (appended, others): (Vec<&Edit>, Vec<&Edit>) =
                finding.edits.iter().partition(|edit| placing::is_appended(edit));
            // What the statement itself is given shows behind it, with what is appended; a question in it would be one more reader.
            let end = appended.iter().map(|edit| edit.span.start).max().unwrap_or(0);
            let others = others.iter().map(|edit| edit.span).filter(|span| span.start >= end);
            reveals::ask(file, &edited.module, others, &mut edited.questions);
            appended.iter().for_each(|edit| reveals::ask_behind(file, edit, &mut edited.questions));
        }
        files
    }

    /// The code of a rewrite, where the program is found to do the same with it; else what speaks against it.
    fn confirmed(&self, finding: &mut Finding, edited: &mut Edited<'_>) -> Result<String, &'static str> {
        const NO_EDIT: &str = "its parts overlap";
        let Edited { file, module, questions, checked, before, taken } = edited;
        let spans: Vec<Span> = finding.edits.iter().map(|edit| edit.span).collect();
        let (edits, bound) = names::apart(file, module, &mut finding.edits, taken)?;
        if before.is_none() {
            let asked = Replacements::new(reveals::insertions(file, questions)).ok_or(NO_EDIT)?;
            *before = self.outcome(file.id, &asked, checked);
        }
        let before = before.as_ref().ok_or(NO_EDIT)?;
        // What is asked within what goes is not asked any more.
        let goes = |at: u32| spans.iter().any(|span| span.start < at && at < span.end);
        let still = reveals::insertions(file, questions).into_iter().filter(|question| !goes(question.start));
        let all = Replacements::new(edits.iter().cloned().chain(still).collect()).ok_or(NO_EDIT)?;
        let after = self.outcome(file.id, &all, checked).ok_or(NO_EDIT)?;
        let answered_later = reveals::answered_later(file, module, &finding.edits);
        let is_unsafe = matches!(finding.applicability, Some(Applicability::Unsafe(_)));
        let target = Target { rule: &finding.rule, message: &finding.message, span: finding.primary.span, is_unsafe };
        if !before.has_executed(finding.primary.span) && !spans.iter().any(|span| before.has_executed(*span)) {
            return Err("nothing is known of what it replaces");
        }
        if let Some(objection) = before.objection(&after, &target, &spans, &answered_later) {
            return Err(objection);
        }
        taken.extend(bound);
        Ok(preview::code(file, &edits))
    }

    /// What an analysis says of the program with these replacements in one file.
    fn outcome(&self, file: FileId, edits: &Replacements, checked: &BTreeSet<FileId>) -> Option<Outcome> {
        let (subject, options) = self.edited(file, edits, checked)?;
        let outcome =
            pipeline::examine(&subject, self.rules, Extent::Findings, &options, &Progress::hidden(), |examined| {
                Outcome::of(&examined, file, edits)
            });
        Some(outcome)
    }

    /// The program with these replacements in one file, and how it is analysed.
    fn edited(
        &self,
        file: FileId,
        edits: &Replacements,
        checked: &BTreeSet<FileId>,
    ) -> Option<(Subject, AnalysisOptions)> {
        let corpus = self.subject.corpus.edited(file, edits, checked)?;
        let subject = self.subject.with_corpus(corpus);
        // What never comes to the file does there what it did.
        let comes_here = |entry: &&EntryResult| entry.files.contains(&file);
        let entries = self.trace.entries.iter().filter(comes_here).map(|entry| entry.name.clone()).collect();
        let entries = Some(Arc::new(entries));
        let options =
            AnalysisOptions { explain_path: false, explains: false, runs_once: true, entries, ..self.options.clone() };
        Some((subject, options))
    }

    /// The files whose execution may reach a file, which is one of them.
    fn files_that_reach(&self, file: FileId) -> BTreeSet<FileId> {
        if self.subject.corpus.files.len() < 2 {
            return BTreeSet::from([file]);
        }
        let project = self.subject.project(self.options.ceilings());
        let modules = project.modules_that_reach(project.module_of_file(file));
        modules.into_iter().filter_map(|module| Some(project.module(module)?.file)).collect()
    }
}

/// Takes the rewrite away from a finding.
pub fn withhold(finding: &mut Finding) {
    if finding.edits.is_empty() {
        return;
    }
    finding.edits.clear();
    finding.applicability = None;
    finding.suggestion = None;
}

/// An edit as a replacement in its file.
fn replacement(edit: &Edit) -> Replacement {
    Replacement { start: edit.span.start, end: edit.span.end, text: edit.replacement.clone() }
}

/// Edits as replacements in their file; they must not overlap.
fn replacements(edits: &[Edit]) -> Result<Replacements, &'static str> {
    Replacements::new(edits.iter().map(replacement).collect()).ok_or("its parts overlap")
}

/// The syntax tree of one file, as far as it is Python.
pub(crate) fn parsed_module(file: &SourceFile) -> Module {
    parsed(file).0
}

/// The syntax tree of one file.
fn parsed(file: &SourceFile) -> (Module, Vec<SyntaxError>) {
    parsed_text(file, &file.text, file.cells.as_deref())
}

fn parsed_text(file: &SourceFile, text: &str, cells: Option<&[harp_corpus::Cell]>) -> (Module, Vec<SyntaxError>) {
    let name = Name::new("module");
    let parsed = match cells {
        None => parse_module(file.id, name, false, text),
        Some(cells) => {
            let ranges: Vec<Range> = parsed_ranges(cells).map(|(start, end)| Range { start, end }).collect();
            parse_notebook(file.id, name, text, &ranges)
        }
    };
    (parsed.module, parsed.errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_large_programs_fewer_rewrites_are_checked() {
        assert_eq!([1_000, 1 << 20, 8 << 20, 1 << 30].map(affordable), [MOST_CHECKS, MOST_CHECKS, 7, 0]);
    }
}
