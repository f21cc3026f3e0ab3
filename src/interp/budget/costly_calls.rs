//! Cuts short calls in modules that take too many steps. One that takes more steps than an entry has, such as a walk
//! through folders that nobody knows, is taken back: what it gives is unknown, and the module goes on. A module that
//! ended there would leave everything unknown that is defined behind the call, in it and in whoever imports it. Long
//! calls without layers and tensors that modules make again and again, such as decorators that write documentation, are
//! followed until they have taken a few entries' steps together. Later calls of such functions are not followed.
//!
//! Other calls cost too much because nobody knows what they get: each condition in them goes both ways, each value has several alternatives,
//! and what is called with these runs once for each. A helper that looks at files, texts or settings so teaches nothing of tensors,
//! however long it is followed. It is taken back as soon as that shows.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::heap::objects::LogMark;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::Value;
use harp_corpus::{FileId, Span};
use harp_python::ir::Function;
use harp_shape::Mark;
use harp_trace::OperationRecord;

/// Steps that all calls that were taken back may have taken.
const MOST_STEPS: u64 = 2_000_000;
/// A call is taken back that took such a part of the steps of an entry, the innermost one that did.
const PART: u64 = 2;
/// Calls with fewer steps are cheap, however many there are.
const LONG: u64 = 1_000;
/// Long calls of a function may take so many times the steps of an entry.
const MOST_TIMES: u64 = 1;
const TOO_COSTLY: &str = "a call that takes more steps than the analysis has";
/// A call without tensors may take such a part of the steps of an entry on ways that are not known to be taken.
const PART_ON_WAYS: u64 = 20;
/// Steps count as such within so many branches that began in the call. Much runs within one: `if arguments.train:`.
const DEEP: usize = 2;
/// Running calls are looked at when so many steps were taken.
const LOOK: u64 = 256;
const TOO_MANY_WAYS: &str = "a call with more ways through it than are followed";

/// Where a function is defined.
pub(crate) type Place = (FileId, u32);

/// What calls cost.
#[derive(Debug)]
pub struct Costs {
    /// The steps that long calls of functions took in modules.
    steps: FxHashMap<Place, u64>,
    /// Steps that calls may still take that are taken back.
    left: u64,
    /// The calls that run, the innermost last.
    calls: Vec<Running>,
    /// Steps since they were looked at.
    unseen: u64,
    /// Which of them is being taken back.
    ending: Option<usize>,
    /// Operations that take or give tensors. Others read files or draw numbers.
    on_tensors: usize,
    /// Layers that were made.
    layers: usize,
    /// Functions that had too many ways in the running entry.
    of_many_ways: Vec<Place>,
}

/// The calls that ran when an import began.
pub(crate) struct SetAside {
    calls: Vec<Running>,
    ending: Option<usize>,
}

#[derive(Debug)]
struct Running {
    /// How many operations on tensors there were when it began,
    on_tensors: usize,
    /// how many layers,
    layers: usize,
    /// and in how many branches it did.
    arms: usize,
    /// Steps in branches that began in it.
    steps_on_ways: u64,
}

impl Default for Costs {
    fn default() -> Costs {
        let (steps, calls, of_many_ways) = (FxHashMap::default(), Vec::new(), Vec::new());
        Costs { steps, left: MOST_STEPS, calls, unseen: 0, ending: None, on_tensors: 0, layers: 0, of_many_ways }
    }
}

impl Costs {
    /// Forgets the calls of an earlier entry.
    pub(crate) fn begin(&mut self) {
        self.calls.clear();
        self.of_many_ways.clear();
        self.ending = None;
        self.unseen = 0;
    }

    /// Sets the running calls aside: what comes now is no part of them.
    pub(crate) fn set_aside(&mut self) -> SetAside {
        SetAside { calls: std::mem::take(&mut self.calls), ending: self.ending.take() }
    }

    /// Goes on with calls that were set aside.
    pub(crate) fn go_on_with(&mut self, aside: SetAside) {
        (self.calls, self.ending) = (aside.calls, aside.ending);
    }

    /// Notes that a layer was made.
    pub(crate) fn note_layer(&mut self) {
        self.layers += 1;
    }

    /// How many operations on tensors there were, and how many layers were made.
    pub(crate) fn work(&self) -> [usize; 2] {
        [self.on_tensors, self.layers]
    }

    pub(crate) fn note_operation(&mut self, record: &OperationRecord) {
        self.on_tensors += usize::from(!record.inputs.is_empty() || record.shape.is_some());
    }
}

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
pub(crate) struct BeforeCall {
    /// Its number among the running calls.
    number: usize,
    steps: u64,
    /// Those of replayed calls among them.
    all_steps: u64,
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
    pub(crate) fn result_of_costly(&mut self, function: &Function, span: Span) -> Option<Value> {
        let place = (function.file, function.range.start);
        let why = if self.work.costs.of_many_ways.contains(&place) {
            TOO_MANY_WAYS
        } else if self.entry.kind != EntryKind::Script && self.costs_too_much(place) {
            TOO_COSTLY
        } else {
            return None;
        };
        self.not_understood(why, span);
        Some(self.symbolic("result", span, true))
    }

    fn costs_too_much(&self, place: Place) -> bool {
        let steps = self.work.costs.steps.get(&place).copied().unwrap_or(0);
        steps > MOST_TIMES * self.options.limits.steps
    }

    /// Counts steps of the running calls, and ends the innermost of them that goes too many ways without tensors; now and then it looks at the
    /// ceilings of the process.
    pub(crate) fn count_ways(&mut self, steps: u64) -> Eval<()> {
        self.work.costs.unseen += steps;
        if self.work.costs.unseen < LOOK {
            return Ok(());
        }
        if let Some(ceiling) = self.ceiling_reached() {
            return Err(ceiling);
        }
        let steps = std::mem::take(&mut self.work.costs.unseen);
        let (arms, on_tensors) = (self.suspension.arms, self.work.costs.on_tensors);
        let most = self.options.limits.steps / PART_ON_WAYS;
        let mut found = None;
        for (number, call) in self.work.costs.calls.iter_mut().enumerate() {
            if arms >= call.arms + DEEP {
                call.steps_on_ways += steps;
            }
            if call.steps_on_ways > most && call.on_tensors == on_tensors {
                found = Some(number);
            }
        }
        // What the entry itself calls is what it is about; modules go on without it.
        let first = usize::from(self.entry.kind != EntryKind::Module);
        match found.filter(|number| *number >= first && self.work.costs.ending.is_none()) {
            Some(number) => {
                self.work.costs.ending = Some(number);
                Err(self.exhaust("steps"))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn before_call(&mut self) -> BeforeCall {
        let number = self.work.costs.calls.len();
        let (on_tensors, layers, arms) = (self.work.costs.on_tensors, self.work.costs.layers, self.suspension.arms);
        self.work.costs.calls.push(Running { on_tensors, layers, arms, steps_on_ways: 0 });
        BeforeCall {
            number,
            steps: self.entry.steps,
            all_steps: self.steps_without_summaries(),
            heap: self.heap.mark(),
            solver: self.solver.mark(),
            path: self.path.len(),
            pending: self.pending.len(),
            calls: self.calls.stack.len(),
            loops: self.loops.stack.len(),
            circumstances: self.loops.circumstances.len(),
            caught: self.exceptions.caught,
            expected: self.exceptions.expected.len(),
            abstract_loops: self.loops.abstract_loops,
        }
    }

    /// The result of a call. One that took most of a module's steps, until there were none left, is taken back, and the module gets its steps
    /// back. So is one that went too many ways.
    pub(crate) fn unless_costly(
        &mut self,
        result: Eval,
        function: &Arc<Function>,
        before: BeforeCall,
        span: Span,
    ) -> Eval {
        let used = self.entry.steps.saturating_sub(before.steps);
        let place = (function.file, function.range.start);
        let on_ways = self.work.costs.calls.get(before.number).map_or(0, |call| call.steps_on_ways);
        let is_on_tensors =
            self.work.costs.calls.get(before.number).is_some_and(|call| {
                (call.on_tensors, call.layers) != (self.work.costs.on_tensors, self.work.costs.layers)
            });
        self.work.costs.calls.truncate(before.number);
        let without_summaries = self.steps_without_summaries().saturating_sub(before.all_steps);
        if self.entry.kind == EntryKind::Module && without_summaries >= LONG && !is_on_tensors {
            let steps = self.work.costs.steps.entry(place).or_default();
            *steps = steps.saturating_add(without_summaries);
        }
        let is_ending = self.work.costs.ending == Some(before.number);
        if self.work.costs.ending.is_some_and(|ending| ending >= before.number) {
            self.work.costs.ending = None;
        }
        if is_ending && matches!(result, Err(Interrupt::Budget(_))) {
            self.entry.exhausted = None;
            // Those around it go on as if it had cost nothing.
            for call in &mut self.work.costs.calls {
                call.steps_on_ways = call.steps_on_ways.saturating_sub(on_ways);
            }
            self.work.costs.of_many_ways.push(place);
            if self.entry.kind == EntryKind::Module {
                self.work.costs.steps.insert(place, u64::MAX);
            }
            return Ok(self.take_back_call(before, TOO_MANY_WAYS, span));
        }
        let is_unfinished = matches!(result, Err(Interrupt::Budget(_))) && self.entry.exhausted == Some("steps");
        if self.work.costs.ending.is_none() {
            self.note_end(function, before.steps, is_unfinished);
        }
        let is_costly = is_unfinished
            && self.work.costs.ending.is_none()
            && self.entry.kind == EntryKind::Module
            && used >= self.options.limits.steps / PART
            && used <= self.work.costs.left;
        if !is_costly {
            return result;
        }
        self.work.costs.left -= used;
        self.entry.most_steps += used;
        self.entry.exhausted = None;
        self.work.costs.steps.insert(place, u64::MAX);
        Ok(self.take_back_call(before, TOO_COSTLY, span))
    }

    /// Goes on as if nothing had happened in a call but that it gave something unknown.
    fn take_back_call(&mut self, before: BeforeCall, why: &str, span: Span) -> Value {
        self.heap.undo(before.heap);
        self.solver.rollback(before.solver);
        self.path.truncate(before.path);
        self.pending.truncate(before.pending);
        self.calls.stack.truncate(before.calls);
        self.calls.shared = self.calls.stack.as_slice().into();
        self.loops.stack.truncate(before.loops);
        self.loops.rounds.truncate(before.loops);
        self.share_loops();
        self.loops.circumstances.truncate(before.circumstances);
        self.exceptions.caught = before.caught;
        self.exceptions.expected.truncate(before.expected);
        self.loops.abstract_loops = before.abstract_loops;
        self.executions.keep_many(before.abstract_loops);
        self.not_understood(why, span);
        self.symbolic("result", span, true)
    }
}
