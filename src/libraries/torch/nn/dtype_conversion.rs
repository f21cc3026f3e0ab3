//! `module.double()` and its like: all parameters of a module, and of the modules in it, change the type of their elements.

use crate::methods::*;
use crate::torch::nn::module::modules_and_choices;
use std::rc::Rc;

use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Device, Tensor, Value};
use harp_python::name::Name;
use harp_shape::DType;

#[easy_ext::ext(DtypeConversionMethods)]
pub impl Interpreter<'_> {
    /// `module.to(…)`, for which texts are devices, and `module.type(…)`, for which they are types.
    fn convert_as_told(&mut self, module: &Value, arguments: &CallArguments, is_text_a_type: bool) -> Value {
        let given = arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value));
        let given: Vec<Value> = given.map(|value| self.read(value)).collect();
        let device = arguments.keyword("device").or(arguments.positional.first());
        if let Some(value) = device.filter(|_| !is_text_a_type).cloned()
            && let Some(device) = self.named_device(&value)
        {
            let word = self.words_of_device(&value);
            self.move_module(module, device, &word);
        }
        let told = given.iter().find_map(|value| match value {
            Value::DType(dtype) => Some(*dtype),
            _ => None,
        });
        if let Some(dtype) = told {
            return self.convert_parameters(module, dtype);
        }
        if arguments.is_open || !given.iter().all(|value| self.is_no_type(value, is_text_a_type)) {
            for (_, part) in modules_and_choices(self, module) {
                if let Value::Instance(id) = part {
                    self.note_conversion(id, None);
                }
            }
        }
        module.clone()
    }

    /// A module and all in it lie on a device from now on, with its buffers; tensors that are plain attributes stay where they are.
    fn move_module(&mut self, module: &Value, device: Device, word: &Value) {
        for (_, part) in modules_and_choices(self, module) {
            let Value::Instance(id) = part else { continue };
            self.move_weights(id, word.clone());
            for (name, buffer) in self.all_buffers_of(id) {
                if let Value::Tensor(tensor) = buffer {
                    let moved = Value::Tensor(Rc::new(Tensor { device, ..Tensor::clone(&tensor) }));
                    self.heap.set_attribute(id, name, moved);
                }
            }
        }
    }

    /// Whether an argument is none that says a type, whichever of its alternatives it is.
    fn is_no_type(&self, value: &Value, is_text_a_type: bool) -> bool {
        match self.read(value) {
            Value::Str(_) => !is_text_a_type,
            Value::Int(_) | Value::Bool(_) | Value::None => true,
            Value::Alternatives(alternatives) => {
                alternatives.iter().all(|(_, one)| self.is_no_type(one, is_text_a_type))
            }
            other => matches!(self.class_of(&other), Value::Library(class) if class.as_str() == "torch.device"),
        }
    }

    /// The module, with floating-point parameters of that type. Which other tensors are buffers, and are converted too, is not known.
    fn convert_parameters(&mut self, module: &Value, dtype: DType) -> Value {
        for (_, part) in modules_and_choices(self, module) {
            let Value::Instance(id) = part else { continue };
            self.note_conversion(id, Some(dtype));
            let tensors: Vec<(Name, Rc<Tensor>)> = self
                .heap
                .object(id)
                .attributes
                .iter()
                .filter_map(|(name, value)| match self.read(value) {
                    Value::Tensor(tensor) if tensor.dtype.is_floating() && tensor.dtype != dtype => {
                        Some((name, tensor))
                    }
                    _ => None,
                })
                .collect();
            for (name, tensor) in tensors {
                let dtype = if tensor.kind.is_parameter() { dtype } else { DType::Unknown };
                let converted = Value::Tensor(Rc::new(Tensor { dtype, ..Tensor::clone(&tensor) }));
                self.heap.set_attribute(id, name, converted);
            }
        }
        module.clone()
    }
}
