//! What NumPy takes for scalars: numbers, texts, and what an array gives where it gives one element, but no array without dimensions.

use crate::known_families::is_numpy_array;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{OperationId, Tensor, Value};
use harp_python::name::Name;

/// Functions that make arrays also of one element; others give a scalar then.
const MAKE_ARRAYS: [&str; 14] = [
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "astype",
    "copy",
    "empty",
    "full",
    "load",
    "ones",
    "reshape",
    "squeeze",
    "view",
    "zeros",
];

pub fn function(name: &str) -> Option<FunctionHandler> {
    (name == "numpy.isscalar").then_some(is_scalar as FunctionHandler)
}

fn is_scalar(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let element = arguments.get(0, "element").cloned().unwrap_or(Value::Unknown("element"));
    let known = match interpreter.read(&element) {
        Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::Str(_) => Some(true),
        Value::None | Value::List(_) | Value::Tuple(_) | Value::Dict(_) | Value::Set(_) => Some(false),
        Value::Tensor(tensor) => of_tensor(interpreter, &tensor),
        _ => None,
    };
    Ok(known.map_or(Value::Unknown("whether it is a scalar"), Value::Bool))
}

fn of_tensor(interpreter: &Interpreter<'_>, tensor: &Tensor) -> Option<bool> {
    let rank = interpreter.solver.resolve_shape(&tensor.shape).rank()?;
    if rank > 0 || !is_numpy_array(tensor) {
        return (rank > 0 || !tensor.kind.is_open()).then_some(false);
    }
    if tensor.operation == OperationId::NONE {
        return None;
    }
    let api = interpreter.trace.operation(tensor.operation)?.api;
    let made_by = api.as_str().rsplit('.').next().unwrap_or_default();
    (!MAKE_ARRAYS.contains(&made_by)).then_some(true)
}
