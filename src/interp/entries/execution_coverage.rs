//! What of a script was executed: which arms of its branches, what stands behind its own end, and whether it came to a
//! training step. What did not run is not vouched for.

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::{FileId, Span};
use harp_python::ir::{Expr, ExprKind, Range, Stmt};
use harp_python::name::Name;
use harp_trace::TrainingStep;
use rustc_hash::FxHashSet;

/// Why an entry is not vouched for of which an exception of its own ended the execution.
const BEHIND_END: &str = "code behind an exit of the program, which did not run";

/// What was executed so far.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Branches by file and start, with the arm that was taken. Those of all entries together: an arm that ran once was
    /// looked at.
    arms: FxHashSet<(FileId, u32, bool)>,
    /// The statement behind the one that raised last.
    behind: Option<Span>,
    /// How many requirements had not held before the running statement of a module.
    issues_before: u64,
    /// Whether the running entry came to a training step.
    pub reached_step: bool,
}

impl Coverage {
    /// Notes that an arm of a branch is executed.
    pub(crate) fn note_arm(&mut self, test: Span, taken: bool) {
        self.arms.insert((test.file, test.start, taken));
    }

    /// The arm of a branch that was not executed, of one that was reached.
    pub(crate) fn missing_arm(&self, file: FileId, test: Range) -> Option<bool> {
        let ran = |arm| self.arms.contains(&(file, test.start, arm));
        match (ran(true), ran(false)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// A statement of a module begins.
    pub(crate) fn begin_statement(&mut self, issues_met: u64) {
        self.behind = None;
        self.issues_before = issues_met;
    }
}

impl Interpreter<'_> {
    /// Notes the statement that an exception keeps from running.
    pub(crate) fn note_behind(&mut self, next: Option<&Stmt>) {
        if let Some(next) = next {
            self.coverage.behind = Some(self.span(next.range));
        }
    }

    /// A script ended in an exception of its own: what would have come next within the statement was not executed.
    pub(crate) fn not_run_behind_end(&mut self) {
        let is_script = self.entry_kind != EntryKind::Symbolic && self.inference.is_none();
        // What ends with a finding is told with it.
        let is_own = self.coverage.issues_before == self.issues_met;
        if let (Some(behind), true) = (self.coverage.behind.take(), is_script && is_own) {
            self.unproved(BEHIND_END, behind);
        }
    }

    /// Notes a training step: the call of a `backward`, or of the `step` of an optimizer.
    pub(crate) fn note_training_step(&mut self, function: &Expr, callee: &Value) {
        let ExprKind::Attribute { attribute, .. } = &function.kind else { return };
        if self.is_behind_end || self.coverage.reached_step {
            return;
        }
        self.coverage.reached_step = match attribute.as_str() {
            "backward" => true,
            "step" => matches!(callee, Value::LibraryMethod(method) if is_optimizer(method.api)),
            _ => false,
        };
    }

    /// Whether the running entry came to a training step, where its files have one.
    pub(crate) fn training_step(&self) -> TrainingStep {
        let has_step = |file: &FileId| self.corpus.file(*file).is_some_and(|file| has_training_step(&file.text));
        if self.coverage.reached_step {
            TrainingStep::Reached
        } else if self.executed_files.iter().any(has_step) {
            TrainingStep::NotReached
        } else {
            TrainingStep::None
        }
    }
}

fn is_optimizer(method: Name) -> bool {
    method.as_str().starts_with("torch.optim.") && !method.as_str().contains("lr_scheduler")
}

/// Whether a program's text has the call of a `backward`, or of the `step` of what is named as optimizers are.
fn has_training_step(text: &str) -> bool {
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    text.lines().filter(is_code).any(|line| {
        let steps = line.match_indices(".step(").any(|(at, _)| {
            let owner = line[..at].rsplit(|next: char| !(next.is_alphanumeric() || next == '_')).next();
            owner.is_some_and(|owner| owner.to_lowercase().contains("opt"))
        });
        steps || line.contains(".backward(")
    })
}
