//! What programs ask about functions, modules and records: `inspect.signature`, `functools.wraps`, `sys.modules`, `dataclasses.replace`.

use std::rc::Rc;

use crate::api::dispatch::argument_of;
use crate::api::library_model::{FunctionHandler, MethodHandler};
use crate::calls::call::CallArguments;
use crate::classes::runtime_annotations::{get_args, get_origin};
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, FunctionKind, LibraryMethod, ObjectId, SuperProxy, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::{Parameter, ParameterKind};
use harp_python::name::{Name, name};
use harp_python::project::{ImportTarget, ModuleId};

/// `functools.wraps` applied to the function that is wrapped: it waits for the wrapper.
const WRAPS: &str = "functools.wraps";

/// So many frames are shown to who asks for the one that runs.
const MOST_FRAMES: usize = 4;

/// The attribute of code that holds its function; no program can name it.
const FUNCTION_OF_CODE: &str = "(function)";

/// `__init__` of a record: the class that the receiver's `super()` names comes before the record's.
const RECORD_CONSTRUCTOR: &str = "dataclasses.dataclass.__init__";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "inspect._parameters_of" => crate::builtins::signature_objects::parameters,
        "inspect.currentframe" => |this, _, arguments| Ok(frame_at(this, 0, arguments.span)),
        "sys._getframe" => |this, _, arguments| {
            let depth =
                arguments.get(0, "depth").map_or(Some(0), Value::as_int).and_then(|it| usize::try_from(it).ok());
            Ok(depth.map_or(Value::Unknown("frame"), |depth| frame_at(this, depth, arguments.span)))
        },
        "inspect.get_annotations" | "typing.get_type_hints" | "typing_extensions.get_type_hints" => {
            crate::builtins::signature_objects::hints
        }
        WRAPS => wraps,
        "functools.update_wrapper" => |this, _, arguments| {
            let wrapped = arguments.get(1, "wrapped").map(|wrapped| this.read(wrapped));
            Ok(wrapping(this, first(&arguments), wrapped.as_ref()))
        },
        "types.FunctionType" => copied_function,
        "importlib.import_module" => import_module,
        "builtins.__import__" => import_by_function,
        "importlib.util.find_spec" | "pkgutil.find_loader" | "importlib.find_loader" => find_spec,
        "dataclasses.replace" | "attr.evolve" | "attr.assoc" | "attrs.evolve" => replaced,
        "dataclasses.asdict" | "attr.asdict" | "attrs.asdict" => as_dict,
        "dataclasses.fields" | "attr.fields" | "attrs.fields" => fields,
        "dataclasses.is_dataclass" | "attr.has" | "attrs.has" => is_record,
        "enum.Enum" | "enum.IntEnum" | "enum.StrEnum" | "enum.Flag" | "enum.IntFlag" => {
            |this, name, arguments| match this.enumeration_of_call(name, &arguments)? {
                Some(class) => Ok(class),
                None => Ok(this.unanswered("enumeration", name.as_str(), arguments.span)),
            }
        }
        "typing.get_args" | "typing_extensions.get_args" => get_args,
        "typing.get_origin" | "typing_extensions.get_origin" => get_origin,
        "typing.TypeVar" | "typing.ParamSpec" => |_, name, _| Ok(Value::Library(name)),
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == RECORD_CONSTRUCTOR).then_some(construct_record as MethodHandler)
}

/// What calling an instance of a library class does.
pub fn instance_call(class: &str) -> Option<MethodHandler> {
    (class == WRAPS).then_some(wrap as MethodHandler)
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}

/// The frame of the call that runs, or of the one so many calls around it, with those around it.
fn frame_at(interpreter: &mut Interpreter<'_>, depth: usize, span: Span) -> Value {
    // Comprehensions have no frames.
    let frames: Vec<(ObjectId, ObjectId, Vec<Name>)> = interpreter
        .frames
        .iter()
        .rev()
        .filter(|frame| frame.around.is_none() && !frame.is_class_body)
        .skip(depth)
        .take(MOST_FRAMES)
        .map(|frame| {
            let function = frame.function.as_ref();
            let names = function.map(|it| it.parameters.iter().map(|parameter| parameter.name).collect());
            (frame.locals, frame.globals, names.unwrap_or_default())
        })
        .collect();
    let mut around = Value::None;
    for (locals, globals, parameters) in frames.into_iter().rev() {
        let names = parameters.iter().map(|name| Value::str(name.as_str())).collect();
        let members = [
            ("f_locals", interpreter.names_in(locals)),
            ("f_globals", interpreter.attributes_as_dict(globals)),
            ("f_args", Value::List(interpreter.heap.allocate_list(names))),
            ("f_back", around),
        ];
        around = instance(interpreter, "types.FrameType", &members, &CallArguments::empty(span));
    }
    around
}

/// `wraps(wrapped)`.
fn wraps(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let wrapped = arguments.get(0, "wrapped").cloned().unwrap_or(Value::None);
    let data = InstanceData {
        class: Value::Library(name),
        arguments: vec![(name!("wrapped"), wrapped)],
        origin: arguments.span,
    };
    Ok(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))))
}

/// `wraps(wrapped)(wrapper)`: the wrapper, which says of itself what is true of the wrapped function.
fn wrap(interpreter: &mut Interpreter<'_>, decorator: &Value, arguments: CallArguments) -> Eval {
    let wrapped = interpreter.instance_data(decorator).map(|data| argument_of(&data, "wrapped"));
    Ok(wrapping(interpreter, first(&arguments), wrapped.as_ref()))
}

/// A function that says of itself what is true of another one.
fn wrapping(interpreter: &mut Interpreter<'_>, wrapper: Value, wrapped: Option<&Value>) -> Value {
    match (wrapper, wrapped) {
        (Value::Function(closure), Some(Value::Function(inner))) => {
            // What the program has said of the inner one is said of the outer one, too.
            if let Some(said) = inner.attributes.get() {
                let said: Vec<(Name, Value)> = interpreter
                    .heap
                    .object(said)
                    .attributes
                    .iter()
                    .filter(|(name, _)| !name.as_str().starts_with('#'))
                    .map(|(name, value)| (name, value.clone()))
                    .collect();
                for (name, value) in said {
                    let span = interpreter.current_span();
                    let _ = interpreter.set_attribute(&Value::Function(Rc::clone(&closure)), name, value, span);
                }
            }
            Value::Function(Rc::new(Closure { wrapped: Some(Value::Function(Rc::clone(inner))), ..closure.copy() }))
        }
        // An object that stands for a function: a decorator that is a class.
        (Value::Instance(id), Some(inner @ Value::Function(closure))) => {
            let name = Value::str(closure.function.name.as_str());
            for (attribute, value) in
                [("__name__", name.clone()), ("__qualname__", name), ("__wrapped__", inner.clone())]
            {
                interpreter.heap.set_attribute(id, Name::new(attribute), value);
            }
            Value::Instance(id)
        }
        (function, _) => function,
    }
}

/// `FunctionType(function.__code__, …)`: the function once more.
fn copied_function(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if let Value::Instance(code) = interpreter.read(&first(&arguments))
        && let Some(Value::Function(closure)) = interpreter.heap.attribute(code, Name::new(FUNCTION_OF_CODE))
    {
        return Ok(Value::Function(Rc::new(Closure { kind: FunctionKind::Plain, ..closure.copy() })));
    }
    interpreter.not_understood(name.as_str(), arguments.span);
    Ok(interpreter.symbolic("function", arguments.span, true))
}

pub(crate) fn instance(
    interpreter: &mut Interpreter<'_>,
    class: &str,
    members: &[(&str, Value)],
    arguments: &CallArguments,
) -> Value {
    let data = InstanceData { class: Value::library(class), arguments: Vec::new(), origin: arguments.span };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    for (name, value) in members {
        interpreter.heap.set_attribute(id, Name::new(name), value.clone());
    }
    Value::Instance(id)
}

/// `import_module("a.b")`, and `import_module(".b", "a")`.
fn import_module(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let package = arguments.get(1, "package").and_then(Value::as_text).unwrap_or_default().to_owned();
    let dotted = match arguments.get(0, "name").and_then(Value::as_text) {
        Some(relative) if relative.starts_with('.') && !package.is_empty() => {
            let below = relative.trim_start_matches('.');
            let climbed = relative.len() - below.len() - 1;
            let parts: Vec<&str> = package.split('.').collect();
            let kept = parts.len().saturating_sub(climbed);
            format!("{}.{below}", parts[..kept].join("."))
        }
        Some(absolute) => absolute.to_owned(),
        None => {
            interpreter.not_understood(name.as_str(), arguments.span);
            return Ok(interpreter.symbolic("module", arguments.span, true));
        }
    };
    let dotted = Name::new(dotted.trim_matches('.'));
    interpreter.check_import(dotted, arguments.span)?;
    interpreter.module_named(dotted)
}

/// `__import__("a.b")` gives the package `a`, and the module itself where names are asked for.
fn import_by_function(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let module = import_module(interpreter, name, arguments.clone())?;
    let Some(dotted) = arguments.get(0, "name").and_then(Value::as_text) else { return Ok(module) };
    let names = arguments.get(3, "fromlist").map(|names| interpreter.read(names));
    let asks_for_names = match names {
        None | Some(Value::None) => false,
        Some(Value::Tuple(names)) => !names.is_empty(),
        Some(Value::List(list)) => interpreter.heap.list(list).is_none_or(|data| !data.items.is_empty()),
        Some(_) => true,
    };
    match dotted.split_once('.') {
        Some((package, _)) if !asks_for_names => interpreter.module_named(Name::new(package)),
        _ => Ok(module),
    }
}

/// What is found of a package: `None` where it is not installed.
fn find_spec(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    match arguments.get(0, "name").and_then(Value::as_text) {
        Some(name) => Ok(interpreter.specification_of(Name::new(name))),
        None => Ok(interpreter.symbolic("specification", arguments.span, true)),
    }
}

/// The record that a value is, with its class.
fn record(interpreter: &Interpreter<'_>, value: &Value) -> Option<(ObjectId, ObjectId)> {
    let value = interpreter.read(value);
    let (Value::Instance(id) | Value::Dict(id)) = &value else { return None };
    let class = match interpreter.dict_class(*id) {
        Some(class) if matches!(value, Value::Dict(_)) => class.clone(),
        _ => interpreter.class_of(&value),
    };
    let Value::Class(class) = class else { return None };
    interpreter.is_record_class(class).then_some((*id, class))
}

/// `replace(record, field=value)`: another record with those fields.
fn replaced(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    let Some((id, class)) = record(interpreter, &first(&arguments)) else {
        interpreter.not_understood(name.as_str(), arguments.span);
        return Ok(interpreter.symbolic("record", arguments.span, true));
    };
    arguments.positional.clear();
    arguments.positional_spans.clear();
    for field in interpreter.record_fields(class) {
        if arguments.keyword(field.as_str()).is_none()
            && let Some(value) = interpreter.heap.attribute(id, field).cloned()
        {
            arguments.keywords.push((field, value));
            arguments.keyword_spans.push(None);
        }
    }
    interpreter.instantiate(class, arguments)
}

/// `asdict(record)`: its fields by name, records within it included.
fn as_dict(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if record(interpreter, &value).is_none() {
        interpreter.not_understood(name.as_str(), arguments.span);
    }
    Ok(plain(interpreter, &value, 8))
}

fn plain(interpreter: &mut Interpreter<'_>, value: &Value, depth: usize) -> Value {
    light_tick();
    let Some((id, class)) = record(interpreter, value).filter(|_| depth > 0) else { return value.clone() };
    let mut entries = Vec::new();
    for field in interpreter.record_fields(class) {
        let value = interpreter.heap.attribute(id, field).cloned().unwrap_or(Value::Unknown("field"));
        let value = plain(interpreter, &value, depth - 1);
        entries.push((Value::str(field.as_str()), value));
    }
    Value::Dict(interpreter.heap.allocate_dict(entries))
}

/// `fields(record)`: objects with the fields' names.
fn fields(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let class = match first(&arguments) {
        Value::Class(class) => Some(class),
        value => record(interpreter, &value).map(|(_, class)| class),
    };
    let Some(class) = class else {
        interpreter.not_understood(name.as_str(), arguments.span);
        return Ok(interpreter.symbolic("fields", arguments.span, true));
    };
    let mut items = Vec::new();
    for field in interpreter.record_fields(class) {
        let stated = interpreter.member_of(&Value::Class(class), field, None);
        let (default, factory) = interpreter.stated_default(stated);
        let missing = || Value::library("dataclasses.MISSING");
        let parameter = interpreter.record_parameters(class).into_iter().find(|parameter| parameter.name == field);
        let says = |is: fn(&crate::classes::dataclasses::RecordParameter) -> bool| {
            parameter.as_ref().map_or(Value::Unknown("field"), |parameter| Value::Bool(is(parameter)))
        };
        let stated = interpreter.member_of(&Value::Class(class), field, None);
        let metadata = stated.and_then(|stated| interpreter.said_of_field(&stated, "metadata"));
        let written = interpreter.type_of_field(class, field);
        let members = [
            ("name", Value::str(field.as_str())),
            ("type", written),
            ("default", default.unwrap_or_else(missing)),
            ("default_factory", factory.unwrap_or_else(missing)),
            ("init", says(|it| it.is_given)),
            ("kw_only", says(|it| it.is_keyword)),
            ("compare", says(|it| it.is_compared)),
            ("metadata", metadata.unwrap_or_else(|| Value::Dict(interpreter.heap.allocate_dict(Vec::new())))),
        ];
        items.push(instance(interpreter, "dataclasses.Field", &members, &arguments));
    }
    Ok(Value::tuple(items))
}

/// `super().__init__(…)` in a class derived from a record's.
fn construct_record(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    if let Value::Super(proxy) = receiver
        && let Some(class) = interpreter.next_class(proxy)
    {
        interpreter.fill_record(class, &proxy.receiver, arguments)?;
    }
    Ok(Value::None)
}

fn is_record(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    Ok(match interpreter.read(&first(&arguments)) {
        Value::Class(class) => Value::Bool(interpreter.is_record_class(class)),
        value if value.is_unknown() => Value::Unknown("test for a data class"),
        value => Value::Bool(record(interpreter, &value).is_some()),
    })
}

impl Interpreter<'_> {
    /// `locals()`: a dictionary of its own.
    pub fn local_names(&mut self) -> Value {
        match self.frames.last().map(|frame| frame.locals) {
            Some(locals) => self.names_in(locals),
            None => Value::Unknown("names of the function"),
        }
    }

    fn names_in(&mut self, scope: ObjectId) -> Value {
        let names = self.heap.object(scope).attributes.clone();
        let entries = names.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        Value::Dict(self.heap.allocate_dict(entries))
    }

    /// `globals()`: an entry that is stored is a name of the module.
    pub fn global_names(&mut self) -> Value {
        match self.frames.last().map(|frame| frame.globals) {
            Some(globals) => self.attributes_as_dict(globals),
            None => Value::Unknown("names of the module"),
        }
    }

    /// The class of the program that `super()` leads to.
    fn next_class(&self, proxy: &SuperProxy) -> Option<ObjectId> {
        let order = self.resolution_order(&self.class_of(&proxy.receiver));
        let at = order.iter().position(|class| matches!(class, Value::Class(id) if *id == proxy.class))?;
        match order.get(at + 1)? {
            Value::Class(class) => Some(*class),
            _ => None,
        }
    }

    /// The constructor that a record class has without writing one, as `super()` finds it.
    pub fn record_constructor(&self, proxy: &SuperProxy) -> Option<Value> {
        let class = self.next_class(proxy)?;
        let api = Name::new(RECORD_CONSTRUCTOR);
        let receiver = Value::Super(Rc::new(SuperProxy { class: proxy.class, receiver: proxy.receiver.clone() }));
        self.is_record_class(class).then(|| Value::LibraryMethod(Rc::new(LibraryMethod { receiver, api })))
    }

    /// `func`, `args` and `keywords` of a `functools.partial`.
    pub fn part_of_partial(&self, object: &Value, name: Name) -> Option<Value> {
        if !matches!(name.as_str(), "func" | "args" | "keywords") {
            return None;
        }
        let is_partial = |class: &Value| matches!(class, Value::Library(name) if name.as_str() == "functools.partial");
        let data = self.instance_data(object).filter(|data| is_partial(&data.class))?;
        Some(argument_of(&data, name.as_str()))
    }

    /// `sys.modules[name]`: a module that was imported.
    pub fn imported_module(&mut self, name: &str) -> Option<Value> {
        if name == "__main__" {
            return self.entry.script.map(Value::Module);
        }
        let dotted = Name::new(name);
        let module = match self.project.resolve_import(self.running_module()?, dotted) {
            ImportTarget::Module(module) => module,
            _ => self.project.find_module(dotted)?,
        };
        self.loaded(module)
    }

    fn loaded(&self, module: ModuleId) -> Option<Value> {
        let known = self.tables.modules.get(&(module, false)).or_else(|| self.tables.modules.get(&(module, true)));
        known.map(|object| Value::Module(*object))
    }

    /// `function.__annotations__`
    pub(crate) fn annotations_of(&mut self, closure: &Closure) -> Value {
        let mut entries = Vec::new();
        for parameter in &closure.function.parameters {
            let Some(annotation) = &parameter.annotation else { continue };
            let written = self.type_in_function(closure, annotation);
            entries.push((Value::str(parameter.name.as_str()), written));
        }
        if let Some(annotation) = &closure.function.returns {
            entries.push((Value::str("return"), self.type_in_function(closure, annotation)));
        }
        Value::Dict(self.heap.allocate_dict(entries))
    }

    /// An attribute of a function of the program.
    pub fn function_attribute(&mut self, closure: &Closure, name: Name) -> Option<Value> {
        match (name.as_str(), &closure.wrapped) {
            ("__wrapped__", wrapped) => wrapped.clone(),
            ("__name__" | "__qualname__" | "__module__" | "__doc__", Some(Value::Function(wrapped))) => {
                let wrapped = Rc::clone(wrapped);
                self.function_attribute(&wrapped, name)
            }
            ("__annotations__", _) => Some(self.annotations_of(closure)),
            ("__name__", _) => Some(Value::str(closure.function.name.as_str())),
            ("__qualname__", _) => Some(Value::str(closure.function.qualified_name.as_str())),
            ("__module__", _) => self.heap.attribute(closure.globals, name!("__name__")).cloned(),
            ("__doc__", _) => Some(Value::Str(None)),
            ("__code__", _) => Some(self.code_of(closure)),
            ("__kwdefaults__", _) => {
                let parameters = closure.function.parameters.iter().zip(&closure.defaults);
                let named = parameters.filter(|(parameter, _)| parameter.kind == ParameterKind::KeywordOnly);
                let entries: Vec<(Value, Value)> = named
                    .filter_map(|(parameter, default)| Some((Value::str(parameter.name.as_str()), default.clone()?)))
                    .collect();
                let is_none = entries.is_empty();
                Some(if is_none { Value::None } else { Value::Dict(self.heap.allocate_dict(entries)) })
            }
            ("__defaults__", _) => {
                let parameters = closure.function.parameters.iter().zip(&closure.defaults);
                let positional = parameters.filter(|(parameter, _)| parameter.kind != ParameterKind::KeywordOnly);
                let defaults: Vec<Value> = positional.filter_map(|(_, default)| default.clone()).collect();
                Some(if defaults.is_empty() { Value::None } else { Value::tuple(defaults) })
            }
            _ => None,
        }
    }

    /// What `function.__code__` says of the function's parameters and variables.
    fn code_of(&mut self, closure: &Closure) -> Value {
        let function = &closure.function;
        let is_plain =
            |parameter: &&Parameter| matches!(parameter.kind, ParameterKind::PositionalOnly | ParameterKind::Normal);
        let count = function.parameters.iter().filter(is_plain).count();
        let mut names: Vec<Name> = function.parameters.iter().map(|parameter| parameter.name).collect();
        for name in &function.locals {
            if !names.contains(name) {
                names.push(*name);
            }
        }
        let names = names.iter().map(|name| Value::str(name.as_str())).collect();
        let members = [
            ("co_varnames", Value::tuple(names)),
            ("co_argcount", Value::int(count as i64)),
            ("co_name", Value::str(function.name.as_str())),
            (FUNCTION_OF_CODE, Value::Function(Rc::new(closure.copy()))),
        ];
        let span = harp_corpus::Span::new(function.file, function.range.start, function.range.end);
        instance(self, "types.CodeType", &members, &CallArguments::empty(span))
    }
}
