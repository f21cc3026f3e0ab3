//! The interpreter's own state: frames, the table of caches, values that a branch undoes (`scoped_table`), the loops and calls that are
//! active. Rooms keep what they need of a run here, in fields of the interpreter.

pub mod active_loops_and_calls;
pub mod bounded_walk;
pub mod caches;
pub mod compiled_patterns;
pub mod exceptions;
pub mod garbage_collection;
pub mod interpreter;
pub mod lookup_cache;
pub mod model_state;
pub mod options;
pub mod running_calls;
pub mod running_entry;
pub mod running_loops;
pub mod saved_file;
pub mod scoped_table;
pub mod settings_in_files;
pub mod sizes;
pub mod speculations;
pub mod tables;
pub mod tracing;
pub mod work;
