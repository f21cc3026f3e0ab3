//! The buffers of PyTorch's modules, and the dictionaries in which a module keeps its parts: `_modules`, `_parameters`,
//! `_buffers`.

use std::rc::Rc;

use crate::methods::*;
use crate::torch::nn::module::add_member;
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Device, ObjectId, Tensor, Value};
use harp_python::name::Name;

/// The attribute of a module that has the names of the buffers that are in its state; no program can name it.
const IN_STATE: &str = "#buffers";
/// The one that has the names of all its buffers.
const ALL: &str = "#all buffers";

/// `module.register_buffer(name, tensor, persistent=True)`
pub(crate) fn register(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let is_kept = !matches!(arguments.get(2, "persistent"), Some(Value::Bool(false)));
    if let (Value::Instance(id), Some(name)) = (module, arguments.get(0, "name").and_then(Value::as_text)) {
        for list in [ALL, IN_STATE].into_iter().filter(|list| is_kept || *list == ALL) {
            let mut names = interpreter.names_of_buffers(*id, list);
            if !names.iter().any(|known| known.as_text() == Some(name)) {
                names.push(Value::str(name));
                interpreter.heap.set_attribute(*id, Name::new(list), Value::tuple(names));
            }
        }
    }
    add_member(interpreter, module, left_where_callers_move_it(interpreter, arguments))
}

/// Whoever uses a class that no script of the program makes moves its modules, and their buffers with them.
fn left_where_callers_move_it(interpreter: &Interpreter<'_>, mut arguments: CallArguments) -> CallArguments {
    if interpreter.entry.kind != EntryKind::Symbolic {
        return arguments;
    }
    let given = arguments.positional.iter_mut().skip(1).take(1);
    let named = arguments.keywords.iter_mut().filter(|(name, _)| name.as_str() == "tensor").map(|(_, value)| value);
    for value in given.chain(named) {
        if let Value::Tensor(tensor) = interpreter.read(value) {
            *value = Value::Tensor(Rc::new(Tensor { device: Device::Unknown, ..Tensor::clone(&tensor) }));
        }
    }
    arguments
}

#[easy_ext::ext(BuffersMethods)]
pub impl Interpreter<'_> {
    fn names_of_buffers(&self, module: ObjectId, list: &str) -> Vec<Value> {
        match self.heap.attribute(module, Name::new(list)) {
            Some(Value::Tuple(names)) => names.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The buffers of a module itself that its state has.
    fn state_buffers(&self, module: ObjectId) -> Vec<(Name, Value)> {
        self.buffers_listed(module, IN_STATE)
    }

    /// All buffers of a module itself.
    fn all_buffers_of(&self, module: ObjectId) -> Vec<(Name, Value)> {
        self.buffers_listed(module, ALL)
    }

    fn buffers_listed(&self, module: ObjectId, list: &str) -> Vec<(Name, Value)> {
        let names = self.names_of_buffers(module, list);
        let names = names.iter().filter_map(|name| name.as_text().map(Name::new));
        names.filter_map(|name| Some((name, self.read(self.heap.attribute(module, name)?)))).collect()
    }

    /// `module._parameters` and `module._buffers`, for a module of the program of which all parts are known.
    fn parts_of_module(&mut self, module: ObjectId, name: Name) -> Option<Value> {
        let instance = Value::Instance(module);
        if !self.is_module(&instance) || !matches!(self.class_of(&instance), Value::Class(_)) {
            return None;
        }
        let parts: Vec<(Name, Value)> = match name.as_str() {
            "_buffers" => self.state_buffers(module),
            _ => {
                let is_wanted = |value: &Value| matches!(value, Value::Tensor(tensor) if tensor.kind.is_parameter());
                let children = self.children(module);
                if children.iter().any(|(_, value)| matches!(value, Value::Alternatives(_))) {
                    return None;
                }
                children.into_iter().filter(|(_, value)| is_wanted(value)).collect()
            }
        };
        let entries = parts.into_iter().map(|(name, value)| (Value::str(name.as_str()), value)).collect();
        let dict = self.heap.allocate_dict(entries);
        self.entries_are_attributes(dict, module);
        Some(Value::Dict(dict))
    }
}
