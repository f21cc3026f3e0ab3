//! Methods of the built-in types `int` and `float`.

use crate::api::library_model::MethodHandler;
use crate::values::value::Value;

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name {
        "builtins.int.bit_length" | "builtins.bool.bit_length" => |this, number, _| {
            let bits = number.as_int().map(|number| i64::from(u64::BITS - number.unsigned_abs().leading_zeros()));
            Ok(bits.map_or_else(|| this.any_integer("bits"), Value::int))
        },
        "builtins.int.bit_count" | "builtins.bool.bit_count" => |this, number, _| {
            let bits = number.as_int().map(|number| i64::from(number.unsigned_abs().count_ones()));
            Ok(bits.map_or_else(|| this.any_integer("bits"), Value::int))
        },
        "builtins.int.is_integer" => |_, _, _| Ok(Value::Bool(true)),
        "builtins.float.is_integer" => |_, number, _| {
            Ok(match number {
                Value::Float(Some(number)) => Value::Bool(number.fract() == 0.0),
                _ => Value::Unknown("whether a number is whole"),
            })
        },
        "builtins.float.as_integer_ratio" | "builtins.int.as_integer_ratio" | "builtins.bool.as_integer_ratio" => {
            |this, number, _| {
                let ratio = match number {
                    Value::Float(Some(number)) => exact_ratio(*number),
                    whole => whole.as_int().map(|whole| (whole, 1)),
                };
                Ok(match ratio {
                    Some((numerator, denominator)) => {
                        Value::tuple(vec![Value::int(numerator), Value::int(denominator)])
                    }
                    None => Value::tuple(vec![this.any_integer("numerator"), this.any_integer("denominator")]),
                })
            }
        }
        "builtins.int.conjugate" | "builtins.float.conjugate" => |_, number, _| Ok(number.clone()),
        _ => return None,
    })
}

/// The fraction in lowest terms that a float is.
fn exact_ratio(number: f64) -> Option<(i64, i64)> {
    let (mut number, mut denominator) = (number, 1i64);
    while number.is_finite() && number.fract() != 0.0 {
        number *= 2.0;
        denominator = denominator.checked_mul(2)?;
    }
    (number.is_finite() && number.abs() < 9e15).then_some((number as i64, denominator))
}
