//! Where no abstract value of a number is right: the exceptions that Python raises for a power that is too large, the
//! whole part of infinity, the root of a negative number.

use crate::state::interpreter::{Eval, Interpreter};
use crate::values::number_arithmetic::number;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::BinaryOperator;

/// An exception's class and what it says.
pub type Raised = (&'static str, &'static str);

const TOO_LARGE: Raised = ("OverflowError", "Numerical result out of range");
pub const DOMAIN: Raised = ("ValueError", "math domain error");
pub const RANGE: Raised = ("OverflowError", "math range error");

impl Interpreter<'_> {
    /// Stops the evaluation where an operator certainly raises and a handler may wait for it.
    pub(crate) fn raise_for_operands(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<()> {
        match (self.exceptions.caught > 0).then(|| error_of_operator(operator, left, right)).flatten() {
            Some((class, message)) => self.raise_if_caught(class, message, span),
            None => Ok(()),
        }
    }

    /// The same for a float that becomes an integer.
    pub(crate) fn raise_for_rounding(&mut self, value: &Value, span: Span) -> Eval<()> {
        match value {
            Value::Float(Some(value)) if value.is_nan() => {
                self.raise_if_caught("ValueError", "cannot convert float NaN to integer", span)
            }
            Value::Float(Some(value)) if value.is_infinite() => {
                self.raise_if_caught("OverflowError", "cannot convert float infinity to integer", span)
            }
            _ => Ok(()),
        }
    }

    /// The same for a function of the `math` module.
    pub(crate) fn raise_for_math(&mut self, function: &str, arguments: &[Value], span: Span) -> Eval<()> {
        let numbers: Option<Vec<f64>> = arguments.iter().map(number).collect();
        match numbers.filter(|_| self.exceptions.caught > 0).and_then(|numbers| error_of_math(function, &numbers)) {
            Some((class, message)) => self.raise_if_caught(class, message, span),
            None => Ok(()),
        }
    }
}

fn is_real(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Ratio(_))
}

pub fn error_of_operator(operator: BinaryOperator, left: &Value, right: &Value) -> Option<Raised> {
    use BinaryOperator as Op;
    if !is_real(left) || !is_real(right) {
        return None;
    }
    let is_float = |value: &Value| matches!(value, Value::Float(_) | Value::Ratio(_));
    match operator {
        Op::Divide | Op::FloorDivide | Op::Modulo => {
            (number(right) == Some(0.0)).then_some(("ZeroDivisionError", "division by zero"))
        }
        Op::LeftShift | Op::RightShift => {
            right.as_int().is_some_and(|by| by < 0).then_some(("ValueError", "negative shift count"))
        }
        Op::Power => {
            let (base, exponent) = (number(left)?, number(right)?);
            if base == 0.0 && exponent < 0.0 {
                return Some(("ZeroDivisionError", "0.0 cannot be raised to a negative power"));
            }
            let is_finite = base.is_finite() && exponent.is_finite();
            let overflows = (is_float(left) || is_float(right)) && is_finite && base.powf(exponent).is_infinite();
            overflows.then_some(TOO_LARGE)
        }
        _ => None,
    }
}

/// What a function of `math` raises for numbers that are known (the C standard, which Python follows).
pub fn error_of_math(function: &str, numbers: &[f64]) -> Option<Raised> {
    let &[first, ref rest @ ..] = numbers else { return None };
    let is_refused = match (function, rest) {
        ("math.sqrt" | "math.isqrt" | "math.factorial", []) => first < 0.0,
        ("math.log", [base]) if *base == 1.0 && first > 0.0 => return Some(("ZeroDivisionError", "division by zero")),
        ("math.log", [base]) => first <= 0.0 || *base <= 0.0,
        ("math.log" | "math.log2" | "math.log10", []) => first <= 0.0,
        ("math.sin" | "math.cos" | "math.tan", []) => first.is_infinite(),
        ("math.comb" | "math.perm", _) => numbers.iter().any(|number| *number < 0.0),
        ("math.fmod", [by]) => first.is_infinite() && !by.is_nan() || *by == 0.0 && !first.is_nan(),
        ("math.pow", [exponent]) => {
            let is_finite = first.is_finite() && exponent.is_finite();
            if is_finite && first != 0.0 && first.powf(*exponent).is_infinite() {
                return Some(RANGE);
            }
            is_finite && (first == 0.0 && *exponent < 0.0 || first < 0.0 && exponent.fract() != 0.0)
        }
        ("math.exp", []) if first.is_finite() && first.exp().is_infinite() => return Some(RANGE),
        _ => false,
    };
    is_refused.then_some(DOMAIN)
}

/// The power of a negative number to a fraction is a complex number.
pub(crate) fn is_complex_power(operator: BinaryOperator, left: &Value, right: &Value) -> bool {
    let is_negative = number(left).is_some_and(|base| base < 0.0 && base.is_finite());
    operator == BinaryOperator::Power
        && is_negative
        && number(right).is_some_and(|exponent| exponent.is_finite() && exponent.fract() != 0.0)
}
