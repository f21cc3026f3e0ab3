//! Predicates of order on a path: whether an unknown number is less than another is unknown too, but the same wherever
//! the program asks.

use crate::paths::predicates::ORDERED;
use crate::state::interpreter::Interpreter;
use crate::values::value::{TRUTH, Value};
use harp_python::ir::CompareOperator;

impl Interpreter<'_> {
    /// `left < right` and its like, where one of them is of unknown type. `>=` is the opposite of `<`, and `<=` of `>`.
    pub(crate) fn order_of_unknown(&mut self, operator: CompareOperator, left: &Value, right: &Value) -> Value {
        use CompareOperator as Op;
        let (id, other, operator) = match (left, right) {
            (Value::Symbolic(id), other) => (*id, other, operator),
            (other, Value::Symbolic(id)) => (*id, other, mirrored(operator)),
            _ => {
                let is_plain = |value: &Value| {
                    matches!(value, Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Ratio(_) | Value::Str(_))
                };
                let are_plain = is_plain(left) && is_plain(right);
                return Value::Unknown(if are_plain { TRUTH } else { "comparison" });
            }
        };
        let other = match other {
            Value::Symbolic(other) => format!("value {}", other.0),
            Value::Float(Some(_)) => other.describe(),
            Value::Int(dim) => match self.solver.resolve(*dim).as_const() {
                Some(number) => number.to_string(),
                None => return Value::Unknown("comparison"),
            },
            _ => return Value::Unknown("comparison"),
        };
        let (sign, is_opposite) = match operator {
            Op::Less => ("<", false),
            Op::GreaterEqual => ("<", true),
            Op::Greater => (">", false),
            _ => (">", true),
        };
        match self.memoised_answer(id, &format!("{ORDERED}{sign} {other}")) {
            Value::Symbolic(answer) if is_opposite => self.opposite(answer),
            answer => answer,
        }
    }
}

/// The operator that says the same with its sides exchanged.
fn mirrored(operator: CompareOperator) -> CompareOperator {
    use CompareOperator as Op;
    match operator {
        Op::Less => Op::Greater,
        Op::LessEqual => Op::GreaterEqual,
        Op::Greater => Op::Less,
        Op::GreaterEqual => Op::LessEqual,
        other => other,
    }
}
