//! What programs ask about functions, modules and records: `inspect.signature`, `functools.wraps`, `sys.modules`, `dataclasses.replace`.

use std::rc::Rc;

use crate::corpus::Span;
use crate::interp::calls::CallArguments;
use crate::interp::handlers::{FunctionHandler, MethodHandler};
use crate::interp::heap::{InstanceData, Payload};
use crate::interp::library::argument_of;
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{Closure, FunctionKind, LibraryMethod, ObjectId, SuperProxy, Value};
use crate::python::ir::{ExprKind, Parameter, ParameterKind};
use crate::python::name::{Name, name};
use crate::python::project::{ImportTarget, ModuleId};

/// `functools.wraps` applied to the function that is wrapped: it waits for the wrapper.
const WRAPS: &str = "functools.wraps";

/// The attribute of code that holds its function; no program can name it.
const FUNCTION_OF_CODE: &str = "(function)";

/// `__init__` of a record: the class that the receiver's `super()` names comes before the record's.
const RECORD_CONSTRUCTOR: &str = "dataclasses.dataclass.__init__";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "inspect.signature" => super::annotated_functions::signature,
        "inspect.get_annotations" | "typing.get_type_hints" | "typing_extensions.get_type_hints" => {
            super::annotated_functions::hints
        }
        WRAPS => wraps,
        "functools.update_wrapper" => |this, _, arguments| {
            let wrapped = arguments.get(1, "wrapped").map(|wrapped| this.read(wrapped));
            Ok(wrapping(this, first(&arguments), wrapped.as_ref()))
        },
        "types.FunctionType" => copied_function,
        "importlib.import_module" => import_module,
        "importlib.util.find_spec" | "pkgutil.find_loader" | "importlib.find_loader" => find_spec,
        "dataclasses.replace" | "attr.evolve" | "attr.assoc" | "attrs.evolve" => replaced,
        "dataclasses.asdict" | "attr.asdict" | "attrs.asdict" => as_dict,
        "dataclasses.fields" | "attr.fields" | "attrs.fields" => fields,
        "dataclasses.is_dataclass" | "attr.has" | "attrs.has" => is_record,
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

pub(super) fn instance(
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
        let says = |is: fn(&crate::interp::records::RecordParameter) -> bool| {
            parameter.as_ref().map_or(Value::Unknown("field"), |parameter| Value::Bool(is(parameter)))
        };
        let stated = interpreter.member_of(&Value::Class(class), field, None);
        let metadata = stated.and_then(|stated| interpreter.said_of_field(&stated, "metadata"));
        let members = [
            ("name", Value::str(field.as_str())),
            ("type", interpreter.type_of_field(class, field)),
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

/// What `auto()` of a text is until the name is known.
const AUTO: &str = "auto of a text";

impl Interpreter<'_> {
    /// Whether a class lists its instances.
    pub fn is_enumeration(&self, class: &Value) -> bool {
        ["enum.Enum", "enum.IntEnum", "enum.StrEnum"].iter().any(|base| self.derives_from(class, base))
    }

    /// Whether the members of an enumeration are objects; those of one that is made of numbers or texts stand for these.
    fn has_member_objects(&self, class: &Value) -> bool {
        let plain = ["enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag", "builtins.int", "builtins.str"];
        self.derives_from(class, "enum.Enum") && !plain.iter().any(|base| self.derives_from(class, base))
    }

    /// Makes the members of an enumeration of what its body assigned.
    pub fn make_members(&mut self, id: ObjectId, span: Span) -> Eval<()> {
        let class = Value::Class(id);
        let is_of_enum = self.library_bases(&class, None).iter().any(|base| base.as_str().starts_with("enum."));
        self.hooks.plain_members |= is_of_enum && !self.has_member_objects(&class);
        let assigned = self.members_of_enumeration(id);
        if !self.has_member_objects(&class) {
            // `auto()` of a text is the name.
            for (name, value) in assigned {
                if matches!(value, Value::Unknown(AUTO)) && self.is_enumeration(&class) {
                    self.heap.set_attribute(id, name, Value::str(&name.as_str().to_lowercase()));
                } else if is_of_enum {
                    self.plain_members.push((value, name));
                }
            }
            return Ok(());
        }
        let mut members: Vec<(Value, Value)> = Vec::new();
        for (name, value) in assigned {
            if matches!(value, Value::Class(_)) || self.own_method(&value, "__get__").is_some() {
                continue;
            }
            let known = members.iter().find(|(known, _)| known.same(&value)).map(|(_, member)| member.clone());
            let member = match known {
                Some(member) => member,
                None => {
                    let member = self.allocate_instance(id, span);
                    let Value::Instance(object) = member else { continue };
                    for (attribute, content) in [("name", Value::str(name.as_str())), ("value", value.clone())] {
                        self.heap.set_attribute(object, Name::new(attribute), content.clone());
                        self.heap.set_attribute(object, Name::new(&format!("_{attribute}_")), content);
                    }
                    if let Some(constructor) = self.own_method(&member, "__init__") {
                        let parts = match &value {
                            Value::Tuple(parts) => parts.to_vec(),
                            value => vec![value.clone()],
                        };
                        self.call(&constructor, CallArguments::positional(parts, span))?;
                    }
                    members.push((value, member.clone()));
                    member
                }
            };
            self.heap.set_attribute(id, name, member);
        }
        Ok(())
    }

    /// The name of the member that a number or a text stands for; any text where enumerations have several names for it.
    pub(in crate::interp) fn name_of_plain_member(&self, member: &Value) -> Option<Value> {
        let mut names = self.plain_members.iter().filter(|(value, _)| value.same(member)).map(|(_, name)| *name);
        let first = names.next()?;
        Some(if names.all(|name| name == first) { Value::str(first.as_str()) } else { Value::Str(None) })
    }

    /// `auto()` in the body of an enumeration: the next number, or the next bit of a flag.
    pub fn automatic_value(&mut self) -> Value {
        let Some(id) = self.frames.last().filter(|frame| frame.is_class_body).map(|frame| frame.locals) else {
            return Value::Unknown("auto");
        };
        let class = Value::Class(id);
        if self.derives_from(&class, "enum.StrEnum") {
            return Value::Unknown(AUTO);
        }
        let numbers: Vec<i64> =
            self.members_of_enumeration(id).iter().filter_map(|(_, value)| value.as_int()).collect();
        let is_flag = self.derives_from(&class, "enum.Flag") || self.derives_from(&class, "enum.IntFlag");
        let highest = numbers.iter().copied().max().unwrap_or(0);
        Value::int(match is_flag {
            true if highest > 0 => 1i64.checked_shl(64 - highest.leading_zeros()).unwrap_or(1),
            true => 1,
            false => highest.saturating_add(1),
        })
    }

    /// The members of an enumeration by all their names, in their order, each standing for its value: what its body assigns, but no functions and no
    /// special names.
    pub fn named_members(&self, class: ObjectId) -> Vec<(Name, Value)> {
        let is_member =
            |name: &Name, value: &Value| !name.as_str().starts_with(['_', '(']) && !matches!(value, Value::Function(_));
        let names = self.heap.object(class).attributes.iter();
        let mut members: Vec<(Name, Value)> =
            names.filter(|(name, value)| is_member(name, value)).map(|(name, value)| (name, value.clone())).collect();
        let own = Value::Class(class);
        if members.iter().any(|(_, member)| self.class_of(member).same(&own)) {
            members.retain(|(_, member)| self.class_of(member).same(&own));
        }
        members
    }

    /// The members of an enumeration without their further names.
    pub fn members_of_enumeration(&self, class: ObjectId) -> Vec<(Name, Value)> {
        let mut members = self.named_members(class);
        let own = Value::Class(class);
        if members.iter().any(|(_, member)| self.class_of(member).same(&own)) {
            let mut seen: Vec<Value> = Vec::new();
            members.retain(|(_, member)| {
                let is_new = !seen.iter().any(|known| known.same(member));
                seen.push(member.clone());
                is_new
            });
        }
        members
    }

    /// `Enumeration(value)`: the member of that value, which stands for it.
    pub fn member_of_enumeration(&mut self, class: ObjectId, arguments: &CallArguments) -> Eval {
        let value = self.read(&first(arguments));
        let members = self.members_of_enumeration(class);
        let value_of = |member: &Value| match member {
            Value::Instance(id) => self.heap.attribute(*id, name!("_value_")).cloned(),
            member => Some(member.clone()),
        };
        let is_meant = |member: &Value| member.same(&value) || value_of(member).is_some_and(|known| known.same(&value));
        let is_constant = |value: &Value| value.as_text().is_some() || value.as_int().is_some();
        let is_closed =
            is_constant(&value) && members.iter().all(|(_, it)| value_of(it).is_some_and(|it| is_constant(&it)));
        let member = members.into_iter().map(|(_, member)| member).find(is_meant);
        Ok(match member {
            Some(member) if !value.is_unknown() => member,
            None if !value.is_unknown()
                && let Some(missing @ Value::Function(_)) =
                    self.member_of(&Value::Class(class), name!("_missing_"), None) =>
            {
                let bound = self.bind_method(&Value::Class(class), missing);
                let found = self.call(&bound, CallArguments::positional(vec![value], arguments.span))?;
                if found.is_none() {
                    self.raise_if_caught("ValueError", "not a value of the enumeration", arguments.span)?;
                }
                found
            }
            None if is_closed
                && !["enum.Flag", "enum.IntFlag"].iter().any(|it| self.derives_from(&Value::Class(class), it)) =>
            {
                self.raise_if_caught("ValueError", "not a value of the enumeration", arguments.span)?;
                self.symbolic("member of an enumeration", arguments.span, true)
            }
            _ => self.symbolic("member of an enumeration", arguments.span, true),
        })
    }

    /// `locals()`: a dictionary of its own.
    pub fn local_names(&mut self) -> Value {
        let locals = self.frames.last().map(|frame| frame.locals);
        let attributes = locals.map(|locals| self.heap.object(locals).attributes.clone());
        let entries = attributes.iter().flat_map(|names| names.iter());
        let entries = entries.map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
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
        let dotted = Name::new(name);
        let module = match self.project.resolve_import(self.running_module()?, dotted) {
            ImportTarget::Module(module) => module,
            _ => self.project.find_module(dotted)?,
        };
        self.loaded(module)
    }

    fn loaded(&self, module: ModuleId) -> Option<Value> {
        let known = self.modules.get(&(module, false)).or_else(|| self.modules.get(&(module, true)));
        known.map(|object| Value::Module(*object))
    }

    /// `function.__annotations__`, as far as names and types of Python's own go.
    pub(super) fn annotations_of(&mut self, closure: &Closure) -> Value {
        let mut entries = Vec::new();
        for parameter in &closure.function.parameters {
            let Some(annotation) = &parameter.annotation else { continue };
            let ExprKind::Name(name) = &annotation.kind else {
                entries.push((Value::str(parameter.name.as_str()), Value::Unknown("annotation")));
                continue;
            };
            let scopes = closure.enclosing.iter().chain(std::iter::once(&closure.globals));
            let known = scopes.filter_map(|scope| self.heap.attribute(*scope, *name)).next().cloned();
            let value = known.or_else(|| crate::interp::builtins::lookup(*name));
            entries.push((Value::str(parameter.name.as_str()), value.unwrap_or(Value::Unknown("annotation"))));
        }
        if closure.function.returns.is_some() {
            entries.push((Value::str("return"), Value::Unknown("annotation")));
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
        let span = crate::corpus::Span::new(function.file, function.range.start, function.range.end);
        instance(self, "types.CodeType", &members, &CallArguments::empty(span))
    }
}
