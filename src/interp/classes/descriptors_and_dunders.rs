//! What a class of the program says of its instances under names with two underscores on either side: how their attributes are read and set, how
//! they are made, written, counted and looked through.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::classes::abstract_methods::{is_abstract_method, names_abstract_metaclass};
use crate::classes::named_tuples::TYPED;
use crate::evaluate::exceptions::Raised;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::{LibraryMethod, ObjectId, SuperProxy, Value};
use harp_corpus::Span;
use harp_python::ir::ExprKind;
use harp_python::name::{Name, name};

/// An iterator of the program is asked for no more items than this.
const MOST_ITEMS: usize = 1024;

/// What `object` and `type` do for classes that do not do it themselves.
pub const OF_OBJECT: [&str; 5] = ["__setattr__", "__getattribute__", "__delattr__", "__new__", "__init_subclass__"];
const OF_TYPE: [&str; 3] = ["__call__", "__new__", "__init__"];

/// Hooks of attributes that classes of the program define.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hooks {
    pub reads: bool,
    pub sets: bool,
    /// Objects in classes that say what setting an attribute does.
    pub descriptors: bool,
    /// Functions that run before and after modules.
    pub modules: bool,
    /// Objects that are numbers, texts or sequences besides.
    pub holds: bool,
    /// Objects whose attributes are the entries of a dictionary.
    pub shared: bool,
    /// Classes that say themselves what is one of them.
    pub asks: bool,
    /// Texts that programs read and write as files.
    pub streams: bool,
    /// Classes that say which attributes their objects have.
    pub slots: bool,
    /// Objects that say what PyTorch's operations do with them.
    pub operations: bool,
    /// Enumerations whose members stand for numbers or texts.
    pub plain_members: bool,
    /// Numbers that a function of arrays made.
    pub array_numbers: bool,
}

impl Hooks {
    /// Notes of a name that a class body binds.
    pub fn note(&mut self, name: Name) {
        match name.as_str() {
            "__getattribute__" => self.reads = true,
            "__setattr__" => self.sets = true,
            "__set__" => self.descriptors = true,
            "__subclasshook__" | "__instancecheck__" | "__subclasscheck__" => self.asks = true,
            "__torch_function__" => self.operations = true,
            "__slots__" => self.slots = true,
            "getvalue" => self.streams = true,
            _ => {}
        }
    }
}

impl Interpreter<'_> {
    /// A method that the class of an object of the program has, bound to the object.
    pub fn own_method(&mut self, object: &Value, name: &str) -> Option<Value> {
        if !matches!(object, Value::Instance(_) | Value::Dict(_)) {
            return None;
        }
        match self.class_attribute(object, Name::new(name)) {
            Some(method @ Value::Function(_)) => Some(self.bind_method(object, method)),
            _ => None,
        }
    }

    /// An attribute that an object has for itself.
    pub fn heap_attribute(&self, object: &Value, name: Name) -> Option<Value> {
        let Value::Instance(id) = self.read(object) else { return None };
        self.heap.attribute(id, name).cloned()
    }

    /// What a method of that name returns, where the object's class has one.
    pub fn ask(&mut self, object: &Value, name: &str, span: Span) -> Eval<Option<Value>> {
        match self.own_method(object, name) {
            Some(method) => self.call(&method, CallArguments::empty(span)).map(Some),
            None => Ok(None),
        }
    }

    /// The number that an object of the program stands for, by the method of that name or as an index.
    pub fn own_number(&mut self, object: &Value, name: &str, span: Span) -> Eval<Option<Value>> {
        match self.ask(object, name, span)? {
            Some(number) => Ok(Some(number)),
            None => self.ask(object, "__index__", span),
        }
    }

    /// What reading an attribute gives where the class holds an object that says so itself.
    pub(crate) fn read_descriptor(
        &mut self,
        descriptor: &Value,
        owner: &Value,
        class: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let Some(get) = self.own_method(descriptor, "__get__") else { return Ok(None) };
        self.call(&get, CallArguments::positional(vec![owner.clone(), class.clone()], span)).map(Some)
    }

    /// Whether an object in a class says itself what setting an attribute does.
    pub(crate) fn is_data_descriptor(&self, descriptor: &Value) -> bool {
        matches!(descriptor, Value::Instance(_))
            && matches!(self.class_attribute(descriptor, name!("__set__")), Some(Value::Function(_)))
    }

    /// `object.name = value`, where the class has a say in it: whether that was all.
    pub(crate) fn set_by_protocol(&mut self, object: &Value, name: Name, value: &Value, span: Span) -> Eval<bool> {
        if self.hooks.sets
            && let Some(method) = self.own_method(object, "__setattr__")
        {
            let arguments = vec![Value::str(name.as_str()), value.clone()];
            self.call(&method, CallArguments::positional(arguments, span))?;
            return Ok(true);
        }
        if self.exceptions.caught > 0 && self.is_frozen(object) {
            // That of `attrs` is none of the data classes', but who catches one of them knows which classes the program has.
            self.raise_if_caught("attrs.exceptions.FrozenInstanceError", "cannot assign to field", span)?;
        }
        if self.exceptions.caught > 0 && self.hooks.slots && self.has_no_slot(object, name) {
            self.raise_if_caught("AttributeError", name.as_str(), span)?;
        }
        self.set_by_descriptor(object, name, value, span)
    }

    /// Whether the classes of an object leave it no place for an attribute.
    fn has_no_slot(&self, object: &Value, name: Name) -> bool {
        let class = self.class_of(object);
        if !self.ends_at_object(&class) {
            return false;
        }
        let is_free = |base: &Value| {
            let Value::Class(base) = base else { return false };
            match self.heap.attribute(*base, name!("__slots__")) {
                Some(Value::Tuple(names)) => names
                    .iter()
                    .any(|slot| slot.as_text().is_none_or(|slot| slot == name.as_str() || slot == "__dict__")),
                Some(Value::Str(Some(slot))) => **slot == *name.as_str(),
                _ => true,
            }
        };
        !self.resolution_order(&class).iter().any(is_free) && self.class_attribute(object, name).is_none()
    }

    /// The same without `__setattr__`, as `object.__setattr__` does it.
    pub(crate) fn set_by_descriptor(&mut self, object: &Value, name: Name, value: &Value, span: Span) -> Eval<bool> {
        if !self.hooks.descriptors {
            return Ok(false);
        }
        let Some(descriptor) = self.class_attribute(object, name) else { return Ok(false) };
        if self.is_data_descriptor(&descriptor)
            && let Some(set) = self.own_method(&descriptor, "__set__")
        {
            self.call(&set, CallArguments::positional(vec![object.clone(), value.clone()], span))?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether the program says that an object's fields stay as they are.
    fn is_frozen(&self, object: &Value) -> bool {
        let Value::Class(class) = self.class_of(object) else { return false };
        let Some(data) = self.heap.class(class) else { return false };
        let is_being_made = self.frames.iter().any(|frame| {
            frame.function.as_ref().is_some_and(|function| {
                matches!(function.name.as_str(), "__init__" | "__post_init__" | "__attrs_post_init__")
            })
        });
        !is_being_made
            && data.definition.decorators.iter().any(|decorator| {
                if crate::classes::dataclasses::is_frozen_of_attrs(decorator) {
                    return true;
                }
                let ExprKind::Call(call) = &decorator.kind else { return false };
                call.arguments.iter().any(|argument| {
                    matches!(argument.kind, harp_python::ir::ArgumentKind::Keyword(name) if name.as_str() == "frozen")
                        && matches!(argument.value.kind, ExprKind::Bool(true))
                })
            })
    }

    /// What `super()` finds beyond the classes of the program, where that is Python's own.
    pub(crate) fn member_of_object(&self, proxy: &SuperProxy, name: Name) -> Option<Value> {
        let is_metaclass = self.derives_from(&Value::Class(proxy.class), "builtins.type");
        let class = match &proxy.receiver {
            class @ Value::Class(_) => class.clone(),
            receiver => self.class_of(receiver),
        };
        let owner = match name.as_str() {
            "__new__" if !is_metaclass && self.makes_plain_objects(&class) => return None,
            name if is_metaclass && OF_TYPE.contains(&name) => "builtins.type",
            name if OF_OBJECT.contains(&name) => "builtins.object",
            _ => return None,
        };
        // Modules of libraries have a say in what is set on them.
        if owner == "builtins.object" && name.as_str() == "__init_subclass__" && !self.bases_are_plain(proxy) {
            return None;
        }
        let api = Name::new(&format!("{owner}.{name}"));
        Some(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: proxy.receiver.clone(), api })))
    }

    fn bases_are_plain(&self, proxy: &SuperProxy) -> bool {
        let class = match &proxy.receiver {
            class @ Value::Class(_) => class.clone(),
            receiver => self.class_of(receiver),
        };
        let bases = self.library_bases(&class, Some(proxy.class));
        bases
            .iter()
            .all(|base| matches!(base.as_str(), "builtins.object" | "abc.ABC" | "typing.Generic" | "typing.Protocol"))
    }

    /// `Class(…)` where the class or its metaclass says itself how instances are made.
    pub(crate) fn make_by_protocol(&mut self, class: ObjectId, arguments: &CallArguments) -> Eval<Option<Value>> {
        if self.exceptions.caught > 0 && self.is_abstract(class) {
            self.raise_if_caught("TypeError", "abstract class", arguments.span)?;
        }
        if ["typing.TypedDict", "typing_extensions.TypedDict"]
            .iter()
            .any(|base| self.derives_from(&Value::Class(class), base))
        {
            return self.call_library(name!("builtins.dict"), arguments.clone()).map(Some);
        }
        let Some(new @ Value::Function(_)) = self.member_of(&Value::Class(class), name!("__new__"), None) else {
            return Ok(None);
        };
        if self.makes_plain_objects(&Value::Class(class)) {
            return Ok(None);
        }
        let made = self.call(&new, arguments.clone().with_first(Value::Class(class)))?;
        let made = self.read(&made);
        // What was not understood is made as if there were no `__new__`.
        if matches!(made, Value::Symbolic(_) | Value::Unknown(_)) {
            return Ok(None);
        }
        let is_own = matches!(made, Value::Instance(_) | Value::Dict(_))
            && self.resolution_order(&self.class_of(&made)).iter().any(|base| base.same(&Value::Class(class)));
        if is_own && let Some(constructor @ Value::Function(_)) = self.class_attribute(&made, name!("__init__")) {
            self.call(&constructor, arguments.clone().with_first(made.clone()))?;
        }
        Ok(Some(made))
    }

    /// Whether a class leaves methods to classes that derive from it.
    fn is_abstract(&self, class: ObjectId) -> bool {
        let order = self.resolution_order(&Value::Class(class));
        let is_abc = order.iter().any(|base| match base {
            Value::Library(name) => name.as_str() == "abc.ABC",
            Value::Class(id) => self.heap.class(*id).is_some_and(|data| names_abstract_metaclass(&data.definition)),
            _ => false,
        });
        let names = order.iter().filter_map(|base| if let Value::Class(id) = base { Some(*id) } else { None });
        let mut names = names.flat_map(|id| self.heap.object(id).attributes.iter().map(|(name, _)| name));
        is_abc
            && names.any(|name| {
                let member = self.member_of(&Value::Class(class), name, None);
                matches!(member, Some(Value::Function(closure)) if is_abstract_method(&closure.function))
            })
    }

    /// An object of a class of the program that nothing was done with yet.
    pub fn allocate_instance(&mut self, class: ObjectId, span: Span) -> Value {
        if self.makes_dicts(class) {
            return self.new_dict_of_class(Value::Class(class), Vec::new());
        }
        let data = InstanceData { class: Value::Class(class), arguments: Vec::new(), origin: span };
        Value::Instance(self.heap.allocate(Payload::Instance(Rc::new(data))))
    }

    /// The items that an iterator of the program gives, one call of `__next__` after the other; `None` where it is not known when it ends.
    pub(crate) fn items_of_iterator(&mut self, object: &Value, span: Span) -> Eval<Option<Vec<Value>>> {
        let Some(next) = self.next_method(object) else { return Ok(None) };
        let is_awaited = self.own_method(object, "__next__").is_none();
        let end = if is_awaited { "StopAsyncIteration" } else { "StopIteration" };
        self.items_until(end, |this, _| this.call(&next, CallArguments::empty(span)))
    }

    /// The items of an object that has `__getitem__` alone.
    pub(crate) fn items_by_index(&mut self, object: &Value, span: Span) -> Eval<Option<Vec<Value>>> {
        let Some(get) = self.own_method(object, "__getitem__") else { return Ok(None) };
        // A tensor in it raises nothing for a place that it has not: an object that knows its length ends there.
        let length = match self.ask(object, "__len__", span)? {
            None => None,
            Some(length) => match self.read(&length).as_int() {
                Some(length) => usize::try_from(length).ok(),
                None => return Ok(None),
            },
        };
        self.items_until("IndexError", |this, index| {
            if length.is_some_and(|length| index >= length) {
                return Err(this.raise("IndexError", "index out of range", span));
            }
            this.call(&get, CallArguments::positional(vec![Value::int(index as i64)], span))
        })
    }

    /// Calls `next` until it raises the exception. What depends on a decision that is not known is not followed any further.
    fn items_until(&mut self, end: &str, next: impl FnMut(&mut Self, usize) -> Eval) -> Eval<Option<Vec<Value>>> {
        let before = self.expect_end(end);
        let items = self.items_until_raised(end, next);
        self.exceptions.expected.truncate(before);
        items
    }

    fn items_until_raised(
        &mut self,
        end: &str,
        mut next: impl FnMut(&mut Self, usize) -> Eval,
    ) -> Eval<Option<Vec<Value>>> {
        if self.inference.is_some() {
            return Ok(None);
        }
        let (decisions, end) = (self.decisions.len(), Value::library(&format!("builtins.{end}")));
        let mut items = Vec::new();
        while items.len() < MOST_ITEMS && self.decisions.len() == decisions && self.loops.abstract_loops == 0 {
            self.exceptions.raised = Raised::default();
            self.exceptions.caught += 1;
            let item = next(self, items.len());
            self.exceptions.caught -= 1;
            match item {
                Ok(item) => items.push(item),
                Err(Interrupt::Raise) => {
                    let raised = self.exceptions.raised.exception.take();
                    let is_end = raised.as_ref().is_some_and(|raised| self.is_caught_by(raised, &end) == Some(true));
                    return if is_end { Ok(Some(items)) } else { Err(Interrupt::Raise) };
                }
                Err(budget) => return Err(budget),
            }
        }
        Ok(None)
    }

    /// Whether reading an attribute gives something, where that takes running the program's own code; `Err` of anything but a missing attribute
    /// goes on.
    pub fn try_attribute(&mut self, object: &Value, name: Name, span: Span) -> Eval<Option<Value>> {
        self.exceptions.raised = Raised::default();
        self.exceptions.caught += 1;
        let value = self.get_attribute(object, name, span);
        self.exceptions.caught -= 1;
        match value {
            Err(Interrupt::Raise) => {
                let missing = Value::library("builtins.AttributeError");
                let raised = self.exceptions.raised.exception.clone();
                match raised.map(|raised| self.is_caught_by(&raised, &missing)) {
                    Some(Some(true)) => {
                        self.exceptions.raised = Raised::default();
                        Ok(None)
                    }
                    _ => Err(Interrupt::Raise),
                }
            }
            value => value.map(Some),
        }
    }
}

/// What `object` does where a class asks it to.
pub fn function_of_object(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let mut positional = arguments.positional.clone().into_iter();
    let Some(receiver) = positional.next() else { return Ok(Value::None) };
    let rest = CallArguments { positional: positional.collect(), positional_spans: Vec::new(), ..arguments };
    method_of_object(interpreter, name.as_str(), &receiver, rest)
}

/// The same bound to its first argument.
pub fn method_of_object(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    receiver: &Value,
    arguments: CallArguments,
) -> Eval {
    let span = arguments.span;
    let short = name.rsplit('.').next().unwrap_or(name);
    let attribute = arguments.positional.first().and_then(Value::as_text).map(Name::new);
    match (short, receiver, attribute) {
        ("__setattr__", Value::Instance(id), Some(attribute)) => {
            let value = arguments.positional.get(1).cloned().unwrap_or(Value::None);
            if !interpreter.set_by_descriptor(receiver, attribute, &value, span)? {
                interpreter.set_plainly(*id, attribute, value, span)?;
            }
            Ok(Value::None)
        }
        ("__setattr__", Value::Dict(id), Some(attribute)) => {
            let value = arguments.positional.get(1).cloned().unwrap_or(Value::None);
            interpreter.store_attribute_of_dict(*id, attribute, value, span)?;
            Ok(Value::None)
        }
        ("__delattr__", Value::Instance(id), Some(attribute)) => {
            interpreter.heap.delete_attribute(*id, attribute);
            Ok(Value::None)
        }
        ("__getattribute__", Value::Instance(id), Some(attribute)) => interpreter.plain_attribute(*id, attribute, span),
        ("__new__", Value::Class(class), _) if name.starts_with("builtins.object") => {
            let class = match arguments.positional.first() {
                Some(Value::Class(class)) => *class,
                _ => *class,
            };
            let value = Value::Class(class);
            if let Some(base) = interpreter.base_of_plain(&value) {
                let rest = without_class(arguments);
                return interpreter.new_holder(class, base, rest);
            }
            if interpreter.derives_from(&value, TYPED) {
                let rest = without_class(arguments);
                return interpreter.new_named_tuple(class, rest);
            }
            let given = arguments.positional.iter().find(|value| !matches!(value, Value::Class(_))).cloned();
            let bases = interpreter.library_bases(&value, None);
            // An object of a class that derives from more than a number, a text or a tuple is taken for the number, text or tuple.
            let plain = ["builtins.int", "builtins.float", "builtins.str", "builtins.tuple"];
            if let Some(base) = bases.iter().find(|base| plain.contains(&base.as_str())) {
                let values = given.into_iter().collect();
                return interpreter.call_library(*base, CallArguments::positional(values, span));
            }
            Ok(interpreter.allocate_instance(class, span))
        }
        _ => Ok(Value::None),
    }
}

/// The arguments of `__new__` behind the class.
fn without_class(mut arguments: CallArguments) -> CallArguments {
    if matches!(arguments.positional.first(), Some(Value::Class(_))) {
        arguments.positional.remove(0);
    }
    arguments.positional_spans.clear();
    arguments
}

/// Takes from a class what its metaclass has taken from the namespace. Names that no program can write are Harp's own.
fn leave_out(interpreter: &mut Interpreter<'_>, class: ObjectId, kept: &[(Value, Value)]) {
    let is_kept = |name: Name| kept.iter().any(|(key, _)| key.as_text() == Some(name.as_str()));
    let is_plain = |name: Name| {
        let name = name.as_str();
        !name.starts_with("__") && name.chars().all(|char| char == '_' || char.is_alphanumeric())
    };
    let own = interpreter.heap.object(class).attributes.iter().map(|(name, _)| name);
    let gone: Vec<Name> = own.filter(|name| is_plain(*name) && !is_kept(*name)).collect();
    for name in gone {
        interpreter.heap.delete_attribute(class, name);
    }
}

/// What `type` does where a metaclass asks it to.
pub fn method_of_type(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    receiver: &Value,
    arguments: CallArguments,
) -> Eval {
    match (name.rsplit('.').next(), receiver) {
        (Some("__call__"), Value::Class(class)) => interpreter.instantiate_plainly(*class, arguments),
        (Some("__new__"), _) => {
            let Some(class) = interpreter.calls.classes_in_making.last().copied() else {
                interpreter.not_understood("a class that is made while the program runs", arguments.span);
                return Ok(interpreter.symbolic("class", arguments.span, true));
            };
            let namespace = arguments.positional.iter().rev().find(|value| matches!(value, Value::Dict(_))).cloned();
            if let Some(namespace) = namespace
                && let Value::Dict(id) = namespace
                && let Some(data) = interpreter.heap.dict(id).cloned()
            {
                for (key, value) in &data.entries {
                    if let Some(key) = key.as_text() {
                        interpreter.heap.set_attribute(class, Name::new(key), value.clone());
                    }
                }
                if data.rest.is_none() {
                    leave_out(interpreter, class, &data.entries);
                }
            }
            Ok(Value::Class(class))
        }
        _ => Ok(Value::None),
    }
}
