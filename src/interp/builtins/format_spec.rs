//! The built-in function `format`: the texts that format specifications make of values (the library reference, "format
//! specification mini-language").

use std::rc::Rc;

use crate::evaluate::binary_operators::LONGEST_TEXT;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;

/// A specification such as `*>+08,.3f`.
#[derive(Debug, Default, Clone)]
pub struct Specification {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    is_alternate: bool,
    is_zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// The text of a value under a specification, where both are known.
pub fn formatted(interpreter: &Interpreter<'_>, value: &Value, specification: &str) -> Option<Rc<str>> {
    let specification = parse(specification)?;
    if specification.width > LONGEST_TEXT.min(4096) || specification.precision.is_some_and(|digits| digits > 60) {
        return None;
    }
    let text = match interpreter.read(value) {
        Value::Str(Some(text)) => {
            if !matches!(specification.kind, None | Some('s')) {
                return None;
            }
            let text: String = text.chars().take(specification.precision.unwrap_or(usize::MAX)).collect();
            padded("", &text, &specification, '<')
        }
        Value::Int(dim) => integer(interpreter.solver.resolve(dim).as_const()?, &specification)?,
        Value::Bool(value) if specification.kind.is_some() => integer(i64::from(value), &specification)?,
        Value::Float(Some(number)) => float(number, &specification)?,
        _ => return None,
    };
    Some(Rc::from(text))
}

pub fn parse(text: &str) -> Option<Specification> {
    let mut found = Specification::default();
    let mut rest: Vec<char> = text.chars().collect();
    let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '^' | '='));
    if is_align(rest.get(1)) {
        (found.fill, found.align) = (Some(rest[0]), Some(rest[1]));
        rest.drain(..2);
    } else if is_align(rest.first()) {
        found.align = Some(rest.remove(0));
    }
    if matches!(rest.first(), Some('+' | '-' | ' ')) {
        found.sign = Some(rest.remove(0));
    }
    if rest.first() == Some(&'#') {
        found.is_alternate = true;
        rest.remove(0);
    }
    if rest.first() == Some(&'0') {
        found.is_zero = true;
        rest.remove(0);
    }
    let number = |rest: &mut Vec<char>| {
        let count = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let digits: String = rest.drain(..count).collect();
        digits.parse::<usize>().ok()
    };
    found.width = number(&mut rest).unwrap_or(0);
    if matches!(rest.first(), Some(',' | '_')) {
        found.grouping = Some(rest.remove(0));
    }
    if rest.first() == Some(&'.') {
        rest.remove(0);
        found.precision = Some(number(&mut rest)?);
    }
    if !rest.is_empty() {
        found.kind = Some(rest.remove(0));
    }
    rest.is_empty().then_some(found)
}

pub fn integer(value: i64, specification: &Specification) -> Option<String> {
    let magnitude = value.unsigned_abs();
    let (prefix, digits) = match specification.kind {
        None | Some('d' | 'n') => ("", magnitude.to_string()),
        Some('b') => ("0b", format!("{magnitude:b}")),
        Some('o') => ("0o", format!("{magnitude:o}")),
        Some('x') => ("0x", format!("{magnitude:x}")),
        Some('X') => ("0X", format!("{magnitude:X}")),
        Some('c') => ("", char::from_u32(u32::try_from(value).ok()?)?.to_string()),
        Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') => return float(value as f64, specification),
        _ => return None,
    };
    let prefix = if specification.is_alternate { prefix } else { "" };
    let digits = grouped(&digits, specification);
    Some(padded(&format!("{}{prefix}", sign(value < 0, specification)), &digits, specification, '>'))
}

pub fn float(value: f64, specification: &Specification) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let magnitude = value.abs();
    let precision = specification.precision.unwrap_or(6);
    let digits = match specification.kind {
        Some('f' | 'F') => format!("{magnitude:.precision$}"),
        Some('%') => format!("{:.precision$}%", magnitude * 100.0),
        Some('e' | 'E') => {
            let text = format!("{magnitude:.precision$e}");
            let (mantissa, exponent) = text.split_once('e')?;
            let exponent: i32 = exponent.parse().ok()?;
            let text = format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
            if specification.kind == Some('E') { text.to_uppercase() } else { text }
        }
        None if specification.precision.is_none() => {
            if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
                return None;
            }
            if magnitude.fract() == 0.0 { format!("{magnitude:.1}") } else { magnitude.to_string() }
        }
        Some('g') => {
            let precision = precision.max(1);
            let exponent: i32 = format!("{magnitude:.*e}", precision - 1).split_once('e')?.1.parse().ok()?;
            if !(-4..i32::try_from(precision).ok()?).contains(&exponent) {
                return None;
            }
            let decimals = usize::try_from(i32::try_from(precision).ok()? - 1 - exponent).ok()?;
            let text = format!("{magnitude:.decimals$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        _ => return None,
    };
    let digits = match digits.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", grouped(whole, specification)),
        None => grouped(&digits, specification),
    };
    Some(padded(sign(value < 0.0, specification), &digits, specification, '>'))
}

fn sign(is_negative: bool, specification: &Specification) -> &'static str {
    match (is_negative, specification.sign) {
        (true, _) => "-",
        (false, Some('+')) => "+",
        (false, Some(' ')) => " ",
        _ => "",
    }
}

fn grouped(digits: &str, specification: &Specification) -> String {
    let Some(separator) = specification.grouping else { return digits.to_owned() };
    let size = if matches!(specification.kind, Some('b' | 'o' | 'x' | 'X')) { 4 } else { 3 };
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.chars().count() - index).is_multiple_of(size) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

fn padded(prefix: &str, text: &str, specification: &Specification, usual: char) -> String {
    let length = prefix.chars().count() + text.chars().count();
    let missing = specification.width.saturating_sub(length);
    let zero = specification.is_zero && specification.align.is_none();
    let fill = specification.fill.unwrap_or(if specification.is_zero { '0' } else { ' ' });
    let align = specification.align.unwrap_or(if zero && usual == '>' { '=' } else { usual });
    let fills = |count: usize| fill.to_string().repeat(count);
    match align {
        '<' => format!("{prefix}{text}{}", fills(missing)),
        '^' => format!("{}{prefix}{text}{}", fills(missing / 2), fills(missing - missing / 2)),
        '=' => format!("{prefix}{}{text}", fills(missing)),
        _ => format!("{}{prefix}{text}", fills(missing)),
    }
}
