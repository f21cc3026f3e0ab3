//! Properties of classes as objects: `Base.width.fset`, and `@Base.width.setter` in a class that derives from the one
//! with the property.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::classes::class_lookup::{deleter_name, setter_name};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, FunctionKind, Value};
use harp_corpus::Span;
use harp_python::name::Name;

impl Interpreter<'_> {
    /// A property that is read of its class, with what sets and deletes it.
    pub(crate) fn property_of_class(&self, class: &Value, name: Name, property: &Rc<Closure>) -> Value {
        if property.accessors.is_some() {
            return Value::Function(Rc::clone(property));
        }
        let accessors = [setter_name(name), deleter_name(name)].map(|name| self.member_of(class, name, None));
        Value::Function(Rc::new(Closure { accessors: Some(Rc::from(accessors)), ..property.copy() }))
    }

    /// `property.fget` and its like.
    pub(crate) fn part_of_property(&self, property: &Closure, name: Name) -> Option<Value> {
        if property.kind != FunctionKind::Property {
            return None;
        }
        let accessor = |index: usize| {
            let accessors = property.accessors.as_ref();
            accessors.map(|accessors| accessors[index].clone().unwrap_or(Value::None))
        };
        match name.as_str() {
            "fget" => {
                let plain = Closure { kind: FunctionKind::Plain, accessors: None, ..property.copy() };
                Some(Value::Function(Rc::new(plain)))
            }
            "fset" => accessor(0),
            "fdel" => accessor(1),
            _ => None,
        }
    }

    /// What `@property.setter` and its like make of a function: the property with another part.
    pub(crate) fn property_with(&self, property: &Closure, part: &str, function: &Closure) -> Value {
        let mut accessors = property.accessors.as_ref().map_or([None, None], |accessors| (**accessors).clone());
        let given = || Some(Value::Function(Rc::new(function.copy())));
        let getter = match part {
            "setter" => {
                accessors[0] = given();
                property
            }
            "deleter" => {
                accessors[1] = given();
                property
            }
            _ => function,
        };
        let accessors = accessors.iter().any(Option::is_some).then(|| Rc::from(accessors));
        Value::Function(Rc::new(Closure { kind: FunctionKind::Property, accessors, ..getter.copy() }))
    }

    pub(crate) fn is_property(&self, instance: &Value, name: Name) -> bool {
        matches!(self.class_attribute(instance, name), Some(Value::Function(closure)) if closure.kind == FunctionKind::Property)
    }

    /// Calls what sets a property.
    pub(crate) fn set_property(&mut self, instance: &Value, name: Name, value: Value, span: Span) -> Eval<()> {
        if let Some(Value::Function(closure)) = self.class_attribute(instance, name)
            && let Some(accessors) = &closure.accessors
        {
            return match &accessors[0] {
                Some(setter) => {
                    self.call(setter, CallArguments::positional(vec![instance.clone(), value], span)).map(|_| ())
                }
                None => self.raise_if_caught("AttributeError", "property has no setter", span),
            };
        }
        match self.class_attribute(instance, setter_name(name)) {
            Some(Value::Function(setter)) => {
                self.call_closure(&setter, CallArguments::positional(vec![instance.clone(), value], span)).map(|_| ())
            }
            _ => self.raise_if_caught("AttributeError", "property has no setter", span),
        }
    }
}
