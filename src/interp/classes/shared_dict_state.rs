//! Objects of classes whose attributes are the entries of a dictionary that the program has elsewhere, too:
//! `self.__dict__ = shared`.

use crate::evaluate::expressions::{has_key, insert};
use crate::judge::misused_values::Certainty;
use crate::state::interpreter::{Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::Subject;

/// The attribute of an object that has the dictionary; no program can name it.
pub const SHARED: &str = "#shared";

/// Where the dictionary of an object's attributes keeps the object.
const ATTRIBUTES_OF: &str = "#attributes-of";

/// Under which name an object keeps that an attribute was deleted.
fn deleted(name: Name) -> Name {
    Name::new(&format!("#deleted {name}"))
}

impl Interpreter<'_> {
    /// `object.__dict__ = dictionary`. A module's parts are looked for in the module itself, so that it gets what the dictionary has now.
    pub(crate) fn share_attributes(&mut self, id: ObjectId, dict: ObjectId) {
        let instance = Value::Instance(id);
        let is_plain =
            matches!(self.class_of(&instance), Value::Class(_)) && self.ends_at_object(&self.class_of(&instance));
        if is_plain {
            self.hooks.shared = true;
            self.heap.set_attribute(id, Name::new(SHARED), Value::Dict(dict));
            return;
        }
        let entries = self.heap.dict(dict).map(|data| data.entries.clone()).unwrap_or_default();
        for (key, value) in entries {
            if let Some(name) = key.as_text() {
                self.heap.set_attribute(id, Name::new(name), value);
            }
        }
    }

    /// The dictionary that has the attributes of an object.
    pub(crate) fn shared_dict(&self, id: ObjectId) -> Option<ObjectId> {
        if !self.hooks.shared {
            return None;
        }
        match self.heap.attribute(id, Name::new(SHARED)) {
            Some(Value::Dict(dict)) => Some(*dict),
            _ => None,
        }
    }

    /// What an object has under a name in a dictionary of its attributes.
    pub(crate) fn shared_attribute(&self, id: ObjectId, name: Name) -> Option<Value> {
        let dict = self.shared_dict(id)?;
        let (_, value) = self.heap.dict(dict)?.find(&Value::str(name.as_str()))?;
        Some(self.read(value))
    }

    /// Sets an attribute in the dictionary that has the object's attributes; whether there is one.
    pub(crate) fn set_shared(&mut self, id: ObjectId, name: Name, value: &Value) -> bool {
        let Some(dict) = self.shared_dict(id) else { return false };
        let key = Value::str(name.as_str());
        if self.heap.dict(dict).is_some_and(|data| !has_key(data, &key)) {
            self.heap.push_entry(dict, key, value.clone());
        } else {
            self.heap.change_dict(dict, |data| insert(data, key, value.clone()));
        }
        true
    }

    /// Deletes an attribute from that dictionary; whether there is one.
    pub(crate) fn delete_shared(&mut self, id: ObjectId, name: Name) -> bool {
        let Some(dict) = self.shared_dict(id) else { return false };
        self.delete_item(&Value::Dict(dict), &Value::str(name.as_str()));
        true
    }

    /// The attributes of an object as a dictionary through which they can be set.
    pub fn attributes_as_dict(&mut self, id: ObjectId) -> Value {
        let entries = self
            .heap
            .object(id)
            .attributes
            .iter()
            .filter(|(name, _)| !name.as_str().starts_with(['#', '(']))
            .map(|(name, value)| (Value::str(name.as_str()), value.clone()))
            .collect();
        let dict = self.heap.allocate_dict(entries);
        self.entries_are_attributes(dict, id);
        Value::Dict(dict)
    }

    /// What is put into a dictionary from now on becomes an attribute of the object.
    pub fn entries_are_attributes(&mut self, dict: ObjectId, object: ObjectId) {
        self.heap.set_attribute(dict, Name::new(ATTRIBUTES_OF), Value::Instance(object));
    }

    /// The object whose attributes are in a dictionary.
    pub(crate) fn owner_of_attributes(&self, dict: ObjectId) -> Option<ObjectId> {
        match self.heap.attribute(dict, Name::new(ATTRIBUTES_OF)) {
            Some(Value::Instance(object)) => Some(*object),
            _ => None,
        }
    }

    /// An entry that is deleted from an object's `__dict__` is no attribute any more.
    pub fn delete_through(&mut self, dict: ObjectId, key: &Value) {
        if let Some(Value::Instance(object)) = self.heap.attribute(dict, Name::new(ATTRIBUTES_OF)).cloned()
            && let Some(name) = key.as_text()
        {
            self.forget_deleted(object, Name::new(name));
        }
    }

    /// Takes an attribute away from an object, of which it is known from then on that it has none of that name.
    pub(crate) fn forget_deleted(&mut self, object: ObjectId, name: Name) {
        if self.heap.attribute(object, name).is_some() {
            self.heap.set_attribute(object, deleted(name), Value::Bool(true));
        }
        self.heap.delete_attribute(object, name);
    }

    /// Reports that the program reads an attribute which it took away from the object; `None` where that is not certain.
    pub(crate) fn deleted_is_read(&mut self, object: ObjectId, name: Name, span: Span) -> Option<Interrupt> {
        if !matches!(self.heap.attribute(object, deleted(name)), Some(Value::Bool(true))) || self.inference.is_some() {
            return None;
        }
        if self.exceptions.caught == 0 {
            if !self.is_followed(Certainty::Followed, span) || !self.fails_on_every_way(span) {
                return None;
            }
            let class = self.class_of(&Value::Instance(object));
            let (what, class) = (self.called(&class), self.name_of_class(&class));
            let message = format!("{what} has no `{name}` any more: the program deleted it");
            self.fails_always(Subject::Attribute, &format!("{class}.{name}"), message, None, span);
        }
        Some(self.raise("AttributeError", name.as_str(), span))
    }

    /// An entry of an object's `__dict__` is an attribute of the object.
    pub fn store_through(&mut self, dict: ObjectId, key: &Value, value: &Value) {
        if let Some(Value::Instance(object)) = self.heap.attribute(dict, Name::new(ATTRIBUTES_OF)).cloned()
            && let Some(name) = key.as_text()
        {
            self.heap.set_attribute(object, Name::new(name), value.clone());
        }
    }
}
