//! Classes that a program makes by a call: `type("Small", (Base,), {"width": 8})`.

use std::rc::Rc;
use std::sync::Arc;

use crate::interp::calls::CallArguments;
use crate::interp::heap::{ClassData, Payload};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::Value;
use crate::python::ir::{self, Range};
use crate::python::name::Name;

impl Interpreter<'_> {
    /// Whether a class derives from classes of the program alone, and from `object`.
    pub(super) fn ends_at_object(&self, class: &Value) -> bool {
        self.resolution_order(class).iter().all(|base| match base {
            Value::Class(_) => true,
            Value::Library(name) => name.as_str() == "builtins.object",
            _ => false,
        })
    }

    /// `type(name, bases, namespace)`; `None` where not all of it is known.
    pub fn class_of_call(&mut self, arguments: &CallArguments) -> Eval<Option<Value>> {
        let ([name, bases, namespace], span) = (&arguments.positional[..], arguments.span) else { return Ok(None) };
        if arguments.is_open {
            return Ok(None);
        }
        let (name, bases, namespace) = (self.read(name), self.read(bases), self.read(namespace));
        let (Some(name), Value::Tuple(bases), Value::Dict(namespace)) = (name.as_text(), bases, namespace) else {
            return Ok(None);
        };
        let bases: Vec<Value> = bases.iter().map(|base| self.read(base)).collect();
        let Some(data) = self.heap.dict(namespace).filter(|data| data.rest.is_none()).cloned() else { return Ok(None) };
        let are_classes = bases.iter().all(|base| matches!(base, Value::Class(_) | Value::Library(_)));
        let are_names = data.entries.iter().all(|(key, _)| key.as_text().is_some());
        if !are_classes || !are_names {
            return Ok(None);
        }
        let name = Name::new(name);
        let range = Range { start: span.start, end: span.end };
        let definition = Arc::new(ir::Class {
            file: span.file,
            name,
            qualified_name: name,
            range,
            name_range: range,
            arguments: Vec::new(),
            decorators: Vec::new(),
            body: Vec::new(),
        });
        let id = self.heap.allocate(Payload::Plain);
        let mut resolution_order = vec![Value::Class(id)];
        resolution_order.extend(self.linearise(&bases));
        let class = ClassData { definition: Arc::clone(&definition), resolution_order };
        self.heap.set_payload(id, Payload::Class(Rc::new(class)));
        for (key, value) in &data.entries {
            if let Some(key) = key.as_text() {
                self.heap.set_attribute(id, Name::new(key), value.clone());
            }
        }
        self.finish_class(id, &definition, &bases, arguments.keywords.clone())?;
        self.note_family(id, &bases);
        Ok(Some(Value::Class(id)))
    }
}
