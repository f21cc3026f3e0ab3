//! The built-in operator `template % values` of texts: conversions as in C, each of which is a format specification in
//! other words.

use crate::builtins::format_spec::formatted;
use crate::evaluate::binary_operators::LONGEST_TEXT;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;

/// What stands between `%` and the letter of a conversion.
#[derive(Debug, Default)]
struct Conversion<'t> {
    /// The key in a dictionary of values.
    key: Option<&'t str>,
    flags: &'t str,
    width: &'t str,
    precision: &'t str,
    kind: char,
}

impl Interpreter<'_> {
    /// What `template % values` gives, where all of it is known.
    pub fn format_percent(&mut self, template: &Value, values: &Value) -> Value {
        let text = template.as_text().and_then(|template| self.percent_text(template, values));
        text.map_or(Value::Str(None), |text| Value::str(&text))
    }

    fn percent_text(&self, template: &str, values: &Value) -> Option<String> {
        let given = match self.read(values) {
            Value::Tuple(values) => values.to_vec(),
            value => vec![value],
        };
        let (mut next, mut has_keys) = (0, false);
        let mut text = String::new();
        let mut rest = template;
        while let Some(place) = rest.find('%') {
            text.push_str(&rest[..place]);
            let (conversion, behind) = conversion(&rest[place + 1..])?;
            rest = behind;
            if conversion.kind == '%' {
                text.push('%');
                continue;
            }
            let value = match (conversion.key, given.first()) {
                (Some(key), Some(Value::Dict(id))) => {
                    has_keys = true;
                    self.heap.dict(*id)?.find(&Value::str(key)).map(|(_, value)| self.read(value))?
                }
                (Some(_), _) => return None,
                (None, _) => {
                    next += 1;
                    self.read(given.get(next - 1)?)
                }
            };
            text.push_str(&self.converted(&conversion, &value)?);
            if text.len() > LONGEST_TEXT {
                return None;
            }
        }
        text.push_str(rest);
        (has_keys || next == given.len()).then_some(text)
    }

    fn converted(&self, conversion: &Conversion<'_>, value: &Value) -> Option<String> {
        let is_left = conversion.flags.contains('-');
        let (value, kind) = match (conversion.kind, value) {
            ('s' | 'r', Value::Str(Some(text))) if conversion.kind == 's' => (Value::Str(Some(text.clone())), ""),
            ('s' | 'r', Value::Int(dim)) => (Value::str(&self.solver.resolve(*dim).as_const()?.to_string()), ""),
            ('s' | 'r', Value::Bool(value)) => (Value::str(if *value { "True" } else { "False" }), ""),
            ('s' | 'r', Value::None) => (Value::str("None"), ""),
            ('s' | 'r', Value::Float(Some(number))) if number.fract() == 0.0 && number.abs() < 1e15 => {
                (Value::str(&format!("{number:.1}")), "")
            }
            ('s' | 'r', Value::Float(Some(number))) if number.abs() < 1e15 && number.abs() >= 1e-4 => {
                (Value::str(&number.to_string()), "")
            }
            ('d' | 'i' | 'u', Value::Float(Some(number))) if number.abs() < 9e15 => {
                (Value::int(number.trunc() as i64), "d")
            }
            ('d' | 'i' | 'u', value @ (Value::Int(_) | Value::Bool(_))) => (value.clone(), "d"),
            ('x', value @ Value::Int(_)) => (value.clone(), "x"),
            ('X', value @ Value::Int(_)) => (value.clone(), "X"),
            ('o', value @ Value::Int(_)) => (value.clone(), "o"),
            ('f' | 'F', value @ (Value::Int(_) | Value::Float(_) | Value::Ratio(_))) => (value.clone(), "f"),
            ('e', value @ (Value::Int(_) | Value::Float(_) | Value::Ratio(_))) => (value.clone(), "e"),
            ('E', value @ (Value::Int(_) | Value::Float(_) | Value::Ratio(_))) => (value.clone(), "E"),
            ('g', value @ (Value::Int(_) | Value::Float(_) | Value::Ratio(_))) => (value.clone(), "g"),
            ('G', value @ (Value::Int(_) | Value::Float(_) | Value::Ratio(_))) => (value.clone(), "G"),
            _ => return None,
        };
        let is_text = kind.is_empty();
        let sign = if is_text {
            ""
        } else {
            ["+", " "].into_iter().find(|sign| conversion.flags.contains(*sign)).unwrap_or("")
        };
        let align = if is_left { "<" } else { ">" };
        let zero = if !is_text && !is_left && conversion.flags.contains('0') { "0" } else { "" };
        let align = if zero.is_empty() { align } else { "" };
        let precision = match (kind, conversion.precision) {
            ("d" | "x" | "X" | "o", digits) if !digits.is_empty() => return None,
            (_, digits) => digits,
        };
        let specification = format!("{align}{sign}{zero}{}{precision}{kind}", conversion.width);
        formatted(self, &value, &specification).map(|text| text.to_string())
    }
}

/// The conversion at the beginning of a text, and what stands behind it.
fn conversion(text: &str) -> Option<(Conversion<'_>, &str)> {
    let mut found = Conversion::default();
    let mut rest = text;
    if let Some(named) = rest.strip_prefix('(') {
        let end = named.find(')')?;
        found.key = Some(&named[..end]);
        rest = &named[end + 1..];
    }
    (found.flags, rest) = split_while(rest, |c| matches!(c, '-' | '+' | ' ' | '0' | '#'));
    (found.width, rest) = split_while(rest, |c| c.is_ascii_digit());
    if rest.starts_with('.') {
        let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
        (found.precision, rest) = rest.split_at(digits);
    }
    let kind = rest.chars().next()?;
    found.kind = kind;
    Some((found, &rest[kind.len_utf8()..]))
}

fn split_while(text: &str, is_meant: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_meant(c)).unwrap_or(text.len()))
}
