//! Charges an entry's budget for the solver's work. Most questions are answered at once. A loop that makes the sizes of
//! thousands of arrays out of one another asks questions that take a thousand times as long: beyond what an entry has
//! free, they count as steps.

/// Units of work that count as a step.
const WORK_OF_A_STEP: u64 = 2;
/// Units that are free with each step that an entry may take.
const FREE_WITH_A_STEP: u64 = 5;
/// No entry has more free.
pub const MOST_FREE: u64 = 500_000;

/// The work that the running entry has free, and how much of the solver's was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolverWork {
    pub free: u64,
    seen: u64,
}

impl SolverWork {
    /// For an entry that may take so many steps and begins when the solver has `done` so much.
    pub fn of_entry(steps: u64, done: u64) -> SolverWork {
        SolverWork { free: steps.saturating_mul(FREE_WITH_A_STEP).min(MOST_FREE), seen: done }
    }

    /// What was done between is no work of the program: it goes into what is said of it.
    pub fn leave_out(&mut self, before: u64, after: u64) {
        self.seen += after.saturating_sub(before);
    }

    /// The steps for what was done since it was last asked.
    pub fn beyond_free(&mut self, done: u64) -> u64 {
        let new = done.saturating_sub(self.seen);
        if new < WORK_OF_A_STEP {
            return 0;
        }
        self.seen = done;
        let free = new.min(self.free);
        self.free -= free;
        (new - free) / WORK_OF_A_STEP
    }
}
