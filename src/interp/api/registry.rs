//! Which handler an API's name means: those of Python's own functions and types stand here, those of libraries are
//! asked for.

use super::library_model::LibraryModel;
use super::library_model::{ConstructorHandler, FunctionHandler, IterationHandler, MethodHandler};
use crate::classes::named_tuples;
use crate::values::value::Value;

/// The models of libraries.
type Models<'m> = &'m dyn LibraryModel;

/// The handler of a function or class by qualified name.
pub fn function(models: Models<'_>, name: &str) -> Option<FunctionHandler> {
    models
        .function(name)
        .or_else(|| crate::classes::dict_subclass_methods::function(name))
        .or_else(|| crate::builtins::numbers::function(name))
        .or_else(|| crate::builtins::containers::function(name))
        .or_else(|| crate::builtins::iterator_functions::function(name))
        .or_else(|| crate::builtins::objects::function(name))
        .or_else(|| crate::builtins::copy::function(name))
        .or_else(|| crate::builtins::eval::function(name))
        .or_else(|| crate::builtins::strings::function(name))
        .or_else(|| crate::builtins::str_case::function(name))
        .or_else(|| crate::builtins::reflection::function(name))
        .or_else(|| (name == "builtins.dir").then_some(crate::classes::dir::dir as FunctionHandler))
}

/// The handler of a method by qualified name.
pub fn method(models: Models<'_>, name: &str) -> Option<MethodHandler> {
    let of_dict =
        name.strip_prefix("collections.OrderedDict.").or_else(|| name.strip_prefix("collections.defaultdict."));
    let name = match of_dict {
        Some(method) if name != "collections.defaultdict.__init__" => &format!("builtins.dict.{method}"),
        _ => name,
    };
    models
        .method(name)
        .or_else(|| crate::builtins::containers::method(name))
        .or_else(|| crate::classes::dict_subclass_methods::method(name))
        .or_else(|| crate::builtins::str_case::method(name))
        .or_else(|| crate::builtins::number_methods::method(name))
        .or_else(|| crate::builtins::strings::method(name))
        .or_else(|| crate::builtins::objects::method(name))
        .or_else(|| crate::builtins::reflection::method(name))
        .or_else(|| crate::classes::named_tuples::method(name))
        .or_else(|| crate::builtins::library_dict::method(name))
        .or_else(|| crate::generators::generator_methods::method(name))
        .or_else(|| crate::builtins::dunder_calls::method(name))
        .or_else(|| crate::builtins::item_dunders::method(name))
}

/// The handler of a library class's constructor, for classes of the program that derive from it.
pub fn constructor(models: Models<'_>, class: &str) -> Option<ConstructorHandler> {
    models.constructor(class).or_else(|| crate::builtins::objects::constructor(class))
}

/// What calling an instance of a library class does, where annotations cannot say it.
pub fn instance_call(models: Models<'_>, class: &str) -> Option<MethodHandler> {
    match class {
        "collections.namedtuple" => Some(named_tuples::call_named_tuple),
        _ => models.instance_call(class).or_else(|| crate::builtins::reflection::instance_call(class)),
    }
}

/// The handler of an iteration over an instance of a library class.
pub fn iteration(models: Models<'_>, class: &str) -> Option<IterationHandler> {
    match class {
        named_tuples::RECORD | named_tuples::TYPED => Some(named_tuples::iterate),
        crate::builtins::library_dict::NAMESPACE => Some(crate::builtins::library_dict::iterate),
        _ => models.iteration(class),
    }
}

/// A library constant that annotations do not describe.
pub fn constant(models: Models<'_>, name: &str) -> Option<Value> {
    models.constant(name).or_else(|| crate::builtins::signature_objects::constant(name))
}

/// Whether a library's function or method is called where it decorates without parentheses: it makes something else of what it decorates.
pub fn is_decorator(models: Models<'_>, value: &Value) -> bool {
    match value {
        Value::Library(name) => {
            models.is_decorator(name.as_str()) || matches!(name.as_str(), "functools.lru_cache" | "functools.cache")
        }
        Value::LibraryMethod(method) => models.is_decorator(method.api.as_str()),
        _ => false,
    }
}
