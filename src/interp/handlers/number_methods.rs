//! Methods of integers and floats.

use crate::interp::handlers::MethodHandler;
use crate::interp::value::Value;

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
        "builtins.int.conjugate" | "builtins.float.conjugate" => |_, number, _| Ok(number.clone()),
        _ => return None,
    })
}
