//! Interpreter state: the loops and calls that are running, as operations record them.

use std::rc::Rc;

use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_trace::LoopRecord;

impl<'p> Interpreter<'p> {
    /// Enters a loop for the record of operations.
    pub fn push_loop(&mut self, span: Span, record: LoopRecord) {
        let known = self.trace.loops.entry(span).or_insert(record);
        if known.trips != record.trips {
            known.trips = None;
        }
        known.over_batches |= record.over_batches;
        known.has_last |= record.has_last;
        if self.notes_route() {
            let route = &self.route;
            self.trace.loop_routes.entry(span).or_insert_with(|| route.clone());
        }
        self.loops.stack.push(span);
        self.loops.rounds.push(0);
        self.share_loops();
    }

    /// Makes what operations record of the loops that are running.
    pub(crate) fn share_loops(&mut self) {
        self.loops.shared = Rc::from(self.loops.stack.as_slice());
        self.loops.rounds_shared = Rc::from(self.loops.rounds.as_slice());
    }

    /// Counts an iteration of the innermost loop.
    pub(crate) fn next_round(&mut self) {
        if let Some(round) = self.loops.rounds.last_mut() {
            *round += 1;
            self.loops.rounds_shared = Rc::from(self.loops.rounds.as_slice());
        }
    }

    pub fn pop_loop(&mut self) {
        self.loops.stack.pop();
        self.loops.rounds.pop();
        self.share_loops();
    }

    pub fn push_call(&mut self, span: Span) {
        self.calls.stack.push(span);
        self.calls.shared = Rc::from(self.calls.stack.as_slice());
    }

    pub fn pop_call(&mut self) {
        self.calls.stack.pop();
        self.calls.shared = Rc::from(self.calls.stack.as_slice());
    }
}
