//! Classes that are protocols: `isinstance(value, Protocol)` asks for the members that the class says.

use crate::builtins::attribute_tests::has_attribute;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::ir::{ExprKind, StmtKind};
use harp_python::name::Name;

const PROTOCOLS: [&str; 2] = ["typing.Protocol", "typing_extensions.Protocol"];

impl Interpreter<'_> {
    /// Whether a class is a protocol, and not one that implements it.
    pub(crate) fn is_itself_protocol(&self, class: ObjectId) -> bool {
        let Some(data) = self.heap.class(class) else { return false };
        data.definition.arguments.iter().any(|base| {
            let base = match &base.value.kind {
                ExprKind::Subscript { value, .. } => value,
                _ => &base.value,
            };
            base.last_name().is_some_and(|name| name.as_str() == "Protocol")
        }) && PROTOCOLS.iter().any(|protocol| self.derives_from(&Value::Class(class), protocol))
    }

    /// Whether an object has all members that the protocol names.
    pub(crate) fn protocol_test(&mut self, value: &Value, protocol: ObjectId) -> Value {
        let order = self.class_of(value);
        if self.resolution_order(&order).iter().any(|known| matches!(known, Value::Class(id) if *id == protocol)) {
            return Value::Bool(true);
        }
        let mut answer = Value::Bool(true);
        for name in self.members_of_protocol(protocol) {
            match has_attribute(self, value, name) {
                Some(true) => {}
                Some(false) => return Value::Bool(false),
                None => answer = Value::Unknown("instance test"),
            }
        }
        answer
    }

    fn members_of_protocol(&self, protocol: ObjectId) -> Vec<Name> {
        let mut names = Vec::new();
        for base in self.resolution_order(&Value::Class(protocol)) {
            let Value::Class(base) = base else { continue };
            let Some(data) = self.heap.class(base).filter(|_| self.is_itself_protocol(base)) else { continue };
            names.extend(data.definition.body.iter().filter_map(|statement| match &statement.kind {
                StmtKind::Function(function) => Some(function.name),
                StmtKind::AnnotatedAssign { target, .. } => match &target.kind {
                    ExprKind::Name(name) => Some(*name),
                    _ => None,
                },
                _ => None,
            }));
        }
        names
    }
}
