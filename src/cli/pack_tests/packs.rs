//! `harp test`: the tests of a whole pack, that is every page, and whether every rule has one that tests it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::packs::Pack;
use crate::pipeline::Rules;
use harp_report::UserError;

use super::recorded::Recorded;
use super::{Bench, Counted, PageResult};

/// Markdown files of a pack that need not be about a rule.
const OTHER_PAGES: [&str; 3] = ["README", "CHANGELOG", "CONTRIBUTING"];

/// What came of a pack's tests.
#[derive(Default)]
pub struct PackResult {
    pub name: String,
    pub pages: Vec<Page>,
    /// Rules that are not tested.
    pub failures: Vec<String>,
    /// What is odd and no failure.
    pub warnings: Vec<String>,
    /// What came of recorded calls, where some were given.
    pub recorded: Option<Recorded>,
}

/// A Markdown file that was run.
pub struct Page {
    /// As it is called in messages.
    pub file: String,
    pub text: String,
    pub result: PageResult,
}

/// What is counted of several pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub pages: usize,
    pub blocks: usize,
    pub statements: usize,
    pub failures: usize,
    pub warnings: usize,
}

impl PackResult {
    pub fn totals(&self) -> Totals {
        let sum = |count: fn(&PageResult) -> usize| self.pages.iter().map(|page| count(&page.result)).sum::<usize>();
        Totals {
            pages: self.pages.len(),
            blocks: sum(|page| page.blocks),
            statements: sum(|page| page.statements),
            failures: sum(|page| page.failures.len()) + self.failures.len(),
            warnings: self.warnings.len(),
        }
    }
}

impl Totals {
    pub fn of(results: &[PackResult]) -> Totals {
        results.iter().map(PackResult::totals).fold(Totals::default(), |sum, more| Totals {
            pages: sum.pages + more.pages,
            blocks: sum.blocks + more.blocks,
            statements: sum.statements + more.statements,
            failures: sum.failures + more.failures,
            warnings: sum.warnings + more.warnings,
        })
    }
}

/// Runs the tests of one of the packs.
pub fn test(rules: &Rules<'_>, pack: &Pack) -> Result<PackResult, Box<UserError>> {
    let name = pack.manifest.name.as_str();
    let bench = Bench::new(rules, Some(name), Counted::OwnAndNamed);
    let tests = pack.tests()?;
    let run = |(path, text): (&String, &String)| Page {
        file: pack.name_of(path),
        text: text.clone(),
        result: bench.run(text),
    };
    let pages: Vec<Page> = tests.par_iter().map(run).collect();
    let mut result =
        PackResult { name: name.to_owned(), pages, failures: Vec::new(), warnings: Vec::new(), recorded: None };
    let own = format!("{name}/");
    let descriptions = rules.descriptions();
    let ids: Vec<&str> = descriptions.iter().filter_map(|rule| rule.id.strip_prefix(&own)).collect();
    let by_path: BTreeMap<&str, &PageResult> =
        tests.keys().map(String::as_str).zip(result.pages.iter().map(|page| &page.result)).collect();
    for id in &ids {
        let page = format!("{id}.md");
        match by_path.get(page.as_str()) {
            None => result.failures.push(format!("the rule `{own}{id}` has no page `{}`", pack.name_of(&page))),
            Some(tested) => untested(&format!("{own}{id}"), tested, &mut result.failures, &mut result.warnings),
        }
    }
    for page in pack.pages.keys().filter(|page| !ids.contains(&page.as_str()) && !OTHER_PAGES.contains(&page.as_str()))
    {
        result
            .warnings
            .push(format!("the page {} is of no rule: there is no `{own}{page}`", pack.name_of(&format!("{page}.md"))));
    }
    for page in &result.pages {
        result.warnings.extend(page.result.warnings.iter().map(|warning| format!("{}: {warning}", page.file)));
    }
    Ok(result)
}

/// Says what the page of a rule does not show of it.
fn untested(rule: &str, page: &PageResult, failures: &mut Vec<String>, warnings: &mut Vec<String>) {
    // Where something failed, that comes first: it may be the statement that is missed here.
    if !page.found.contains(rule) && page.failures.is_empty() {
        failures.push(format!("no statement of its page expects the rule `{rule}` to find something (`# expect: …`)"));
    }
    if !page.has_ok && !page.silent.contains(rule) {
        warnings.push(format!("no line of its page states that the rule `{rule}` is silent (`# ok`)"));
    }
}
