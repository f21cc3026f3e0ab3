//! Parts of rooms, each looked at alone. They are tested here and not beside the code where a room takes long to compile: a room with tests of its own is
//! compiled twice.

mod annotations;
mod builtin;
mod claimed_names;
mod graph;
mod interp;
mod operations;
