//! Values that are shapes of tensors, as objects of the class that their family tells (`sizes`): members that tuples
//! lack are those of that class in a source of its pack, with the tuple for `self`.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{FunctionKind, Value};
use harp_corpus::Span;
use harp_operations::operator_names::name_of;
use harp_python::ir::BinaryOperator;
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

    /// What an operator makes of a shape and a list, where the class of shapes has a method for it: `x.shape[:-1] + [5]`.
    pub(crate) fn shape_with_list(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<Eval> {
        let (shape, list, prefix) = match (left, right) {
            (shape, list @ Value::List(_)) if is_shape(shape) => (shape, list, ""),
            (list @ Value::List(_), shape) if is_shape(shape) => (shape, list, "r"),
            _ => return None,
        };
        let method = Name::new(&format!("__{prefix}{}__", name_of(operator)));
        let member = self.classes_of_shapes().into_iter().find_map(|class| self.member_of(&class, method, None))?;
        Some(self.call(&member, CallArguments::positional(vec![shape.clone(), list.clone()], span)))
    }

    /// The items of a list that is compared with a shape, where shapes are equal to lists of their sizes.
    pub(crate) fn list_beside_shape(&mut self, shape: &Value, list: &Value) -> Option<Rc<[Value]>> {
        let Value::List(id) = list else { return None };
        let items = self.heap.list(*id).filter(|data| data.rest.is_none()).map(|data| Rc::from(&*data.items))?;
        (is_shape(shape) && !self.classes_of_shapes().is_empty()).then_some(items)
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
            if !self.is_in_use(family) {
                continue;
            }
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
