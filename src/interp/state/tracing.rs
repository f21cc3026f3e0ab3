//! Interpreter state of library models: the traces of modules that are running, where calls are recorded rather than
//! made.

use crate::values::value::{ObjectId, Value};

/// The traces that run.
#[derive(Debug, Default)]
pub struct Tracing {
    /// Their tracers, innermost last, each with the functions of the program that its proxies went through.
    pub running: Vec<(Value, Vec<Value>)>,
    /// The module whose call a tracer has let through.
    pub passed: Option<ObjectId>,
}
