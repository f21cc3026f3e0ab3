//! `harp review`: analyses both sides and compares them.

use std::collections::BTreeSet;
use std::path::Path;

use harp_corpus::Corpus;
use harp_report::comparison::{Comparison, Side, Standing, compare};
use harp_report::text::place;
use harp_report::{Finding, Notice, Rewrites, Skipped, Summary, UserError, Verdict};

use super::left_out::{is_now, is_source};
use super::settings::{ProjectSettings, Settings};
use super::sides::{Sides, listed};
use super::working_folder::WorkingFolder;
use crate::baselines::{Looks, leave_out_known};
use crate::defects::Defects;
use crate::error_counts::ErrorCounts;
use crate::joined_analysis::{JoinedAnalysis, extend_with_new};
use crate::pipeline::{self, Analysis, AnalysisOptions, Examined, Rules};
use crate::profile::Profile;
use crate::progress::Progress;
use crate::rewrites::withhold;

/// How the note begins that says which files the change takes out of the analysis.
pub(super) const NOT_READ: &str = "not read after the change";

/// What came out of both sides.
pub(super) struct Reviewed {
    /// `None` where the sides are the same.
    old: Option<Analysis>,
    pub new: Analysis,
    pub comparison: Comparison,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// How paths on the old side begin: its settings are those of both sides.
    old_folder: String,
}

impl Reviewed {
    /// Analyses both sides. Where they are the same, neither is, unless somebody wants to know `all`.
    pub fn of(sides: &Sides, settings: &Settings, all: bool, progress: &Progress) -> Result<Reviewed, UserError> {
        let is_same = sides.lines.files().is_empty();
        let (mut old, mut new) = (JoinedAnalysis::default(), JoinedAnalysis::new(settings.errors.clone()));
        let mut read = [(); 2].map(|()| ReadFiles::default());
        for project in &settings.projects {
            if is_same && !all {
                new.add(of_nothing(&project.options[1]));
                continue;
            }
            let before = (!is_same).then(|| project.of_old(sides.old_folder(), progress)).transpose()?;
            let after = project.of_new(sides, before.as_ref(), progress)?;
            read.iter_mut().zip([before.as_ref(), Some(&after)]).for_each(|(read, side)| read.add(side));
            new.add(after);
            before.into_iter().for_each(|before| old.add(before));
        }
        let mut new = new.finish();
        let [before, after] = &read;
        let vanished = vanished(before, after, &new.summary.skipped, sides, settings);
        new.summary.skipped.extend(vanished);
        new.summary.skipped.sort();
        let mut old = (!is_same).then(|| old.finish());
        if let Some(baseline) = &settings.baseline {
            let known = |analysis: &mut Analysis, side: usize| {
                let looks: Vec<Looks> = settings.projects.iter().map(|it| Looks::of(&it.options[side])).collect();
                let Analysis { findings, summary, corpus, .. } = analysis;
                leave_out_known(baseline, findings, summary, corpus, &looks);
            };
            known(&mut new, 1);
            old.iter_mut().for_each(|old| known(old, 0));
        }
        let old_folder = format!("{}/", sides.old_folder().display());
        for Notice { text, file } in &mut new.summary.notices {
            file.iter_mut().chain([text]).for_each(|text| *text = text.replace(&old_folder, ""));
        }
        let silenced = &new.summary.in_source;
        let mut comparison = {
            let all: Vec<Finding> = new.findings.iter().chain(silenced).cloned().collect();
            compared(old.as_ref(), Side { findings: &all, sources: &new.corpus }, sides)
        };
        let of_silenced = comparison.standings.split_off(new.findings.len());
        let notes = silencing(silenced, &of_silenced, &new.corpus);
        let mut reviewed = Reviewed { old, new, comparison, notes, old_folder };
        reviewed.notes.extend(reviewed.new.summary.notices.iter().map(|notice| notice.text.clone()));
        reviewed.notes.extend(not_read(&reviewed.newly_unknown().skipped));
        Ok(reviewed)
    }

    /// The old side's findings and text; those of the new one where they are the same.
    pub fn old(&self) -> Side<'_> {
        let analysis = self.old.as_ref().unwrap_or(&self.new);
        Side { findings: &analysis.findings, sources: &analysis.corpus }
    }

    /// What was introduced and made worse.
    pub fn told(&self) -> Vec<Finding> {
        let standings = self.new.findings.iter().zip(&self.comparison.standings);
        standings.filter(|(_, standing)| standing.is_told()).map(|(finding, _)| finding.clone()).collect()
    }

    /// What could not be done, on either side.
    pub fn errors(&self) -> Vec<UserError> {
        self.once(|analysis| analysis.errors.clone())
    }

    /// What the user should know of rules, on either side.
    pub fn warnings(&self) -> Vec<UserError> {
        self.once(|analysis| analysis.warnings.clone())
    }

    /// Where Harp itself failed, on either side.
    pub fn defects(&self) -> Vec<UserError> {
        self.once(|analysis| analysis.defects.messages())
    }

    fn once(&self, of: impl Fn(&Analysis) -> Vec<UserError>) -> Vec<UserError> {
        let mut all = Vec::new();
        let sides = self.old.iter().chain([&self.new]);
        sides.for_each(|side| {
            extend_with_new(&mut all, of(side).into_iter().map(|it| self.in_repository(it)).collect())
        });
        all
    }

    /// The error with the names that files of the old side have in the repository, from wherever they were read.
    fn in_repository(&self, mut error: UserError) -> UserError {
        let UserError { message, place, hint, notes, .. } = &mut error;
        let texts =
            [message].into_iter().chain(place.as_mut().map(|it| &mut it.file)).chain(hint.as_mut()).chain(notes);
        texts.for_each(|text| *text = text.replace(&self.old_folder, ""));
        error
    }

    /// What stands in place of libraries on the new side, and which files are not read there.
    pub fn notices(&self) -> Vec<Notice> {
        let not_read = self.newly_unknown().skipped.into_iter().map(|skipped| Notice {
            text: format!("{NOT_READ}: {}: {}", skipped.path, skipped.reason),
            file: Some(skipped.path),
        });
        self.new.summary.notices.iter().cloned().chain(not_read).collect()
    }

    /// Of what the new side covers, what was not checked completely or not read, and was on the old side.
    pub fn newly_unknown(&self) -> Summary {
        let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::DontKnow(_));
        let old = self.old.as_ref().unwrap_or(&self.new);
        let known = old.summary.entries.iter().filter(|entry| is_unknown(&entry.verdict));
        let known: BTreeSet<&str> = known.map(|entry| entry.name.as_str()).collect();
        let mut summary = self.new.summary.clone();
        summary.entries.retain(|entry| !known.contains(entry.name.as_str()));
        summary.incomplete_rules.retain(|rule| !old.summary.incomplete_rules.contains(rule));
        summary.skipped.retain(|skipped| old.summary.skipped.iter().all(|other| other.path != skipped.path));
        summary
    }
}

impl ProjectSettings {
    fn of_old(&self, folder: &Path, progress: &Progress) -> Result<Analysis, UserError> {
        let _within = WorkingFolder::enter(folder)?;
        let [options, _] = &self.options;
        Ok(pipeline::analyse_with(&options.begun(), progress, |examined, defects| {
            let (mut findings, summary) = self.found(examined, options, defects);
            findings.iter_mut().for_each(withhold);
            (findings, summary, ErrorCounts::default())
        }))
    }

    fn of_new(&self, sides: &Sides, old: Option<&Analysis>, progress: &Progress) -> Result<Analysis, UserError> {
        let _within = WorkingFolder::enter(sides.new_folder())?;
        let [_, options] = &self.options;
        Ok(pipeline::analyse_with(&options.begun(), progress, |examined, defects| {
            let (mut findings, mut summary) = self.found(examined, options, defects);
            let all: Vec<Finding> = findings.iter().chain(&summary.in_source).cloned().collect();
            let comparison = compared(old, Side { findings: &all, sources: examined.program.corpus }, sides);
            summary.rewrites = check_rewrites(examined, &mut findings, &comparison);
            (findings, summary, ErrorCounts::default())
        }))
    }

    /// What a side has that no baseline knows, and what it covers.
    fn found(
        &self,
        examined: &Examined<'_>,
        options: &AnalysisOptions,
        defects: &mut Defects,
    ) -> (Vec<Finding>, Summary) {
        let found: Vec<Finding> = examined.found(defects).into_iter().map(|(finding, _)| finding).collect();
        let (mut findings, mut summary) = examined.report(found, &options.selection);
        if let Some(baseline) = &self.baseline {
            leave_out_known(baseline, &mut findings, &mut summary, examined.program.corpus, &[Looks::of(options)]);
        }
        (findings, summary)
    }
}

/// What the change made of findings; without an old side, all are as they were.
fn compared(old: Option<&Analysis>, new: Side<'_>, sides: &Sides) -> Comparison {
    match old {
        None => Comparison { standings: (0..new.findings.len()).map(Standing::Unchanged).collect(), fixed: Vec::new() },
        Some(old) => compare(Side { findings: &old.findings, sources: &old.corpus }, new, &sides.lines),
    }
}

/// Rewrites are tried for what is told alone: each costs an analysis.
fn check_rewrites(examined: &Examined<'_>, findings: &mut [Finding], comparison: &Comparison) -> Rewrites {
    let is_told = |index: &usize| comparison.standings.get(*index).is_some_and(|standing| standing.is_told());
    let indices: Vec<usize> = (0..findings.len()).filter(is_told).collect();
    let mut told: Vec<Finding> = indices.iter().map(|index| findings[*index].clone()).collect();
    let rewrites = examined.recheck.check(&mut told);
    findings.iter_mut().for_each(withhold);
    for (index, finding) in indices.into_iter().zip(told) {
        findings[index] = finding;
    }
    rewrites
}

/// Says what comments keep out of the review: what the change introduces with one, and what it silences that was told before.
fn silencing(silenced: &[Finding], standings: &[Standing], sources: &Corpus) -> Vec<String> {
    let places = |is_it: fn(&Standing) -> bool| {
        let all = silenced.iter().zip(standings).filter(|(_, standing)| is_it(standing));
        all.map(|(finding, _)| format!("{} {}", place(finding.primary.span, sources), finding.rule)).collect::<Vec<_>>()
    };
    let introduced = places(|standing| *standing == Standing::Introduced);
    let known = places(|standing| *standing != Standing::Introduced);
    let note = |places: Vec<String>, what: &str| {
        (!places.is_empty()).then(|| format!("comments suppress {what}: {}", listed(&places)))
    };
    let notes = [note(introduced, "what the change introduces"), note(known, "what was reported before")];
    notes.into_iter().flatten().collect()
}

/// The files that the analyses of a side read, by their names.
#[derive(Default)]
struct ReadFiles {
    given: BTreeSet<String>,
    imported: BTreeSet<String>,
}

impl ReadFiles {
    fn add(&mut self, side: Option<&Analysis>) {
        for file in side.iter().flat_map(|side| side.corpus.files.iter().map(|file| (&side.corpus, file))) {
            let (corpus, file) = file;
            let files = if corpus.is_imported(file.id) { &mut self.imported } else { &mut self.given };
            files.insert(file.display_path.to_string());
        }
    }

    fn has(&self, name: &str) -> bool {
        self.given.contains(name) || self.imported.contains(name)
    }
}

/// The files that were read before the change and are not after it, though something is still there under their name, or they have another one.
fn vanished(
    before: &ReadFiles,
    after: &ReadFiles,
    skipped: &[Skipped],
    sides: &Sides,
    settings: &Settings,
) -> Vec<Skipped> {
    let others = sides.left_out.others();
    let is_told = |name: &str| after.has(name) || skipped.iter().any(|skipped| skipped.path == name);
    let in_new_side = |name: &str| sides.new_folder().join(name);
    let is_asked_for = |name: &str| {
        let mut paths = settings.projects.iter().flat_map(|project| &project.options[1].paths);
        paths.any(|path| in_new_side(name).starts_with(path))
    };
    let left_out = |name: &str, reason: String| Skipped { path: name.to_owned(), reason, uri: None };
    let mut found: Vec<Skipped> = before.imported.iter().filter_map(|name| others.get(name).cloned()).collect();
    for name in before.given.iter().filter(|name| !is_told(name)) {
        let renamed = sides.lines.files().iter().find(|file| file.old.as_ref() == Some(name) && file.new != file.old);
        let other = renamed.and_then(|file| file.new.as_deref()).filter(|other| !is_told(other));
        if let Some(other) = others.get(name) {
            found.push(other.clone());
        } else if in_new_side(name).symlink_metadata().is_ok() {
            found.push(left_out(name, "ignore rules or other files leave it out since the change".to_owned()));
        } else if let Some(other) = other.filter(|other| !is_source(Path::new(other))) {
            found.push(left_out(name, is_now(other)));
        } else if let Some(other) = other.filter(|other| is_asked_for(other)) {
            let reason = format!("it was read as `{name}`; ignore rules or the configuration leave out its new name");
            found.push(left_out(other, reason));
        }
    }
    found
}

/// Says which files the change takes out of the analysis: their findings are gone, and not fixed.
fn not_read(skipped: &[Skipped]) -> Option<String> {
    let names: Vec<String> = skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)).collect();
    (!names.is_empty()).then(|| format!("{NOT_READ}: {}", listed(&names)))
}

/// An analysis of nothing, which tells what is wrong with the rules all the same.
fn of_nothing(options: &AnalysisOptions) -> Analysis {
    let wrong = |rules: &Rules<'_>, unknown| ([rules.errors.clone(), unknown].concat(), rules.warnings.clone());
    let (errors, warnings) = Rules::with(options, wrong);
    Analysis {
        errors,
        warnings: [options.warnings.clone(), warnings].concat(),
        defects: Defects::default(),
        corpus: Corpus::default(),
        findings: Vec::new(),
        summary: Summary::default(),
        coverage: None,
        all_errors: ErrorCounts::default(),
        rules: Vec::new(),
        profile: Profile::default(),
    }
}
