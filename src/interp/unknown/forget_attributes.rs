//! Forgets attributes of an object that code changed which is not followed.

use std::rc::Rc;

use crate::heap::objects::{DictData, ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;

impl Interpreter<'_> {
    /// Forgets the numbers and texts of an object or module, and what its containers hold. Functions, classes and modules stay what they are.
    pub(crate) fn forget_plain_attributes(&mut self, object: ObjectId) {
        let attributes: Vec<(Name, Value)> = self
            .heap
            .object(object)
            .attributes
            .iter()
            .filter(|(name, _)| !name.as_str().starts_with(['_', '#', '(']))
            .map(|(name, value)| (name, value.clone()))
            .collect();
        for (name, value) in attributes {
            match self.read(&value) {
                Value::List(id) | Value::Set(id) => {
                    let any = ListData { items: Vec::new(), rest: Some(Value::Unknown("a changed item")) };
                    self.heap.set_payload(id, Payload::List(Rc::new(any)));
                }
                Value::Dict(id) => {
                    let any = (Value::Unknown("a changed key"), Value::Unknown("a changed entry"));
                    self.heap.set_payload(id, Payload::Dict(Rc::new(DictData::new(Vec::new(), Some(any)))));
                }
                Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Str(_) | Value::None | Value::Tuple(_) => {
                    self.heap.set_attribute(object, name, Value::Unknown("a changed attribute"));
                }
                _ => {}
            }
        }
    }
}
