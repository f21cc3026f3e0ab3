//! Classes of `attrs`: what their fields do beyond those of data classes, which is converters, validators, and defaults
//! that look at the object.

use crate::api::dispatch::argument_of;
use crate::calls::call::CallArguments;
use crate::classes::dataclasses::is_of_attrs;
use crate::heap::objects::Payload;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};

/// Where a field keeps the function that `@field.default` decorates,
const MAKER: &str = "#maker";
/// and those that `@field.validator` does.
const VALIDATOR: &str = "#validator";

impl Interpreter<'_> {
    /// Whether `attrs` makes a class.
    pub(crate) fn is_class_of_attrs(&self, class: ObjectId) -> bool {
        self.resolution_order(&Value::Class(class)).iter().any(|base| match base {
            Value::Class(base) => {
                self.heap.class(*base).is_some_and(|data| data.definition.decorators.iter().any(is_of_attrs))
            }
            _ => false,
        })
    }

    /// `@field.default` and `@field.validator`: the field keeps the function.
    pub fn decorate_field(&mut self, field: &Value, what: &str, function: Value) -> Value {
        if let Value::Instance(id) = field {
            let kept = if what == "default" { MAKER } else { VALIDATOR };
            self.heap.set_attribute(*id, Name::new(kept), function.clone());
        }
        function
    }

    /// The default of a field that a function makes of the object so far.
    pub(crate) fn default_by_instance(&mut self, field: &Value, object: &Value, span: Span) -> Eval<Option<Value>> {
        let Value::Instance(id) = field else { return Ok(None) };
        let maker = match self.heap.attribute(*id, Name::new(MAKER)).cloned() {
            Some(maker) => Some(maker),
            None => self
                .said_of_field(field, "takes_self")
                .filter(|it| matches!(it, Value::Bool(true)))
                .and_then(|_| self.said_of_field(field, "default_factory")),
        };
        let Some(maker) = maker else { return Ok(None) };
        self.call(&maker, CallArguments::positional(vec![object.clone()], span)).map(Some)
    }

    /// A value as the field's converter makes it.
    pub(crate) fn through_converter(&mut self, class: ObjectId, field: Name, value: Value, span: Span) -> Eval {
        let stated = self.member_of(&Value::Class(class), field, None);
        let Some(converter) = stated.and_then(|stated| self.said_of_field(&stated, "converter")) else {
            return Ok(value);
        };
        self.call(&converter, CallArguments::positional(vec![value], span))
    }

    /// Runs the validators of the program; those of the library only raise.
    pub(crate) fn run_validators(&mut self, class: ObjectId, object: &Value, span: Span) -> Eval<()> {
        for name in self.record_fields(class) {
            let Some(stated @ Value::Instance(id)) = self.member_of(&Value::Class(class), name, None) else { continue };
            let Value::Instance(instance) = object else { return Ok(()) };
            let decorated = self.heap.attribute(id, Name::new(VALIDATOR)).cloned();
            let said = self.said_of_field(&stated, "validator");
            let functions = said.into_iter().chain(decorated);
            for function in functions.filter(|it| matches!(it, Value::Function(_) | Value::BoundMethod(_))) {
                let attribute = self.heap.allocate(Payload::Plain);
                self.heap.set_attribute(attribute, name!("name"), Value::str(name.as_str()));
                let value = self.heap.attribute(*instance, name).cloned().unwrap_or(Value::Unknown("field"));
                let arguments = vec![object.clone(), Value::Instance(attribute), value];
                self.call(&function, CallArguments::positional(arguments, span))?;
            }
        }
        Ok(())
    }

    /// What a field was told: `converter` of `field(converter=int)`.
    pub fn said_of_field(&self, field: &Value, name: &str) -> Option<Value> {
        let Value::Instance(id) = field else { return None };
        let data = self.heap.instance(*id)?;
        let is_field = matches!(&data.class, Value::Library(name) if name.as_str() == "dataclasses.field");
        is_field.then(|| argument_of(data, name)).filter(|it| !it.is_none() && !it.is_unknown())
    }
}
