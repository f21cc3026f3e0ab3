//! The report of an audit: the pages with lists, which are written while their rows come.

use std::collections::BTreeMap;
use std::io;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

use crate::Severity;

use super::overview::environment;
use super::totals::{RuleTotals, SeverityCounts, Totals};
use super::{FOLDER, Finding, PAGE, Pages, ROWS_OF_PAGE, Repository, texts};

/// How the names of lists begin: a rule's has its number behind it.
pub const RULE: &str = "rule";
pub const REPOSITORIES: &str = "repositories";
const FINDINGS: &str = "findings";

/// So many bytes of a page are held before they are written.
const HELD: usize = 64 << 10;

/// The name of a page of a list in the folder of lists. Nothing in it comes from a repository.
pub fn page_name(list: &str, page: u64) -> String {
    format!("{list}-{page}.html")
}

/// Where the findings of a repository begin, for a page in the folder of lists.
pub fn link_of_repository(totals: &Totals, number: usize) -> String {
    let page = totals.repositories.get(number).map_or(1, super::totals::RepositoryTotals::page);
    format!("{}#r{number}", page_name(FINDINGS, page))
}

/// A page of a list with what leads to it and on.
#[derive(Debug, Serialize)]
struct PageView<'a> {
    list: &'a str,
    heading: &'a str,
    title: &'a str,
    counts: &'a str,
    home: String,
    number: u64,
    count: u64,
    previous: Option<String>,
    next: Option<String>,
    /// Severities that its rows may have.
    severities: Vec<&'static str>,
    statuses: &'a [&'static str],
}

/// A list, of which one page is unfinished.
struct List<'a> {
    /// What its pages are called.
    stem: String,
    /// What kind of list it is.
    kind: &'static str,
    heading: String,
    title: &'a str,
    counts: String,
    severities: Vec<&'static str>,
    statuses: Vec<&'static str>,
    rows: u64,
    written: u64,
    text: String,
}

impl List<'_> {
    fn is_at_start_of_page(&self) -> bool {
        self.written.is_multiple_of(ROWS_OF_PAGE)
    }

    /// Whether the next row is the last one of its page.
    fn is_at_end_of_page(&self) -> bool {
        (self.written + 1).is_multiple_of(ROWS_OF_PAGE) || self.written + 1 == self.rows
    }

    fn page(&self) -> u64 {
        self.written / ROWS_OF_PAGE + 1
    }

    /// Adds a row, and what begins and ends its page.
    fn add(&mut self, environment: &Environment<'_>, row: &str, pages: &mut dyn Pages) -> io::Result<()> {
        if self.written >= self.rows {
            return Err(changed());
        }
        let page = format!("{FOLDER}/{}", page_name(&self.stem, self.page()));
        let (starts, ends) = (self.is_at_start_of_page(), self.is_at_end_of_page());
        if starts {
            self.text.push_str(&self.part(environment, "audit-start.html")?);
        }
        self.text.push_str(row);
        if ends {
            self.text.push_str(&self.part(environment, "audit-end.html")?);
        }
        if ends || self.text.len() > HELD {
            pages.add(&page, &self.text)?;
            self.text.clear();
        }
        self.written += 1;
        Ok(())
    }

    /// The beginning or the end of the page that the next row is on.
    fn part(&self, environment: &Environment<'_>, template: &str) -> io::Result<String> {
        let (number, count) = (self.page(), self.rows.div_ceil(ROWS_OF_PAGE));
        let page = PageView {
            list: self.kind,
            heading: &self.heading,
            title: self.title,
            counts: &self.counts,
            home: format!("../{PAGE}"),
            number,
            count,
            previous: (number > 1).then(|| page_name(&self.stem, number - 1)),
            next: (number < count).then(|| page_name(&self.stem, number + 1)),
            severities: self.severities.clone(),
            statuses: &self.statuses,
        };
        rendered(environment, template, context! { page => Value::from(Serde(&page)) })
    }
}

/// Somebody else wrote to the folder of the audit.
fn changed() -> io::Error {
    io::Error::other("its findings changed while they were listed")
}

fn rendered(environment: &Environment<'_>, template: &str, values: Value) -> io::Result<String> {
    let template = environment.get_template(template).map_err(io::Error::other)?;
    template.render(values).map_err(io::Error::other)
}

/// A finding as a row.
#[derive(Debug, Serialize)]
struct FindingRow<'a> {
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
}

impl<'a> Lists<'a> {
    /// Begins with what was counted, and writes the list of repositories.
    ///
    /// # Errors
    ///
    /// Where a page cannot be written.
    pub fn new(totals: &'a Totals, pages: &'a mut dyn Pages) -> io::Result<Lists<'a>> {
        let environment = environment()?;
        repositories(totals, &environment, pages)?;
        let rules = totals.rules().into_iter().enumerate();
        let rules = rules.map(|(index, (rule, found))| (rule, rule_list(totals, index, rule, found))).collect();
        let all = totals.severities.all();
        let findings = List {
            stem: FINDINGS.to_owned(),
            kind: FINDINGS,
            heading: "Findings by repository".to_owned(),
            title: "",
            counts: texts::counted(all, "finding", "findings"),
            severities: severities(totals.severities),
            statuses: Vec::new(),
            rows: all,
            written: 0,
            text: String::new(),
        };
        Ok(Lists { totals, environment, pages, findings, rules })
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
            let values = context! { row => Value::from(Serde(&row)), starts, ends, is_first, number, name => &name };
            let row = rendered(&self.environment, "audit-group.html", values)?;
            self.findings.add(&self.environment, &row, self.pages)?;
        }
        Ok(())
    }

    /// Ends all lists.
    ///
    /// # Errors
    ///
    /// Where findings that were counted did not come.
    pub fn finish(self) -> io::Result<()> {
        let mut lists = self.rules.values().chain([&self.findings]);
        if lists.all(|list| list.written == list.rows) { Ok(()) } else { Err(changed()) }
    }
}

/// What a finding's rows have in common.
struct Texts {
    place: String,
    message: String,
    condition: String,
    code: String,
}

impl Texts {
    fn of(finding: &Finding<'_>) -> Texts {
        Texts {
            place: texts::place(finding),
            message: texts::message(finding),
            condition: texts::condition(finding),
            code: texts::code(finding),
        }
    }

    fn row<'a>(&'a self, finding: &Finding<'_>, rule: &'a str, repository: &'a str, page: &'a str) -> FindingRow<'a> {
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

fn severities(counts: SeverityCounts) -> Vec<&'static str> {
    counts.there().into_iter().map(Severity::as_str).collect()
}

fn rule_list<'a>(totals: &'a Totals, index: usize, rule: &str, found: &RuleTotals) -> List<'a> {
    let counts = format!(
        "{} in {}",
        texts::counted(found.severities.all(), "finding", "findings"),
        texts::counted(found.repositories, "repository", "repositories")
    );
    List {
        stem: format!("{RULE}-{}", index + 1),
        kind: RULE,
        heading: texts::name(rule),
        title: totals.title(rule),
        counts,
        severities: severities(found.severities),
        statuses: Vec::new(),
        rows: found.severities.all(),
        written: 0,
        text: String::new(),
    }
}

/// Writes the list of repositories.
fn repositories(totals: &Totals, environment: &Environment<'_>, pages: &mut dyn Pages) -> io::Result<()> {
    let there = totals.statuses.iter().filter(|status| status.repositories > 0);
    let mut list = List {
        stem: REPOSITORIES.to_owned(),
        kind: REPOSITORIES,
        heading: "Repositories by findings".to_owned(),
        title: "",
        counts: texts::counted(totals.repository_count(), "repository", "repositories"),
        severities: Vec::new(),
        statuses: there.map(|status| status.status).collect(),
        rows: totals.repository_count(),
        written: 0,
        text: String::new(),
    };
    for number in totals.by_findings() {
        let row = repository_row(totals, number, &|page| page.to_owned());
        let row = rendered(environment, "audit-repository.html", context! { row => Value::from(Serde(&row)) })?;
        list.add(environment, &row, pages)?;
    }
    Ok(())
}
