//! The report of an audit: what the page and the summary show of what changed since an earlier one.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Severity;

use super::change_lists::{link_of_kind, link_of_repository};
use super::change_totals::{ChangeTotals, Counts, KindTotals};
use super::overview::in_folder;
use super::totals::Totals;
use super::{lists, texts};

/// So many repositories and rules are on the page.
const MOST: usize = 100;

/// What changed, for a reader.
#[derive(Debug, Serialize)]
pub struct Changes {
    /// How many changes of which kind.
    counts: String,
    kinds: Vec<KindRow>,
    rules: Vec<RuleRow>,
    more_rules: usize,
    repositories: Vec<RepositoryRow>,
    more_repositories: String,
    /// Whether some repositories have the files of others.
    has_copies: bool,
}

#[derive(Debug, Serialize)]
struct KindRow {
    word: &'static str,
    meaning: &'static str,
    findings: Cell,
    repositories: String,
    errors: String,
    warnings: String,
    notes: String,
}

#[derive(Debug, Serialize)]
struct RuleRow {
    rule: String,
    /// Where its findings of now are; empty where there is none.
    page: String,
    /// Of each kind.
    counts: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct RepositoryRow {
    name: String,
    counts: Vec<Cell>,
}

/// A number, and where that many findings are.
#[derive(Debug, Serialize)]
struct Cell {
    /// Empty for none.
    count: String,
    /// Empty where no page has them alone.
    page: String,
}

impl Cell {
    fn new(count: u64, page: impl FnOnce() -> String) -> Cell {
        match count {
            0 => Cell { count: String::new(), page: String::new() },
            count => Cell { count: texts::number(count), page: page() },
        }
    }
}

impl Changes {
    /// What was compared, with so many rules at most, if they are fewer than the page's; `None` where nothing was.
    pub fn of(totals: &Totals, most: usize) -> Option<Changes> {
        let changes = totals.changes.as_ref()?;
        let counts = changes.kinds.iter().map(|kind| format!("{} {}", texts::number(kind.severities.all()), kind.word));
        let numbers = changes.by_changes();
        let more = numbers.len().saturating_sub(MOST);
        let rules = changes.rules();
        let most = most.min(MOST);
        let numbers_of_rules: BTreeMap<&str, usize> =
            totals.rules().iter().enumerate().map(|(number, (rule, _))| (*rule, number)).collect();
        let page = |rule: &str| numbers_of_rules.get(rule).map(|number| in_folder(&lists::link_of_rule(*number)));
        Some(Changes {
            counts: counts.collect::<Vec<_>>().join(", "),
            kinds: changes.kinds.iter().map(kind_row).collect(),
            rules: rules.iter().take(most).map(|(rule, counts)| rule_row(rule, counts, page(rule))).collect(),
            more_rules: rules.len().saturating_sub(most),
            repositories: numbers.iter().take(MOST).map(|number| repository_row(changes, *number)).collect(),
            more_repositories: if more == 0 { String::new() } else { texts::number(more as u64) },
            has_copies: totals.copies() > 0,
        })
    }
}

fn kind_row(kind: &KindTotals) -> KindRow {
    let of = |severity| texts::number(kind.severities.of(severity));
    let all = kind.severities.all();
    let page = if all == 0 { String::new() } else { in_folder(&link_of_kind(kind)) };
    KindRow {
        word: kind.word,
        meaning: kind.meaning,
        findings: Cell { count: texts::number(all), page },
        repositories: texts::number(kind.repositories),
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        notes: of(Severity::Note),
    }
}

fn rule_row(rule: &str, counts: &Counts, page: Option<String>) -> RuleRow {
    RuleRow {
        rule: texts::name(rule),
        page: page.unwrap_or_default(),
        counts: counts.iter().map(|count| Cell::new(u64::from(*count), String::new)).collect(),
    }
}

fn repository_row(changes: &ChangeTotals, number: usize) -> RepositoryRow {
    let repository = &changes.repositories[number];
    let cell = |(kind, count): (usize, &u32)| {
        Cell::new(u64::from(*count), || in_folder(&link_of_repository(changes, number, kind)))
    };
    RepositoryRow { name: repository.name.clone(), counts: repository.counts.iter().enumerate().map(cell).collect() }
}
