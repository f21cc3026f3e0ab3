//! The texts of paths, which `pathlib`'s objects and opened files keep.

use std::rc::Rc;

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::name::Name;

/// Where a path object keeps its text.
pub const PATH: &str = "#path";

impl Interpreter<'_> {
    /// The text of a path: of a text, of a path object, of a file that was opened.
    pub fn path_of(&self, value: &Value) -> Option<Rc<str>> {
        match self.read(value) {
            Value::Str(text) => text,
            Value::Symbolic(id) => match self.heap.attribute(id, Name::new(PATH)) {
                Some(Value::Str(text)) => text.clone(),
                _ => None,
            },
            _ => None,
        }
    }
}
