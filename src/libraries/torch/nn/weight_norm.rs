//! `torch.nn.utils.weight_norm(module)`: a layer has the length and the direction of its weight as parameters.

use std::rc::Rc;

use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Tensor, Value};
use harp_python::name::Name;
use harp_shape::{Dim, Shape};

pub fn function(name: &str) -> Option<FunctionHandler> {
    (name == "torch.nn.utils.weight_norm").then_some(weight_norm as FunctionHandler)
}

fn weight_norm(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let module = arguments.get(0, "module").map_or(Value::Unknown("missing argument"), |it| interpreter.read(it));
    let Value::Instance(id) = module else { return Ok(module) };
    let name = arguments.get(1, "name").and_then(Value::as_text).unwrap_or("weight").to_owned();
    let axis = arguments.get(2, "dim").cloned().unwrap_or(Value::int(0));
    let Value::Tensor(weight) = interpreter.get_attribute(&module, Name::new(&name), arguments.span)? else {
        return Ok(module);
    };
    if let Some(shape) = shape_of_lengths(&interpreter.solver.resolve_shape(&weight.shape), &axis) {
        let lengths = Value::Tensor(Rc::new(Tensor { shape, ..Tensor::clone(&weight) }));
        interpreter.heap.set_attribute(id, Name::new(&format!("{name}_g")), lengths);
        interpreter.heap.set_attribute(id, Name::new(&format!("{name}_v")), Value::Tensor(weight));
    }
    Ok(module)
}

/// One length for each index along the axis; a single one where there is no axis.
fn shape_of_lengths(weight: &Shape, axis: &Value) -> Option<Shape> {
    let dims = weight.dims()?;
    if axis.is_none() {
        return Some(Shape::scalar());
    }
    let axis = axis.as_int().and_then(|axis| usize::try_from(axis).ok()).filter(|axis| *axis < dims.len())?;
    let lengths: Vec<Dim> = dims.iter().enumerate().map(|(at, dim)| if at == axis { *dim } else { Dim::ONE }).collect();
    Some(Shape::known(lengths))
}
