//! Special methods of built-in containers that change them and that a program calls by name: `items.__setitem__(0, x)`
//! is `items[0] = x`.

use crate::api::library_model::MethodHandler;
use crate::calls::call::CallArguments;
use crate::heap::objects::Payload;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::BinaryOperator;
use harp_python::name::Name;

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.strip_prefix("builtins.")?.split_once('.')?;
    if !matches!(class, "list" | "dict" | "set") {
        return None;
    }
    Some(match method {
        "__setitem__" => |this, object, call| match (held(this, object), &call.positional[..]) {
            (Some(object), [index, value]) => {
                this.store_item(&object, index, value.clone(), call.span)?;
                Ok(Value::None)
            }
            _ => Ok(unfollowed(this, object, call.span)),
        },
        "__delitem__" => |this, object, call| match (held(this, object), &call.positional[..]) {
            (Some(object), [index]) => {
                this.delete_item(&object, index);
                Ok(Value::None)
            }
            _ => Ok(unfollowed(this, object, call.span)),
        },
        "__iadd__" => |this, object, call| changed(this, BinaryOperator::Add, object, &call),
        "__imul__" => |this, object, call| changed(this, BinaryOperator::Multiply, object, &call),
        "__ior__" => |this, object, call| changed(this, BinaryOperator::BitOr, object, &call),
        "__iand__" => |this, object, call| changed(this, BinaryOperator::BitAnd, object, &call),
        "__isub__" => |this, object, call| changed(this, BinaryOperator::Subtract, object, &call),
        "__ixor__" => |this, object, call| changed(this, BinaryOperator::BitXor, object, &call),
        "__init__" => made_anew,
        _ => return None,
    })
}

/// The container that a receiver is, or that an object of a class derived from one holds.
fn held(interpreter: &Interpreter<'_>, object: &Value) -> Option<Value> {
    let object = interpreter.read(object);
    let held = if let Value::Instance(_) = object { interpreter.plain_of(&object)? } else { object };
    matches!(held, Value::List(_) | Value::Dict(_) | Value::Set(_)).then_some(held)
}

/// What a receiver of which nothing is known holds is not followed.
fn unfollowed(interpreter: &mut Interpreter<'_>, object: &Value, span: Span) -> Value {
    if !interpreter.read(object).is_unknown() {
        interpreter.not_understood("a change of a container by a special method", span);
    }
    interpreter.symbolic("result", span, true)
}

/// `left op= right` gives the container that it changes.
fn changed(interpreter: &mut Interpreter<'_>, operator: BinaryOperator, object: &Value, call: &CallArguments) -> Eval {
    let (Some(container), [other]) = (held(interpreter, object), &call.positional[..]) else {
        return Ok(unfollowed(interpreter, object, call.span));
    };
    let (other, span) = (interpreter.read(other), call.span);
    if let (Value::List(id), BinaryOperator::Multiply) = (&container, operator) {
        let repeated = interpreter.binary(operator, &container, &other, span, [span; 2])?;
        let Value::List(repeated) = repeated else { return Ok(unfollowed(interpreter, object, span)) };
        let items = interpreter.heap.payload(repeated).clone();
        interpreter.heap.set_payload(*id, items);
        return Ok(object.clone());
    }
    interpreter.augmented(operator, &container, &other, span)?;
    Ok(object.clone())
}

/// `items.__init__(others)` forgets what was there.
fn made_anew(interpreter: &mut Interpreter<'_>, object: &Value, call: CallArguments) -> Eval {
    let class = match held(interpreter, object) {
        Some(Value::List(_)) => "builtins.list",
        Some(Value::Set(_)) => "builtins.set",
        // A dictionary keeps its entries, and `update` adds to them.
        Some(dict @ Value::Dict(_)) => {
            let update = interpreter.method_handler(Name::new("builtins.dict.update"));
            return update.map_or(Ok(Value::None), |update| update(interpreter, &dict, call));
        }
        _ => return Ok(unfollowed(interpreter, object, call.span)),
    };
    let made = interpreter.call_library(Name::new(class), call)?;
    if let (Some(Value::List(id) | Value::Set(id)), Value::List(made) | Value::Set(made)) =
        (held(interpreter, object), made)
    {
        let items: Payload = interpreter.heap.payload(made).clone();
        interpreter.heap.set_payload(id, items);
    }
    Ok(Value::None)
}
