//! What bounds a run beside the budgets of each room: ceilings of memory and of time for the process, and the borders at which a panic ends.
//!
//! Rooms count their own work, in units that do not depend on the machine, and stop by themselves. The ceilings are what holds where a count is
//! too rough: loops that can grow call [`tick`], which unwinds to the nearest [`contained`] once a ceiling is reached. Any room may use this one.

#![deny(missing_docs)]

mod ceiling;
mod contained;
mod fault;
mod memory;

pub use ceiling::{
    Ceiling, Ceilings, Watch, apart, light_tick, light_ticks, memory_left, reached, tick, ticks, ticks_done, watched,
};
pub use contained::{Defect, Stopped, contained, contained_reading, install_panic_hook};
pub use fault::{asked_for as faults_asked_for, fault_point};
pub use memory::{Meter, in_use, note_memory, set_meter};
