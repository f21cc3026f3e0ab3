//! Which findings rest on defaults: an entry that found something is run again with parameters left open, and what is not found then rests
//! on them.

use crate::entries::rerun_with_other_options::OtherOptions;
use crate::state::interpreter::{Eval, Interpreter};
use harp_corpus::Span;
use harp_trace::assumption::AssumptionId;
use harp_trace::{Issue, Trace};

/// Of an entry with more defaults, findings that rest on any rest on all.
const MOST_DEFAULTS: usize = 24;

/// Runs of an entry that open one default after the other take so many steps together; findings that rest on any then rest on all that are left.
const MOST_STEPS: u64 = 200_000;

/// Which parameters of functions that nobody calls get a value of which nothing is known in place of their default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    None,
    One(Span),
    All,
}

/// What the running entry left to defaults.
#[derive(Clone, Debug)]
pub struct Defaults {
    pub opened: Opened,
    /// The parameters that kept theirs, and what was assumed so.
    pub kept: Vec<(Span, AssumptionId)>,
    /// Steps that may still be taken to find out what rests on defaults.
    pub steps: u64,
    pub others: OtherOptions,
}

impl Default for Defaults {
    fn default() -> Self {
        Defaults { opened: Opened::None, kept: Vec::new(), steps: 4_000_000, others: OtherOptions::default() }
    }
}

impl Interpreter<'_> {
    /// Whether a parameter is left open in this run.
    pub(crate) fn is_opened(&self, parameter: Span) -> bool {
        match self.entry.defaults.opened {
            Opened::None => false,
            Opened::One(one) => one == parameter,
            Opened::All => true,
        }
    }

    /// Adds to what the entry found the defaults without which it would not be found.
    pub(crate) fn attach_defaults(&mut self, entry: (&str, Span), run: &impl Fn(&mut Self) -> Eval<()>) {
        let kept = std::mem::take(&mut self.entry.defaults.kept);
        let found = self.entry.issues.clone();
        if kept.is_empty() || found.is_empty() || self.options.runs_once {
            return;
        }
        let without = self.rehearse(Opened::All, entry, run);
        let mut dependent = Vec::new();
        for index in found {
            match self.same_among(index, &without).map(|same| same.assumptions.clone()) {
                // It rests on what it rests on without the defaults.
                Some(assumptions) => {
                    if let Some(issue) = self.trace.issues.get_mut(index) {
                        issue.assumptions = issue.assumptions.union(&assumptions);
                    }
                }
                None => dependent.push(index),
            }
        }
        if dependent.is_empty() {
            return;
        }
        let mut left = MOST_STEPS;
        for (place, assumption) in &kept {
            left = left.saturating_sub(self.entry.steps);
            let is_exact = kept.len() <= MOST_DEFAULTS && self.entry.defaults.steps > 0 && left > 0;
            let without = if is_exact { self.rehearse(Opened::One(*place), entry, run) } else { Vec::new() };
            for &index in &dependent {
                if self.same_among(index, &without).is_none()
                    && let Some(issue) = self.trace.issues.get_mut(index)
                {
                    issue.assumptions = issue.assumptions.with(*assumption);
                }
            }
        }
    }

    /// What was found, as it is found as surely in another run.
    fn same_among<'a>(&self, index: usize, others: &'a [Issue]) -> Option<&'a Issue> {
        let issue = self.trace.issues.get(index)?;
        others.iter().find(|other| {
            other.span == issue.span
                && other.api == issue.api
                && other.is_same_class(issue)
                && (issue.is_conditional || !other.is_conditional)
                && (issue.left_to_callers.is_some() || other.left_to_callers.is_none())
        })
    }

    /// What is found with parameters left open; nothing else of the run stays.
    fn rehearse(&mut self, opened: Opened, entry: (&str, Span), run: &impl Fn(&mut Self) -> Eval<()>) -> Vec<Issue> {
        let steps =
            self.entry.steps.saturating_mul(2).clamp(1_000, self.options.limits.steps).min(self.entry.defaults.steps);
        self.entry.defaults.opened = opened;
        let (issues, taken) = self.aside(steps, |this| {
            _ = this.contained(entry, run);
            this.entry.steps
        });
        self.entry.defaults.opened = Opened::None;
        self.entry.defaults.steps = self.entry.defaults.steps.saturating_sub(taken);
        self.entry.defaults.kept.clear();
        issues
    }

    /// What is found in a run of which nothing else stays, with what the run tells.
    pub(crate) fn aside<T>(&mut self, steps: u64, run: impl FnOnce(&mut Self) -> T) -> (Vec<Issue>, T) {
        let kept = (self.entry.steps, self.entry.exhausted, self.entry.most_steps);
        let lists = (
            std::mem::take(&mut self.entry.issues),
            std::mem::take(&mut self.entry.not_understood),
            std::mem::take(&mut self.entry.unproved),
            std::mem::take(&mut self.entry.provided),
            std::mem::take(&mut self.entry.inputs),
            std::mem::take(&mut self.entry.assumptions),
            self.entered.clone(),
        );
        let mut trace = std::mem::take(&mut self.trace);
        self.trace = Trace {
            assumptions: std::mem::take(&mut trace.assumptions),
            answers: std::mem::take(&mut trace.answers),
            // Tensors that were made before know what made them.
            operations: std::mem::take(&mut trace.operations),
            ..Trace::default()
        };
        let found = self.isolated(steps, |this| {
            let told = run(this);
            (std::mem::take(&mut this.trace.issues), told)
        });
        trace.assumptions = std::mem::take(&mut self.trace.assumptions);
        trace.answers = std::mem::take(&mut self.trace.answers);
        trace.operations = std::mem::take(&mut self.trace.operations);
        self.trace = trace;
        (self.entry.steps, self.entry.exhausted, self.entry.most_steps) = kept;
        (
            self.entry.issues,
            self.entry.not_understood,
            self.entry.unproved,
            self.entry.provided,
            self.entry.inputs,
            self.entry.assumptions,
            self.entered,
        ) = lists;
        found
    }
}
