//! Methods of the built-in type `str` that go letter by letter: `title`, `capitalize`, `translate`, `expandtabs`, and
//! tests of their letters.

use std::rc::Rc;

use crate::api::library_model::{FunctionHandler, MethodHandler};
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::name::{Name, name};

/// The longest text that is changed.
const LONGEST: usize = 4096;

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "builtins.str.maketrans" => Some(table),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name.strip_prefix("builtins.str.")? {
        "title" => |_, text, _| Ok(changed(text, title)),
        "capitalize" => |_, text, _| Ok(changed(text, capitalised)),
        "expandtabs" => |_, text, call| {
            let is_plain = call.positional.is_empty() && call.keywords.is_empty();
            Ok(if is_plain { changed(text, expanded) } else { Value::Str(None) })
        },
        "translate" => translate,
        "maketrans" => |this, _, call| table(this, name!("builtins.str.maketrans"), call),
        "isidentifier" => |_, text, _| Ok(text.as_text().map_or(Value::Unknown("test of a string"), is_identifier)),
        "isascii" => |_, text, _| {
            Ok(text.as_text().map_or(Value::Unknown("test of a string"), |text| Value::Bool(text.is_ascii())))
        },
        "isdecimal" => |_, text, _| {
            let is_decimal = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
            let is_open = |text: &str| !text.is_ascii();
            Ok(match text.as_text() {
                Some(text) if !is_open(text) => Value::Bool(is_decimal(text)),
                _ => Value::Unknown("test of a string"),
            })
        },
        _ => return None,
    })
}

fn changed(text: &Value, change: impl Fn(&str) -> String) -> Value {
    Value::Str(text.as_text().filter(|text| text.len() <= LONGEST).map(|text| Rc::from(change(text))))
}

pub fn title(text: &str) -> String {
    let mut after_letter = false;
    let mut result = String::with_capacity(text.len());
    for letter in text.chars() {
        if after_letter {
            result.extend(letter.to_lowercase());
        } else {
            result.extend(letter.to_uppercase());
        }
        after_letter = letter.is_alphabetic();
    }
    result
}

pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect(),
        None => String::new(),
    }
}

pub fn expanded(text: &str) -> String {
    let mut column = 0;
    let mut result = String::new();
    for letter in text.chars() {
        match letter {
            '\t' => {
                let width = 8 - column % 8;
                result.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            letter => {
                result.push(letter);
                column = if matches!(letter, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    result
}

pub fn is_identifier(text: &str) -> Value {
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|c| c == '_' || c.is_alphabetic());
    Value::Bool(begins && letters.all(|c| c == '_' || c.is_alphanumeric()))
}

/// `str.maketrans`: what each letter becomes, by its number.
fn table(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let number = |letter: char| Value::int(i64::from(u32::from(letter)));
    let texts: Option<Vec<String>> =
        arguments.positional.iter().map(|part| part.as_text().map(str::to_owned)).collect();
    let entries = match texts.as_deref() {
        Some([from, to, rest @ ..]) if rest.len() <= 1 => {
            let changes = from.chars().zip(to.chars()).map(|(from, to)| (number(from), number(to)));
            let dropped = rest.iter().flat_map(|rest| rest.chars()).map(|letter| (number(letter), Value::None));
            changes.chain(dropped).collect()
        }
        _ => match arguments.positional.first().map(|table| interpreter.read(table)) {
            Some(Value::Dict(id)) => {
                let Some(data) = interpreter.heap.dict(id).filter(|data| data.rest.is_none()).cloned() else {
                    return Ok(interpreter.symbolic("table", arguments.span, true));
                };
                let key = |key: &Value| match key.as_text().map(|text| text.chars().collect::<Vec<_>>()).as_deref() {
                    Some([letter]) => number(*letter),
                    _ => key.clone(),
                };
                data.entries.iter().map(|(letter, becomes)| (key(letter), becomes.clone())).collect()
            }
            _ => return Ok(interpreter.symbolic("table", arguments.span, true)),
        },
    };
    Ok(Value::Dict(interpreter.heap.allocate_dict(entries)))
}

fn translate(interpreter: &mut Interpreter<'_>, text: &Value, arguments: CallArguments) -> Eval {
    let table = arguments.positional.first().map(|table| interpreter.read(table));
    let (Some(text), Some(Value::Dict(id))) = (text.as_text().filter(|text| text.len() <= LONGEST), table) else {
        return Ok(Value::Str(None));
    };
    let Some(data) = interpreter.heap.dict(id).filter(|data| data.rest.is_none()).cloned() else {
        return Ok(Value::Str(None));
    };
    let mut result = String::new();
    for letter in text.chars() {
        match data.find(&Value::int(i64::from(u32::from(letter)))) {
            None => result.push(letter),
            Some((_, Value::None)) => {}
            Some((_, becomes)) => match (becomes.as_text(), becomes.as_int()) {
                (Some(becomes), _) => result.push_str(becomes),
                (None, Some(number)) if let Some(letter) = u32::try_from(number).ok().and_then(char::from_u32) => {
                    result.push(letter);
                }
                _ => return Ok(Value::Str(None)),
            },
        }
    }
    Ok(Value::str(&result))
}

/// A text without the difference between small and capital letters, where that is known of all its letters.
pub fn folded(text: &str) -> Option<String> {
    text.chars().all(|letter| letter <= '\u{ff}').then(|| text.to_lowercase().replace('ß', "ss"))
}
