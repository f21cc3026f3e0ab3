//! The built-in attribute `__dict__` of a library's module: its members by name.

use std::rc::Rc;

use crate::api::dispatch::argument_of;
use crate::api::library_model::MethodHandler;
use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};

pub const NAMESPACE: &str = "types.MappingProxyType";

/// What the class `object` holds (Python 3.12).
const OF_OBJECT: [&str; 24] = [
    "__new__",
    "__repr__",
    "__hash__",
    "__str__",
    "__getattribute__",
    "__setattr__",
    "__delattr__",
    "__lt__",
    "__le__",
    "__eq__",
    "__ne__",
    "__gt__",
    "__ge__",
    "__init__",
    "__reduce_ex__",
    "__reduce__",
    "__getstate__",
    "__subclasshook__",
    "__init_subclass__",
    "__format__",
    "__sizeof__",
    "__dir__",
    "__class__",
    "__doc__",
];

/// The namespace of a library's module or class.
pub fn namespace_of(interpreter: &mut Interpreter<'_>, library: Name, origin: Span) -> Value {
    if library.as_str() == "builtins.object" {
        let member = |name: &str| match name {
            "__class__" => Value::library("builtins.type"),
            "__doc__" => Value::Str(None),
            _ => Value::library(&format!("builtins.object.{name}")),
        };
        let entries = OF_OBJECT.iter().map(|name| (Value::str(name), member(name))).collect();
        return Value::Dict(interpreter.heap.allocate_dict(entries));
    }
    let arguments = vec![(name!("library"), Value::Library(library))];
    let data = InstanceData { class: Value::library(NAMESPACE), arguments, origin };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

pub fn method(name: &str) -> Option<MethodHandler> {
    match name.strip_prefix(NAMESPACE)?.strip_prefix('.')? {
        "__getitem__" | "get" => Some(member),
        "keys" => Some(|_, _, _| Ok(Value::Iterator(Rc::new(names())))),
        "__contains__" => Some(|_, _, _| Ok(Value::Unknown("whether a library has a member"))),
        _ => None,
    }
}

/// A member by its name; a name that only the run knows stands for any member.
fn member(interpreter: &mut Interpreter<'_>, namespace: &Value, arguments: CallArguments) -> Eval {
    let library = interpreter.instance_data(namespace).map(|data| argument_of(&data, "library"));
    let (Some(Value::Library(library)), Some(key)) = (library, arguments.positional.first()) else {
        return Ok(Value::Unknown("member of a library"));
    };
    let key = interpreter.read(key);
    let span = arguments.span;
    interpreter.for_each_alternative(&key, |this, key| {
        Ok(match key.as_text() {
            Some(name) => this.library_attribute(library, Name::new(name), span),
            None => this.unanswered("member of a library", &format!("{library}.__dict__"), span),
        })
    })
}

fn names() -> Iteration {
    Iteration::Repeated { element: Value::Str(None), count: None, residual: None }
}

pub fn iterate(_: &mut Interpreter<'_>, _: &Value) -> Eval<Iteration> {
    Ok(names())
}
