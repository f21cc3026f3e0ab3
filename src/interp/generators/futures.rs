//! Results that are there later, and whether one still waits.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::name::Name;

/// The class of futures.
pub const FUTURE: &str = "torch.futures.Future";
/// The attribute that holds what a future was given.
pub const RESULT: &str = "#result";
/// The attribute that holds the future before it, and the function that makes its result of that one's.
pub const AFTER: &str = "#after";

/// Whether a value is a future that waits for what others do.
pub fn is_pending(interpreter: &Interpreter<'_>, value: &Value) -> bool {
    let value = interpreter.read(value);
    let Value::Instance(id) = value else { return false };
    interpreter.is_instance_of(&value, FUTURE)
        && match interpreter.heap.attribute(id, Name::new(AFTER)) {
            Some(Value::Tuple(parts)) => parts.first().is_some_and(|before| {
                matches!(before, Value::Instance(before) if interpreter.heap.attribute(*before, Name::new(RESULT)).is_none())
            }),
            _ => interpreter.heap.attribute(id, Name::new(RESULT)).is_none(),
        }
}
