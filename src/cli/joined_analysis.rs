//! Joins a command's analyses of several projects, for one report and one exit code.

use std::collections::BTreeSet;
use std::path::PathBuf;

use harp_report::UserError;
use harp_report::joined::{Joined, Part};

use crate::defects::Defects;
use crate::error_counts::ErrorCounts;
use crate::pipeline::Analysis;
use crate::profile::Profile;

/// Analyses that are joined one by one: of each, only the files are kept that its findings speak of. One alone stays as it is.
#[derive(Default)]
pub(super) struct JoinedAnalysis {
    /// How many were added.
    count: usize,
    /// The first one, while it is alone.
    only: Option<Box<Analysis>>,
    joined: Joined,
    errors: Vec<UserError>,
    warnings: Vec<UserError>,
    defects: Defects,
    profile: Profile,
    /// The files that were given, and those that are read because others import them: a project may import what another one has.
    given: BTreeSet<PathBuf>,
    imported: BTreeSet<PathBuf>,
}

impl JoinedAnalysis {
    /// One that has these errors.
    pub fn new(errors: Vec<UserError>) -> JoinedAnalysis {
        JoinedAnalysis { errors, ..JoinedAnalysis::default() }
    }

    pub fn add(&mut self, analysis: Analysis) {
        self.count += 1;
        if self.count == 1 && self.errors.is_empty() {
            self.only = Some(Box::new(analysis));
            return;
        }
        if let Some(first) = self.only.take() {
            self.join(*first);
        }
        self.join(analysis);
    }

    fn join(&mut self, analysis: Analysis) {
        let Analysis { errors, warnings, defects, corpus, findings, summary, coverage, all_errors: _, rules, profile } =
            analysis;
        extend_with_new(&mut self.errors, errors);
        extend_with_new(&mut self.warnings, warnings);
        self.defects.extend(defects);
        self.profile.extend(profile);
        for file in &corpus.files {
            let files = if corpus.is_imported(file.id) { &mut self.imported } else { &mut self.given };
            files.insert(file.path.clone());
        }
        self.joined.add(Part { findings, summary, coverage, sources: &corpus, rules });
    }

    /// All of them as one.
    pub fn finish(mut self) -> Analysis {
        if let Some(only) = self.only {
            return *only;
        }
        self.joined.finish();
        let Joined { findings, mut summary, coverage, sources, rules, .. } = self.joined;
        summary.imported = self.imported.difference(&self.given).count();
        Analysis {
            errors: self.errors,
            warnings: self.warnings,
            defects: self.defects,
            corpus: sources,
            findings,
            summary,
            coverage,
            all_errors: ErrorCounts::default(),
            rules,
            profile: self.profile,
        }
    }
}

/// Adds what is not there yet.
pub(super) fn extend_with_new(all: &mut Vec<UserError>, others: Vec<UserError>) {
    for other in others {
        if !all.contains(&other) {
            all.push(other);
        }
    }
}
