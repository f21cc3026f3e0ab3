//! Summaries: what a call of one of the program's functions did is done again for equal arguments, without executing the function.
//!
//! Training loops call the same network again and again, networks are built of equal layers, and a function that calls another one twice,
//! which calls a third one twice, would take time without end. The first call with some arguments is only noted. The second one is *recorded*:
//! what it reads that was there before it, what it changes, what it makes, and the operations that it adds to the graph. A later call
//! with equal arguments (`matching`) that would read the same is *replayed*: it makes objects and operations anew, so that nothing is
//! shared that the program would not share.
//!
//! Only what says everything that a call did is a summary. A call that decides something, learns of sizes, makes new variables, fails, is
//! not understood in a new way, or stops at a `yield` is executed each time (`recording`). So what is found does not depend on summaries; only
//! the steps that an entry needs do.

pub mod matching;
pub mod recording;
pub mod replay;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::calls::call::CallArguments;
use crate::calls::summaries::recording::Recording;
use crate::calls::summaries::replay::Summary;
pub use crate::heap::read_log::{Read, ReadLog};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, Value};
use harp_python::ir::Function;

/// Summaries of a function for arguments that look alike.
const MOST_ALIKE: usize = 4;
/// After so many recordings that came to nothing, or whose summaries did not hold for long, calls with such arguments are executed.
const MOST_FAILURES: u8 = 3;
/// The same for a function, whatever its arguments, as long as none of its summaries was used.
const MOST_FAILURES_OF_FUNCTION: u32 = 24;
/// Calls that take fewer steps are executed: to compare their arguments takes as long.
const FEWEST_STEPS: u64 = 12;
/// Calls whose arguments are noted in an entry.
const MOST_CALLS: usize = 1 << 16;
/// Places that all summaries of an entry hold.
const MOST_PLACES: usize = 1 << 20;

/// What is known of the calls of an entry.
#[derive(Debug, Default)]
pub struct Summaries {
    /// By function and arguments, as a number.
    calls: FxHashMap<u64, Calls>,
    /// How often recordings of functions came to nothing, by the address of the function.
    failures: FxHashMap<usize, u32>,
    /// The calls that are being recorded, the innermost last.
    recordings: Vec<Recording>,
    /// How much all summaries hold.
    places: usize,
    /// How many operations replays have added.
    operations: usize,
    /// Steps that replayed calls would have taken.
    steps: u64,
}

/// Calls of a function with arguments that look alike.
#[derive(Debug, Default)]
struct Calls {
    summaries: Vec<Rc<Summary>>,
    failures: u8,
}

/// What to do with a call.
pub(crate) enum Plan {
    Execute,
    /// Execute it, and note that there was one with such arguments.
    Note(u64),
    Record(u64),
    Replayed(Value),
}

impl Summaries {
    /// Forgets the calls of an entry.
    pub(crate) fn clear(&mut self) {
        self.calls.clear();
        self.failures.clear();
        self.recordings.clear();
        self.places = 0;
        self.operations = 0;
        self.steps = 0;
    }

    fn fail(&mut self, key: u64, function: &Function) {
        if let Some(calls) = self.calls.get_mut(&key) {
            calls.failures = calls.failures.saturating_add(1);
        }
        *self.failures.entry(std::ptr::from_ref(function) as usize).or_default() += 1;
    }

    fn keep(&mut self, key: u64, summary: Summary) {
        let size = summary.size();
        if self.places + size > MOST_PLACES {
            return;
        }
        self.places += size;
        let calls = self.calls.entry(key).or_default();
        if calls.summaries.len() >= MOST_ALIKE {
            // There are more such calls than are told apart.
            calls.failures = calls.failures.saturating_add(1);
            let oldest = calls.summaries.remove(0);
            self.places = self.places.saturating_sub(oldest.size());
        }
        calls.summaries.push(Rc::new(summary));
    }
}

impl Interpreter<'_> {
    /// Replays a call of a function whose summary holds, or says what to do with it.
    pub(crate) fn plan_of_call(&mut self, closure: &Rc<Closure>, arguments: &CallArguments) -> Eval<Plan> {
        if self.fed.refused.is_some() || !self.may_have_summary(closure, arguments) {
            return Ok(Plan::Execute);
        }
        let key = matching::hash_of_call(self, closure, arguments);
        let Some(calls) = self.summaries.calls.get(&key) else { return Ok(Plan::Note(key)) };
        if calls.failures >= MOST_FAILURES {
            return Ok(Plan::Execute);
        }
        for summary in calls.summaries.clone() {
            match self.matching_of_call(&summary, closure, arguments) {
                Ok(Some(matching)) => {
                    // It was worth its recording.
                    if let Some(calls) = self.summaries.calls.get_mut(&key) {
                        calls.failures = 0;
                    }
                    self.summaries.failures.remove(&(std::ptr::from_ref(&*closure.function) as usize));
                    return self.replay(&summary, &matching, arguments).map(Plan::Replayed);
                }
                Ok(None) => {}
                // What it rests on has changed, and may change each time.
                Err(replay::Outdated) => {
                    self.summaries.drop_summary(key, &summary);
                    self.summaries.fail(key, &closure.function);
                }
            }
        }
        Ok(Plan::Record(key))
    }

    /// Notes that a call was executed since `before` steps were taken.
    pub(crate) fn note_call(&mut self, key: u64, before: u64) {
        if self.summaries.calls.len() < MOST_CALLS {
            let is_short = self.steps.saturating_sub(before) < FEWEST_STEPS;
            let failures = if is_short { MOST_FAILURES } else { 0 };
            self.summaries.calls.entry(key).or_insert(Calls { summaries: Vec::new(), failures });
        }
    }

    /// Steps that the entry would have taken without summaries.
    pub(crate) fn steps_without_summaries(&self) -> u64 {
        self.steps.saturating_add(self.summaries.steps)
    }

    /// Forgets the calls of an entry, whose objects are freed.
    pub(crate) fn forget_summaries(&mut self) {
        self.summaries.clear();
        self.heap.reads.clear();
    }

    /// Whether calls of a function can be compared with others at all.
    fn may_have_summary(&self, closure: &Closure, arguments: &CallArguments) -> bool {
        let is_plain = !arguments.is_open && !arguments.is_from_outside && !arguments.passes_on;
        let is_known = arguments.unpacked.is_none() && arguments.behind.is_none();
        let failures = self.summaries.failures.get(&(std::ptr::from_ref(&*closure.function) as usize));
        is_plain
            && is_known
            && !closure.function.is_generator
            && self.inference.is_none()
            && self.tracing.running.is_empty()
            && self.replicas.is_empty()
            && self.next_block.is_none()
            && !self.is_resuming()
            && failures.is_none_or(|failures| *failures < MOST_FAILURES_OF_FUNCTION)
    }
}

impl Summaries {
    fn drop_summary(&mut self, key: u64, summary: &Rc<Summary>) {
        if let Some(calls) = self.calls.get_mut(&key) {
            calls.summaries.retain(|known| !Rc::ptr_eq(known, summary));
        }
        self.places = self.places.saturating_sub(summary.size());
    }
}
