//! How much memory is in use. The program tells how that is measured, as it chooses the allocator.

use std::sync::OnceLock;

/// How memory is measured.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    /// The bytes that the running thread has allocated and that were not freed by it since it began, which is cheap to ask for and the same in
    /// every run. Below zero where the thread has freed more of others'.
    pub of_thread: fn() -> i64,
    /// The bytes that the process has allocated and not freed.
    pub of_process: fn() -> u64,
}

static METER: OnceLock<Meter> = OnceLock::new();

/// Tells how memory is measured, once for the process. Without, no ceiling of memory is held.
pub fn set_meter(meter: Meter) {
    // A second meter would measure the same.
    let _ = METER.set(meter);
}

/// The bytes of memory that the process uses, roughly; `None` where nobody measures them.
pub fn in_use() -> Option<u64> {
    METER.get().map(|meter| (meter.of_process)())
}

/// The bytes of the running thread; `None` where nobody measures them.
pub(super) fn of_thread() -> Option<i64> {
    METER.get().map(|meter| (meter.of_thread)())
}
