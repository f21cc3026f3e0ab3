//! `Namespace(a=1) == Namespace(a=1)`: namespaces of `argparse` and `types` are compared by what they hold.

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;

impl Interpreter<'_> {
    /// Whether two namespaces hold the same; `None` where one is none.
    pub(crate) fn equal_namespaces(&mut self, left: &Value, right: &Value) -> Option<Value> {
        let (left, right) = (self.namespace(left)?, self.namespace(right)?);
        let (one, other) = (self.held_by(left), self.held_by(right));
        if self.has_open_attributes(left) || self.has_open_attributes(right) {
            return Some(Value::Unknown("comparison"));
        }
        let has_other = |name: &Name| other.iter().any(|(known, _)| known == name);
        if one.len() != other.len() || !one.iter().all(|(name, _)| has_other(name)) {
            return Some(Value::Bool(false));
        }
        let mut answer = Value::Bool(true);
        for (name, value) in one {
            let Some((_, counterpart)) = other.iter().find(|(known, _)| *known == name) else { continue };
            match self.equals(&value, counterpart) {
                Value::Bool(true) => {}
                Value::Bool(false) => return Some(Value::Bool(false)),
                _ => answer = Value::Unknown("comparison"),
            }
        }
        Some(answer)
    }

    fn namespace(&self, value: &Value) -> Option<ObjectId> {
        let Value::Instance(id) = value else { return None };
        match &self.heap.instance(*id)?.class {
            Value::Library(class) if class.as_str() == "argparse.Namespace" => Some(*id),
            _ => None,
        }
    }

    fn held_by(&self, id: ObjectId) -> Vec<(Name, Value)> {
        let held = self.heap.object(id).attributes.iter().filter(|(name, _)| !name.as_str().starts_with('#'));
        held.map(|(name, value)| (name, self.read(value))).collect()
    }
}
