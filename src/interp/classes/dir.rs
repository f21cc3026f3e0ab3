//! The built-in function `dir(object)` of what the program made itself: all names, sorted, those that Python gives
//! every module and object among them.

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::name::{Name, name};

/// What every module has.
const OF_MODULES: [&str; 9] = [
    "__builtins__",
    "__cached__",
    "__doc__",
    "__file__",
    "__loader__",
    "__name__",
    "__package__",
    "__path__",
    "__spec__",
];

/// What every class and object has, besides what the program gives it (Python 3.12).
pub(crate) const OF_OBJECTS: [&str; 29] = [
    "__class__",
    "__delattr__",
    "__dict__",
    "__dir__",
    "__doc__",
    "__eq__",
    "__format__",
    "__ge__",
    "__getattribute__",
    "__getstate__",
    "__gt__",
    "__hash__",
    "__init__",
    "__init_subclass__",
    "__le__",
    "__lt__",
    "__module__",
    "__ne__",
    "__new__",
    "__reduce__",
    "__reduce_ex__",
    "__repr__",
    "__setattr__",
    "__sizeof__",
    "__str__",
    "__subclasshook__",
    "__weakref__",
    "__annotations__",
    "__static_attributes__",
];

impl Interpreter<'_> {
    /// All names that an object has, where these are known but for special ones.
    pub(crate) fn all_names_of(&self, object: &Value) -> Option<Vec<&'static str>> {
        let mut names: Vec<&'static str> = match object {
            Value::Module(id) => {
                let own = self.heap.object(*id).attributes.iter().map(|(name, _)| name.as_str());
                own.chain(OF_MODULES.into_iter().filter(|name| *name != "__path__")).collect()
            }
            Value::Class(_) | Value::Instance(_) => {
                let class = if matches!(object, Value::Class(_)) { object.clone() } else { self.class_of(object) };
                if !self.ends_at_object(&class) {
                    return None;
                }
                let mut names: Vec<&'static str> = OF_OBJECTS[..27].to_vec();
                let order = self.resolution_order(&class);
                let objects = order.iter().chain([object]).filter_map(|it| match it {
                    Value::Class(id) | Value::Instance(id) => Some(*id),
                    _ => None,
                });
                for id in objects {
                    if self.has_open_attributes(id) {
                        return None;
                    }
                    names.extend(self.heap.object(id).attributes.iter().map(|(name, _)| name.as_str()));
                }
                names
            }
            _ => return None,
        };
        names.retain(|name| !name.starts_with(['#', '(']));
        names.sort_unstable();
        names.dedup();
        Some(names)
    }
}

/// `dir(object)`: the names that are known; there may be others.
pub fn dir(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let object = interpreter.read(arguments.positional.first().unwrap_or(&Value::None));
    if let Some(names) = interpreter.ask(&object, "__dir__", arguments.span)? {
        return interpreter
            .call(&Value::library("builtins.sorted"), CallArguments::positional(vec![names], arguments.span));
    }
    if let Value::Module(module) = &object
        && let Some(own @ Value::Function(_)) = interpreter.heap.attribute(*module, name!("__dir__")).cloned()
    {
        let names = interpreter.call(&own, CallArguments::empty(arguments.span))?;
        return interpreter
            .call(&Value::library("builtins.sorted"), CallArguments::positional(vec![names], arguments.span));
    }
    if let Some(names) = interpreter.all_names_of(&object) {
        let names = names.into_iter().map(Value::str).collect();
        return Ok(Value::List(interpreter.heap.allocate_list(names)));
    }
    let names: Vec<Value> = match object {
        Value::Library(name) => interpreter.library.members(name.as_str()).into_iter().map(Value::str).collect(),
        Value::Module(id) | Value::Class(id) | Value::Instance(id) => {
            let names = interpreter.heap.object(id).attributes.iter().map(|(name, _)| name.as_str());
            names.filter(|name| !name.starts_with(['#', '('])).map(Value::str).collect()
        }
        _ => Vec::new(),
    };
    let list = interpreter.heap.allocate_list(names);
    interpreter.heap.change_list(list, |data| data.rest = Some(Value::Str(None)));
    Ok(Value::List(list))
}
