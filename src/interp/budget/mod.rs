//! How much work an entry may take, and what is left out for its sake: shares of steps for calls and loops, calls that cost too much, the
//! solver's work. *What is left out is counted and said.*

pub mod costly_calls;
pub mod first_look;
pub mod imports_of_packages;
pub mod long_loops;
pub mod solver_cost;
pub mod step_shares;
pub mod unfinished_calls;
