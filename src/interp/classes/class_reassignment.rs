//! `object.__class__ = Class`: programs put objects of a library, or of their own, under classes with other methods.

use std::rc::Rc;

use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};

impl Interpreter<'_> {
    /// Makes an object one of another class; what it has stays. Returns whether the value is a class.
    pub(crate) fn take_class(&mut self, id: ObjectId, class: &Value) -> bool {
        let class = self.read(class);
        let (Value::Class(_) | Value::Library(_), Some(data)) = (&class, self.heap.instance(id)) else { return false };
        let data = InstanceData { class, arguments: data.arguments.clone(), origin: data.origin };
        self.heap.set_payload(id, Payload::Instance(Rc::new(data)));
        true
    }
}
