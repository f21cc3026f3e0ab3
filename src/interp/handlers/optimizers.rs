//! The states of optimizers: what they keep of each parameter, by its number, and the settings of each group of parameters.

use std::rc::Rc;

use crate::interp::calls::CallArguments;
use crate::interp::handlers::MethodHandler;
use crate::interp::handlers::datasets::plain_tensor;
use crate::interp::heap::{DictData, ListData, Payload};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{TensorKind, Value};
use crate::python::name::Name;
use crate::shape::{DType, Shape};

/// Optimizers that keep lists and numbers besides tensors.
const WITH_LISTS: &str = "torch.optim.LBFGS";

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "torch.optim.Optimizer.state_dict").then_some(state_dict)
}

fn state_dict(interpreter: &mut Interpreter<'_>, optimizer: &Value, arguments: CallArguments) -> Eval {
    let class = interpreter.class_of(optimizer);
    let bases = interpreter.library_bases(&class, None);
    let keeps_tensors = !bases.contains(&Name::new(WITH_LISTS));
    let kept = if keeps_tensors {
        plain_tensor(Shape::unknown("state"), DType::Unknown, TensorKind::Torch, arguments.span)
    } else {
        interpreter.symbolic("state of an optimizer", arguments.span, true)
    };
    let setting = interpreter.symbolic("setting of an optimizer", arguments.span, true);
    let number = interpreter.any_integer("parameter");
    let of_parameter = open_dict(interpreter, Value::Str(None), kept);
    let state = open_dict(interpreter, number, of_parameter);
    let group = open_dict(interpreter, Value::Str(None), setting);
    let groups = ListData { items: Vec::new(), rest: Some(group) };
    let groups = Value::List(interpreter.heap.allocate(Payload::List(Rc::new(groups))));
    let entries = vec![(Value::str("state"), state), (Value::str("param_groups"), groups)];
    Ok(Value::Dict(interpreter.heap.allocate_dict(entries)))
}

/// A dictionary of which a representative is known.
fn open_dict(interpreter: &mut Interpreter<'_>, key: Value, value: Value) -> Value {
    let data = DictData::new(Vec::new(), Some((key, value)));
    Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(data))))
}
