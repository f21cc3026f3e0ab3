//! A script whose options are numbers is run again with those that they are by default. What fails there fails as the program stands: it is an error, and says
//! which of the defaults matter. What else was found in what is computed from it is the same mistake.

use crate::entries::rerun_with_other_options::{Aside, MOST_NAMED};
use crate::judge::filters::CONSEQUENCE;
use crate::state::interpreter::Interpreter;
use crate::values::value::OperationId;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_python::project::ModuleId;
use harp_trace::assumption::AssumptionKind;
use harp_trace::{Issue, IssueKind};

/// So many executions of an operation that fails are looked at for what follows from them.
const MOST_FAILED: usize = 8;

/// Runs of a script with numbers as they are by default.
pub(crate) struct DefaultRuns {
    pub main: (ModuleId, bool),
    /// Whether the script itself declares its options.
    pub is_local: bool,
    /// Steps that each may take.
    pub steps: u64,
}

impl Interpreter<'_> {
    /// Runs a script with numbers at their defaults, and adds what fails there alone.
    pub(crate) fn run_at_defaults(
        &mut self,
        entry: Option<usize>,
        mut runs: DefaultRuns,
        numbers: &[(Name, i64)],
        asks_for_words: bool,
    ) {
        let Aside { issues, is_whole, raises, .. } = self.run_aside_at_defaults(&mut runs, None);
        if asks_for_words && is_whole && raises {
            self.need_words(entry, &issues);
        }
        let issues = self.new_of_run(entry, issues);
        if issues.is_empty() {
            return;
        }
        let matters = self.numbers_that_matter(&mut runs, numbers, &issues);
        for (issue, numbers) in issues.into_iter().zip(matters) {
            if asks_for_words || issue.kind != IssueKind::Violated {
                let words = asks_for_words.then(|| "the command line is empty".to_owned());
                let conditions: Vec<String> = words.into_iter().chain(at_defaults(&numbers)).collect();
                self.add_issue_of_option(issue, &conditions.join(" and "));
            } else {
                self.add_issue_at_defaults(issue, &numbers);
            }
        }
    }

    /// A script that refuses an empty command line comes to nothing that stands behind: it fails with words alone.
    fn need_words(&mut self, entry: Option<usize>, without: &[Issue]) {
        let Some(entry) = entry.and_then(|entry| self.trace.entries.get(entry)) else { return };
        for index in entry.issues.clone() {
            let Some(issue) = self.trace.issues.get_mut(index) else { continue };
            let is_met = without.iter().any(|other| other.span == issue.span && other.api == issue.api);
            if issue.kind.is_error() && !issue.is_conditional && !is_met {
                issue.is_conditional = true;
                issue.conditions.push("the command line is not empty".to_owned());
            }
        }
    }

    /// What fails with the numbers of the options at their defaults, all of them or but for one.
    fn run_aside_at_defaults(&mut self, runs: &mut DefaultRuns, open: Option<Name>) -> Aside {
        let steps = runs.steps.min(self.entry.defaults.others.steps_at_defaults);
        self.entry.defaults.others.are_at_defaults = true;
        self.entry.defaults.others.open = open;
        let aside = self.issues_aside(runs.main, runs.is_local, steps);
        self.entry.defaults.others.are_at_defaults = false;
        self.entry.defaults.others.open = None;
        self.entry.defaults.others.steps_at_defaults =
            self.entry.defaults.others.steps_at_defaults.saturating_sub(aside.taken);
        aside
    }

    /// For each issue, the numbers without whose defaults it is not found. Of more than are named, all count.
    fn numbers_that_matter(
        &mut self,
        runs: &mut DefaultRuns,
        numbers: &[(Name, i64)],
        issues: &[Issue],
    ) -> Vec<Vec<(Name, i64)>> {
        let mut matters = vec![numbers.to_vec(); issues.len()];
        if !(2..=MOST_NAMED).contains(&numbers.len()) {
            return matters;
        }
        for (label, _) in numbers {
            let found = self.run_aside_at_defaults(runs, Some(*label)).issues;
            for (issue, matters) in issues.iter().zip(&mut matters) {
                let is_same = |other: &Issue| {
                    other.span == issue.span && other.kind == IssueKind::Violated && !other.is_conditional
                };
                if matters.len() > 1 && found.iter().any(is_same) {
                    matters.retain(|(known, _)| known != label);
                }
            }
        }
        matters
    }

    /// Adds what fails as the program stands: no option has to be given for it.
    fn add_issue_at_defaults(&mut self, mut issue: Issue, numbers: &[(Name, i64)]) {
        let values: Vec<String> = numbers.iter().map(|(label, number)| format!("`{label}` = {number}")).collect();
        let note = match numbers.len() {
            ..=MOST_NAMED => format!("fails at the default {}", values.join(" and ")),
            _ => "fails with the settings at their defaults".to_owned(),
        };
        issue.notes.push((note, issue.span));
        for (id, assumption) in self.trace.assumptions.iter() {
            let is_kept = |(label, _): &(Name, i64)| assumption.subject == label.as_str();
            if assumption.kind == AssumptionKind::DefaultValue && numbers.iter().any(is_kept) {
                issue.assumptions = issue.assumptions.with(id);
            }
        }
        self.silence_consequences(issue.span);
        self.add_issue_of_rerun(issue);
    }

    /// What the script's own run found in what was computed from an operation that fails as the program stands is the same mistake once more.
    fn silence_consequences(&mut self, failed: Span) {
        let operations = self.trace.operations.iter().enumerate();
        let failed: Vec<OperationId> = operations
            .filter(|(_, record)| record.span == failed)
            .map(|(index, _)| OperationId(index as u32 + 1))
            .take(MOST_FAILED)
            .collect();
        let Some(entry) = self.trace.entries.last() else { return };
        let follows = |issue: &Issue| {
            let operands = issue.operands.iter().map(|operand| operand.operation);
            operands.filter(|it| *it != OperationId::NONE).any(|operand| {
                failed.iter().any(|source| operand != *source && self.is_computed_from(operand, *source))
            })
        };
        let known = entry.issues.iter().filter(|index| self.trace.issues.get(**index).is_some_and(follows));
        for index in known.copied().collect::<Vec<_>>() {
            if let Some(issue) = self.trace.issues.get_mut(index) {
                issue.left_to_callers.get_or_insert(CONSEQUENCE);
            }
        }
    }
}

/// The condition under which numbers are what they are by default, in words; none where there are no such numbers.
fn at_defaults(numbers: &[(Name, i64)]) -> Option<String> {
    match numbers {
        [] => None,
        few if few.len() <= MOST_NAMED => {
            let few: Vec<String> = few.iter().map(|(label, number)| format!("`{label}` is {number}")).collect();
            Some(few.join(" and "))
        }
        _ => Some("the numbers of the settings are what they are by default".to_owned()),
    }
}
