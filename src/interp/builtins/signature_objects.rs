//! What functions and classes say of their parameters and fields: `inspect.signature`, `typing.get_type_hints`.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::builtins::reflection::instance;
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{DEFAULT_OF_LIBRARY, Value};
use harp_annotations::ParameterKind as FormKind;
use harp_python::ir::ParameterKind;
use harp_python::name::{Name, name};

/// `get_type_hints(object)`: what the annotations of a class and its bases, or of a function, stand for where these are plain names.
pub(crate) fn hints(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let object = first(&arguments);
    let found = written_hints(interpreter, name, &object, &arguments)?;
    let keeps_metadata =
        name.as_str().starts_with("inspect.") || matches!(arguments.keyword("include_extras"), Some(Value::Bool(true)));
    if let (Value::Dict(id), false) = (&found, keeps_metadata)
        && let Some(data) = interpreter.heap.dict(*id).cloned()
    {
        let plain = |(name, written): &(Value, Value)| (name.clone(), interpreter.without_metadata(written.clone()));
        let entries = data.entries.iter().map(plain).collect();
        return Ok(Value::Dict(interpreter.heap.allocate_dict(entries)));
    }
    Ok(found)
}

fn written_hints(interpreter: &mut Interpreter<'_>, name: Name, object: &Value, arguments: &CallArguments) -> Eval {
    match object {
        Value::Function(closure) => Ok(interpreter.annotations_of(closure)),
        Value::BoundMethod(method) => match &method.function {
            Value::Function(closure) => Ok(interpreter.annotations_of(closure)),
            _ => Ok(interpreter.symbolic(name.as_str(), arguments.span, true)),
        },
        Value::Class(class) => {
            let mut order = interpreter.resolution_order(object);
            order.reverse();
            if name.as_str().starts_with("inspect.") {
                order.retain(|base| base.same(object));
            }
            let names: Vec<Name> = order.iter().flat_map(|base| interpreter.annotated_names(base)).collect();
            let mut entries: Vec<(Value, Value)> = Vec::with_capacity(names.len());
            let mut known = FxHashSet::default();
            for field in names.into_iter().filter(|field| known.insert(*field)) {
                let written = interpreter.type_of_field(*class, field);
                entries.push((Value::str(field.as_str()), written));
            }
            Ok(Value::Dict(interpreter.heap.allocate_dict(entries)))
        }
        _ => Ok(interpreter.symbolic(name.as_str(), arguments.span, true)),
    }
}

/// The `parameters` of `inspect.signature(function)`, by name.
pub(crate) fn parameters(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let mut function = first(&arguments);
    while let Value::Function(closure) = &function
        && let Some(wrapped) = &closure.wrapped
    {
        function = wrapped.clone();
    }
    let (closure, skipped) = match &function {
        Value::Function(closure) => (Rc::clone(closure), 0),
        Value::BoundMethod(method) => match &method.function {
            Value::Function(closure) => (Rc::clone(closure), 1),
            _ => return Ok(interpreter.symbolic("signature", arguments.span, true)),
        },
        Value::Class(_) => match interpreter.member_of(&function, name!("__init__"), None) {
            Some(Value::Function(closure)) => (closure, 1),
            _ => return Ok(interpreter.symbolic("signature", arguments.span, true)),
        },
        Value::Library(api) if let Some(found) = parameters_of_library(interpreter, *api, &arguments) => {
            return Ok(found);
        }
        _ => {
            interpreter.not_understood(name.as_str(), arguments.span);
            return Ok(interpreter.symbolic("signature", arguments.span, true));
        }
    };
    let mut parameters = Vec::new();
    let annotations = interpreter.annotations_of(&closure);
    for (index, parameter) in closure.function.parameters.iter().enumerate().skip(skipped) {
        let annotation = match &annotations {
            Value::Dict(known) => {
                let known = interpreter.heap.dict(*known);
                known.and_then(|known| known.find(&Value::str(parameter.name.as_str()))).map(|(_, it)| it.clone())
            }
            _ => None,
        };
        let is_annotated = parameter.annotation.is_some();
        let annotation = if is_annotated { annotation.or(Some(Value::Unknown("annotation"))) } else { annotation };
        let default = closure.defaults.get(index).cloned().flatten();
        let members = members_of(parameter.name.as_str(), parameter.kind, default, annotation);
        let object = instance(interpreter, "inspect.Parameter", &members, &arguments);
        parameters.push((Value::str(parameter.name.as_str()), object));
    }
    Ok(Value::Dict(interpreter.heap.allocate_dict(parameters)))
}

/// The attributes of a `Parameter`.
fn members_of(
    name: &str,
    kind: ParameterKind,
    default: Option<Value>,
    annotation: Option<Value>,
) -> [(&'static str, Value); 10] {
    let empty = Value::library("inspect.Parameter.empty");
    let number = |kind| Value::int(kind_number(kind));
    [
        ("name", Value::str(name)),
        ("kind", number(kind)),
        ("default", default.unwrap_or_else(|| empty.clone())),
        ("annotation", annotation.unwrap_or_else(|| empty.clone())),
        ("empty", empty),
        ("POSITIONAL_ONLY", number(ParameterKind::PositionalOnly)),
        ("POSITIONAL_OR_KEYWORD", number(ParameterKind::Normal)),
        ("VAR_POSITIONAL", number(ParameterKind::Variadic)),
        ("KEYWORD_ONLY", number(ParameterKind::KeywordOnly)),
        ("VAR_KEYWORD", number(ParameterKind::VariadicKeyword)),
    ]
}

/// The parameters of a function of a library that can be called in one form alone.
fn parameters_of_library(
    interpreter: &mut Interpreter<'_>,
    function: Name,
    arguments: &CallArguments,
) -> Option<Value> {
    let forms = interpreter.call_forms(function)?;
    let [form] = &forms.forms[..] else { return None };
    let mut parameters = Vec::with_capacity(form.parameters.len());
    for parameter in &form.parameters {
        let kind = match parameter.kind {
            FormKind::PositionalOnly => ParameterKind::PositionalOnly,
            FormKind::PositionalOrKeyword => ParameterKind::Normal,
            FormKind::VariadicPositional => ParameterKind::Variadic,
            FormKind::KeywordOnly => ParameterKind::KeywordOnly,
            FormKind::VariadicKeyword => ParameterKind::VariadicKeyword,
        };
        let default = parameter.is_optional.then_some(Value::Unknown(DEFAULT_OF_LIBRARY));
        let members = members_of(&parameter.name, kind, default, None);
        let object = instance(interpreter, "inspect.Parameter", &members, arguments);
        parameters.push((Value::str(&parameter.name), object));
    }
    Some(Value::Dict(interpreter.heap.allocate_dict(parameters)))
}

/// The numbers that `inspect` gives kinds of parameters, in the order of its enumeration.
fn kind_number(kind: ParameterKind) -> i64 {
    match kind {
        ParameterKind::PositionalOnly => 0,
        ParameterKind::Normal => 1,
        ParameterKind::Variadic => 2,
        ParameterKind::KeywordOnly => 3,
        ParameterKind::VariadicKeyword => 4,
    }
}

/// `inspect.Parameter.KEYWORD_ONLY` and its like.
pub fn constant(name: &str) -> Option<Value> {
    let kind = match name.strip_prefix("inspect.Parameter.")? {
        "POSITIONAL_ONLY" => ParameterKind::PositionalOnly,
        "POSITIONAL_OR_KEYWORD" => ParameterKind::Normal,
        "VAR_POSITIONAL" => ParameterKind::Variadic,
        "KEYWORD_ONLY" => ParameterKind::KeywordOnly,
        "VAR_KEYWORD" => ParameterKind::VariadicKeyword,
        _ => return None,
    };
    Some(Value::int(kind_number(kind)))
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}
