//! The report of an audit: the page with the aggregates.

use std::io::{self, Write};

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

use crate::Severity;

use super::change_views::Changes;
use super::examples::{self, Example};
use super::list::page_name;
use super::lists::{self, REPOSITORIES, RULES};
use super::totals::{RuleTotals, Totals};
use super::{FOLDER, texts};
use crate::pages::templates;

/// What the Content-Security-Policy calls style sheet and script; a test says what they are.
const STYLE_HASH: &str = "sha256-No6IYUhf9ynMhOFpPrNSAeyxhN8fx36SCpsmt02tjAs=";
const SCRIPT_HASH: &str = "sha256-4WEX87AxW1OPZUZuVpwOlmb0TVRqimFXGp3rLeeFUZM=";

/// Rules beyond these are in a list of all of them.
pub const MOST_RULES: usize = 1_000;
/// So many of the rules show all their examples, and so many more show one.
const MOST_WITH_EXAMPLES: [usize; 2] = [100, 500];
/// So many repositories are on the page itself.
const MOST_REPOSITORIES: usize = 100;

/// Writes the page, from which links lead to those of [`super::Lists`].
///
/// # Errors
///
/// Where it cannot be written.
pub fn render(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let environment = environment()?;
    let by_findings = totals.by_findings();
    let shown = by_findings.iter().filter(|number| totals.has_rows(**number)).take(MOST_REPOSITORIES);
    let repositories: Vec<_> = shown.map(|number| lists::repository_row(totals, *number, &in_folder)).collect();
    let all_repositories = match totals.repository_count() {
        0 => String::new(),
        _ => in_folder(&page_name(REPOSITORIES, 1)),
    };
    let page = context! {
        it => Value::from(Serde(&Overview::of(totals))),
        repositories => Value::from(Serde(&repositories)),
        all_repositories,
        all_rules => in_folder(&page_name(RULES, 1)),
    };
    templates::write(&environment, "audit.html", page, out)
}

/// What leads from the page to one in the folder of lists.
pub fn in_folder(page: &str) -> String {
    format!("{FOLDER}/{page}")
}

/// The templates with what all pages of an audit have.
pub fn environment() -> io::Result<Environment<'static>> {
    let mut environment = templates::environment()?;
    environment.add_global("style", Value::from_safe_string(templates::AUDIT_STYLE.to_owned()));
    environment.add_global("script", Value::from_safe_string(templates::AUDIT_SCRIPT.to_owned()));
    environment.add_global("style_hash", STYLE_HASH);
    environment.add_global("script_hash", SCRIPT_HASH);
    Ok(environment)
}

/// The aggregates of an audit, for a reader.
#[derive(Debug, Serialize)]
pub struct Overview {
    counts: String,
    changes: Option<Changes>,
    copies: String,
    severities: Vec<Counted>,
    statuses: Vec<StatusRow>,
    entries: Vec<Counted>,
    training: Vec<Counted>,
    skipped: String,
    not_understood: String,
    /// Of how many repositories the shares are.
    analysed: String,
    rules: Vec<RuleRow>,
    more_rules: usize,
}

#[derive(Debug, Serialize)]
struct Counted {
    what: &'static str,
    count: String,
    share: String,
}

#[derive(Debug, Serialize)]
struct StatusRow {
    status: &'static str,
    meaning: &'static str,
    repositories: String,
    share: String,
    files: String,
    lines: String,
    findings: String,
}

/// A rule as a row.
#[derive(Debug, Serialize)]
pub struct RuleRow {
    rule: String,
    title: String,
    severity: &'static str,
    page: String,
    repositories: String,
    share: String,
    findings: String,
    certain: String,
    with_edit: String,
    examples: Vec<ExampleRow>,
}

#[derive(Debug, Serialize)]
struct ExampleRow {
    repository: String,
    page: String,
    place: String,
    message: String,
    code: String,
}

impl Overview {
    /// All of an audit.
    pub fn of(totals: &Totals) -> Overview {
        Overview::with_rules(totals, MOST_RULES)
    }

    /// The same with so many rules at most.
    pub fn with_rules(totals: &Totals, most: usize) -> Overview {
        let rules = totals.rules();
        let row = |(index, (rule, found)): (usize, &(&str, &RuleTotals))| RuleRow {
            examples: example_rows(totals, index, found),
            ..rule_row(totals, index, rule, found, &in_folder)
        };
        let (files, lines) =
            totals.statuses.iter().fold((0, 0), |(files, lines), status| (files + status.files, lines + status.lines));
        let counted =
            |what, count, whole| Counted { what, count: texts::number(count), share: texts::share(count, whole) };
        let entries = totals.entries;
        let all_entries = entries.no_error + entries.error + entries.unknown;
        let words = ["reached", "not reached", "the program has none", "no script"];
        let analysed = totals.analysed();
        Overview {
            counts: format!(
                "{}, {}, {}, {}",
                texts::counted(totals.repository_count(), "repository", "repositories"),
                texts::counted(totals.severities.all(), "finding", "findings"),
                texts::counted(files, "file", "files"),
                texts::counted(lines, "line", "lines"),
            ),
            changes: Changes::of(totals, most),
            copies: copies(totals),
            severities: severities(totals),
            statuses: statuses(totals),
            entries: vec![
                counted("no shape error possible", entries.no_error, all_entries),
                counted("error", entries.error, all_entries),
                counted("incomplete", entries.unknown, all_entries),
            ],
            training: words
                .into_iter()
                .zip(totals.training)
                .map(|(what, count)| counted(what, count, analysed))
                .collect(),
            skipped: texts::number(totals.skipped),
            not_understood: texts::number(totals.not_understood),
            analysed: texts::counted(analysed, "repository", "repositories"),
            rules: rules.iter().enumerate().take(most).map(row).collect(),
            more_rules: rules.len().saturating_sub(most),
        }
    }
}

/// What is said of repositories that have the files of others; empty where there are none.
fn copies(totals: &Totals) -> String {
    let findings = texts::counted(totals.findings_of_copies, "finding", "findings");
    match totals.copies() {
        0 => String::new(),
        1 => format!("1 repository has the same files as another one; the files and {findings} are counted once."),
        count => {
            let count = texts::number(count);
            format!("{count} repositories have the same files as others; the files and {findings} are counted once.")
        }
    }
}

fn severities(totals: &Totals) -> Vec<Counted> {
    let all = totals.severities.all();
    let row = |severity: Severity| {
        let count = totals.severities.of(severity);
        Counted { what: severity.as_str(), count: texts::number(count), share: texts::share(count, all) }
    };
    [Severity::Error, Severity::Warning, Severity::Note].map(row).into()
}

fn statuses(totals: &Totals) -> Vec<StatusRow> {
    let row = |status: &super::totals::StatusTotals| StatusRow {
        status: status.status,
        meaning: status.meaning,
        repositories: texts::number(status.repositories),
        share: texts::share(status.repositories, totals.repository_count()),
        files: texts::number(status.files),
        lines: texts::number(status.lines),
        findings: texts::number(status.findings),
    };
    totals.statuses.iter().filter(|status| status.repositories > 0).map(row).collect()
}

fn example_rows(totals: &Totals, index: usize, found: &RuleTotals) -> Vec<ExampleRow> {
    let most = match index {
        index if index < MOST_WITH_EXAMPLES[0] => examples::MOST,
        index if index < MOST_WITH_EXAMPLES[1] => 1,
        _ => 0,
    };
    let row = |example: &Example| ExampleRow {
        repository: example.name.clone(),
        page: in_folder(&lists::link_of_repository(totals, example.repository)),
        place: example.place.clone(),
        message: example.message.clone(),
        code: example.code.clone(),
    };
    found.examples.iter().take(most).map(row).collect()
}

/// What lists and the page show of a rule, without examples.
pub fn rule_row(
    totals: &Totals,
    index: usize,
    rule: &str,
    found: &RuleTotals,
    link: &dyn Fn(&str) -> String,
) -> RuleRow {
    RuleRow {
        rule: texts::name(rule),
        title: totals.title(rule).to_owned(),
        severity: found.severities.there().first().map_or("", |severity| severity.as_str()),
        page: link(&lists::link_of_rule(index)),
        repositories: texts::number(found.repositories),
        share: texts::share(found.repositories, totals.analysed()),
        findings: texts::number(found.severities.all()),
        certain: texts::number(found.certain),
        with_edit: texts::number(found.with_edit),
        examples: Vec::new(),
    }
}
