//! Methods of the built-in type `set` that take any iterables, in words what the operators do with sets.

use crate::api::library_model::MethodHandler;
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::ir::{BinaryOperator, CompareOperator};

pub fn method(method: &str) -> Option<MethodHandler> {
    Some(match method {
        "intersection" => |this, set, call| combine(this, BinaryOperator::BitAnd, set, &call),
        "difference" => |this, set, call| combine(this, BinaryOperator::Subtract, set, &call),
        "symmetric_difference" => |this, set, call| combine(this, BinaryOperator::BitXor, set, &call),
        "intersection_update" => |this, set, call| change(this, BinaryOperator::BitAnd, set, &call),
        "difference_update" => |this, set, call| change(this, BinaryOperator::Subtract, set, &call),
        "symmetric_difference_update" => |this, set, call| change(this, BinaryOperator::BitXor, set, &call),
        "issuperset" => |this, set, call| {
            let other = set_of(this, call.positional.first(), &call)?;
            this.compare(CompareOperator::LessEqual, &other, set, call.span, [call.span; 2])
        },
        "isdisjoint" => |this, set, call| {
            let shared = combine(this, BinaryOperator::BitAnd, set, &call)?;
            Ok(match &shared {
                Value::Set(id) => match this.heap.list(*id) {
                    Some(data) if data.rest.is_none() => Value::Bool(data.items.is_empty()),
                    _ => Value::Unknown("comparison of sets"),
                },
                _ => Value::Unknown("comparison of sets"),
            })
        },
        _ => return None,
    })
}

/// A set of what an argument gives.
fn set_of(interpreter: &mut Interpreter<'_>, values: Option<&Value>, call: &CallArguments) -> Eval {
    let Some(values) = values else { return Ok(Value::Unknown("missing argument")) };
    let arguments = CallArguments::positional(vec![values.clone()], call.span);
    interpreter.call(&Value::library("builtins.set"), arguments)
}

fn combine(interpreter: &mut Interpreter<'_>, operator: BinaryOperator, set: &Value, call: &CallArguments) -> Eval {
    let mut result = set_of(interpreter, Some(set), call)?;
    for other in &call.positional {
        let other = set_of(interpreter, Some(other), call)?;
        result = interpreter.binary(operator, &result, &other, call.span, [call.span; 2])?;
    }
    Ok(result)
}

/// The same, in place.
fn change(interpreter: &mut Interpreter<'_>, operator: BinaryOperator, set: &Value, call: &CallArguments) -> Eval {
    let result = combine(interpreter, operator, set, call)?;
    if let (Value::Set(id), Value::Set(new)) = (interpreter.read(set), &result) {
        let payload = interpreter.heap.payload(*new).clone();
        interpreter.heap.set_payload(id, payload);
    }
    Ok(Value::None)
}

/// Whether an operator combines two values as sets of which one is a set, or the keys or entries of a dictionary, and the other is `other`.
pub fn combine_as_sets(other: &Value, left: &Value, right: &Value) -> bool {
    matches!(other, Value::Set(_) | Value::Iterator(_))
        || matches!((left, right), (Value::Iterator(_), Value::Dict(_) | Value::List(_) | Value::Tuple(_)))
}
