//! Recursive calls from object to object: over the modules in a module, the nodes of a tree.

use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::heap::objects::Location;
use crate::state::interpreter::{Frame, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_python::ir::Function;

impl Interpreter<'_> {
    /// Whether a call gets an object that was there before the first of the running calls of the same function, and that none of them got. There
    /// are only so many of these, so that the recursion ends.
    pub(crate) fn descends(&self, function: &Arc<Function>, arguments: &CallArguments) -> bool {
        let is_it = |frame: &&Frame| frame.function.as_ref().is_some_and(|running| Arc::ptr_eq(running, function));
        let running: Vec<&Frame> = self.frames.iter().filter(is_it).collect();
        let Some(first) = running.first() else { return false };
        let object = |value: &Value| match self.read(value) {
            Value::Instance(id) | Value::List(id) | Value::Dict(id) | Value::Set(id) => Some(id),
            _ => None,
        };
        let is_new = |parameter: harp_python::name::Name, id: ObjectId| {
            let got = |frame: &&Frame| {
                self.heap.attribute(frame.locals, parameter).and_then(object).is_some_and(|known| known == id)
            };
            !self.heap.is_newer(Location::Payload(id), first.base) && !running.iter().any(got)
        };
        let parameters = function.parameters.iter().map(|parameter| parameter.name);
        parameters.zip(&arguments.positional).any(|(name, value)| object(value).is_some_and(|id| is_new(name, id)))
    }
}
