//! Objects of the program: lists, dicts, instances, modules and their attributes, by number.
//!
//! Every change is written into a log, so that a branch can be undone and the arms of a branch joined. An object that nothing refers to
//! any more is collected. *Values are copied freely and share objects by number; whoever changes an object goes through the log.*

pub mod dict_key_index;
pub(crate) mod holders;
pub mod location;
pub mod objects;
pub mod read_log;
pub mod undo_log;
