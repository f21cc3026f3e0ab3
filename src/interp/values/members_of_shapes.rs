//! Shapes of tensors as objects of the class that their family tells (`sizes`): members that tuples lack are those of that class in a source of its
//! pack, with the tuple for `self`.

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{FunctionKind, Value};
use harp_corpus::Span;
use harp_python::name::Name;

/// What every tuple has.
const OF_TUPLES: [&str; 2] = ["count", "index"];

impl Interpreter<'_> {
    /// A member of a shape that the class of shapes of some family has in a source of its pack.
    pub(crate) fn member_of_shape(&mut self, shape: &Value, name: Name, span: Span) -> Option<Eval> {
        if OF_TUPLES.contains(&name.as_str()) || !is_shape(shape) {
            return None;
        }
        let member = self.classes_of_shapes().into_iter().find_map(|class| self.member_of(&class, name, None))?;
        Some(match &member {
            Value::Function(closure) if closure.kind == FunctionKind::Property => {
                self.call(&member, CallArguments::positional(vec![shape.clone()], span))
            }
            Value::Function(_) => Ok(self.bind_method(shape, member)),
            _ => Ok(member),
        })
    }

    /// Whether a tuple is an object of a class of shapes that stands in a source; `None` where the class is none of those.
    pub(crate) fn is_of_class_of_shapes(&mut self, value: &Value, class: &Value) -> Option<Value> {
        if !is_shape(value) || !self.classes_of_shapes().iter().any(|known| known.same(class)) {
            return None;
        }
        let is_surely = match value {
            Value::Tuple(items) => self.is_size(items) == Some(true),
            _ => true,
        };
        Some(if is_surely { Value::Bool(true) } else { Value::Unknown("instance test") })
    }

    /// The classes of shapes that stand in sources.
    fn classes_of_shapes(&mut self) -> Vec<Value> {
        let mut classes: Vec<Value> = Vec::new();
        for family in self.families().iter() {
            let Some(name) = family.rules().sizes.as_deref().map(Name::new) else { continue };
            let is_in_source =
                self.remembered_class_in_source(name, || self.project.standard_definition(name.as_str()).is_some());
            if is_in_source && let Some(class @ Value::Class(_)) = self.standard_value(name) {
                classes.push(class);
            }
        }
        classes
    }
}

/// Whether a value may be the shape of a tensor: nothing but numbers.
fn is_shape(value: &Value) -> bool {
    match value {
        Value::Size(_) => true,
        Value::Tuple(items) => items.iter().all(|item| matches!(item, Value::Int(_) | Value::None)),
        _ => false,
    }
}
