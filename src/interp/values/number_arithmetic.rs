//! What operators make of abstract values that are plain numbers.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::ir::BinaryOperator;
use harp_shape::{Dim, Var, VarInfo};

impl Interpreter<'_> {
    pub(crate) fn integer_binary(&mut self, operator: BinaryOperator, left: Dim, right: Dim) -> Value {
        use BinaryOperator as Op;
        let (left, right) = (self.solver.resolve(left), self.solver.resolve(right));
        let constants = left.as_const().zip(right.as_const());
        match operator {
            Op::Add => Value::Int(left + right),
            Op::Subtract => Value::Int(left - right),
            Op::Multiply => Value::Int(left * right),
            Op::FloorDivide => Value::Int(left.floor_div(right)),
            Op::Modulo => Value::Int(left.modulo(right)),
            Op::Divide => match constants {
                Some((a, b)) => Value::Float((b != 0).then(|| a as f64 / b as f64)),
                None => self.quotient(left, right),
            },
            Op::Power => match constants {
                Some((base, exponent @ 0..)) => match power(base, exponent) {
                    Some(power) => Value::int(power),
                    None => integer_of_many_bits(base > 0 || exponent % 2 == 0),
                },
                Some((base, exponent)) => Value::Float(Some((base as f64).powf(exponent as f64))),
                None => match right.as_const() {
                    Some(exponent @ 0..=4) => {
                        Value::Int((0..exponent).fold(Dim::constant(1), |product, _| product * left))
                    }
                    _ => match left.as_const().and_then(|base| self.power_of_settings(base, right)) {
                        Some(power) => Value::Int(power),
                        None => self.any_integer("n"),
                    },
                },
            },
            Op::LeftShift | Op::RightShift | Op::BitAnd | Op::BitOr | Op::BitXor => match constants {
                Some((a, b)) => match shift_or_bits(operator, a, b) {
                    Some(value) => Value::int(value),
                    None => integer_of_many_bits(a > 0),
                },
                None => {
                    let base = left.as_const().filter(|_| operator == Op::LeftShift);
                    match base.and_then(|base| Some((base, self.power_of_settings(2, right)?))) {
                        Some((base, power)) => Value::Int(power * Dim::constant(base)),
                        None => self.any_integer("n"),
                    }
                }
            },
            Op::MatrixMultiply => Value::Unknown("matrix product of integers"),
        }
    }
}

/// An integer that 64 bits do not hold, of which no more is known than its sign.
fn integer_of_many_bits(is_positive: bool) -> Value {
    /// Every such integer is larger, and sums of few of them do not leave 64 bits.
    const LARGE: i64 = 1 << 62;
    match is_positive {
        true => Value::Int(Dim::var(Var::fresh(VarInfo::fixed("n").between(Some(LARGE), None)))),
        false => Value::Int(Dim::opaque()),
    }
}

/// `base ** exponent` for an exponent of 0 or more, where 64 bits hold it.
fn power(base: i64, exponent: i64) -> Option<i64> {
    match base {
        0 | 1 => Some(if exponent == 0 { 1 } else { base }),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(dim) => dim.as_const().map(|value| value as f64),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Float(value) => *value,
        _ => None,
    }
}

pub(crate) fn float_binary(operator: BinaryOperator, left: &Value, right: &Value) -> Option<f64> {
    let (a, b) = (number(left)?, number(right)?);
    match operator {
        BinaryOperator::Add => Some(a + b),
        BinaryOperator::Subtract => Some(a - b),
        BinaryOperator::Multiply => Some(a * b),
        BinaryOperator::Divide if b != 0.0 => Some(a / b),
        BinaryOperator::FloorDivide if b != 0.0 => Some((a / b).floor()),
        BinaryOperator::Modulo if b != 0.0 => Some(a - b * (a / b).floor()),
        BinaryOperator::Power => Some(a.powf(b)),
        _ => None,
    }
}

pub(crate) fn shift_or_bits(operator: BinaryOperator, left: i64, right: i64) -> Option<i64> {
    match operator {
        BinaryOperator::LeftShift if left == 0 && right >= 0 => Some(0),
        BinaryOperator::LeftShift => {
            let factor = 1_i128.checked_shl(u32::try_from(right).ok().filter(|bits| *bits < 64)?)?;
            i64::try_from(i128::from(left) * factor).ok()
        }
        // Python goes on with the sign: what lies beyond all bits is 0 or -1.
        BinaryOperator::RightShift if right >= 0 => Some(left >> right.min(63)),
        BinaryOperator::BitAnd => Some(left & right),
        BinaryOperator::BitOr => Some(left | right),
        BinaryOperator::BitXor => Some(left ^ right),
        _ => None,
    }
}
