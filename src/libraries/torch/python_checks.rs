//! What PyTorch asks in Python of values: their types, what they hold, and how they were made.

use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::builtins::containers::tuple;
use harp_interp::builtins::objects::assertion;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};
use harp_shape::DType;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "torch.Size" => size,
        // The program is run by Python: neither compiled to TorchScript, nor traced, nor exported.
        "torch.jit.is_scripting"
        | "torch.jit.is_tracing"
        | "torch.compiler.is_compiling"
        | "torch.onnx.is_in_onnx_export" => |_, _, _| Ok(Value::Bool(false)),
        "torch.is_floating_point" => |this, _, arguments| Ok(is_floating_point(this, &first(&arguments))),
        "torch.is_tensor" => |this, _, arguments| {
            let class = Value::Library(name!("torch.Tensor"));
            this.for_each_alternative(&first(&arguments), |this, value| Ok(this.instance_test(&value, &class)))
        },
        // What a container holds is not asked.
        "torch.jit.isinstance" => |this, _, arguments| {
            let class = arguments.get(1, "target_type").cloned().unwrap_or(Value::None);
            this.for_each_alternative(&first(&arguments), |this, value| {
                let answer = this.instance_test(&value, &class);
                Ok(if matches!(answer, Value::Bool(false)) { answer } else { Value::Unknown("instance test") })
            })
        },
        "torch._assert" => assertion,
        "torch.nn.modules.utils._single"
        | "torch.nn.modules.utils._pair"
        | "torch.nn.modules.utils._triple"
        | "torch.nn.modules.utils._quadruple" => several_of_one,
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name {
        "torch.Tensor.element_size" => |this, tensor, call| {
            let api = name!("torch.Tensor.element_size");
            if this.call_misfits(api, Some(tensor), &call) {
                return Ok(this.result_of_misfit(api, call.span));
            }
            Ok(match this.read(tensor) {
                Value::Tensor(tensor) if tensor.dtype.is_known() => Value::int(i64::from(tensor.dtype.bits() / 8)),
                _ => this.symbolic("size of an element", call.span, true),
            })
        },
        "torch.Tensor.as_subclass" => as_subclass,
        "torch.Tensor.is_floating_point" => |this, tensor, _| Ok(is_floating_point(this, tensor)),
        _ => return None,
    })
}

/// `torch.Size(items)`: a tuple that is known for a size.
fn size(interpreter: &mut Interpreter<'_>, class: Name, arguments: CallArguments) -> Eval {
    let made = tuple(interpreter, class, arguments)?;
    interpreter.note_size(&made);
    Ok(made)
}

/// `_pair(x)`: what can be gone through as a tuple, anything else as often as the name says.
fn several_of_one(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let count = match name.as_str().rsplit('_').next() {
        Some("single") => 1,
        Some("pair") => 2,
        Some("triple") => 3,
        _ => 4,
    };
    interpreter.for_each_alternative(&first(&arguments), |this, value| match value {
        Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::None => {
            Ok(Value::tuple(vec![value; count]))
        }
        Value::Tuple(_) | Value::List(_) => tuple(this, name, CallArguments::positional(vec![value], arguments.span)),
        _ => Ok(this.symbolic(name.as_str(), arguments.span, true)),
    })
}

/// `tensor.as_subclass(Class)`: an object of a class of the program is more than the tensor.
fn as_subclass(interpreter: &mut Interpreter<'_>, tensor: &Value, arguments: CallArguments) -> Eval {
    Ok(match arguments.get(0, "cls") {
        Some(Value::Class(class)) => interpreter.allocate_instance(*class, arguments.span),
        _ => tensor.clone(),
    })
}

/// Whether a tensor's elements are floating-point numbers, where their type is known.
fn is_floating_point(interpreter: &mut Interpreter<'_>, tensor: &Value) -> Value {
    match interpreter.read(tensor) {
        Value::Tensor(tensor) if tensor.dtype != DType::Unknown => Value::Bool(tensor.dtype.is_floating()),
        _ => Value::Unknown("test of an element type"),
    }
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}
