//! Transfer functions alone, without a program around them.

mod arrays;
mod images;
mod recorded_calls;
mod signatures;
mod symbolic;
mod table;
