//! The report of an audit: what is counted of it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::{RuleDescription, Severity, TrainingStep};

use super::change_totals::ChangeTotals;
use super::examples::Examples;
use super::{Changed, Entries, Finding, ROWS_OF_PAGE, Repository, texts};

/// The aggregates of an audit, and what lists of repositories and rules show.
#[derive(Clone, Debug)]
pub struct Totals {
    pub(super) statuses: Vec<StatusTotals>,
    pub(super) severities: SeverityCounts,
    pub(super) entries: Entries,
    /// Repositories whose scripts come to a training step, come to none that is there, have none, and those without a script.
    pub(super) training: [u64; 4],
    pub(super) skipped: u64,
    pub(super) not_understood: u64,
    /// Findings of repositories that have the files of others.
    pub(super) findings_of_copies: u64,
    pub(super) repositories: Vec<RepositoryTotals>,
    /// None where nothing is compared.
    pub(super) changes: Option<ChangeTotals>,
    rules: BTreeMap<String, RuleTotals>,
    titles: BTreeMap<String, String>,
}

/// The repositories whose analyses ended alike.
#[derive(Clone, Debug)]
pub struct StatusTotals {
    pub status: &'static str,
    pub meaning: &'static str,
    pub repositories: u64,
    /// Those of them that have the files of others; the numbers below are without them.
    pub copies: u64,
    pub files: u64,
    pub lines: u64,
    pub findings: u64,
}

/// How many findings have which severity.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeverityCounts([u32; 3]);

impl SeverityCounts {
    pub fn add(&mut self, severity: Severity) {
        self.0[severity as usize] += 1;
    }

    pub fn of(self, severity: Severity) -> u64 {
        u64::from(self.0[severity as usize])
    }

    pub fn all(self) -> u64 {
        self.0.into_iter().map(u64::from).sum()
    }

    /// Those that some findings have, the worst one first.
    pub fn there(self) -> Vec<Severity> {
        let all = [Severity::Error, Severity::Warning, Severity::Note];
        all.into_iter().filter(|severity| self.of(*severity) > 0).collect()
    }
}

/// What a rule found.
#[derive(Clone, Debug, Default)]
pub struct RuleTotals {
    pub repositories: u64,
    pub severities: SeverityCounts,
    pub certain: u64,
    pub with_edit: u64,
    pub examples: Examples,
}

/// What lists show of a repository. Its number is the place in the order in which repositories came.
#[derive(Clone, Debug)]
pub struct RepositoryTotals {
    pub name: String,
    pub revision: String,
    /// The number of the status.
    pub status: usize,
    pub reason: String,
    pub files: u64,
    pub lines: u64,
    /// None where it has the files of another one.
    pub severities: SeverityCounts,
    pub original: String,
    /// How many findings all repositories before it have.
    findings_before: u64,
}

impl RepositoryTotals {
    /// The page of all findings with its first one, from 1.
    pub fn page(&self) -> u64 {
        self.findings_before / ROWS_OF_PAGE + 1
    }
}

impl Totals {
    /// Nothing yet. The statuses, each with what it means, are told in this order, and the last one stands for words that are none of them; the rules'
    /// titles explain their names.
    pub fn new(statuses: &[(&'static str, &'static str)], rules: &[RuleDescription]) -> Totals {
        let status = |(status, meaning): &(&'static str, &'static str)| StatusTotals {
            status,
            meaning,
            repositories: 0,
            copies: 0,
            files: 0,
            lines: 0,
            findings: 0,
        };
        Totals {
            statuses: statuses.iter().map(status).collect(),
            severities: SeverityCounts::default(),
            entries: Entries::default(),
            training: [0; 4],
            skipped: 0,
            not_understood: 0,
            findings_of_copies: 0,
            repositories: Vec::new(),
            changes: None,
            rules: BTreeMap::new(),
            titles: rules.iter().map(|rule| (rule.id.clone(), texts::title(&rule.title))).collect(),
        }
    }

    /// Counts a repository. They come in the order of their names.
    pub fn add(&mut self, repository: &Repository<'_>) {
        let number = self.repositories.len();
        let known = self.statuses.iter().position(|known| known.status == repository.status);
        let status = known.unwrap_or(self.statuses.len().saturating_sub(1));
        let is_copy = repository.original.is_some();
        let mut severities = SeverityCounts::default();
        if let Some(totals) = self.statuses.get_mut(status) {
            totals.repositories += 1;
            totals.copies += u64::from(is_copy);
            if !is_copy {
                totals.files += repository.files;
                totals.lines += repository.lines;
                totals.findings += repository.findings.len() as u64;
            }
        }
        let findings_before = self.severities.all();
        if is_copy {
            self.findings_of_copies += repository.findings.len() as u64;
        } else {
            for finding in repository.findings {
                severities.add(finding.severity);
                self.severities.add(finding.severity);
            }
            self.add_once(number, repository);
        }
        self.repositories.push(RepositoryTotals {
            name: texts::name(repository.name),
            revision: repository.revision.map(texts::revision).unwrap_or_default(),
            status,
            reason: texts::reason(repository),
            files: repository.files,
            lines: repository.lines,
            severities,
            original: repository.original.map(texts::name).unwrap_or_default(),
            findings_before,
        });
    }

    /// Says that an earlier audit is compared with. The words for what becomes of a finding, each with what it means, are told in this order; the first
    /// one is the most important, and the last one stands for words that are none of them.
    pub fn compare(&mut self, words: [(&'static str, &'static str); 4]) {
        self.changes = Some(ChangeTotals::new(words));
    }

    /// Whether an earlier audit is compared with.
    pub fn is_compared(&self) -> bool {
        self.changes.is_some()
    }

    /// Counts a change; those of a repository follow each other.
    pub fn add_change(&mut self, change: &Changed<'_>) {
        if let Some(changes) = &mut self.changes {
            changes.add(change);
        }
    }

    /// Counts what copies of a repository do not add to.
    fn add_once(&mut self, number: usize, repository: &Repository<'_>) {
        self.entries.no_error += repository.entries.no_error;
        self.entries.error += repository.entries.error;
        self.entries.unknown += repository.entries.unknown;
        self.skipped += repository.skipped;
        self.not_understood += repository.not_understood;
        let steps = [TrainingStep::Reached, TrainingStep::NotReached, TrainingStep::None].map(TrainingStep::as_str);
        let step = steps.iter().position(|step| repository.training_step == Some(step)).unwrap_or(steps.len());
        if repository.files > 0 {
            self.training[step] += 1;
        }
        let mut by_rule: BTreeMap<&str, Vec<&Finding<'_>>> = BTreeMap::new();
        for finding in repository.findings {
            by_rule.entry(finding.rule).or_default().push(finding);
        }
        for (rule, findings) in by_rule {
            let Some(best) = findings.iter().find(|finding| finding.certain).or(findings.first()) else { continue };
            if !self.rules.contains_key(rule) {
                self.rules.insert(rule.to_owned(), RuleTotals::default());
            }
            let Some(totals) = self.rules.get_mut(rule) else { continue };
            totals.repositories += 1;
            totals.examples.offer(number, repository, best);
            for finding in findings {
                totals.severities.add(finding.severity);
                totals.certain += u64::from(finding.certain);
                totals.with_edit += u64::from(finding.has_edit);
            }
        }
    }

    /// How many repositories there are.
    pub fn repository_count(&self) -> u64 {
        self.repositories.len() as u64
    }

    /// Repositories that have the files of others.
    pub(super) fn copies(&self) -> u64 {
        self.statuses.iter().map(|status| status.copies).sum()
    }

    /// Repositories of which files were analysed, each tree once.
    pub(super) fn analysed(&self) -> u64 {
        self.training.iter().sum()
    }

    /// Whether lists show a finding of the repository with this number.
    pub fn has_rows(&self, number: usize) -> bool {
        self.repositories.get(number).is_some_and(|repository| repository.severities.all() > 0)
    }

    /// What is known of a rule.
    pub(super) fn title(&self, rule: &str) -> &str {
        self.titles.get(rule).map_or("", String::as_str)
    }

    /// The rules by the repositories in which they found something. The number of a rule is its place here.
    pub(super) fn rules(&self) -> Vec<(&str, &RuleTotals)> {
        let mut rules: Vec<(&str, &RuleTotals)> = self.rules.iter().map(|(rule, it)| (rule.as_str(), it)).collect();
        rules.sort_by_key(|(rule, it)| (Reverse(it.repositories), Reverse(it.severities.all()), *rule));
        rules
    }

    /// The numbers of the repositories, those with the most findings first.
    pub(super) fn by_findings(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.repositories.len()).collect();
        numbers.sort_by_key(|number| Reverse(self.repositories[*number].severities.all()));
        numbers
    }
}
