//! What `collections.abc.Mapping` adds to the methods of a class of the program: `get`, `keys` and their like, by `__getitem__` and `__iter__`.

use super::MethodHandler;
use crate::interp::calls::CallArguments;
use crate::interp::machine::{Eval, Interpreter, Interrupt};
use crate::interp::value::{Iteration, Value};
use crate::python::name::Name;

pub fn method(name: &str) -> Option<MethodHandler> {
    let method = name.strip_prefix("collections.abc.")?;
    let method = method.strip_prefix("MutableMapping.").or_else(|| method.strip_prefix("Mapping."))?;
    Some(match method {
        "get" => get,
        "keys" => |this, mapping, arguments| parts(this, mapping, &arguments, |key, _| key),
        "values" => |this, mapping, arguments| parts(this, mapping, &arguments, |_, value| value),
        "items" => {
            |this, mapping, arguments| parts(this, mapping, &arguments, |key, value| Value::tuple(vec![key, value]))
        }
        _ => return None,
    })
}

/// `get(key, default)`: the default where `__getitem__` raises.
fn get(interpreter: &mut Interpreter<'_>, mapping: &Value, arguments: CallArguments) -> Eval {
    let key = arguments.positional.first().cloned().unwrap_or(Value::None);
    let default = arguments.get(1, "default").cloned().unwrap_or(Value::None);
    interpreter.caught += 1;
    let found = interpreter.get_item(mapping, &key, arguments.span);
    interpreter.caught -= 1;
    match found {
        Err(Interrupt::Raise) => Ok(default),
        found => found,
    }
}

fn parts(
    interpreter: &mut Interpreter<'_>,
    mapping: &Value,
    arguments: &CallArguments,
    part: fn(Value, Value) -> Value,
) -> Eval {
    let method = interpreter.get_attribute(mapping, Name::new("__iter__"), arguments.span)?;
    let keys = interpreter.call(&method, CallArguments::empty(arguments.span))?;
    let Iteration::Items(keys) = interpreter.iterate(&keys)? else {
        return Ok(interpreter.symbolic("entries", arguments.span, true));
    };
    let mut entries = Vec::with_capacity(keys.len());
    for key in keys {
        let value = interpreter.get_item(mapping, &key, arguments.span)?;
        entries.push(part(key, value));
    }
    Ok(Value::List(interpreter.heap.allocate_list(entries)))
}
