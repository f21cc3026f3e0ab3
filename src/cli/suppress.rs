//! `harp suppress`: writes comments that silence what is found now.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use harp_corpus::{Corpus, FileId, Provenance, Replacement, Replacements, is_harmful};
use harp_report::added_silences::additions;
use harp_report::text::{self, Color};
use harp_report::{Finding, Notice, REVEAL_RULE, SYNTAX_RULE, UserError, terminal_escape};

use crate::config::rules;
use crate::options::{ColorChoice, SuppressOptions};
use crate::output::{self, Destination};
use crate::pipeline::{self, Analysis, AnalysisOptions};
use crate::progress::Progress;
use crate::projects::RunProjects;
use crate::rewrites::placing::line_break;
use crate::rule_choice::RuleChoice;
use crate::source_edits::SourceEdits;
use crate::{Outcome, baselines};

/// After so many attempts to leave out what a comment does not silence, nothing is written.
const MOST_ATTEMPTS: usize = 8;

/// A longer reason is no comment behind a statement.
const LONGEST_REASON: usize = 200;

pub(super) fn run(options: SuppressOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let reason = checked_reason(options.reason.as_deref().unwrap_or_default())?;
    let RunProjects { mut projects, errors } = RunProjects::of(&options.input)?;
    output::show_errors(&errors, color);
    let chosen = RuleChoice { select: options.select, ..RuleChoice::default() };
    let unknown = rules::unknown_in_all(&chosen.named_rules(), &projects);
    if !unknown.is_empty() {
        output::show_errors(&unknown, color);
        return Ok(Outcome::Failed);
    }
    let mut analyses = Vec::new();
    let mut is_whole = errors.is_empty();
    let mut told = BTreeSet::new();
    for project in &mut projects {
        chosen.refine(&mut project.selection);
        let mut analysis = pipeline::analyse(&project.begun(), &Progress::on_terminal());
        output::show_messages(&analysis, color);
        let notices = analysis.summary.notices.iter().filter(|notice| told.insert((*notice).clone()));
        output::show_errors(&notices.map(Notice::warning).collect::<Vec<_>>(), color);
        is_whole &= analysis.errors.is_empty() && analysis.defects.is_empty();
        if let Some(baseline) = project.baseline.take().filter(|_| is_whole) {
            baselines::leave_out(&baseline, &mut analysis, project)?;
        }
        analyses.push(analysis);
    }
    if !is_whole {
        return Ok(Outcome::Failed);
    }
    // Of all projects first, so that nothing is written where one of them cannot be silenced.
    let mut silenced = Vec::new();
    for (analysis, project) in analyses.iter().zip(&projects) {
        let edits = SourceEdits::new(project);
        let mut suppressing =
            Suppressing { analysis, options: project, edits, reason: reason.clone(), refused: BTreeMap::new() };
        let (corpus, count) = suppressing.silenced()?;
        silenced.push((suppressing, corpus, count));
    }
    if options.diff {
        let diff: String = silenced.iter().map(|(it, corpus, _)| it.edits.diff(corpus)).collect();
        Destination::StandardOutput.write(Color::Never, |out| out.write_all(diff.as_bytes()))?;
        return Ok(if diff.is_empty() { Outcome::Clean } else { Outcome::Findings });
    }
    let (mut count, mut files, mut is_complete) = (0, 0, true);
    for (suppressing, corpus, of_project) in &silenced {
        let failed = suppressing.edits.write(corpus);
        output::show_errors(&failed, color);
        count += of_project;
        files += suppressing.edits.count(corpus) - failed.len();
        is_complete &= failed.is_empty() && suppressing.refused.is_empty();
    }
    Destination::StandardOutput.write(Color::Never, |out| {
        writeln!(out, "{} suppressed in {}", plural(count, "finding"), plural(files, "file"))?;
        silenced.iter().try_for_each(|(suppressing, ..)| suppressing.tell_refused(out))
    })?;
    Ok(if is_complete { Outcome::Clean } else { Outcome::Failed })
}

/// A reason that can stand behind a comment.
fn checked_reason(reason: &str) -> Result<String, UserError> {
    let reason = reason.trim();
    let error = |message: &str| Err(UserError::new(format!("the reason {message}")));
    if reason.contains(|character: char| is_harmful(character) || matches!(character, '\n' | '\r' | '\t')) {
        error("is one line of text without control characters")
    } else if reason.chars().count() > LONGEST_REASON {
        error(&format!("has at most {LONGEST_REASON} characters"))
    } else if reason.contains("harp:") {
        error("is not a comment that Harp reads")
    } else {
        Ok(reason.to_owned())
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// What there is to silence, and what speaks against it.
struct Suppressing<'a> {
    analysis: &'a Analysis,
    options: &'a AnalysisOptions,
    edits: SourceEdits<'a>,
    reason: String,
    /// By their places among the findings: those that are not silenced, with the reason.
    refused: BTreeMap<usize, String>,
}

/// Comments by file, and the findings that they are to silence.
struct Plan {
    replacements: BTreeMap<FileId, Replacements>,
    findings: BTreeSet<usize>,
}

impl Suppressing<'_> {
    fn tell_refused(&self, out: &mut dyn Write) -> io::Result<()> {
        for (index, why) in &self.refused {
            let Some(finding) = self.analysis.findings.get(*index) else { continue };
            let place = text::place(finding.primary.span, &self.analysis.corpus);
            let rule = terminal_escape::line(&finding.rule);
            writeln!(out, "  {place}: {rule} is not suppressed: {}", terminal_escape::line(why))?;
        }
        Ok(())
    }

    /// The program in which all is silent that can be, and how many findings that are. What a comment does not silence gets none.
    fn silenced(&mut self) -> Result<(Corpus, usize), UserError> {
        for _ in 0..MOST_ATTEMPTS {
            let plan = self.plan();
            let Some(corpus) = self.edits.apply(&self.analysis.corpus, &plan.replacements) else { break };
            if plan.findings.is_empty() {
                return Ok((corpus, 0));
            }
            if let Some((file, reason)) = self.edits.unwritable(&corpus) {
                self.refuse_file(file, &plan, &reason);
                continue;
            }
            let progress = Progress::on_terminal();
            let analyse = || pipeline::analyse_corpus(corpus, self.options, &progress);
            let next = pipeline::with_threads(self.options.threads, analyse);
            if let Some((file, rule, message)) = next.all_errors.anew(&self.analysis.all_errors) {
                let reason = format!("a comment would bring {rule}: {message}");
                self.refuse_file(file, &plan, &reason);
                continue;
            }
            let loud = self.still_loud(&plan, &next);
            if loud.is_empty() {
                return Ok((next.corpus, plan.findings.len()));
            }
            for index in loud {
                self.refused.insert(index, "a comment at its statement does not suppress it".to_owned());
            }
        }
        Err(UserError::new("the findings cannot be suppressed, and nothing was written"))
    }

    fn plan(&mut self) -> Plan {
        let mut by_file: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
        for (index, finding) in self.analysis.findings.iter().enumerate() {
            if is_meant(finding) && !self.refused.contains_key(&index) {
                by_file.entry(finding.primary.span.file).or_default().push(index);
            }
        }
        let mut plan = Plan { replacements: BTreeMap::new(), findings: BTreeSet::new() };
        for (id, indices) in by_file {
            let corpus = &self.analysis.corpus;
            if let Some(reason) = self.edits.objection(corpus, id) {
                self.refused.extend(indices.into_iter().map(|index| (index, reason.to_owned())));
                continue;
            }
            let Some(file) = corpus.file(id) else { continue };
            let finding = |index: &usize| &self.analysis.findings[*index];
            let places: Vec<(usize, &str)> = indices
                .iter()
                .map(|index| (finding(index).primary.span.start as usize, finding(index).rule.as_str()))
                .collect();
            let (added, impossible) = additions(&file.text, &places, &self.reason, line_break(file));
            self.refused.extend(impossible.into_iter().map(|(at, reason)| (indices[at], reason.to_owned())));
            plan.findings.extend(added.iter().flat_map(|it| &it.findings).map(|at| indices[*at]));
            let replacement = |added: harp_report::added_silences::AddedSilence| {
                let (start, end) = (u32::try_from(added.range.start).ok()?, u32::try_from(added.range.end).ok()?);
                Some(Replacement { start, end, text: added.text })
            };
            let all: Vec<Replacement> = added.into_iter().filter_map(replacement).collect();
            if let Some(all) = Replacements::new(all).filter(|all| all.iter().next().is_some()) {
                plan.replacements.insert(id, all);
            }
        }
        plan
    }

    fn refuse_file(&mut self, file: FileId, plan: &Plan, reason: &str) {
        let in_file = plan.findings.iter().filter(|index| self.analysis.findings[**index].primary.span.file == file);
        let refused: Vec<(usize, String)> = in_file.map(|index| (*index, reason.to_owned())).collect();
        self.refused.extend(refused);
    }

    /// The findings of a plan that are found with its comments, too.
    fn still_loud(&self, plan: &Plan, next: &Analysis) -> BTreeSet<usize> {
        let nothing = Replacements::default();
        let found: BTreeSet<(FileId, Provenance, &str, &str)> = next
            .findings
            .iter()
            .map(|finding| {
                let span = finding.primary.span;
                let before = plan.replacements.get(&span.file).unwrap_or(&nothing).provenance(span.start);
                (span.file, before, finding.rule.as_str(), finding.message.as_str())
            })
            .collect();
        let is_loud = |index: &&usize| {
            let finding = &self.analysis.findings[**index];
            let span = finding.primary.span;
            found.contains(&(span.file, Provenance::Kept(span.start), finding.rule.as_str(), finding.message.as_str()))
        };
        plan.findings.iter().filter(is_loud).copied().collect()
    }
}

/// Whether somebody means a finding who silences all: not what is no Python, what was asked for, and what is said of comments.
fn is_meant(finding: &Finding) -> bool {
    !matches!(finding.rule.as_str(), SYNTAX_RULE | REVEAL_RULE) && !finding.rule.starts_with("ignore/")
}
