//! Classes that are named tuples: their objects by position, by name, and as what they are made into.

use crate::api::dispatch::argument_of;
use std::rc::Rc;

use crate::api::library_model::MethodHandler;
use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_python::name::{Name, name};

pub const RECORD: &str = "collections.namedtuple.record";
pub const TYPED: &str = "typing.NamedTuple";

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    if class == "collections.namedtuple" && method == "_make" {
        return Some(|this, class, arguments| {
            let values = arguments.positional.first().cloned().unwrap_or(Value::None);
            let Iteration::Items(items) = this.iterate(&values)? else { return Ok(Value::Unknown("named tuple")) };
            this.call(class, CallArguments::positional(items, arguments.span))
        });
    }
    if !matches!(class, RECORD | TYPED) {
        return None;
    }
    Some(match method {
        "__getitem__" => |this, record, arguments| {
            let items = Value::tuple(this.values_of_record(record));
            let index = arguments.positional.first().cloned().unwrap_or(Value::None);
            this.get_item(&items, &index, arguments.span)
        },
        "__len__" => |this, record, _| Ok(Value::int(this.values_of_record(record).len() as i64)),
        "_asdict" => |this, record, _| {
            let names = this.names_of_record(record);
            let values = this.values_of_record(record);
            let entries = names.iter().map(|name| Value::str(name.as_str())).zip(values).collect();
            Ok(Value::Dict(this.heap.allocate_dict(entries)))
        },
        "_replace" => |this, record, arguments| {
            let Value::Instance(id) = record else { return Ok(Value::Unknown("named tuple")) };
            let Some(data) = this.heap.instance(*id).cloned() else { return Ok(Value::Unknown("named tuple")) };
            let copy = this.heap.allocate(Payload::Instance(Rc::clone(&data)));
            for name in this.names_of_record(record) {
                let value = arguments.keyword(name.as_str()).cloned();
                if let Some(value) = value.or_else(|| this.heap.attribute(*id, name).cloned()) {
                    this.heap.set_attribute(copy, name, value);
                }
            }
            if this.is_instance_of(record, TYPED) {
                this.hold_fields(copy);
            }
            Ok(Value::Instance(copy))
        },
        "index" | "count" => |this, record, arguments| {
            let items = Value::tuple(this.values_of_record(record));
            let method = this.get_attribute(&items, name!("index"), arguments.span)?;
            this.call(&method, arguments)
        },
        _ => return None,
    })
}

/// `for value in record`.
pub fn iterate(interpreter: &mut Interpreter<'_>, record: &Value) -> Eval<Iteration> {
    match interpreter.class_of(record) {
        Value::Library(_) => iterate_named_tuple(interpreter, record),
        _ => Ok(Iteration::Items(interpreter.values_of_record(record))),
    }
}

/// The fields that a text or a sequence of texts names.
pub fn names_of_fields(interpreter: &mut Interpreter<'_>, fields: &Value) -> Eval<Vec<String>> {
    Ok(match fields.as_text() {
        Some(text) => text.replace(',', " ").split_whitespace().map(str::to_owned).collect(),
        None => match interpreter.iterate(fields)? {
            Iteration::Items(items) => items.iter().filter_map(|item| item.as_text().map(str::to_owned)).collect(),
            _ => Vec::new(),
        },
    })
}

/// Makes an object of a named tuple's class.
pub fn call_named_tuple(interpreter: &mut Interpreter<'_>, class: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = class else { return Ok(Value::Unknown("named tuple")) };
    let Some(data) = interpreter.heap.instance(*id).cloned() else { return Ok(Value::Unknown("named tuple")) };
    let fields = argument_of(&data, "fields");
    let names = names_of_fields(interpreter, &fields)?;
    let defaults = match argument_of(&data, "defaults") {
        Value::None => Vec::new(),
        defaults => match interpreter.iterate(&defaults)? {
            Iteration::Items(items) => items,
            _ => Vec::new(),
        },
    };
    let record = InstanceData {
        class: Value::library("collections.namedtuple.record"),
        arguments: Vec::new(),
        origin: arguments.span,
    };
    let record = interpreter.heap.allocate(Payload::Instance(Rc::new(record)));
    for (position, name) in names.iter().enumerate() {
        let behind = names.len() - position;
        let default = || defaults.len().checked_sub(behind).and_then(|place| defaults.get(place)).cloned();
        let value = arguments.get(position, name).cloned().or_else(default);
        let value = value.unwrap_or_else(|| interpreter.symbolic(name, arguments.span, true));
        interpreter.heap.set_attribute(record, Name::new(name), value);
    }
    Ok(Value::Instance(record))
}

/// The fields of a named tuple's object, in order.
pub fn iterate_named_tuple(interpreter: &mut Interpreter<'_>, record: &Value) -> Eval<Iteration> {
    let Value::Instance(id) = record else { return Ok(Iteration::Items(Vec::new())) };
    let items = interpreter.heap.object(*id).attributes.iter().map(|(_, value)| value.clone()).collect();
    Ok(Iteration::Items(items))
}

impl Interpreter<'_> {
    /// The names of a class's fields, as texts.
    pub fn names_of_fields(&self, class: ObjectId) -> Value {
        Value::tuple(self.record_fields(class).iter().map(|name| Value::str(name.as_str())).collect())
    }

    /// `_fields` of an object of a named tuple, or of what `namedtuple` made.
    pub fn fields_of_named_tuple(&mut self, object: &Value) -> Option<Value> {
        let data = self.instance_data(object)?;
        match &data.class {
            Value::Class(class) if self.derives_from(&data.class, TYPED) => Some(self.names_of_fields(*class)),
            Value::Library(name) if name.as_str() == RECORD => {
                let names = self.names_of_record(object);
                Some(Value::tuple(names.iter().map(|name| Value::str(name.as_str())).collect()))
            }
            Value::Library(name) if name.as_str() == "collections.namedtuple" => {
                let fields = crate::api::dispatch::argument_of(&data, "fields");
                match fields.as_text() {
                    Some(text) => {
                        Some(Value::tuple(text.replace(',', " ").split_whitespace().map(Value::str).collect()))
                    }
                    None => match self.iterate(&fields).ok()? {
                        Iteration::Items(items) => Some(Value::tuple(items)),
                        _ => None,
                    },
                }
            }
            _ => None,
        }
    }

    /// The object of a named tuple with the names of its fields; `None` for every other value.
    pub(crate) fn named_tuple(&self, value: &Value) -> Option<(ObjectId, Vec<Name>)> {
        let Value::Instance(id) = value else { return None };
        let is_one = match self.class_of(value) {
            Value::Library(class) => class.as_str() == RECORD,
            class => self.derives_from(&class, TYPED),
        };
        is_one.then(|| (*id, self.names_of_record(value)))
    }

    fn names_of_record(&self, record: &Value) -> Vec<Name> {
        match (self.class_of(record), record) {
            (Value::Class(class), _) => self.record_fields(class),
            (_, Value::Instance(id)) => self.heap.object(*id).attributes.iter().map(|(name, _)| name).collect(),
            _ => Vec::new(),
        }
    }

    /// The values of a named tuple's object, in order.
    pub fn values_of_record(&self, record: &Value) -> Vec<Value> {
        let Value::Instance(id) = record else { return Vec::new() };
        let names = self.names_of_record(record);
        names
            .into_iter()
            .map(|name| self.heap.attribute(*id, name).map_or(Value::Unknown("field"), |it| self.read(it)))
            .collect()
    }
}
