//! The built-in function `round(number, ndigits)`.

use crate::builtins::numbers::first;
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::decimal_rounding::{float_rounded_to_tens, rounded_to_tens};
use crate::values::size_fractions::Rounding;
use crate::values::value::Value;
use harp_python::name::Name;

pub(crate) fn round(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    interpreter.for_each_alternative(&first(&arguments), |this, number| {
        let digits = arguments.positional.iter().skip(1).cloned();
        let positional = [number].into_iter().chain(digits).collect();
        let keywords = arguments.keywords.clone();
        round_one(this, CallArguments { keywords, ..CallArguments::positional(positional, arguments.span) })
    })
}

fn round_one(interpreter: &mut Interpreter<'_>, arguments: CallArguments) -> Eval {
    let has_digits = arguments.get(1, "ndigits").is_some_and(|digits| !digits.is_none());
    if let Some(method) = interpreter.own_method(&first(&arguments), "__round__") {
        let digits = arguments.positional.get(1..).unwrap_or_default().to_vec();
        return interpreter.call(&method, CallArguments::positional(digits, arguments.span));
    }
    let number = first(&arguments);
    if !has_digits {
        interpreter.raise_for_rounding(&number, arguments.span)?;
    }
    let digits = if has_digits { arguments.get(1, "ndigits").and_then(Value::as_int) } else { Some(0) };
    Ok(match number {
        Value::Bool(value) => Value::int(i64::from(value)),
        // Digits behind the point change no integer.
        value @ Value::Int(_) if digits.is_some_and(|digits| digits >= 0) => value,
        Value::Int(dim) => {
            let rounded = interpreter.solver.resolve(dim).as_const().zip(digits);
            let rounded = rounded.and_then(|(value, digits)| rounded_to_tens(value, digits));
            rounded.map_or_else(|| interpreter.any_integer("n"), Value::int)
        }
        Value::Float(Some(value)) if digits.is_some_and(|digits| digits < 0) && value.abs() < 9e15 => {
            Value::Float(digits.and_then(|digits| float_rounded_to_tens(value, digits)))
        }
        Value::Float(Some(value)) if !has_digits && value.is_finite() && value.abs() < 9e15 => {
            Value::int(value.round_ties_even() as i64)
        }
        Value::Float(Some(value)) if value.is_finite() && value.abs() < 1e9 => {
            let digits = digits.and_then(|digits| usize::try_from(digits).ok());
            Value::Float(digits.filter(|it| *it <= 12).and_then(|digits| format!("{value:.digits$}").parse().ok()))
        }
        value @ Value::Ratio(_) if !has_digits => match interpreter.rounded_fraction(&value, Rounding::Nearest) {
            Some(whole) => Value::Int(whole),
            None => interpreter.any_integer("n"),
        },
        Value::Float(_) if !has_digits => interpreter.any_integer("n"),
        Value::Float(_) | Value::Ratio(_) => Value::Float(None),
        _ => Value::Unknown("rounded value"),
    })
}
