//! Built-in functions of objects: `isinstance`, `getattr`, `super`, `copy` and their like.

use std::rc::Rc;

use crate::api::library_model::{ConstructorHandler, FunctionHandler, MethodHandler};
use crate::builtins::attribute_tests::{has_attribute, hasattr};
use crate::builtins::isinstance::{is_instance, is_subclass};
use crate::calls::call::CallArguments;
use crate::classes::descriptors_and_dunders::{function_of_object, method_of_object, method_of_type};
use crate::classes::named_tuples::TYPED;
use crate::evaluate::exceptions::is_exception;
use crate::heap::objects::{InstanceData, Payload};
use crate::paths::predicates::IS_CALLABLE;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::{BoundMethod, Closure, FunctionKind, Iteration, Value};
use harp_python::name::{Name, name};
use harp_trace::Reveal;
use harp_trace::complexity::{Complexity, Treatment};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.isinstance" => is_instance,
        "builtins.issubclass" => is_subclass,
        "builtins.type" => type_of,
        "builtins.super" => |this, _, arguments| Ok(this.super_proxy(&arguments)),
        "builtins.getattr" => getattr,
        "builtins.setattr" => setattr,
        "builtins.object.__init_subclass__" => |_, _, _| Ok(Value::None),
        "builtins.hasattr" => hasattr,
        "builtins.delattr" => |this, _, arguments| {
            if let [object, name] = &arguments.positional[..]
                && let Some(name) = name.as_text().map(Name::new)
            {
                this.delete_attribute(object, name, arguments.span)?;
            }
            Ok(Value::None)
        },
        "builtins.object.__setattr__" | "builtins.object.__delattr__" | "builtins.object.__getattribute__" => {
            function_of_object
        }
        "builtins.type.__call__" | "builtins.type.__new__" => |this, name, mut arguments| {
            if arguments.positional.is_empty() {
                return Ok(Value::Unknown("class"));
            }
            let class = arguments.positional.remove(0);
            method_of_type(this, name.as_str(), &class, arguments)
        },
        "builtins.int.__new__"
        | "builtins.float.__new__"
        | "builtins.str.__new__"
        | "builtins.tuple.__new__"
        | "builtins.list.__new__"
        | "builtins.set.__new__"
        | "builtins.frozenset.__new__"
        | "builtins.dict.__new__" => |this, _, mut arguments| {
            let Some(class @ Value::Class(_)) = arguments.positional.first().map(|class| this.read(class)) else {
                return Ok(Value::Unknown("object"));
            };
            arguments.positional.remove(0);
            arguments.positional_spans.clear();
            // `tuple.__new__(Class, values)` of named tuples.
            if let (Value::Class(id), [values]) = (&class, &arguments.positional[..])
                && this.derives_from(&class, TYPED)
            {
                let Iteration::Items(items) = this.iterate(&values.clone())? else {
                    return Ok(Value::Unknown("object"));
                };
                return this.new_named_tuple(*id, CallArguments::positional(items, arguments.span));
            }
            method_of_object(this, "builtins.object.__new__", &class, arguments)
        },
        "types.MethodType" => |_, _, arguments| {
            Ok(match &arguments.positional[..] {
                [function, receiver] => {
                    Value::BoundMethod(Rc::new(BoundMethod { receiver: receiver.clone(), function: function.clone() }))
                }
                _ => Value::Unknown("method"),
            })
        },
        "enum.auto" => |this, _, _| Ok(this.automatic_value()),
        "builtins.callable" => is_callable,
        "importlib.reload" => |this, _, arguments| {
            let module = this.read(&first(&arguments));
            if let Value::Module(id) = module {
                this.forget_plain_attributes(id);
            }
            Ok(module)
        },
        "builtins.id" => |this, _, arguments| {
            let object = this.read(&first(&arguments));
            Ok(number_of_object(&object).unwrap_or_else(|| this.any_integer("id")))
        },
        "builtins.hash" => |this, _, _| Ok(this.any_integer("id")),
        "builtins.object" => object,
        "builtins.object.__new__" => {
            |this, name, arguments| match arguments.positional.first().map(|class| this.read(class)) {
                Some(class @ Value::Class(_)) if !this.makes_plain_objects(&class) => {
                    function_of_object(this, name, arguments)
                }
                _ => Ok(this.new_plain_object(&arguments)),
            }
        }
        name if is_exception(name) => {
            |this, name, arguments| Ok(this.new_exception(name, arguments.positional, arguments.span))
        }
        "builtins.property" | "builtins.staticmethod" | "builtins.classmethod" => descriptor,
        "builtins.vars" => vars,
        "builtins.globals" => |this, _, _| Ok(this.global_names()),
        "builtins.locals" => |this, _, _| Ok(this.local_names()),
        "builtins.reveal_type" | "typing.reveal_type" | "typing_extensions.reveal_type" => reveal_type,
        "inspect.isgeneratorfunction" => |this, _, arguments| Ok(is_generator_function(this, &first(&arguments))),
        "typing.cast" => |_, _, arguments| Ok(arguments.positional.get(1).cloned().unwrap_or(Value::None)),
        _ => return None,
    })
}

/// `id(object)`: objects have different numbers, whichever these are.
pub(crate) fn number_of_object(object: &Value) -> Option<Value> {
    const FIRST: i64 = 0x7f00_0000_0000;
    match object {
        Value::List(id) | Value::Dict(id) | Value::Set(id) | Value::Instance(id) => {
            Some(Value::int(FIRST + 16 * i64::from(id.0)))
        }
        _ => None,
    }
}

/// `callable(value)`, where its kind is known.
fn is_callable(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    interpreter.for_each_alternative(&first(&arguments), |this, value| {
        Ok(match &value {
            Value::Function(_) | Value::BoundMethod(_) | Value::Class(_) | Value::LibraryMethod(_) => Value::Bool(true),
            Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Ratio(_)
            | Value::Str(_)
            | Value::Bytes
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Dict(_)
            | Value::Set(_)
            | Value::Range(_)
            | Value::Size(_)
            | Value::Tensor(_) => Value::Bool(false),
            Value::Library(name)
                if this.library_entry(*name).is_some()
                    || crate::api::registry::function(this.models, name.as_str()).is_some() =>
            {
                Value::Bool(true)
            }
            Value::Instance(_) if this.class_attribute(&value, name!("__call__")).is_some() => Value::Bool(true),
            Value::Symbolic(id) => this.memoised_answer(*id, IS_CALLABLE),
            _ => Value::Unknown("test for a callable"),
        })
    })
}

/// Whether a function of the program yields.
fn is_generator_function(interpreter: &Interpreter<'_>, value: &Value) -> Value {
    match interpreter.read(value) {
        Value::Function(closure) => Value::Bool(closure.function.is_generator),
        Value::BoundMethod(method) => is_generator_function(interpreter, &method.function),
        _ => Value::Unknown("test for a generator"),
    }
}

/// `torch._assert(condition, message)` is an `assert`.
pub fn assertion(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let condition = arguments.get(0, "condition").cloned().unwrap_or(Value::Unknown("missing argument"));
    let flow = interpreter
        .branch(&condition, arguments.span, |_, holds| Ok(if holds { Flow::Normal } else { Flow::Raise }))?;
    if let Flow::Raise = flow { Err(Interrupt::Raise) } else { Ok(Value::None) }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    if name == "abc.ABCMeta.register" {
        return Some(|this, class, arguments| {
            let other = this.read(&first(&arguments));
            if let Value::Class(class) = class {
                this.register_class(*class, &other);
            }
            Ok(other)
        });
    }
    match name {
        // What its `emit` does with messages is not followed.
        "logging.Logger.addHandler" => Some(|this, _, arguments| {
            let handler = this.read(&first(&arguments));
            if let (Value::Instance(id), true) = (&handler, this.own_method(&handler, "emit").is_some()) {
                this.forget_plain_attributes(*id);
            }
            Ok(Value::None)
        }),
        "builtins.type.__subclasses__" => Some(|this, class, call| {
            let derived = match class {
                Value::Class(id) => this.derived_classes(*id),
                _ => None,
            };
            match derived {
                Some(classes) => Ok(Value::List(this.heap.allocate_list(classes))),
                None => Ok(this.symbolic("subclasses", call.span, true)),
            }
        }),
        "builtins.object.__setattr__" => {
            Some(|this, object, call| method_of_object(this, "builtins.object.__setattr__", object, call))
        }
        "builtins.object.__delattr__" => {
            Some(|this, object, call| method_of_object(this, "builtins.object.__delattr__", object, call))
        }
        // What is not said otherwise is equal to itself alone, as members of enumerations are.
        "builtins.object.__eq__" | "enum.Enum.__eq__" => Some(|this, object, call| {
            let other = this.read(&first(&call));
            let object = this.read(object);
            Ok(this.identical(&object, &other))
        }),
        "builtins.object.__getattribute__" => {
            Some(|this, object, call| method_of_object(this, "builtins.object.__getattribute__", object, call))
        }
        "builtins.object.__new__" => {
            Some(|this, class, call| method_of_object(this, "builtins.object.__new__", class, call))
        }
        // Programs give loggers further methods, all of which write.
        name if name.strip_prefix("logging.Logger.").is_some_and(writes) => Some(|_, _, _| Ok(Value::None)),
        "builtins.object.__init__" | "abc.ABC.__init__" => Some(|this, _, call| {
            let is_given = !(call.is_open || call.positional.is_empty() && call.keywords.is_empty());
            if is_given {
                this.raise_if_caught("TypeError", "object.__init__() takes exactly one argument", call.span)?;
            }
            Ok(Value::None)
        }),
        "builtins.object.__init_subclass__" | "builtins.type.__init__" => Some(|_, _, _| Ok(Value::None)),
        "builtins.type.__new__" => Some(|this, class, call| method_of_type(this, "builtins.type.__new__", class, call)),
        "builtins.type.__call__" => {
            Some(|this, class, call| method_of_type(this, "builtins.type.__call__", class, call))
        }
        "builtins.type.mro" => Some(|this, class, call| {
            let order = this.get_attribute(class, name!("__mro__"), call.span)?;
            this.call_library(name!("builtins.list"), CallArguments::positional(vec![order], call.span))
        }),
        "builtins.int.bit_length" => Some(|this, number, _| {
            Ok(match number.as_int() {
                Some(number) => Value::int(i64::from(64 - number.unsigned_abs().leading_zeros())),
                None => this.any_integer("n"),
            })
        }),
        "types.FunctionType.__get__" => Some(|this, function, call| match call.get(0, "instance") {
            Some(object) if !object.is_none() => Ok(this.bind_method(object, function.clone())),
            _ => Ok(function.clone()),
        }),
        name if name.ends_with(".add_note") && is_exception(name.trim_end_matches(".add_note")) => Some(add_note),
        name if name.ends_with(".with_traceback") && is_exception(name.trim_end_matches(".with_traceback")) => {
            Some(|_, exception, _| Ok(exception.clone()))
        }
        _ => None,
    }
}

/// Whether a method that programs give loggers writes a message: `warning_once`, `info_rank0`.
fn writes(method: &str) -> bool {
    ["critical", "debug", "error", "exception", "info", "log", "warn"]
        .iter()
        .any(|level| method.strip_prefix(level).is_some_and(|rest| rest.starts_with('_') || rest.starts_with("ing_")))
}

/// `exception.add_note(text)`
fn add_note(interpreter: &mut Interpreter<'_>, exception: &Value, arguments: CallArguments) -> Eval {
    let (Value::Instance(id), Some(note)) = (exception, arguments.get(0, "note")) else { return Ok(Value::None) };
    match interpreter.heap.attribute(*id, name!("__notes__")).cloned() {
        Some(Value::List(notes)) => interpreter.heap.push_item(notes, note.clone()),
        _ => {
            let notes = Value::List(interpreter.heap.allocate_list(vec![note.clone()]));
            interpreter.heap.set_attribute(*id, name!("__notes__"), notes);
        }
    }
    Ok(Value::None)
}

/// The constructor of classes that derive from `property`.
pub fn constructor(class: &str) -> Option<ConstructorHandler> {
    (class == "builtins.property").then_some(|interpreter, id, arguments| {
        for (position, part) in ["fget", "fset", "fdel"].into_iter().enumerate() {
            let given = arguments.get(position, part).cloned().unwrap_or(Value::None);
            interpreter.heap.set_attribute(id, Name::new(part), given);
        }
        Ok(())
    })
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}

fn type_of(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if arguments.positional.len() == 3 {
        return match interpreter.class_of_call(&arguments, None)? {
            Some(class) => Ok(class),
            None => Ok(interpreter.unanswered("class", name.as_str(), arguments.span)),
        };
    }
    let value = first(&arguments);
    interpreter.for_each_alternative(&value, |this, value| {
        Ok(match value {
            // The class of a class is its metaclass.
            Value::Class(id) => this.metaclass_of(id).unwrap_or_else(|| Value::library("builtins.type")),
            value => this.class_of(&value),
        })
    })
}

fn getattr(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let object = interpreter.plain_text(&first(&arguments)).into_owned();
    let Some(name) = arguments.positional.get(1).and_then(Value::as_text).map(Name::new) else {
        if let (Value::Module(module), Some(key)) = (interpreter.read(&object), arguments.positional.get(1))
            && let key = interpreter.read(key)
            && let Some(member) = interpreter.member_by_key(module, &key, arguments.span)
        {
            return Ok(member);
        }
        interpreter.not_understood("getattr with a computed name", arguments.span);
        return Ok(interpreter.symbolic("attribute", arguments.span, true));
    };
    let default = arguments.positional.get(2).cloned();
    if let Some(default) = default {
        match has_attribute(interpreter, &object, name) {
            Some(false) if let Some(given) = interpreter.given_by_library(&object, name, arguments.span) => {
                return Ok(given);
            }
            Some(false)
                if interpreter.own_method(&object, "__getattr__").is_none()
                    && !(interpreter.hooks.reads && interpreter.own_method(&object, "__getattribute__").is_some()) =>
            {
                return Ok(default);
            }
            Some(true) if interpreter.heap_attribute(&object, name).is_some() => {}
            _ => {
                return Ok(interpreter.try_attribute(&object, name, arguments.span)?.unwrap_or(default));
            }
        }
    }
    interpreter.get_attribute(&object, name, arguments.span)
}

fn setattr(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if let [object, name, value] = &arguments.positional[..] {
        let treatment = if name.as_text().is_some() { Treatment::Followed } else { Treatment::NotFollowed };
        interpreter.note_complexity(Complexity::DynamicAttribute, arguments.span, treatment);
        match name.as_text() {
            Some("data") if matches!(interpreter.read(object), Value::Tensor(_)) => {
                interpreter.not_understood("setattr of the data of a tensor", arguments.span);
            }
            Some(name) => interpreter.set_attribute(object, Name::new(name), value.clone(), arguments.span)?,
            None => {
                if interpreter.set_some_entry(object, name, value, arguments.span)? {
                    return Ok(Value::None);
                }
                interpreter.set_some_attribute(object, value, arguments.span);
                interpreter.not_understood("setattr with a computed name", arguments.span);
            }
        }
    }
    Ok(Value::None)
}

fn object(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let data = InstanceData { class: Value::Library(name), arguments: Vec::new(), origin: arguments.span };
    Ok(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))))
}

fn descriptor(_: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let accessor =
        |position: usize, keyword: &str| arguments.get(position, keyword).cloned().filter(|it| !it.is_none());
    let accessors = [accessor(1, "fset"), accessor(2, "fdel")];
    let accessors = accessors.iter().any(Option::is_some).then(|| Rc::new(accessors));
    let function = arguments.get(0, "fget").cloned().unwrap_or(Value::Unknown("missing argument"));
    let kind = match name.as_str() {
        "builtins.property" => FunctionKind::Property,
        "builtins.staticmethod" => FunctionKind::Static,
        _ => FunctionKind::ClassMethod,
    };
    Ok(match function {
        Value::Function(closure) => Value::Function(Rc::new(Closure { kind, accessors, ..closure.copy() })),
        other => other,
    })
}

fn vars(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if arguments.positional.is_empty() {
        return Ok(interpreter.local_names());
    }
    let object = first(&arguments);
    interpreter.get_attribute(&object, name!("__dict__"), arguments.span)
}

fn reveal_type(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    let text = interpreter.reveal(&value);
    let assumptions = match &value {
        Value::Tensor(tensor) => tensor.assumptions.clone(),
        _ => harp_trace::assumption::AssumptionSet::default(),
    };
    let known = interpreter.trace.reveals.iter().any(|reveal| reveal.span == arguments.span && reveal.text == text);
    if !known {
        interpreter.trace.reveals.push(Reveal { span: arguments.span, text, assumptions });
    }
    Ok(value)
}
