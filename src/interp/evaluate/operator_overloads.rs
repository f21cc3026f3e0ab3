//! Evaluates operators on objects, by the special methods of their classes.

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_operations::operator_names::name_of;
use harp_python::ir::BinaryOperator;
use harp_python::name::Name;
use harp_trace::complexity::{Complexity, Treatment};

impl Interpreter<'_> {
    /// What the method of a class of the program gives for an operator, or what the plain values give that the operands hold.
    pub fn overloaded(&mut self, operator: BinaryOperator, left: &Value, right: &Value, span: Span) -> Eval {
        let name = name_of(operator);
        for (receiver, other, prefix) in [(left, right, ""), (right, left, "r")] {
            if let Some(method @ Value::Function(_)) =
                self.class_attribute(receiver, Name::new(&format!("__{prefix}{name}__")))
            {
                let bound = self.bind_method(receiver, method);
                self.note_complexity(Complexity::OperatorOverload, span, Treatment::Followed);
                let result = self.call(&bound, CallArguments::positional(vec![other.clone()], span))?;
                if !is_not_implemented(&result) {
                    return Ok(result);
                }
            }
        }
        match self.held_operands(left, right) {
            Some((left, right)) => self.binary(operator, &left, &right, span, [span, span]),
            None => Ok(self.symbolic(self.source_text(span), span, true)),
        }
    }

    /// The plain values of two operands whose classes do not say what the operator does.
    pub(crate) fn operands_without_methods(
        &self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
    ) -> Option<(Value, Value)> {
        let plain = self.held_operands(left, right)?;
        let name = name_of(operator);
        let has = |receiver: &Value, method: String| {
            matches!(receiver, Value::Instance(_)) && self.class_attribute(receiver, Name::new(&method)).is_some()
        };
        (!has(left, format!("__{name}__")) && !has(right, format!("__r{name}__"))).then_some(plain)
    }

    /// Two operands of which one at least holds a plain value, as plain values.
    pub(crate) fn held_operands(&self, left: &Value, right: &Value) -> Option<(Value, Value)> {
        if !self.hooks.holds {
            return None;
        }
        match (self.plain_of(left), self.plain_of(right)) {
            (None, None) => None,
            (one, other) => Some((one.unwrap_or_else(|| left.clone()), other.unwrap_or_else(|| right.clone()))),
        }
    }
}

/// Whether a method leaves an operation to the other operand.
pub fn is_not_implemented(value: &Value) -> bool {
    matches!(value, Value::Unknown("NotImplemented"))
}
