//! Abstract values computed of values of which nothing is known: where it turns out to be an integer, so do they, and
//! it is what they make of it.

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::BinaryOperator;
use harp_python::name::Name;
use harp_shape::Dim;

/// Operators that make an integer of two integers, and of nothing else.
const OF_INTEGERS: [(BinaryOperator, &str); 5] = [
    (BinaryOperator::Add, "\u{1}sum"),
    (BinaryOperator::Subtract, "\u{1}difference"),
    (BinaryOperator::Multiply, "\u{1}product"),
    (BinaryOperator::FloorDivide, "\u{1}quotient"),
    (BinaryOperator::Modulo, "\u{1}remainder"),
];
/// Where an unknown value keeps that of which it was computed together with a number.
const SCALED: &str = "\u{1}scaled";
/// What is computed of what was computed is followed so far.
const DEEPEST: usize = 8;

impl Interpreter<'_> {
    /// Remembers of what an unknown value was computed.
    pub(crate) fn note_operands(&mut self, result: &Value, operator: BinaryOperator, left: &Value, right: &Value) {
        self.note_scaled(result, left, right);
        let may_be_integer = |value: &Value| matches!(value, Value::Int(_) | Value::Symbolic(_));
        let Some((_, made_by)) = OF_INTEGERS.iter().find(|(known, _)| *known == operator) else { return };
        if let Value::Symbolic(id) = result
            && may_be_integer(left)
            && may_be_integer(right)
        {
            self.heap.set_attribute(*id, Name::new(made_by), Value::tuple(vec![left.clone(), right.clone()]));
        }
    }

    /// Remembers that an unknown value was computed of another one and a number: where one is a tensor, both are, and alike.
    fn note_scaled(&mut self, result: &Value, left: &Value, right: &Value) {
        let is_number =
            |value: &Value| matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Ratio(_));
        let operand = match (left, right) {
            (operand @ Value::Symbolic(_), number) | (number, operand @ Value::Symbolic(_)) if is_number(number) => {
                operand
            }
            _ => return,
        };
        if let Value::Symbolic(id) = result {
            self.heap.set_attribute(*id, Name::new(SCALED), operand.clone());
        }
    }

    /// The value of which an unknown one was computed together with a number.
    pub(crate) fn scaled_operand(&self, id: ObjectId) -> Option<ObjectId> {
        match self.heap.attribute(id, Name::new(SCALED))? {
            Value::Symbolic(operand) => Some(*operand),
            _ => None,
        }
    }

    /// Whether an unknown value was computed as integers may be.
    pub(crate) fn is_computed(&self, id: ObjectId) -> bool {
        OF_INTEGERS.iter().any(|(_, made_by)| self.heap.attribute(id, Name::new(made_by)).is_some())
    }

    /// The integer that was computed of values that are integers, too, since it is one. `None` where it was computed otherwise, or is held
    /// against what is computed too far away.
    pub(crate) fn computed_integer(&mut self, id: ObjectId, evidence: &str, span: Span) -> Option<Dim> {
        self.computed_within(id, evidence, span, DEEPEST)
    }

    fn computed_within(&mut self, id: ObjectId, evidence: &str, span: Span, depth: usize) -> Option<Dim> {
        light_tick();
        let below = depth.checked_sub(1)?;
        let made = OF_INTEGERS.iter().find_map(|(operator, made_by)| {
            let operands = self.heap.attribute(id, Name::new(made_by))?.clone();
            Some((*operator, operands))
        });
        let (operator, Value::Tuple(operands)) = made? else { return None };
        let mut numbers = Vec::with_capacity(operands.len());
        for operand in operands.iter() {
            numbers.push(match self.read(operand) {
                Value::Int(number) => number,
                Value::Symbolic(operand) => match self.computed_within(operand, evidence, span, below) {
                    Some(number) => number,
                    None => self.refine_to_integer(operand, evidence, span)?,
                },
                _ => return None,
            });
        }
        let [left, right] = numbers[..] else { return None };
        match self.integer_binary(operator, left, right) {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}
