//! Abstract values of numbers of which nothing says whether they are integers: what is annotated as `float` takes
//! integers, too (PEP 484, "the numeric tower").

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::Name;

/// Marks values of unknown type that are numbers.
const IS_NUMBER: &str = "\u{1}number";
/// Marks unknown values that are `True` or `False`.
const IS_TRUTH: &str = "\u{1}truth";

impl Interpreter<'_> {
    /// A number, an integer or not.
    pub(crate) fn some_number(&mut self, description: &str, span: Span, is_result: bool) -> Value {
        let number = self.symbolic(description, span, is_result);
        if let Value::Symbolic(id) = number {
            self.heap.set_attribute(id, Name::new(IS_NUMBER), Value::Bool(true));
        }
        number
    }

    pub(crate) fn is_some_number(&self, id: ObjectId) -> bool {
        self.heap.attribute(id, Name::new(IS_NUMBER)).is_some()
    }

    /// Lets an unknown value be `True` or `False`.
    pub(crate) fn is_now_truth(&mut self, value: &Value) {
        if let Value::Symbolic(id) = value {
            self.heap.set_attribute(*id, Name::new(IS_TRUTH), Value::Bool(true));
        }
    }

    /// Whether an unknown value is `True` or `False`.
    pub fn is_some_truth(&self, id: ObjectId) -> bool {
        self.heap.attribute(id, Name::new(IS_TRUTH)).is_some()
    }

    /// Whether a value is a number that may be an integer or not.
    fn is_of_unknown_kind(&self, value: &Value) -> bool {
        matches!(value, Value::Symbolic(id) if self.is_some_number(*id))
    }

    /// What an operator has on its two sides, with floats for such numbers beside tensors, whose shape they do not change. The result of two
    /// numbers is `Err`: another such number.
    pub(crate) fn with_numbers(
        &mut self,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<Result<(Value, Value), Value>> {
        let (is_left, is_right) = (self.is_of_unknown_kind(left), self.is_of_unknown_kind(right));
        let is_number =
            |value: &Value| matches!(value, Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_));
        match (is_left, is_right) {
            (false, true) if matches!(left, Value::Tensor(_)) => Some(Ok((left.clone(), Value::Float(None)))),
            (true, false) if matches!(right, Value::Tensor(_)) => Some(Ok((Value::Float(None), right.clone()))),
            (true, _) if is_right || is_number(right) => Some(Err(self.some_number("number", span, true))),
            (_, true) if is_number(left) => Some(Err(self.some_number("number", span, true))),
            _ => None,
        }
    }
}
