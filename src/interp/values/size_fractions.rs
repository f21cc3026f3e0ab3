//! Abstract values that are fractions of sizes: `n / 2`, `dim * 4.0`. What rounds them makes integers of them again,
//! and these are as exact as the sizes are.
//!
//! Floats round, so that only what is exact in them is followed: one division of integers, and else factors and summands whose denominator is
//! a small power of two.

use std::rc::Rc;

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::ir::BinaryOperator;
use harp_shape::Dim;

/// The largest denominator of a factor that is written as a float.
const LARGEST_DENOMINATOR: f64 = 4096.0;
/// Larger factors are not followed.
const LARGEST_FACTOR: f64 = 1e9;

/// The ways in which a float becomes an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Down,
    Up,
    /// To the side of 0, as `int` does it.
    ToZero,
    Nearest,
}

impl Interpreter<'_> {
    /// `left / right` of integers of which one is not known.
    pub(crate) fn quotient(&mut self, left: Dim, right: Dim) -> Value {
        if self.solver.bounds(right).0.is_none_or(|least| least < 1) {
            return Value::Float(None);
        }
        match left.exact_quotient(right) {
            Some(whole) => fraction(whole, Dim::ONE),
            None => fraction(left, right),
        }
    }

    /// What an operator makes of numbers of which one is a fraction, or an integer that is not known.
    pub(crate) fn fraction_binary(&self, operator: BinaryOperator, left: &Value, right: &Value) -> Option<Value> {
        if ![left, right].iter().any(|value| matches!(value, Value::Ratio(_) | Value::Int(_)) && is_open(value)) {
            return None;
        }
        let ((a, b), (c, d)) = (exact(left)?, exact(right)?);
        let scale = |dim: Dim, factor: i64| dim * Dim::constant(factor);
        Some(match operator {
            BinaryOperator::Multiply => reduced(a * c, b.checked_mul(d)?),
            BinaryOperator::Divide => {
                let divisor = c.as_const().filter(|divisor| *divisor > 0 && divisor.count_ones() == 1)?;
                reduced(scale(a, d), b.checked_mul(divisor)?)
            }
            BinaryOperator::Add => reduced(scale(a, d) + scale(c, b), b.checked_mul(d)?),
            BinaryOperator::Subtract => reduced(scale(a, d) - scale(c, b), b.checked_mul(d)?),
            _ => return None,
        })
    }

    /// The integer that rounding makes of a fraction, where that is known.
    pub(crate) fn rounded_fraction(&mut self, value: &Value, rounding: Rounding) -> Option<Dim> {
        let Value::Ratio(parts) = value else { return None };
        let [numerator, denominator] = **parts;
        let (numerator, denominator) = (self.solver.resolve(numerator), self.solver.resolve(denominator));
        if let Some(whole) = numerator.exact_quotient(denominator) {
            return Some(whole);
        }
        match rounding {
            Rounding::Down => Some(numerator.floor_div(denominator)),
            Rounding::Up => Some(numerator.ceil_div(denominator)),
            Rounding::ToZero => {
                let is_positive = self.solver.bounds(numerator).0.is_some_and(|least| least >= 0);
                // Settings that make a size negative are taken for none that anybody gives.
                let is_usual = || self.default_of_configured(numerator).is_some_and(|default| default >= 0);
                (is_positive || is_usual()).then(|| numerator.floor_div(denominator))
            }
            Rounding::Nearest => {
                let (above, below) = (self.default_of_configured(numerator)?, self.default_of_configured(denominator)?);
                let is_stated = self.inference.is_none() && below > 0 && above.unsigned_abs() < 1 << 52;
                let rounded = || (above as f64 / below as f64).round_ties_even() as i64;
                is_stated.then(|| {
                    self.settle(numerator, Dim::constant(above));
                    self.settle(denominator, Dim::constant(below));
                    Dim::constant(rounded())
                })
            }
        }
    }
}

/// A float that is equal to an integer.
pub(crate) fn whole_float(dim: Dim) -> Value {
    match dim.as_const() {
        Some(value) => Value::Float(Some(value as f64)),
        None => fraction(dim, Dim::ONE),
    }
}

fn fraction(numerator: Dim, denominator: Dim) -> Value {
    match numerator.as_const().zip(denominator.as_const()) {
        Some((numerator, denominator)) if denominator != 0 => Value::Float(Some(numerator as f64 / denominator as f64)),
        _ => Value::Ratio(Rc::new([numerator, denominator])),
    }
}

fn reduced(numerator: Dim, denominator: i64) -> Value {
    let denominator = Dim::constant(denominator);
    match numerator.exact_quotient(denominator) {
        Some(whole) => fraction(whole, Dim::ONE),
        None => fraction(numerator, denominator),
    }
}

fn is_open(value: &Value) -> bool {
    !matches!(value, Value::Int(dim) if dim.as_const().is_some())
}

/// A number as numerator and denominator, where arithmetic of floats is exact with it.
fn exact(value: &Value) -> Option<(Dim, i64)> {
    match value {
        Value::Int(dim) => Some((*dim, 1)),
        Value::Bool(value) => Some((Dim::constant(i64::from(*value)), 1)),
        Value::Ratio(parts) => {
            let denominator = parts[1].as_const().filter(|denominator| denominator.count_ones() == 1)?;
            Some((parts[0], denominator))
        }
        Value::Float(Some(value)) if value.abs() <= LARGEST_FACTOR => {
            let mut denominator = 1.0;
            while (value * denominator).fract() != 0.0 {
                denominator *= 2.0;
                if denominator > LARGEST_DENOMINATOR {
                    return None;
                }
            }
            Some((Dim::constant((value * denominator) as i64), denominator as i64))
        }
        _ => None,
    }
}
