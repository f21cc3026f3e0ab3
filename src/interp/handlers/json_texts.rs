//! `json.dumps`: the text of what is known.

use crate::interp::calls::CallArguments;
use crate::interp::handlers::FunctionHandler;
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::operators::LONGEST_TEXT;
use crate::interp::value::Value;
use crate::python::name::Name;

/// What lies deeper is not written.
const DEEPEST: usize = 32;

pub fn function(name: &str) -> Option<FunctionHandler> {
    (name == "json.dumps").then_some(dumps as FunctionHandler)
}

fn dumps(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = arguments.get(0, "obj").cloned().unwrap_or(Value::Unknown("missing argument"));
    // Other forms of writing, such as what an encoder of the program makes, are not followed.
    let is_plain = arguments.keywords.iter().all(|(name, value)| match (name.as_str(), value) {
        ("obj" | "ensure_ascii" | "allow_nan" | "check_circular" | "skipkeys", _) => true,
        ("sort_keys", Value::Bool(false)) => true,
        // Only objects that JSON does not have go through them, and those are not known here.
        ("default" | "cls", _) => true,
        (_, value) => value.is_none(),
    });
    let mut text = String::new();
    let is_known = is_plain && write(interpreter, &value, &mut text, DEEPEST);
    Ok(Value::Str(is_known.then(|| text.into())))
}

/// Adds the text of a value; `false` where it is not known.
fn write(interpreter: &Interpreter<'_>, value: &Value, text: &mut String, depth: usize) -> bool {
    if depth == 0 || text.len() > LONGEST_TEXT {
        return false;
    }
    match interpreter.read(value) {
        Value::None => text.push_str("null"),
        Value::Bool(value) => text.push_str(if value { "true" } else { "false" }),
        Value::Int(dim) => match interpreter.solver.resolve(dim).as_const() {
            Some(number) => text.push_str(&number.to_string()),
            None => return false,
        },
        Value::Float(Some(number)) if number.is_finite() && number.fract() == 0.0 && number.abs() < 1e15 => {
            text.push_str(&format!("{number:.1}"));
        }
        Value::Float(Some(number)) if (1e-4..1e15).contains(&number.abs()) => text.push_str(&number.to_string()),
        Value::Str(Some(part)) => return write_text(&part, text),
        Value::Tuple(items) => return write_items(interpreter, &items, text, depth),
        Value::List(id) => match interpreter.heap.list(id).filter(|data| data.rest.is_none()) {
            Some(data) => return write_items(interpreter, &data.items, text, depth),
            None => return false,
        },
        Value::Dict(id) => {
            let Some(data) = interpreter.heap.dict(id).filter(|data| data.rest.is_none()) else { return false };
            text.push('{');
            for (index, (key, item)) in data.entries.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                let mut name = String::new();
                let key = interpreter.read(key);
                if !write(interpreter, &key, &mut name, 2) || matches!(key, Value::Tuple(_) | Value::List(_)) {
                    return false;
                }
                let is_text = matches!(key, Value::Str(_));
                text.push_str(&if is_text { name } else { format!("\"{name}\"") });
                text.push_str(": ");
                if !write(interpreter, item, text, depth - 1) {
                    return false;
                }
            }
            text.push('}');
        }
        _ => return false,
    }
    text.len() <= LONGEST_TEXT
}

fn write_items(interpreter: &Interpreter<'_>, items: &[Value], text: &mut String, depth: usize) -> bool {
    text.push('[');
    for (index, item) in items.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { ", " });
        if !write(interpreter, item, text, depth - 1) {
            return false;
        }
    }
    text.push(']');
    true
}

fn write_text(part: &str, text: &mut String) -> bool {
    text.push('"');
    for character in part.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            character if character.is_ascii() && !character.is_control() => text.push(character),
            _ => return false,
        }
    }
    text.push('"');
    true
}
