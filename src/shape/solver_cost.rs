//! The solver counts its own work: whoever has a budget asks, because a few questions may take longer than thousands of
//! others.

use std::cell::Cell;

use harp_limits::tick;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// The work that the thread's solvers have done so far, in units of about a microsecond: facts that were tried in a proof, assignments that
/// were looked at. Answers that were remembered are free.
pub fn work_done() -> u64 {
    DONE.get()
}

pub(super) fn note_work(units: u64) {
    tick();
    DONE.set(DONE.get().saturating_add(units));
}
