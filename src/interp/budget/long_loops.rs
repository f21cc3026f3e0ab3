//! Cuts short loops that are known to take too many steps iteration by iteration. A loop within a function that builds
//! a layer, as one that numbers the offsets between the positions of a window, runs once for each layer of a network:
//! where it took its part of the steps once and did not come to its end, it would do so each time, and the last layers
//! would find no steps.

use rustc_hash::FxHashMap;

use crate::loops::loop_statements::{Begin, STEPS_OF_A_DECIDING_LOOP};
use crate::state::interpreter::Interpreter;
use harp_corpus::FileId;
use harp_python::ir::Stmt;

/// So many iterations of such a loop are executed by themselves.
const FEW: usize = 4;

/// Steps of a loop without a test before its rounds stand for others.
const STEPS_WITHOUT_AN_END: u64 = 10_000;

/// Loops that did not come to their end, by the place of their body.
#[derive(Debug, Default)]
pub struct LongLoops {
    loops: FxHashMap<(FileId, u32), Cut>,
}

/// How long a loop was, and how many steps were left when it began.
#[derive(Clone, Copy, Debug)]
struct Cut {
    count: usize,
    left: u64,
}

impl Interpreter<'_> {
    /// By what a loop is known again.
    pub(crate) fn place_of_body(&self, body: &[Stmt]) -> Option<(FileId, u32)> {
        Some((self.frames.last()?.file, body.first()?.range.start))
    }

    /// What a loop of so many iterations begins with.
    pub(crate) fn begin_loop(&self, body: &[Stmt], count: usize) -> Begin {
        let left = self.entry.most_steps.saturating_sub(self.entry.steps);
        let cut = self.place_of_body(body).and_then(|place| self.loops.long.loops.get(&place));
        // With more steps left than there were, it may come to its end.
        let is_long = cut.is_some_and(|cut| count >= cut.count && left <= cut.left + cut.left / 4);
        let alone = if is_long { FEW } else { self.options.limits.iterations };
        Begin { steps: self.entry.steps, pending: self.pending.len(), alone, is_long, copied: self.heap.copied() }
    }

    /// What a loop of nobody knows how many rounds begins with.
    pub(crate) fn begin_rounds(&self, body: &[Stmt]) -> Begin {
        self.begin_loop(body, usize::MAX)
    }

    /// Whether the rounds of such a loop stand for others from now on. One without a test, of whose end nothing was seen, is followed less far:
    /// a program that counts there has come to its end by then. One with a test may have fewer rounds the next time.
    pub(crate) fn are_rounds_cut(&self, round: usize, is_endless: bool, begin: Begin) -> bool {
        let most = if is_endless { STEPS_WITHOUT_AN_END } else { STEPS_OF_A_DECIDING_LOOP };
        is_endless && begin.is_long && round >= FEW || self.entry.steps.saturating_sub(begin.steps) > most
    }

    /// Notes that such a loop was cut.
    pub(crate) fn note_cut_rounds(&mut self, body: &[Stmt], begin: Begin) {
        let left = self.entry.most_steps.saturating_sub(begin.steps);
        if let Some(place) = self.place_of_body(body).filter(|_| !begin.is_long) {
            self.loops.long.loops.insert(place, Cut { count: usize::MAX, left });
        }
    }

    /// Notes that a loop of so many iterations took its part of the steps before its end.
    pub(crate) fn note_cut(&mut self, body: &[Stmt], count: usize, begin: Begin) {
        self.entry.cuts_loops = true;
        let left = self.entry.most_steps.saturating_sub(begin.steps);
        let is_for_want_of_steps = !begin.is_long && self.entry.steps.saturating_sub(begin.steps) >= left / 4;
        if let Some(place) = self.place_of_body(body).filter(|_| is_for_want_of_steps) {
            self.loops.long.loops.insert(place, Cut { count, left });
        }
    }
}
