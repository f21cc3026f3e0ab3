//! Dictionaries of classes other than `dict` itself: of the program's own (`class Config(dict)`), and of libraries whose entries are attributes,
//! too. To everything that works on dictionaries they are dictionaries; the class is kept beside the entries.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{FunctionKind, LibraryMethod, ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::{Name, name};

/// Where a dictionary keeps its class; no name that a program can write.
const CLASS: &str = "#class";
/// Says that attributes are entries: after `self.__dict__ = self`.
const IS_OPEN: &str = "#open";
const DICT: &str = "builtins.dict";
/// How deep dictionaries within a dictionary become such as well.
const DEEPEST: usize = 32;

/// Classes of libraries whose entries are attributes.
const LIBRARY_CLASSES: [&str; 12] = [
    "addict.Dict",
    "addict.addict.Dict",
    "attrdict.AttrDict",
    "box.Box",
    "dotmap.DotMap",
    "easydict.EasyDict",
    "ml_collections.ConfigDict",
    "ml_collections.FrozenConfigDict",
    "ml_collections.config_dict.ConfigDict",
    "munch.DefaultMunch",
    "munch.Munch",
    OMEGA_DICT,
];
/// Those that raise `AttributeError` for what they have not.
const RAISES_FOR_MISSING: [&str; 7] = [
    "attrdict.AttrDict",
    "easydict.EasyDict",
    "ml_collections.ConfigDict",
    "ml_collections.FrozenConfigDict",
    "ml_collections.config_dict.ConfigDict",
    "munch.Munch",
    OMEGA_DICT,
];
/// A configuration of OmegaConf.
pub const OMEGA_DICT: &str = "omegaconf.DictConfig";

/// Whether a class of a library has its entries as attributes.
pub fn is_open_class(name: &str) -> bool {
    LIBRARY_CLASSES.contains(&name)
}

impl Interpreter<'_> {
    /// The class of a dictionary that is more than a dictionary.
    pub fn dict_class(&self, id: ObjectId) -> Option<&Value> {
        self.heap.attribute(id, Name::new(CLASS))
    }

    /// Whether instances of a class of the program are dictionaries.
    pub fn makes_dicts(&self, class: ObjectId) -> bool {
        let value = Value::Class(class);
        let is_plain = |name: &str| matches!(name, DICT | "collections.OrderedDict" | "collections.defaultdict");
        let is_dict = |name: &Name| is_plain(name.as_str()) || is_open_class(name.as_str());
        self.library_bases(&value, None).first().is_some_and(is_dict)
    }

    pub fn new_dict_of_class(&mut self, class: Value, entries: Vec<(Value, Value)>) -> Value {
        let id = self.heap.allocate_dict(entries);
        self.heap.set_attribute(id, Name::new(CLASS), class);
        Value::Dict(id)
    }

    /// A dictionary of a class with copies of the dictionaries within it, of that class too; lists are looked into.
    pub fn opened(&mut self, value: &Value, class: &Value) -> Value {
        self.converted_dicts(value, Some(class), DEEPEST)
    }

    /// The same contents in plain dictionaries.
    pub fn plain_copy(&mut self, value: &Value) -> Value {
        self.converted_dicts(value, None, DEEPEST)
    }

    fn converted_dicts(&mut self, value: &Value, class: Option<&Value>, depth: usize) -> Value {
        light_tick();
        let value = self.read(value);
        if depth == 0 || self.step().is_err() {
            return value;
        }
        match &value {
            Value::Dict(id) => {
                let Some(data) = self.heap.dict(*id).cloned() else { return value };
                let mut entries = Vec::with_capacity(data.entries.len());
                for (key, value) in &data.entries {
                    entries.push((key.clone(), self.converted_dicts(value, class, depth - 1)));
                }
                let copy = match class {
                    Some(class) => self.new_dict_of_class(class.clone(), entries),
                    None => Value::Dict(self.heap.allocate_dict(entries)),
                };
                if let (Value::Dict(id), Some(rest)) = (&copy, &data.rest) {
                    self.heap.change_dict(*id, |data| data.rest = Some(rest.clone()));
                }
                copy
            }
            Value::List(id) => {
                let Some(data) = self.heap.list(*id).cloned() else { return value };
                let mut items = Vec::with_capacity(data.items.len());
                for item in &data.items {
                    items.push(self.converted_dicts(item, class, depth - 1));
                }
                let copy = self.heap.allocate_list(items);
                if let Some(rest) = &data.rest {
                    self.heap.change_list(copy, |data| data.rest = Some(rest.clone()));
                }
                Value::List(copy)
            }
            Value::Tuple(items) => {
                let items = Rc::clone(items);
                Value::tuple(items.iter().map(|item| self.converted_dicts(item, class, depth - 1)).collect())
            }
            _ => value,
        }
    }

    /// `value.name` for a dictionary of a class.
    pub(crate) fn attribute_of_dict(&mut self, id: ObjectId, name: Name, span: Span) -> Eval {
        let value = Value::Dict(id);
        let Some(class) = self.dict_class(id).cloned() else { return Ok(self.builtin_member(&value, name, span)) };
        if name.as_str() == "__class__" {
            return Ok(class);
        }
        match &class {
            Value::Class(_) => self.attribute_of_own_dict(id, &class, name, span),
            Value::Library(library) => {
                let is_closed = self.heap.dict(id).is_some_and(|data| data.rest.is_none());
                let value = self.attribute_of_library_dict(id, *library, name, span);
                if matches!(value, Value::Symbolic(_)) && is_closed && self.entry_of_dict(id, name).is_none() {
                    let exception = match library.as_str() {
                        OMEGA_DICT => "omegaconf.errors.ConfigAttributeError",
                        _ => "AttributeError",
                    };
                    if RAISES_FOR_MISSING.contains(&library.as_str()) {
                        self.raise_if_caught(exception, name.as_str(), span)?;
                    }
                }
                Ok(value)
            }
            _ => Ok(self.symbolic(name.as_str(), span, true)),
        }
    }

    fn attribute_of_own_dict(&mut self, id: ObjectId, class: &Value, name: Name, span: Span) -> Eval {
        let value = Value::Dict(id);
        if name.as_str() == "__dict__" {
            // `self.__dict__ = self` makes them one.
            let is_one = self.has_entries_as_attributes(id, class);
            return Ok(if is_one { value } else { self.attributes_as_dict(id) });
        }
        let member = self.member_of(class, name, None);
        match &member {
            Some(Value::Function(closure))
                if matches!(closure.kind, FunctionKind::Property | FunctionKind::CachedProperty) =>
            {
                let closure = Rc::clone(closure);
                return self.call_closure(&closure, CallArguments::positional(vec![value], span));
            }
            _ => {}
        }
        if let Some(known) = self.heap.attribute(id, name).cloned() {
            return Ok(self.read(&known));
        }
        if self.has_entries_as_attributes(id, class)
            && let Some(entry) = self.entry_of_dict(id, name)
        {
            return Ok(entry);
        }
        match member {
            Some(function @ Value::Function(_)) => return Ok(self.bind_method(&value, function)),
            Some(value) => return Ok(self.read(&value)),
            None => {}
        }
        if let Some(method) = self.method_of_dict(&value, name) {
            return Ok(method);
        }
        match self.member_of(class, name!("__getattr__"), None) {
            Some(method @ Value::Function(_)) => {
                let bound = self.bind_method(&value, method);
                self.call(&bound, CallArguments::positional(vec![Value::str(name.as_str())], span))
            }
            // `__getattr__ = dict.get`
            Some(Value::Library(method)) if method.as_str() == "builtins.dict.get" => {
                let is_closed = self.heap.dict(id).is_some_and(|data| data.rest.is_none());
                let missing = if is_closed { Value::None } else { self.symbolic(name.as_str(), span, true) };
                Ok(self.entry_of_dict(id, name).unwrap_or(missing))
            }
            Some(Value::Library(_)) if let Some(entry) = self.entry_of_dict(id, name) => Ok(entry),
            _ => Ok(self.symbolic(name.as_str(), span, true)),
        }
    }

    fn attribute_of_library_dict(&mut self, id: ObjectId, library: Name, name: Name, span: Span) -> Value {
        let value = Value::Dict(id);
        let method = self.method_of_dict(&value, name);
        // OmegaConf's methods hide entries; elsewhere an entry hides a method.
        if let (Some(method), true) = (&method, library.as_str() == OMEGA_DICT) {
            return method.clone();
        }
        if let Some(entry) = self.entry_of_dict(id, name) {
            return entry;
        }
        if let Some(method) = method {
            return method;
        }
        for class in [library.as_str(), LIBRARY_CLASSES[0]] {
            let api = Name::new(&format!("{class}.{name}"));
            if self.method_handler(api).is_some() {
                return Value::LibraryMethod(Rc::new(LibraryMethod { receiver: value, api }));
            }
        }
        // Reading what an `addict` has not makes it.
        if library.as_str().starts_with("addict.") && self.heap.dict(id).is_some_and(|data| data.rest.is_none()) {
            let made = self.new_dict_of_class(Value::Library(library), Vec::new());
            let entry = made.clone();
            self.heap
                .change_dict(id, |data| crate::evaluate::expressions::insert(data, Value::str(name.as_str()), entry));
            return made;
        }
        self.data_from_outside(self.source_text(span), span)
    }

    fn method_of_dict(&mut self, value: &Value, name: Name) -> Option<Value> {
        let api = self.qualified(Name::new(DICT), name);
        let is_known = self.method_handler(api).is_some() || self.annotated_method(Name::new(DICT), name).is_some();
        is_known.then(|| Value::LibraryMethod(Rc::new(LibraryMethod { receiver: value.clone(), api })))
    }

    fn entry_of_dict(&mut self, id: ObjectId, name: Name) -> Option<Value> {
        let value = self.heap.dict(id)?.find(&Value::str(name.as_str()))?.1.clone();
        Some(self.read(&value))
    }

    fn has_entries_as_attributes(&self, id: ObjectId, class: &Value) -> bool {
        self.heap.attribute(id, Name::new(IS_OPEN)).is_some()
            || self.library_bases(class, None).iter().any(|base| is_open_class(base.as_str()))
    }

    /// Whether a dictionary of a class has an attribute, where that can be told.
    pub fn dict_has_attribute(&self, id: ObjectId, name: Name) -> Option<bool> {
        let class = self.dict_class(id)?;
        let data = self.heap.dict(id)?;
        if data.find(&Value::str(name.as_str())).is_some() || self.heap.attribute(id, name).is_some() {
            return Some(true);
        }
        if self.member_of(class, name, None).is_some() {
            return Some(true);
        }
        let is_method = self.method_handler(self.qualified(Name::new(DICT), name)).is_some();
        match self.member_of(class, name!("__getattr__"), None) {
            _ if is_method => Some(true),
            Some(_) => None,
            None => data.rest.is_none().then_some(false),
        }
    }

    /// `value.name = new` for a dictionary; whether it is one of a class.
    pub(crate) fn set_attribute_of_dict(&mut self, id: ObjectId, name: Name, new: &Value, span: Span) -> Eval<bool> {
        let Some(class) = self.dict_class(id).cloned() else { return Ok(false) };
        let value = Value::Dict(id);
        if name.as_str() == "__dict__" {
            if new.same(&value) {
                self.heap.set_attribute(id, Name::new(IS_OPEN), Value::Bool(true));
            }
            return Ok(true);
        }
        let key = Value::str(name.as_str());
        let setter = self.member_of(&class, name!("__setattr__"), None);
        match (&class, setter) {
            (_, Some(method @ Value::Function(_))) => {
                let bound = self.bind_method(&value, method);
                self.call(&bound, CallArguments::positional(vec![key, new.clone()], span))?;
            }
            (_, Some(Value::Library(_))) => self.set_item(&value, &key, new.clone(), span)?,
            (Value::Library(_), None) => {
                // One that is of a class already stays itself: the program may go on to fill it.
                let is_plain = matches!(new, Value::Dict(id) if self.dict_class(*id).is_none());
                let new = if is_plain { self.opened(new, &class) } else { new.clone() };
                self.set_item(&value, &key, new, span)?;
            }
            _ => self.store_attribute_of_dict(id, name, new.clone(), span)?,
        }
        Ok(true)
    }

    /// `setattr(value, name, new)` with a name that is not known, for a dictionary whose attributes are its entries; whether it is one.
    pub fn set_some_entry(&mut self, object: &Value, name: &Value, new: &Value, span: Span) -> Eval<bool> {
        let value @ Value::Dict(id) = self.read(object) else { return Ok(false) };
        let Some(class) = self.dict_class(id).cloned() else { return Ok(false) };
        match self.member_of(&class, name!("__setattr__"), None) {
            Some(method @ Value::Function(_)) => {
                let bound = self.bind_method(&value, method);
                self.call(&bound, CallArguments::positional(vec![name.clone(), new.clone()], span))?;
            }
            None if !self.has_entries_as_attributes(id, &class) => return Ok(false),
            _ => self.set_item(&value, name, new.clone(), span)?,
        }
        Ok(true)
    }

    /// What `object.__setattr__` does for a dictionary.
    pub fn store_attribute_of_dict(&mut self, id: ObjectId, name: Name, new: Value, span: Span) -> Eval<()> {
        let class = self.dict_class(id).cloned();
        if class.is_some_and(|class| self.has_entries_as_attributes(id, &class)) {
            return self.set_item(&Value::Dict(id), &Value::str(name.as_str()), new, span);
        }
        self.heap.set_attribute(id, name, new);
        Ok(())
    }

    /// A method of the program's own class that a subscript of a dictionary calls.
    pub(crate) fn own_method_of_dict(&mut self, id: ObjectId, name: &str) -> Option<Value> {
        let class = self.dict_class(id)?;
        let method = self.member_of(class, Name::new(name), None)?;
        matches!(method, Value::Function(_)).then(|| self.bind_method(&Value::Dict(id), method))
    }
}
