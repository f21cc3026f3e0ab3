//! How much memory the process has in use, for its ceiling. The program tells how that is measured, as it chooses the
//! allocator.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// Tells the bytes that the running thread has allocated less those that it has freed, since it began: below zero where it has freed more of
/// others'. This is cheap to ask for and the same in every run.
pub type Meter = fn() -> i64;

static METER: OnceLock<Meter> = OnceLock::new();

/// What the threads have noted, together.
static OF_PROCESS: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// What this thread has noted of its own.
    static NOTED: Cell<i64> = const { Cell::new(0) };
}

/// Tells how memory is measured, once for the process. Without, no ceiling of memory is held.
pub fn set_meter(meter: Meter) {
    // A second meter would measure the same.
    let _ = METER.set(meter);
}

/// Counts what the running thread uses towards the process. A thread that works for another one notes its memory when a piece of work is done.
pub fn note_memory() {
    if let Some(used) = of_thread() {
        OF_PROCESS.fetch_add(used - NOTED.replace(used), Ordering::Relaxed);
    }
}

/// The bytes of memory that the process uses, as far as other threads have noted them; `None` where nobody measures them.
pub fn in_use() -> Option<u64> {
    METER.get()?;
    note_memory();
    Some(OF_PROCESS.load(Ordering::Relaxed).max(0).cast_unsigned())
}

/// The bytes of the running thread; `None` where nobody measures them.
pub(super) fn of_thread() -> Option<i64> {
    METER.get().map(|meter| meter())
}
