//! The interpreter's own state: frames, the table of caches, values that a branch undoes (`scoped_table`), the loops and calls that are
//! active. Rooms keep what they need of a run here, in fields of the interpreter.

pub(crate) mod active_loops_and_calls;
pub(crate) mod bounded_walk;
pub(crate) mod interpreter;
pub(crate) mod lookup_cache;
pub(crate) mod scoped_table;
