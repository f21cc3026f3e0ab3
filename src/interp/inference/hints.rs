//! Shapes that users write in annotations.

use crate::interp::machine::Interpreter;
use crate::interp::value::Value;
use crate::python::ir::Function;

impl Interpreter<'_> {
    /// The shapes in the annotations of parameters are conditions on the arguments.
    pub(super) fn apply_hints(&mut self, _: &Function, _: &[Value], _: bool) {}

    /// The shape in the annotation of the result is one on what is returned.
    pub(super) fn apply_result_hint(&mut self, _: &Function, _: &Value) {}
}
