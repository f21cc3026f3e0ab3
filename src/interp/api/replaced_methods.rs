//! APIs that the program replaces: what the library does with an object whose method is another one is not known any
//! more.

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;

impl Interpreter<'_> {
    /// A method of a library's own that the program puts another one in place of, as `bn._check_input_dim = other._check_input_dim`.
    pub(crate) fn replaced_method(&self, id: ObjectId) -> Option<Name> {
        if !self.is_module(&Value::Instance(id)) {
            return None;
        }
        let is_method = |value: &Value| {
            matches!(value, Value::Function(_) | Value::BoundMethod(_) | Value::LibraryMethod(_) | Value::Symbolic(_))
        };
        let is_private = |name: &Name| name.as_str().starts_with('_') && !name.as_str().starts_with("__");
        let mut attributes = self.heap.object(id).attributes.iter();
        attributes.find(|(name, value)| is_private(name) && is_method(value)).map(|(name, _)| name)
    }
}
