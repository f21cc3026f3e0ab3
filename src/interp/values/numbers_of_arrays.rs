//! Numbers that a library of arrays computed, `np.ceil(n / 2)`. They are followed as numbers of Python are, so that they can be sizes, and have the
//! members of an array without axes besides: `.astype(int)`.
//!
//! Nothing tells such a number from another one, so once one was made, every number may be one. What is lost is the report of a number that
//! has no such member in a program that computes with both.

use std::rc::Rc;

use crate::state::interpreter::Interpreter;
use crate::values::tensor_elements::{Elements, Numbers};
use crate::values::value::{Device, Tensor, TensorKind, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{Assumed, DType, Shape};

/// What Python's own numbers have as well.
const OF_NUMBERS: [&str; 11] = [
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "denominator",
    "fromhex",
    "hex",
    "imag",
    "is_integer",
    "numerator",
    "real",
];

impl Interpreter<'_> {
    /// A function of arrays gave this: a number may be one of arrays from now on.
    pub(crate) fn number_of_arrays(&mut self, made: Value) -> Value {
        self.hooks.array_numbers |= is_number(&made);
        made
    }

    /// A number as an array without axes, where it may be one and only such have the member.
    pub(crate) fn as_array_number(&mut self, number: &Value, member: Name, span: Span) -> Option<Value> {
        let is_own = member.as_str().starts_with("__") || OF_NUMBERS.contains(&member.as_str());
        if !self.hooks.array_numbers || is_own || !is_number(number) || self.hooks.plain_members {
            return None;
        }
        let family = self.families().assumed(Assumed::AsWell)?;
        let class = Name::new(family.class());
        let is_plain = matches!(member.as_str(), "shape" | "dtype" | "ndim" | "size" | "itemsize" | "nbytes");
        let has_member = is_plain
            || self.annotated_method(class, member).is_some()
            || self.annotated_property(class, member).is_some();
        if !has_member {
            return None;
        }
        let rules = family.rules();
        let (whole, dtype) = match number {
            Value::Int(dim) => (Some(*dim), rules.default_int),
            Value::Bool(_) => (None, DType::Bool),
            Value::Ratio(parts) => {
                let [numerator, denominator] = parts.map(|part| self.solver.resolve(part));
                (numerator.exact_quotient(denominator), rules.default_float)
            }
            _ => (None, rules.default_float),
        };
        let elements = match (whole, number) {
            (Some(whole), _) if whole.as_const().is_none() => Some(Elements::of(Numbers::One(whole))),
            (Some(whole), _) => whole.as_const().and_then(|whole| Elements::alone(whole as f64)),
            (None, Value::Float(Some(number))) => Elements::alone(*number),
            _ => None,
        };
        let made = Tensor::without_operation(Shape::scalar(), dtype, TensorKind::of(family), span);
        Some(Value::Tensor(Rc::new(Tensor { elements, device: Device::Cpu, ..made })))
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_))
}
