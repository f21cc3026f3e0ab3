//! `module.double()` and its like: all parameters of a module, and of the modules in it, change the type of their elements.

use std::rc::Rc;

use crate::interp::machine::Interpreter;
use crate::interp::value::{Tensor, TensorKind, Value};
use crate::python::name::Name;
use crate::shape::DType;

impl Interpreter<'_> {
    /// The module, with floating-point parameters of that type. Which other tensors are buffers, and are converted too, is not known.
    pub(super) fn convert_parameters(&mut self, module: &Value, dtype: DType) -> Value {
        for (_, part) in super::modules::all_modules(self, module) {
            let Value::Instance(id) = part else { continue };
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
                let dtype = if tensor.kind == TensorKind::Parameter { dtype } else { DType::Unknown };
                let converted = Value::Tensor(Rc::new(Tensor { dtype, ..Tensor::clone(&tensor) }));
                self.heap.set_attribute(id, name, converted);
            }
        }
        module.clone()
    }
}
