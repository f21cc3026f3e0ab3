//! `module._modules`: the dictionary in which a module has its parts, which programs read by name and write.

use crate::methods::*;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{ObjectId, Value};

#[easy_ext::ext(ModulesDictMethods)]
pub impl Interpreter<'_> {
    /// The parts of a module by name; what is stored there is in the module. `None` of any other object, and where not all parts are known.
    fn modules_as_dict(&mut self, id: ObjectId) -> Option<Value> {
        let module = Value::Instance(id);
        if !self.is_module(&module) || self.rest_of_modules(id).is_some() {
            return None;
        }
        let children = self.children(id).into_iter().filter(|(_, value)| self.is_part(value));
        let entries = children.map(|(name, value)| (Value::str(name.as_str()), value)).collect();
        let dict = self.heap.allocate_dict(entries);
        self.entries_are_attributes(dict, id);
        Some(Value::Dict(dict))
    }

    fn is_part(&self, value: &Value) -> bool {
        match value {
            Value::Tensor(_) => false,
            Value::Alternatives(alternatives) => alternatives.iter().all(|(_, value)| self.is_part(value)),
            _ => true,
        }
    }
}
