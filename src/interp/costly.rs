//! Calls in modules that cost too much. One that takes more steps than an entry has, such as a walk through folders that nobody knows, is taken
//! back: what it gives is unknown, and the module goes on. A module that ended there would leave everything unknown that is defined behind the
//! call, in it and in whoever imports it. Long calls that modules make again and again, such as decorators that write documentation, are
//! followed until they have taken a few entries' steps together. Later calls of such functions are not followed.

use std::sync::Arc;

use crate::corpus::Span;
use crate::interp::heap::LogMark;
use crate::interp::machine::{Eval, Interpreter, Interrupt};
use crate::interp::value::Value;
use crate::python::ir::Function;
use crate::shape::Mark;

/// Steps that all calls that were taken back may have taken.
pub const MOST_STEPS: u64 = 2_000_000;
/// A call is taken back that took such a part of the steps of an entry, the innermost one that did.
const PART: u64 = 2;
/// Calls with fewer steps are cheap, however many there are.
const LONG: u64 = 1_000;
/// Long calls of a function may take so many times the steps of an entry.
const MOST_TIMES: u64 = 1;
const TOO_COSTLY: &str = "a call that takes more steps than the analysis has";

/// What kind of entry runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryKind {
    Script,
    Module,
    /// A function or a method that nobody calls.
    #[default]
    Symbolic,
}

/// The state of the program when a call began.
pub(super) struct BeforeCall {
    steps: u64,
    heap: LogMark,
    solver: Mark,
    path: usize,
    pending: usize,
    calls: usize,
    loops: usize,
    circumstances: usize,
    caught: usize,
    expected: usize,
    abstract_loops: usize,
}

impl Interpreter<'_> {
    /// What a function gives that is known to cost too much, where the program does not run as a script.
    pub(super) fn result_of_costly(&mut self, function: &Function, span: Span) -> Option<Value> {
        if self.entry_kind == EntryKind::Script || !self.costs_too_much(function) {
            return None;
        }
        self.not_understood(TOO_COSTLY, span);
        Some(self.symbolic("result", span, true))
    }

    fn costs_too_much(&self, function: &Function) -> bool {
        let steps = self.costly.get(&(function.file, function.range.start)).copied().unwrap_or(0);
        steps > MOST_TIMES * self.options.limits.steps
    }

    pub(super) fn before_call(&self) -> BeforeCall {
        BeforeCall {
            steps: self.steps,
            heap: self.heap.mark(),
            solver: self.solver.mark(),
            path: self.path.len(),
            pending: self.pending.len(),
            calls: self.call_stack.len(),
            loops: self.loop_stack.len(),
            circumstances: self.circumstances.len(),
            caught: self.caught,
            expected: self.expected.len(),
            abstract_loops: self.abstract_loops,
        }
    }

    /// The result of a call. One that took most of a module's steps, until there were none left, is taken back, and the module gets its steps
    /// back.
    pub(super) fn unless_costly(
        &mut self,
        result: Eval,
        function: &Arc<Function>,
        before: BeforeCall,
        span: Span,
    ) -> Eval {
        let used = self.steps.saturating_sub(before.steps);
        if self.entry_kind == EntryKind::Module && used >= LONG {
            let steps = self.costly.entry((function.file, function.range.start)).or_default();
            *steps = steps.saturating_add(used);
        }
        let is_costly = matches!(result, Err(Interrupt::Budget(_)))
            && self.exhausted == Some("steps")
            && self.entry_kind == EntryKind::Module
            && used >= self.options.limits.steps / PART
            && used <= self.costly_steps;
        if !is_costly {
            return result;
        }
        self.costly_steps -= used;
        self.entry_steps += used;
        self.exhausted = None;
        self.costly.insert((function.file, function.range.start), u64::MAX);
        self.heap.undo(before.heap);
        self.solver.rollback(before.solver);
        self.path.truncate(before.path);
        self.pending.truncate(before.pending);
        self.call_stack.truncate(before.calls);
        self.call_shared = self.call_stack.as_slice().into();
        self.loop_stack.truncate(before.loops);
        self.loop_rounds.truncate(before.loops);
        self.share_loops();
        self.circumstances.truncate(before.circumstances);
        self.caught = before.caught;
        self.expected.truncate(before.expected);
        self.abstract_loops = before.abstract_loops;
        self.not_understood(TOO_COSTLY, span);
        Ok(self.symbolic("result", span, true))
    }
}
