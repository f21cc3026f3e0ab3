//! Python's `inspect`: whether something is a class or a function, and what a module or a class has.

use harp_annotations::Entry;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::Name;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "inspect.isclass" => |this, _, arguments| ask(this, &arguments, is_class),
        "inspect.isfunction" => |this, _, arguments| ask(this, &arguments, is_function),
        "inspect.ismethod" => |this, _, arguments| ask(this, &arguments, is_method),
        "inspect.ismodule" => |this, _, arguments| ask(this, &arguments, is_module),
        "inspect.getmembers" => members,
        _ => return None,
    })
}

fn ask(
    interpreter: &mut Interpreter<'_>,
    arguments: &CallArguments,
    test: fn(&mut Interpreter<'_>, &Value) -> Option<bool>,
) -> Eval {
    let value = arguments.get(0, "object").cloned().unwrap_or(Value::Unknown("missing argument"));
    let span = arguments.span;
    interpreter.for_each_alternative(&value, |this, value| {
        Ok(match test(this, &value) {
            Some(answer) => Value::Bool(answer),
            None => this.symbolic("a truth value", span, true),
        })
    })
}

fn is_class(interpreter: &mut Interpreter<'_>, value: &Value) -> Option<bool> {
    match value {
        Value::Class(_) => Some(true),
        Value::Library(name) => match interpreter.library_entry(*name) {
            Some(Entry::Class(_)) => Some(true),
            Some(_) => Some(false),
            None => None,
        },
        value => (!is_open(value)).then_some(false),
    }
}

fn is_function(_: &mut Interpreter<'_>, value: &Value) -> Option<bool> {
    match value {
        Value::Function(_) => Some(true),
        Value::Library(_) => None,
        value => (!is_open(value)).then_some(false),
    }
}

fn is_method(_: &mut Interpreter<'_>, value: &Value) -> Option<bool> {
    match value {
        Value::BoundMethod(_) => Some(true),
        Value::LibraryMethod(_) => None,
        value => (!is_open(value)).then_some(false),
    }
}

fn is_module(_: &mut Interpreter<'_>, value: &Value) -> Option<bool> {
    match value {
        Value::Module(_) => Some(true),
        Value::Library(_) => None,
        value => (!is_open(value)).then_some(false),
    }
}

fn is_open(value: &Value) -> bool {
    matches!(value, Value::Symbolic(_) | Value::Unknown(_))
}

/// `inspect.getmembers(object, predicate)`: names and values, by name, of a module or a class of the program.
fn members(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let object = arguments.get(0, "object").map_or(Value::Unknown("missing argument"), |it| interpreter.read(it));
    let (Value::Module(id) | Value::Class(id)) = object else {
        return Ok(interpreter.symbolic("members", span, true));
    };
    let predicate = arguments.get(1, "predicate").map(|it| interpreter.read(it)).filter(|it| !it.is_none());
    let Value::Dict(names) = interpreter.attributes_as_dict(id) else { return Ok(Value::Unknown("members")) };
    let mut entries = interpreter.heap.dict(names).map(|data| data.entries.clone()).unwrap_or_default();
    entries.sort_by(|(a, _), (b, _)| a.as_text().cmp(&b.as_text()));
    let mut found = Vec::new();
    for (name, value) in entries {
        let value = interpreter.read(&value);
        let is_wanted = match &predicate {
            None => true,
            Some(predicate) => {
                let answer = interpreter.call(predicate, CallArguments::positional(vec![value.clone()], span))?;
                match interpreter.read(&answer) {
                    Value::Bool(answer) => answer,
                    // Which ones there are is not known.
                    _ => return Ok(interpreter.symbolic("members", span, true)),
                }
            }
        };
        if is_wanted {
            found.push(Value::tuple(vec![name, value]));
        }
    }
    Ok(Value::List(interpreter.heap.allocate_list(found)))
}
