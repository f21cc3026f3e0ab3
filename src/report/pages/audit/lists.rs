//! The report of an audit: the pages with lists, which are written while their rows come.

use std::collections::BTreeMap;
use std::io;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

use crate::Severity;

use super::change_lists::ChangeLists;
use super::list::{About, List, changed, page_name, rendered};
use super::overview::{MOST_RULES, environment, rule_row};
use super::totals::{RuleTotals, SeverityCounts, Totals};
use super::{Changed, Finding, Pages, Repository, texts};

/// How the names of lists begin: a rule's has its number behind it.
const RULE: &str = "rule";
pub const RULES: &str = "rules";
pub const REPOSITORIES: &str = "repositories";
const FINDINGS: &str = "findings";

/// Where the findings of a repository begin, for a page in the folder of lists.
pub fn link_of_repository(totals: &Totals, number: usize) -> String {
    let page = totals.repositories.get(number).map_or(1, super::totals::RepositoryTotals::page);
    format!("{}#r{number}", page_name(FINDINGS, page))
}

/// Where the findings of the rule with this number begin, for a page in the folder of lists.
pub fn link_of_rule(number: usize) -> String {
    page_name(&stem_of_rule(number), 1)
}

fn stem_of_rule(number: usize) -> String {
    format!("{RULE}-{}", number + 1)
}

/// A finding as a row.
#[derive(Debug, Serialize)]
pub struct FindingRow<'a> {
    severity: &'static str,
    certain: bool,
    has_edit: bool,
    /// Empty where the list is of one rule.
    rule: &'a str,
    /// Empty where the repository has a heading.
    repository: &'a str,
    page: &'a str,
    place: &'a str,
    message: &'a str,
    condition: &'a str,
    code: &'a str,
}

/// A repository as a row.
#[derive(Debug, Serialize)]
pub struct RepositoryRow {
    name: String,
    revision: String,
    /// Where its findings are; empty where it has none.
    page: String,
    status: &'static str,
    reason: String,
    original: String,
    files: String,
    lines: String,
    findings: String,
    errors: String,
    warnings: String,
    notes: String,
}

/// What lists and the page show of a repository.
pub fn repository_row(totals: &Totals, number: usize, link: &dyn Fn(&str) -> String) -> RepositoryRow {
    let it = &totals.repositories[number];
    let number_of = |count: u64| if count == 0 { String::new() } else { texts::number(count) };
    let page = if totals.has_rows(number) { link(&link_of_repository(totals, number)) } else { String::new() };
    RepositoryRow {
        name: it.name.clone(),
        revision: it.revision.clone(),
        page,
        status: totals.statuses.get(it.status).map_or("", |status| status.status),
        reason: it.reason.clone(),
        original: it.original.clone(),
        files: number_of(it.files),
        lines: number_of(it.lines),
        findings: number_of(it.severities.all()),
        errors: number_of(it.severities.of(Severity::Error)),
        warnings: number_of(it.severities.of(Severity::Warning)),
        notes: number_of(it.severities.of(Severity::Note)),
    }
}

/// Writes the lists of an audit: repositories by findings, findings by repository, and the findings of each rule. A page is written down as it grows.
pub struct Lists<'a> {
    totals: &'a Totals,
    environment: Environment<'static>,
    pages: &'a mut dyn Pages,
    findings: List<'a>,
    rules: BTreeMap<&'a str, List<'a>>,
    changes: ChangeLists<'a>,
}

impl<'a> Lists<'a> {
    /// Begins with what was counted, and writes the lists of repositories and rules.
    ///
    /// # Errors
    ///
    /// Where a page cannot be written.
    pub fn new(totals: &'a Totals, pages: &'a mut dyn Pages) -> io::Result<Lists<'a>> {
        let environment = environment()?;
        repositories(totals, &environment, pages)?;
        all_rules(totals, &environment, pages)?;
        let rules = totals.rules().into_iter().enumerate();
        let rules = rules.map(|(index, (rule, found))| (rule, rule_list(totals, index, rule, found))).collect();
        let all = totals.severities.all();
        let findings = List::new(About {
            stem: FINDINGS.to_owned(),
            kind: FINDINGS,
            is_grouped: true,
            heading: "Findings by repository".to_owned(),
            counts: texts::counted(all, "finding", "findings"),
            severities: severities(totals.severities),
            rows: all,
            ..About::default()
        });
        let changes = ChangeLists::new(totals.changes.as_ref());
        Ok(Lists { totals, environment, pages, findings, rules, changes })
    }

    /// Adds the findings of the repository that was counted with this number. Those without findings and copies of others need not come.
    ///
    /// # Errors
    ///
    /// Where a page cannot be written, or these are not the findings that were counted.
    pub fn add(&mut self, number: usize, repository: &Repository<'_>) -> io::Result<()> {
        let counted = self.totals.repositories.get(number).map(|it| it.severities.all());
        if repository.original.is_some() || counted != Some(repository.findings.len() as u64) {
            return Err(changed());
        }
        let name = texts::name(repository.name);
        let page = link_of_repository(self.totals, number);
        for (index, finding) in repository.findings.iter().enumerate() {
            let texts = Texts::of(finding);
            let of_rule = texts.row(finding, "", &name, &page);
            let of_rule =
                rendered(&self.environment, "audit-finding.html", context! { row => Value::from(Serde(&of_rule)) })?;
            let rule = self.rules.get_mut(finding.rule).ok_or_else(changed)?;
            rule.add(&self.environment, &of_rule, self.pages)?;
            let is_first = index == 0;
            let starts = is_first || self.findings.is_at_start_of_page();
            let ends = index + 1 == repository.findings.len() || self.findings.is_at_end_of_page();
            let rule = texts::name(finding.rule);
            let row = texts.row(finding, &rule, "", "");
            let group = Group { anchor: format!("r{number}"), name: &name, is_first, starts, ends };
            let row = group.rendered(&self.environment, &row)?;
            self.findings.add(&self.environment, &row, self.pages)?;
        }
        Ok(())
    }

    /// Adds a change that was counted. They come in the order in which they were counted.
    ///
    /// # Errors
    ///
    /// Where a page cannot be written, or it was not counted.
    pub fn add_change(&mut self, change: &Changed<'_>) -> io::Result<()> {
        self.changes.add(change, &self.environment, self.pages)
    }

    /// Ends all lists.
    ///
    /// # Errors
    ///
    /// Where findings or changes that were counted did not come.
    pub fn finish(self) -> io::Result<()> {
        let mut lists = self.rules.values().chain([&self.findings]).chain(self.changes.iter());
        if lists.all(List::is_whole) { Ok(()) } else { Err(changed()) }
    }
}

/// A row among those of its repository on a page.
pub struct Group<'a> {
    /// What links to the first row lead to.
    pub anchor: String,
    pub name: &'a str,
    pub is_first: bool,
    /// Whether it is the first one on its page.
    pub starts: bool,
    /// Whether it is the last one.
    pub ends: bool,
}

impl Group<'_> {
    pub fn rendered(&self, environment: &Environment<'_>, row: &FindingRow<'_>) -> io::Result<String> {
        let &Group { ref anchor, name, is_first, starts, ends } = self;
        let values = context! { row => Value::from(Serde(row)), anchor, name, is_first, starts, ends };
        rendered(environment, "audit-group.html", values)
    }
}

/// What a finding's rows have in common.
pub struct Texts {
    place: String,
    message: String,
    condition: String,
    code: String,
}

impl Texts {
    pub fn of(finding: &Finding<'_>) -> Texts {
        Texts {
            place: texts::place(finding),
            message: texts::message(finding),
            condition: texts::condition(finding),
            code: texts::code(finding),
        }
    }

    pub fn row<'a>(
        &'a self,
        finding: &Finding<'_>,
        rule: &'a str,
        repository: &'a str,
        page: &'a str,
    ) -> FindingRow<'a> {
        FindingRow {
            severity: finding.severity.as_str(),
            certain: finding.certain,
            has_edit: finding.has_edit,
            rule,
            repository,
            page,
            place: &self.place,
            message: &self.message,
            condition: &self.condition,
            code: &self.code,
        }
    }
}

pub fn severities(counts: SeverityCounts) -> Vec<&'static str> {
    counts.there().into_iter().map(Severity::as_str).collect()
}

fn rule_list<'a>(totals: &'a Totals, index: usize, rule: &str, found: &RuleTotals) -> List<'a> {
    let counts = format!(
        "{} in {}",
        texts::counted(found.severities.all(), "finding", "findings"),
        texts::counted(found.repositories, "repository", "repositories")
    );
    List::new(About {
        stem: stem_of_rule(index),
        kind: RULE,
        heading: texts::name(rule),
        title: totals.title(rule),
        counts,
        severities: severities(found.severities),
        rows: found.severities.all(),
        ..About::default()
    })
}

/// Writes the list of repositories.
fn repositories(totals: &Totals, environment: &Environment<'_>, pages: &mut dyn Pages) -> io::Result<()> {
    let there = totals.statuses.iter().filter(|status| status.repositories > 0);
    let mut list = List::new(About {
        stem: REPOSITORIES.to_owned(),
        kind: REPOSITORIES,
        heading: "Repositories by findings".to_owned(),
        counts: texts::counted(totals.repository_count(), "repository", "repositories"),
        statuses: there.map(|status| status.status).collect(),
        rows: totals.repository_count(),
        ..About::default()
    });
    for number in totals.by_findings() {
        let row = repository_row(totals, number, &|page| page.to_owned());
        let row = rendered(environment, "audit-repository.html", context! { row => Value::from(Serde(&row)) })?;
        list.add(environment, &row, pages)?;
    }
    Ok(())
}

/// Writes the list of rules, where the page has not all of them.
fn all_rules(totals: &Totals, environment: &Environment<'_>, pages: &mut dyn Pages) -> io::Result<()> {
    let rules = totals.rules();
    if rules.len() <= MOST_RULES {
        return Ok(());
    }
    let mut list = List::new(About {
        stem: RULES.to_owned(),
        kind: RULES,
        heading: "Rules by repositories".to_owned(),
        counts: texts::counted(rules.len() as u64, "rule", "rules"),
        severities: severities(totals.severities),
        rows: rules.len() as u64,
        ..About::default()
    });
    for (index, (rule, found)) in rules.into_iter().enumerate() {
        let row = rule_row(totals, index, rule, found, &str::to_owned);
        let row = rendered(environment, "audit-rule.html", context! { row => Value::from(Serde(&row)) })?;
        list.add(environment, &row, pages)?;
    }
    Ok(())
}
