//! What the Python source of pandas asks of the interpreter.

pub(crate) mod primitives;
