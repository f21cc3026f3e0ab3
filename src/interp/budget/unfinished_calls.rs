//! Cuts short calls of functions that are known to need more steps than are left. Most entries with symbolic inputs of
//! a large package make or call the same few large things: hundreds of functions each build one network. Where the
//! building did not come to its end with as many steps as are left, and more often did not than did, another try
//! teaches little; the entry ends at once, and what it would have taken is there for others.

use rustc_hash::FxHashMap;

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::{Eval, Interpreter};
use harp_corpus::FileId;
use harp_python::ir::Function;

/// How calls of functions ended, by the place of the function, in entries with symbolic inputs.
#[derive(Debug, Default)]
pub struct Unfinished {
    functions: FxHashMap<(FileId, u32), Ends>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// Calls that ended for want of steps,
    unfinished: u32,
    /// the most steps that one of them had,
    most: u64,
    /// and calls that came to their end after one had not.
    finished: u32,
}

impl Unfinished {
    fn is_known(&self, place: (FileId, u32), left: u64) -> bool {
        let ends = self.functions.get(&place);
        ends.is_some_and(|ends| ends.unfinished > ends.finished && left <= ends.most)
    }
}

impl Interpreter<'_> {
    /// Ends an entry that is about to call what is known to need more steps than it has left, where steps are scarce.
    pub(crate) fn end_before_unfinished(&mut self, function: &Function) -> Eval<()> {
        let left = self.entry.most_steps.saturating_sub(self.entry.steps);
        let place = (function.file, function.range.start);
        let are_scarce = self.entry.kind == EntryKind::Symbolic && self.entry.most_steps < self.options.limits.steps;
        if are_scarce && self.work.unfinished.is_known(place, left) {
            return Err(self.exhaust("steps"));
        }
        Ok(())
    }

    /// Notes how a call ended that began when `before` steps were taken.
    pub(crate) fn note_end(&mut self, function: &Function, before: u64, is_unfinished: bool) {
        if self.entry.kind != EntryKind::Symbolic {
            return;
        }
        let place = (function.file, function.range.start);
        if is_unfinished {
            let ends = self.work.unfinished.functions.entry(place).or_default();
            ends.unfinished += 1;
            ends.most = ends.most.max(self.entry.most_steps.saturating_sub(before));
        } else if let Some(ends) = self.work.unfinished.functions.get_mut(&place) {
            ends.finished += 1;
        }
    }
}
