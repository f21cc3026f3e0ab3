//! Objects of classes of the program that derive from a number, a text, a tuple, a list or a set: each holds the plain value that it is besides.
//! Where the class does not say itself what happens to its objects, it happens to that value.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::classes::named_tuples::TYPED;
use crate::heap::objects::{DictData, InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{LibraryMethod, ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};

/// The attribute of an object that has the plain value, and the class of named tuples for what is one; no program can name it.
const HELD: &str = "(held)";

/// The classes whose objects are plain values.
const PLAIN: [&str; 8] = [
    "builtins.bytes",
    "builtins.float",
    "builtins.frozenset",
    "builtins.int",
    "builtins.list",
    "builtins.set",
    "builtins.str",
    "builtins.tuple",
];

/// Bases that add nothing to a value.
const WITHOUT_VALUE: [&str; 6] =
    ["abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol", "collections.abc.Hashable", "typing.Hashable"];

/// Functions of Python's own that take the plain value, each with the methods by which a class says otherwise.
pub const OF_VALUES: [(&str, &[&str]); 24] = [
    ("abs", &["__abs__"]),
    ("bin", &["__index__"]),
    ("bool", &["__bool__", "__len__"]),
    ("bytes", &["__bytes__"]),
    ("chr", &["__index__"]),
    ("complex", &["__complex__"]),
    ("divmod", &["__divmod__"]),
    ("float", &["__float__"]),
    ("format", &["__format__", "__str__", "__repr__"]),
    ("hash", &["__hash__"]),
    ("hex", &["__index__"]),
    ("int", &["__int__", "__index__"]),
    ("len", &["__len__"]),
    ("max", &["__iter__", "__lt__", "__gt__"]),
    ("min", &["__iter__", "__lt__", "__gt__"]),
    ("oct", &["__index__"]),
    ("ord", &[]),
    ("pow", &["__pow__"]),
    ("range", &["__index__"]),
    ("repr", &["__repr__"]),
    ("round", &["__round__"]),
    ("slice", &[]),
    ("str", &["__str__", "__repr__"]),
    ("sum", &["__iter__", "__add__", "__radd__"]),
];

/// Packages of Python whose functions take values, and whose classes hold them, as those of libraries of tensors do.
const PACKAGES_OF_VALUES: [&str; 7] = ["math", "re", "os", "json", "operator", "string", "pathlib"];

/// In dictionaries with more entries, keys are found as they are.
const MOST_KEYS: usize = 256;

impl Interpreter<'_> {
    /// The plain value that an object is besides.
    pub fn plain_of(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Instance(id) if self.hooks.holds => match self.heap.attribute(*id, name!("(held)"))? {
                // A named tuple holds what its fields hold.
                Value::Library(_) => Some(Value::tuple(self.values_of_record(value))),
                held => Some(self.read(held)),
            },
            _ => None,
        }
    }

    /// The class of plain values that a class of the program derives from, where nothing else has a say in its objects.
    pub(crate) fn base_of_plain(&self, class: &Value) -> Option<Name> {
        if self.is_enumeration(class) {
            return None;
        }
        let bases = self.library_bases(class, None);
        let plain = bases.iter().find(|base| PLAIN.contains(&base.as_str()))?;
        let is_alone = bases.iter().all(|base| base == plain || WITHOUT_VALUE.contains(&base.as_str()));
        is_alone.then_some(*plain)
    }

    /// `base.__new__(Class, …)`: an object that holds what `base(…)` gives.
    pub(crate) fn new_holder(&mut self, class: ObjectId, base: Name, arguments: CallArguments) -> Eval {
        let span = arguments.span;
        let held = match base.as_str() {
            // Those are filled by their `__init__`.
            "builtins.list" | "builtins.set" => self.call_library(base, CallArguments::empty(span))?,
            _ => self.call_library(base, arguments)?,
        };
        self.hooks.holds = true;
        let data = InstanceData { class: Value::Class(class), arguments: Vec::new(), origin: span };
        let id = self.heap.allocate(Payload::Instance(Rc::new(data)));
        self.heap.set_attribute(id, Name::new(HELD), held);
        Ok(Value::Instance(id))
    }

    /// Lets an object be a plain value besides.
    pub(crate) fn hold_value(&mut self, object: ObjectId, value: Value) {
        self.hooks.holds = true;
        self.heap.set_attribute(object, Name::new(HELD), value);
    }

    /// The key of a dictionary's entry that a key finds: an object that holds a text, a number or a tuple is that as a key, and the other way
    /// round. The key itself where it finds none.
    pub(crate) fn key_in(&self, dict: ObjectId, key: &Value) -> Value {
        let key = self.read(key);
        self.heap.dict(dict).map_or(key.clone(), |data| self.key_among(data, key))
    }

    /// The key of an entry of a dictionary that is being made.
    pub(crate) fn key_among(&self, data: &DictData, key: Value) -> Value {
        if let Value::Set(set) = key {
            // Sets that are keys are frozen: they are found by what they hold.
            let is_same = |known: &&Value| matches!(known, Value::Set(other) if self.hold_the_same(*other, set));
            return data.entries.iter().take(MOST_KEYS).map(|(known, _)| known).find(is_same).cloned().unwrap_or(key);
        }
        if !self.hooks.holds || data.entries.len() > MOST_KEYS || data.find(&key).is_some() {
            return key;
        }
        let plain = self.plain_within(&key).unwrap_or_else(|| key.clone());
        let is_same = |known: &Value| self.plain_within(known).as_ref().unwrap_or(known).same_key(&plain);
        data.entries.iter().map(|(known, _)| known).find(|known| is_same(known)).cloned().unwrap_or(key)
    }

    /// Whether two sets have the same items, all of which are known.
    fn hold_the_same(&self, one: ObjectId, other: ObjectId) -> bool {
        let (Some(one), Some(other)) = (self.heap.list(one), self.heap.list(other)) else { return false };
        let is_known = one.rest.is_none() && other.rest.is_none() && one.items.len() == other.items.len();
        Rc::ptr_eq(one, other)
            || (is_known
                && one.items.len() <= MOST_KEYS
                && one.items.iter().all(|item| other.items.iter().any(|found| found.same_key(item))))
    }

    /// Lets an object of a class of named tuples be the tuple of its fields besides.
    pub(crate) fn hold_fields(&mut self, record: ObjectId) {
        self.hooks.holds = true;
        self.heap.set_attribute(record, Name::new(HELD), Value::library(TYPED));
    }

    /// `Base.__new__(Class, x, y)` of named tuples.
    pub(crate) fn new_named_tuple(&mut self, class: ObjectId, arguments: CallArguments) -> Eval {
        let made = self.allocate_instance(class, arguments.span);
        self.fill_record(class, &made, arguments)?;
        Ok(made)
    }

    /// `Class(…)` for a class without a `__new__` of its own that derives from plain values.
    pub(crate) fn make_holder(&mut self, class: ObjectId, arguments: &CallArguments) -> Eval<Option<Value>> {
        let value = Value::Class(class);
        if matches!(self.member_of(&value, name!("__new__"), None), Some(Value::Function(_))) {
            return Ok(None);
        }
        let Some(base) = self.base_of_plain(&value) else { return Ok(None) };
        self.new_holder(class, base, arguments.clone()).map(Some)
    }

    /// What `__init__` of lists and sets does with an object that holds one.
    pub(crate) fn fill_holder(&mut self, holder: &Value, arguments: &CallArguments) -> Eval<()> {
        let Some(Value::List(id) | Value::Set(id)) = self.plain_of(holder) else { return Ok(()) };
        let Some(items) = arguments.positional.first() else { return Ok(()) };
        // A tuple of unknown length is held as a list is, and `__new__` has filled it.
        let class = self.class_of(holder);
        let fills =
            self.base_of_plain(&class).is_none_or(|base| matches!(base.as_str(), "builtins.list" | "builtins.set"));
        if !fills {
            return Ok(());
        }
        let base = self.class_of(&Value::List(id));
        let is_set = matches!(self.plain_of(holder), Some(Value::Set(_)));
        let base = if is_set { Value::library("builtins.set") } else { base };
        let made = self.call(&base, CallArguments::positional(vec![items.clone()], arguments.span))?;
        if let Value::List(made) | Value::Set(made) = made {
            let payload = self.heap.payload(made).clone();
            self.heap.set_payload(id, payload);
        }
        Ok(())
    }

    /// What a function of a library is given: texts and plain values as such.
    pub(crate) fn prepare_arguments(&mut self, name: Name, arguments: &mut CallArguments) {
        // Which name it is counts where members are looked up by it.
        self.plain_texts(arguments, (name.as_str() == "builtins.getattr").then_some(1));
        if self.hooks.holds {
            self.with_plain_arguments(name, arguments);
        }
    }

    /// The same for a method; whether that was all there is to do.
    pub(crate) fn prepare_for_method(&mut self, method: &LibraryMethod, arguments: &mut CallArguments) -> Eval<bool> {
        let is_lookup = matches!(method.receiver, Value::Dict(_)) && method.api.as_str().ends_with(".get");
        self.plain_texts(arguments, is_lookup.then_some(0));
        if !self.hooks.holds {
            return Ok(false);
        }
        if method.api.as_str().ends_with(".__init__") && self.plain_of(&method.receiver).is_some() {
            self.fill_holder(&method.receiver, arguments)?;
            return Ok(true);
        }
        self.with_plain_values_for(&method.receiver, arguments);
        Ok(false)
    }

    /// Gives a function of a library the plain values where it asks for values.
    fn with_plain_arguments(&mut self, name: Name, arguments: &mut CallArguments) {
        let takes_all = match name.as_str().split_once('.') {
            Some(("builtins", function)) => match OF_VALUES.binary_search_by_key(&function, |(known, _)| known) {
                Ok(index) => {
                    let methods = OF_VALUES[index].1;
                    // The largest of several tuples is that one itself, with its fields.
                    let gives_one = matches!(function, "max" | "min");
                    for value in &mut arguments.positional {
                        if let Some(held) = self.plain_of(value)
                            && !(gives_one && matches!(held, Value::Tuple(_)))
                            && !methods.iter().any(|method| self.own_method(value, method).is_some())
                        {
                            *value = held;
                        }
                    }
                    return;
                }
                // `list.append(self, item)`
                Err(_) if function.contains('.') && !function.ends_with(".__new__") => {
                    if let Some(held) = arguments.positional.first().and_then(|first| self.plain_of(first)) {
                        arguments.positional[0] = held;
                    }
                    return;
                }
                Err(_) => false,
            },
            Some((package, _)) => PACKAGES_OF_VALUES.contains(&package) || self.family_of_api(name).is_some(),
            None => false,
        };
        if takes_all {
            self.with_plain_values(arguments);
        }
    }

    /// Gives a method of a library plain values, unless it keeps what it is given.
    fn with_plain_values_for(&mut self, receiver: &Value, arguments: &mut CallArguments) {
        if !matches!(receiver, Value::List(_) | Value::Set(_) | Value::Dict(_) | Value::Instance(_)) {
            self.with_plain_values(arguments);
        }
    }

    fn with_plain_values(&mut self, arguments: &mut CallArguments) {
        let keywords = arguments.keywords.iter_mut().map(|(_, value)| value);
        for value in arguments.positional.iter_mut().chain(keywords) {
            if let Some(plain) = self.plain_within(value) {
                *value = plain;
            }
        }
    }

    fn plain_within(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Tuple(items) if items.iter().any(|item| self.plain_of(item).is_some()) => Some(Value::tuple(
                items.iter().map(|item| self.plain_of(item).unwrap_or_else(|| item.clone())).collect(),
            )),
            value => self.plain_of(value),
        }
    }

    /// A member that an object has of the plain value's class.
    pub(crate) fn member_of_held(&mut self, holder: &Value, name: Name, span: Span) -> Eval<Option<Value>> {
        let Some(held) = self.plain_of(holder) else { return Ok(None) };
        let Value::Library(class) = self.class_of(&held) else { return Ok(None) };
        let api = self.qualified(class, name);
        let is_text = matches!(held, Value::Str(_));
        if self.method_handler(api).is_none() && !is_text && self.annotated_method(class, name).is_none() {
            return Ok(None);
        }
        if is_text && name.as_str().starts_with("__") && self.method_handler(api).is_none() {
            return Ok(None);
        }
        self.get_attribute(&held, name, span).map(Some)
    }
}
