//! What of a script was executed when it was an entry: which arms of its branches, what stands behind its own end, and
//! whether it came to a training step. What did not run is not vouched for.

use crate::budget::costly_calls::EntryKind;
use crate::entries::waiting_arms::may_fail;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_annotations::Role;
use harp_corpus::{FileId, Span};
use harp_python::ir::{Expr, ExprKind, Handler, Range, Stmt};
use harp_trace::{AFTER_END, TrainingStep};
use rustc_hash::{FxHashMap, FxHashSet};

/// What was executed so far.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Branches by file and start, with the arm that was taken. Those of all entries together: an arm that ran once was
    /// looked at.
    arms: FxHashSet<(FileId, u32, bool)>,
    /// Handlers that took an exception, by file and start.
    handlers: FxHashSet<(FileId, u32)>,
    /// What it means in words that a handler takes none.
    unused_handlers: FxHashMap<String, Vec<(FileId, u32)>>,
    /// The statement behind the one that raised last.
    behind: Option<Span>,
    /// How many requirements had not held before the running statement of a module.
    issues_before: u64,
    /// Whether the run ended in an exception of the program's own.
    pub raises: bool,
    /// Whether the running entry came to a training step.
    pub reached_step: bool,
}

impl Coverage {
    /// Notes that an arm of a branch is executed.
    pub(crate) fn note_arm(&mut self, test: Span, taken: bool) {
        self.arms.insert((test.file, test.start, taken));
    }

    /// Whether an arm of a branch was executed.
    pub(crate) fn ran(&self, file: FileId, test: Range, arm: bool) -> bool {
        self.arms.contains(&(file, test.start, arm))
    }

    /// The arm of a branch that was not executed, of one that was reached.
    pub(crate) fn missing_arm(&self, file: FileId, test: Range) -> Option<bool> {
        match (self.ran(file, test, true), self.ran(file, test, false)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// Notes that a handler takes an exception.
    pub(crate) fn note_handler(&mut self, handler: Span) {
        self.handlers.insert((handler.file, handler.start));
    }

    /// Whether a condition speaks of handlers alone that took an exception since.
    fn is_outdated(&self, condition: &str) -> bool {
        let handlers = self.unused_handlers.get(condition);
        handlers.is_some_and(|handlers| handlers.iter().all(|handler| self.handlers.contains(handler)))
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
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        // What ends with a finding is told with it.
        let is_own = self.coverage.issues_before == self.entry.issues_met;
        if let (Some(behind), true) = (self.coverage.behind.take(), is_script && is_own) {
            self.unproved(AFTER_END, behind);
        }
    }

    /// A run with other options ended in an exception: whether the program raises it, as it refuses what it was given.
    pub(crate) fn note_end_of_run(&mut self) {
        let is_own = self.exceptions.raised.is_own && !self.exits();
        self.coverage.raises = is_own && self.coverage.issues_before == self.entry.issues_met;
    }

    /// States that handlers of a `try` did not run, as a condition of the verdict, as far as something in them may fail.
    pub(crate) fn state_unused_handlers(&mut self, handlers: &[Handler]) {
        let file = self.file();
        if self.inference.is_some() || self.corpus.is_foreign(file) || self.corpus.is_standard(file) {
            return;
        }
        for handler in handlers {
            let span = self.span(handler.range);
            let place = (span.file, span.start);
            if self.coverage.handlers.contains(&place) || !handler.body.iter().any(may_fail) {
                continue;
            }
            let header = self.source_text(span).lines().next().unwrap_or_default().trim().trim_end_matches(':');
            let condition = format!("`{header}` does not run");
            let known = self.coverage.unused_handlers.entry(condition.clone()).or_default();
            if !known.contains(&place) {
                known.push(place);
            }
            self.provided(condition);
        }
    }

    /// Conditions without those of handlers that took an exception later on.
    pub(crate) fn without_used_handlers(&self, mut conditions: Vec<String>) -> Vec<String> {
        conditions.retain(|condition| !self.coverage.is_outdated(condition));
        conditions
    }

    /// Notes a training step: the call of a `backward`, or of the `step` of an optimizer.
    pub(crate) fn note_training_step(&mut self, function: &Expr, callee: &Value) {
        let ExprKind::Attribute { attribute, .. } = &function.kind else { return };
        if self.entry.is_behind_end || self.coverage.reached_step {
            return;
        }
        self.coverage.reached_step = match attribute.as_str() {
            "backward" => true,
            "step" => match callee {
                Value::LibraryMethod(method) => {
                    let (class, _) = self.owner_and_member(method.api);
                    self.stands_for(&Value::Library(class), Role::Optimizer)
                }
                _ => false,
            },
            _ => false,
        };
    }

    /// Whether the running entry came to a training step, where its files have one.
    pub(crate) fn training_step(&self) -> TrainingStep {
        let has_step = |file: &FileId| self.corpus.file(*file).is_some_and(|file| has_training_step(&file.text));
        if self.coverage.reached_step {
            TrainingStep::Reached
        } else if self.entry.executed_files.iter().any(has_step) {
            TrainingStep::NotReached
        } else {
            TrainingStep::None
        }
    }
}

/// Whether a program's text has the call of a `backward`, or of the `step` of what is named as optimizers are.
fn has_training_step(text: &str) -> bool {
    // Few files have one, and the lines of the others are not looked at.
    if !(text.contains(".step(") || text.contains(".backward(")) {
        return false;
    }
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    text.lines().filter(is_code).any(|line| {
        let steps = line.match_indices(".step(").any(|(at, _)| {
            let owner = line[..at].rsplit(|next: char| !(next.is_alphanumeric() || next == '_')).next();
            owner.is_some_and(|owner| owner.to_lowercase().contains("opt"))
        });
        steps || line.contains(".backward(")
    })
}
