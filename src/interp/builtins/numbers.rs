//! Built-in functions of numbers: `int`, `len`, `min`, `round`, the `math` module.

use std::rc::Rc;

use crate::api::call_api::Callee;
use crate::api::library_model::FunctionHandler;
use crate::builtins::{round, sorted};
use crate::calls::call::CallArguments;
use crate::generators::generator_objects::Step;
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::size_fractions::{Rounding, whole_float};
use crate::values::value::{Iteration, TRUTH, Value};
use harp_annotations::Entry;
use harp_corpus::Span;
use harp_python::name::{Name, name};
use harp_shape::{Constraint, Dim};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.len" => length,
        "builtins.int" | "builtins.long" => integer,
        "builtins.float" => float,
        "builtins.bool" => boolean,
        "builtins.abs" => absolute,
        "builtins.min" | "builtins.max" => extremum,
        "builtins.sum" => sum,
        "builtins.round" => round::round,
        "builtins.divmod" => divmod,
        "builtins.pow" => power,
        "builtins.any" | "builtins.all" => quantifier,
        "math.floor" | "math.ceil" | "math.trunc" | "math.sqrt" | "math.log" | "math.log2" | "math.log10"
        | "math.exp" | "math.sin" | "math.cos" | "math.tan" | "math.pow" | "math.fabs" | "math.tanh" => math,
        "math.prod" => product,
        "math.gcd" => gcd,
        "math.lcm" | "math.factorial" | "math.comb" | "math.perm" | "math.isqrt" => whole_number,
        "math.hypot" | "math.copysign" | "math.fmod" | "math.dist" => of_two,
        _ => return None,
    })
}

/// `any` and `all` take so many items at most.
const MOST_TAKEN: usize = 4096;

pub(crate) fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}

fn length(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    interpreter.for_each_alternative(&value, |this, value| {
        if let Value::Instance(_) = &value
            && let Some(method @ Value::Function(_)) = this.class_attribute(&value, name!("__len__"))
        {
            let bound = this.bind_method(&value, method);
            return this.call(&bound, CallArguments::empty(arguments.span));
        }
        if let Value::Dict(id) = &value
            && let Some(method) = this.own_method_of_dict(*id, "__len__")
        {
            return this.call(&method, CallArguments::empty(arguments.span));
        }
        if let Some(length) = this.length_of(&value) {
            return Ok(Value::Int(length));
        }
        if matches!(value, Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::None) {
            this.raise_if_caught("TypeError", "object has no len()", arguments.span)?;
        }
        if let Value::Symbolic(id) = value
            && let Some(rank) = this.length_of_shape(id)
        {
            return Ok(Value::Int(rank));
        }
        if let Value::Size(shape) = &value {
            return Ok(Value::Int(this.solver.resolve_shape(shape).rank_dim()));
        }
        if let Value::Class(id) = value
            && let Some(method) = this.method_of_metaclass(id, "__len__")
        {
            return this.call(&method, CallArguments::positional(vec![value], arguments.span));
        }
        if let Value::Instance(_) = &value {
            let class = this.class_of(&value);
            for base in this.library_bases(&class, None) {
                if let Some(handler) = this.method_handler(Name::new(&format!("{base}.__len__"))) {
                    return handler(this, &value, CallArguments::empty(arguments.span));
                }
            }
        }
        if let Some(count) = this.count_of_items(&value, arguments.span) {
            return Ok(Value::Int(count));
        }
        Ok(Value::Int(this.free_dim("length", 0)))
    })
}

/// Reports a tensor of several elements where one number is asked for.
fn refuse_many(interpreter: &mut Interpreter<'_>, name: &str, value: &Value, span: Span) {
    if interpreter.is_traced(value) {
        interpreter.refuse_value_of_traced(name, "this makes a number of one", value, span);
    } else if let Some(shape) = interpreter.shape_of_many(value) {
        let message = format!("only a tensor of one element becomes a number, got shape {shape}");
        interpreter.sequence_fails(name, message, span);
    }
}

fn integer(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if arguments.positional.is_empty() {
        return Ok(Value::int(0));
    }
    refuse_many(interpreter, "int", &value, arguments.span);
    let base = match arguments.get(1, "base") {
        None => Some(10),
        Some(base) => base.as_int().and_then(|base| u32::try_from(base).ok()),
    };
    interpreter.for_each_alternative(&value, |this, value| {
        this.raise_for_rounding(&value, arguments.span)?;
        Ok(match &value {
            Value::Int(_) => value,
            Value::Bool(value) => Value::int(i64::from(*value)),
            Value::Float(Some(value)) if value.is_finite() && value.abs() < 9e15 => Value::int(value.trunc() as i64),
            Value::Ratio(_) => match this.rounded_fraction(&value, Rounding::ToZero) {
                Some(whole) => Value::Int(whole),
                None => this.any_integer("n"),
            },
            Value::Str(Some(text)) => match base.and_then(|base| integer_of_text(text, base)) {
                Some(value) => Value::int(value),
                None => {
                    this.raise_if_caught("ValueError", "invalid literal for int()", arguments.span)?;
                    this.any_integer("n")
                }
            },
            Value::Instance(_) => match this.own_number(&value, "__int__", arguments.span)? {
                Some(number) => number,
                None => this.any_integer("n"),
            },
            Value::Tensor(tensor) => match (tensor.numbers(), this.drawn_number(&value)) {
                (Some([number]), _) => Value::int(number.trunc() as i64),
                (_, Some(number)) => Value::Int(number),
                _ => this.any_integer("n"),
            },
            _ => this.any_integer("n"),
        })
    })
}

/// `size.numel()` of a part of a size.
pub(crate) fn elements_of_size(interpreter: &mut Interpreter<'_>, size: &Value, _: CallArguments) -> Eval {
    let Value::Tuple(items) = size else { return Ok(interpreter.any_integer("n")) };
    let dims: Option<Vec<Dim>> = items.iter().map(|item| interpreter.read(item).as_dim()).collect();
    Ok(match dims {
        Some(dims) => Value::Int(dims.into_iter().fold(Dim::constant(1), |product, dim| product * dim)),
        None => interpreter.any_integer("n"),
    })
}

/// The number that a text writes, as `int(text, base)` reads it; base 0 follows the prefix.
fn integer_of_text(text: &str, base: u32) -> Option<i64> {
    let text = text.trim().replace('_', "").to_lowercase();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let prefixed = [("0b", 2), ("0o", 8), ("0x", 16)]
        .into_iter()
        .find_map(|(prefix, own)| Some((digits.strip_prefix(prefix)?, own)))
        .filter(|(_, own)| base == 0 || base == *own);
    let (digits, base) = prefixed.unwrap_or((digits, if base == 0 { 10 } else { base }));
    if !(2..=36).contains(&base) || !digits.starts_with(|first: char| first.is_digit(base)) {
        return None;
    }
    Some(sign * i64::from_str_radix(digits, base).ok()?)
}

fn float(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if let object @ Value::Instance(_) = first(&arguments)
        && let Some(number) = interpreter.own_number(&object, "__float__", arguments.span)?
    {
        return Ok(number);
    }
    if let Value::Str(Some(text)) = first(&arguments)
        && text.trim().replace('_', "").parse::<f64>().is_err()
    {
        interpreter.raise_if_caught("ValueError", "could not convert string to float", arguments.span)?;
    }
    refuse_many(interpreter, "float", &first(&arguments), arguments.span);
    if let Value::Int(dim) = first(&arguments) {
        return Ok(whole_float(interpreter.solver.resolve(dim)));
    }
    if let ratio @ Value::Ratio(_) = first(&arguments) {
        return Ok(ratio);
    }
    Ok(Value::Float(match first(&arguments) {
        Value::Int(dim) => dim.as_const().map(|value| value as f64),
        Value::Bool(value) => Some(f64::from(u8::from(value))),
        Value::Float(value) => value,
        Value::Str(Some(text)) => text.trim().replace('_', "").parse().ok(),
        _ => None,
    }))
}

/// A number as a float, where it is known.
fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Float(value) => *value,
        value => value.as_int().map(|value| value as f64),
    }
}

fn logarithm(number: f64, base: f64) -> Option<f64> {
    (base > 0.0 && (base - 1.0).abs() > f64::EPSILON).then(|| number.ln() / base.ln())
}

/// Functions of two floats.
fn of_two(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    interpreter.raise_for_math(name.as_str(), &arguments.positional, arguments.span)?;
    let numbers: Option<Vec<f64>> = arguments.positional.iter().map(real).collect();
    Ok(Value::Float(match (numbers.as_deref(), name.as_str()) {
        (Some(numbers), "math.hypot") => Some(numbers.iter().map(|number| number * number).sum::<f64>().sqrt()),
        (Some([one, other]), "math.copysign") => Some(one.copysign(*other)),
        (Some([one, other]), "math.fmod") if *other != 0.0 => Some(one % other),
        _ => None,
    }))
}

/// Functions of whole numbers, which `math` defines for those that are not negative.
fn whole_number(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    interpreter.raise_for_math(name.as_str(), &arguments.positional, arguments.span)?;
    let numbers: Option<Vec<u64>> =
        arguments.positional.iter().map(|value| value.as_int().and_then(|value| u64::try_from(value).ok())).collect();
    let falling = |from: u64, count: u64| {
        (0..count).try_fold(1u64, |product, index| if index > from { None } else { product.checked_mul(from - index) })
    };
    let result = match (numbers.as_deref(), name.as_str()) {
        (Some(&[number]), "math.isqrt") => Some(number.isqrt()),
        (Some(&[number]), "math.factorial") if number <= 20 => falling(number, number),
        (Some(&[n, k]), "math.perm") if k <= 64 => falling(n, k),
        (Some(&[n]), "math.perm") if n <= 20 => falling(n, n),
        (Some(&[n, k]), "math.comb") if k <= n && k.min(n - k) <= 20 => {
            let k = k.min(n - k);
            falling(n, k).zip(falling(k, k)).map(|(above, below)| above / below)
        }
        (Some(&[n, k]), "math.comb") if k > n => Some(0),
        (Some(numbers), "math.lcm") => numbers.iter().try_fold(1u64, |all, &number| {
            let (mut one, mut other) = (all, number);
            while other != 0 {
                (one, other) = (other, one % other);
            }
            all.checked_div(one).map_or(Some(0), |part| part.checked_mul(number))
        }),
        _ => None,
    };
    let result = result.and_then(|result| i64::try_from(result).ok());
    Ok(result.map_or_else(|| interpreter.any_integer("n"), Value::int))
}

fn boolean(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if arguments.positional.is_empty() {
        return Ok(Value::Bool(false));
    }
    let value = first(&arguments);
    interpreter.for_each_alternative(&value, |this, value| {
        Ok(match this.truth(&value) {
            Truth::Known(value) => Value::Bool(value),
            Truth::Constraint(constraint) => Value::Condition(Rc::new(constraint)),
            Truth::Opaque(None) => Value::Unknown(TRUTH),
            Truth::Opaque(_) | Truth::Negated(_) => value,
        })
    })
}

fn absolute(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    interpreter.for_each_alternative(&value, |this, value| match &value {
        Value::Int(dim) => Ok(match dim.as_const() {
            Some(value) => Value::int(value.saturating_abs()),
            None => Value::Int((*dim).max(-*dim)),
        }),
        Value::Float(value) => Ok(Value::Float(value.map(f64::abs))),
        Value::Tensor(_) => this.tensor_operator("abs", vec![(value.clone(), None)], arguments.span),
        Value::Instance(_) if let Some(own) = this.ask(&value, "__abs__", arguments.span)? => Ok(own),
        _ => Ok(this.symbolic("abs", arguments.span, true)),
    })
}

/// `min` and `max` of several arguments or of one iterable.
/// So many numbers are compared on each way on which one of them is another.
const FEW_NUMBERS: usize = 4;

fn extremum(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let items = match &arguments.positional[..] {
        [one] => match interpreter.iterate(one).map(|iteration| interpreter.itemised(iteration))? {
            Iteration::Items(items) => items,
            other => {
                let (items, _, _) = interpreter.sample(other);
                return Ok(match items.first() {
                    Some(Value::Int(_)) => interpreter.integer_among(&items),
                    Some(Value::Float(_) | Value::Ratio(_)) => Value::Float(None),
                    _ => interpreter.symbolic(name.as_str(), arguments.span, true),
                });
            }
        },
        several => {
            let open = several.iter().position(|item| matches!(interpreter.read(item), Value::Alternatives(_)));
            if let Some(place) = open.filter(|_| several.len() <= FEW_NUMBERS) {
                let value = several[place].clone();
                return interpreter.for_each_alternative(&value, |this, value| {
                    let mut arguments = arguments.clone();
                    arguments.positional[place] = value;
                    extremum(this, name, arguments)
                });
            }
            several.to_vec()
        }
    };
    let is_min = name.as_str().ends_with("min");
    if items.is_empty() && arguments.positional.len() == 1 && arguments.keyword("default").is_none() {
        interpreter.raise_if_caught("ValueError", "iterable argument is empty", arguments.span)?;
    }
    if arguments.keyword("key").is_some() || items.is_empty() {
        return sorted::extremum(interpreter, &items, is_min, &arguments);
    }
    if arguments.positional.len() == 1 {
        interpreter.refuse_order_of_many(&items, arguments.span);
    } else {
        for item in &items {
            refuse_many(interpreter, name.as_str(), item, arguments.span);
        }
    }
    let dims: Option<Vec<Dim>> = items.iter().map(Value::as_dim).collect();
    if let Some(dims) = dims.filter(|dims| !dims.is_empty()) {
        let result = dims[1..].iter().fold(dims[0], |a, b| if is_min { a.min(*b) } else { a.max(*b) });
        return Ok(Value::Int(result));
    }
    let known = items.iter().map(|item| Some((real(item).filter(|value| !value.is_nan())?, item)));
    if let Some(known) = known.collect::<Option<Vec<(f64, &Value)>>>()
        && let Some((_, item)) =
            known.into_iter().reduce(|a, b| if (b.0 < a.0) == is_min && b.0 != a.0 { b } else { a })
    {
        return Ok(item.clone());
    }
    if items.iter().all(|item| matches!(item, Value::Float(_) | Value::Ratio(_))) {
        return Ok(Value::Float(None));
    }
    let is_ordered =
        |item: &Value| matches!(item, Value::Instance(_) | Value::Tuple(_) | Value::List(_) | Value::Str(_));
    if items.iter().all(is_ordered) {
        return sorted::extremum(interpreter, &items, is_min, &arguments);
    }
    if items.iter().all(|item| matches!(item, Value::Float(_) | Value::Ratio(_) | Value::Int(_) | Value::Bool(_))) {
        return Ok(interpreter.some_number(name.as_str(), arguments.span, true));
    }
    Ok(interpreter.symbolic(name.as_str(), arguments.span, true))
}

fn sum(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    let start = arguments.get(1, "start").cloned().unwrap_or_else(|| Value::int(0));
    let iteration = interpreter.iterate(&value)?;
    let iteration = interpreter.itemised(iteration);
    match iteration {
        Iteration::Items(items) if items.len() <= 4096 => {
            let span = arguments.span;
            items.into_iter().try_fold(start, |total, item| {
                interpreter.binary(harp_python::ir::BinaryOperator::Add, &total, &item, span, [span, span])
            })
        }
        other => {
            let (items, _, _) = interpreter.sample(other);
            Ok(match items.into_iter().next() {
                Some(Value::Int(_) | Value::Bool(_) | Value::Condition(_)) => interpreter.any_integer("sum"),
                Some(Value::Float(_) | Value::Ratio(_)) => Value::Float(None),
                Some(tensor @ Value::Tensor(_)) => tensor,
                _ => interpreter.symbolic("sum", arguments.span, true),
            })
        }
    }
}

fn divmod(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if let [object, other] = &arguments.positional[..]
        && let Some(method) = interpreter.own_method(object, "__divmod__")
    {
        return interpreter.call(&method, CallArguments::positional(vec![other.clone()], arguments.span));
    }
    Ok(match &arguments.positional[..] {
        [a, b] => match a.as_dim().zip(b.as_dim()) {
            Some((a, b)) => Value::tuple(vec![Value::Int(a.floor_div(b)), Value::Int(a.modulo(b))]),
            None if [a, b]
                .iter()
                .all(|value| matches!(value, Value::Float(_) | Value::Ratio(_) | Value::Int(_) | Value::Bool(_))) =>
            {
                Value::tuple(vec![Value::Float(None), Value::Float(None)])
            }
            None => {
                let span = arguments.span;
                Value::tuple(["quotient", "remainder"].map(|name| interpreter.symbolic(name, span, true)).to_vec())
            }
        },
        _ => Value::Unknown("divmod"),
    })
}

/// What times `number` is one, modulo `modulus`: Euclid's extended algorithm.
fn inverse(number: i64, modulus: i64) -> Option<i64> {
    let (mut old, mut new) = ((number.rem_euclid(modulus), 1), (modulus, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    (old.0 == 1).then(|| old.1.rem_euclid(modulus))
}

fn power(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    match &arguments.positional[..] {
        [base, exponent] => {
            interpreter.binary(harp_python::ir::BinaryOperator::Power, base, exponent, span, [span, span])
        }
        [base, exponent, modulus] => {
            let receiver = interpreter.read(base);
            if let Some(method) = interpreter.own_method(&receiver, "__pow__") {
                let rest = vec![exponent.clone(), modulus.clone()];
                return interpreter.call(&method, CallArguments::positional(rest, span));
            }
            Ok(match (base.as_int(), exponent.as_int(), modulus.as_int()) {
                (Some(base), Some(exponent @ -4096..=4096), Some(modulus @ 1..=0x7fff_ffff)) => {
                    let base = if exponent < 0 { inverse(base, modulus) } else { Some(base.rem_euclid(modulus)) };
                    match base {
                        Some(base) => {
                            Value::int((0..exponent.abs()).fold(1 % modulus, |power, _| power * base % modulus))
                        }
                        None => interpreter.any_integer("n"),
                    }
                }
                _ => interpreter.any_integer("n"),
            })
        }
        _ => Ok(interpreter.any_integer("n")),
    }
}

fn quantifier(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let stops_at = name.as_str().ends_with("any");
    let value = first(&arguments);
    if matches!(value, Value::Tensor(_)) {
        interpreter.refuse_quantified_rows(&value, arguments.span);
    }
    let mut taken = Vec::new();
    if let Some(source) = interpreter.source_of(&value)? {
        // What comes behind the item that decides is not asked for.
        loop {
            match interpreter.ask_source(&source, None)? {
                Step::Item(item) => {
                    let is_decisive = matches!(interpreter.truth(&item), Truth::Known(truth) if truth == stops_at);
                    taken.push(item);
                    if is_decisive || taken.len() >= MOST_TAKEN {
                        break;
                    }
                }
                Step::End(_) => break,
                Step::Rest(rest) => match interpreter.sample(rest) {
                    (items, true, _) => {
                        taken.extend(items);
                        break;
                    }
                    _ => return Ok(Value::Unknown("quantifier")),
                },
            }
        }
    }
    let iteration = if taken.is_empty() { interpreter.iterate(&value)? } else { Iteration::Items(taken) };
    let Iteration::Items(items) = iteration else { return Ok(Value::Unknown("quantifier")) };
    let mut constraints: Vec<Constraint> = Vec::new();
    let mut is_open = false;
    interpreter.refuse_quantified_many(&items, stops_at, arguments.span);
    for item in &items {
        let item = interpreter.read(item);
        match interpreter.truth(&item) {
            Truth::Known(truth) if truth == stops_at => return Ok(Value::Bool(stops_at)),
            Truth::Known(_) => {}
            Truth::Constraint(constraint) => constraints.push(constraint),
            Truth::Opaque(_) | Truth::Negated(_) => is_open = true,
        }
    }
    if is_open {
        return Ok(Value::Unknown("quantifier"));
    }
    if constraints.is_empty() {
        return Ok(Value::Bool(!stops_at));
    }
    let constraint = if stops_at { Constraint::Or(constraints) } else { Constraint::And(constraints) };
    Ok(Value::Condition(Rc::new(constraint)))
}

/// How a function of `math` or NumPy rounds.
fn rounding_of(name: &str) -> Rounding {
    match name.rsplit('.').next().unwrap_or_default() {
        "floor" => Rounding::Down,
        "ceil" => Rounding::Up,
        _ => Rounding::ToZero,
    }
}

/// Rounding as arrays do, `ceil(n / 2)`: of a number of Python's a float, of anything else an array.
pub fn array_rounding(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if let [number] = &arguments.positional[..]
        && arguments.keywords.is_empty()
        && let number = interpreter.read(number)
        && let Some(whole) = interpreter.rounded_fraction(&number, rounding_of(name.as_str()))
    {
        return Ok(interpreter.number_of_arrays(whole_float(whole)));
    }
    as_library(interpreter, name, arguments)
}

/// What the library's own description says of a call.
fn as_library(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments),
        _ => Ok(interpreter.symbolic("number", arguments.span, true)),
    }
}

fn math(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    interpreter.for_each_alternative(&value, |this, value| {
        let number = match &value {
            Value::Int(dim) => dim.as_const().map(|value| value as f64),
            Value::Float(value) => *value,
            _ => None,
        };
        let api = name;
        let name = name.as_str();
        let own = match name {
            "math.floor" => "__floor__",
            "math.ceil" => "__ceil__",
            "math.trunc" => "__trunc__",
            _ => "__float__",
        };
        if own != "__float__"
            && let Some(number) = this.ask(&value, own, arguments.span)?
        {
            return Ok(number);
        }
        let whole = matches!(name, "math.floor" | "math.ceil" | "math.trunc");
        if whole {
            this.raise_for_rounding(&value, arguments.span)?;
        }
        let others = arguments.positional.get(1..).unwrap_or_default();
        let given: Vec<Value> = std::iter::once(&value).chain(others).cloned().collect();
        this.raise_for_math(name, &given, arguments.span)?;
        if whole {
            return Ok(match (&value, number) {
                (Value::Int(_), _) => value.clone(),
                (_, Some(number)) if number.abs() < 9e15 => Value::int(match name {
                    "math.floor" => number.floor(),
                    "math.ceil" => number.ceil(),
                    _ => number.trunc(),
                } as i64),
                _ => match this.rounded_fraction(&value, rounding_of(name)) {
                    Some(whole) => Value::Int(whole),
                    None => this.any_integer("n"),
                },
            });
        }
        let function: Option<fn(f64) -> f64> = match name {
            "math.sqrt" => Some(f64::sqrt),
            "math.log2" => Some(f64::log2),
            "math.log10" => Some(f64::log10),
            _ => None,
        };
        if let (Value::Int(dim), None, Some(function)) = (&value, number, function)
            && let Some(settled) = this.math_of_settings(api, *dim, function)
        {
            return Ok(settled);
        }
        Ok(Value::Float(number.and_then(|number| match name {
            "math.sqrt" if number >= 0.0 => Some(number.sqrt()),
            "math.log" if number > 0.0 && arguments.positional.len() == 1 => Some(number.ln()),
            "math.log" if number > 0.0 => logarithm(number, real(arguments.positional.get(1)?)?),
            "math.pow" => Some(number.powf(real(arguments.positional.get(1)?)?)).filter(|power| power.is_finite()),
            "math.log2" if number > 0.0 => Some(number.log2()),
            "math.log10" if number > 0.0 => Some(number.log10()),
            "math.exp" => Some(number.exp()),
            "math.sin" => Some(number.sin()),
            "math.cos" => Some(number.cos()),
            "math.tan" => Some(number.tan()),
            "math.tanh" => Some(number.tanh()),
            "math.fabs" => Some(number.abs()),
            _ => None,
        })))
    })
}

fn product(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if let Value::Size(shape) = &value {
        let shape = interpreter.solver.resolve_shape(shape);
        return Ok(Value::Int(shape.prod()));
    }
    Ok(match interpreter.dims_of(&value) {
        Some(dims) => Value::Int(crate::values::tensor_members::product(&dims)),
        None => Value::Int(interpreter.free_dim("n", 0)),
    })
}

/// The product as arrays have it: of a sequence of integers is an integer, as far as programs that compute sizes care; of anything else an array.
pub fn product_of_sizes(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let value = interpreter.read(&first(&arguments));
    if let Value::Alternatives(_) = &value {
        return interpreter.for_each_alternative(&value, |this, value| {
            product_of_sizes(this, name, arguments.clone().with_read_first(value))
        });
    }
    let is_plain = arguments.positional.len() == 1 && arguments.keywords.is_empty() && !arguments.is_open;
    let is_sequence = matches!(value, Value::Size(_) | Value::Tuple(_) | Value::List(_));
    if is_plain && is_sequence && holds_sizes(interpreter, &value) {
        let product = product(interpreter, name, arguments.with_read_first(value))?;
        return Ok(interpreter.number_of_arrays(product));
    }
    as_library(interpreter, name, arguments)
}

/// Whether the items of a sequence are integers, or values of which nothing is known.
fn holds_sizes(interpreter: &Interpreter<'_>, sequence: &Value) -> bool {
    let items: Vec<Value> = match sequence {
        Value::Size(_) => return true,
        Value::Tuple(items) => items.to_vec(),
        Value::List(id) => match interpreter.heap.list(*id) {
            Some(data) => data.items.iter().chain(&data.rest).cloned().collect(),
            None => return false,
        },
        _ => return false,
    };
    items.iter().all(|item| {
        let item = interpreter.read(item);
        matches!(item, Value::Int(_)) || item.is_unknown()
    })
}

fn gcd(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let values: Option<Vec<i64>> = arguments.positional.iter().map(Value::as_int).collect();
    Ok(match values {
        Some(values) => Value::int(values.into_iter().fold(0_i64, |a, b| {
            let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            i64::try_from(a).unwrap_or(i64::MAX)
        })),
        None => Value::Int(interpreter.free_dim("gcd", 1)),
    })
}
