//! How much work an entry may take, and what is left out for its sake: shares of steps for calls and loops, calls that cost too much, the
//! solver's work. *What is left out is counted and said.*

pub(crate) mod costly_calls;
pub(crate) mod long_loops;
pub(crate) mod solver_cost;
pub(crate) mod step_shares;
pub(crate) mod unfinished_calls;
