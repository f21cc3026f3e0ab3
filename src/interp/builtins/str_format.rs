//! The method `str.format`, and `format_map`: templates whose fields are filled, `"{} {name.size!r:>4}".format(…)`.

use std::rc::Rc;

use crate::builtins::format_spec::formatted;
use crate::calls::call::CallArguments;
use crate::evaluate::binary_operators::LONGEST_TEXT;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::name::Name;

/// What the fields of a template are filled with.
struct Filling<'c> {
    call: &'c CallArguments,
    /// The mapping of `format_map`.
    mapping: Option<Value>,
    /// The position that the next field without a name has.
    next: usize,
}

/// `template.format(…)`
pub(crate) fn format(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let mut filling = Filling { call: &arguments, mapping: None, next: 0 };
    let text = filled(interpreter, receiver, &mut filling)?;
    Ok(Value::Str(text.map(Rc::from)))
}

/// `template.format_map(mapping)`
pub(crate) fn format_map(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let mapping = arguments.positional.first().cloned();
    let mut filling = Filling { call: &arguments, mapping, next: 0 };
    let text = filled(interpreter, receiver, &mut filling)?;
    Ok(Value::Str(text.map(Rc::from)))
}

fn filled(interpreter: &mut Interpreter<'_>, template: &Value, filling: &mut Filling<'_>) -> Eval<Option<String>> {
    let Some(template) = template.as_text() else { return Ok(None) };
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find(['{', '}']) {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push_str(&rest[..1]);
            rest = &rest[2..];
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| rest.starts_with('{')) else { return Ok(None) };
        // A specification may have a field of its own.
        let end = match rest[1..end].find('{') {
            Some(_) => match rest[end + 1..].find('}') {
                Some(more) => end + 1 + more,
                None => return Ok(None),
            },
            None => end,
        };
        let Some(part) = filled_field(interpreter, &rest[1..end], filling)? else { return Ok(None) };
        text.push_str(&part);
        if text.len() > LONGEST_TEXT {
            return Ok(None);
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    Ok(Some(text))
}

fn filled_field(interpreter: &mut Interpreter<'_>, field: &str, filling: &mut Filling<'_>) -> Eval<Option<Rc<str>>> {
    let span = filling.call.span;
    let (field, specification) = field.split_once(':').unwrap_or((field, ""));
    let (field, conversion) = match field.rsplit_once('!') {
        Some((field, conversion)) => (field, Some(conversion)),
        None => (field, None),
    };
    let Some(value) = filling.value(interpreter, field)? else { return Ok(None) };
    let specification = match specification.contains('{') {
        true => match filled(interpreter, &Value::str(specification), filling)? {
            Some(specification) => specification,
            None => return Ok(None),
        },
        false => specification.to_owned(),
    };
    let converted = match conversion {
        None => None,
        Some("r") => Some(interpreter.representation_of(&value, span)?),
        Some("s") => Some(interpreter.text_of(&value, span)?),
        Some(_) => return Ok(None),
    };
    let value = match converted {
        Some(text) => Value::Str(text),
        None => value,
    };
    if let Some(method) = interpreter.own_method(&value, "__format__") {
        let text = interpreter.call(&method, CallArguments::positional(vec![Value::str(&specification)], span))?;
        return Ok(text.as_text().map(Rc::from));
    }
    if specification.is_empty() {
        return interpreter.text_of(&value, span);
    }
    let value = interpreter.plain_of(&value).unwrap_or(value);
    Ok(formatted(interpreter, &value, &specification))
}

impl Filling<'_> {
    /// What a field such as `name.size[0]` stands for.
    fn value(&mut self, interpreter: &mut Interpreter<'_>, field: &str) -> Eval<Option<Value>> {
        let span = self.call.span;
        let end = field.find(['.', '[']).unwrap_or(field.len());
        let (name, mut path) = field.split_at(end);
        let first = match name.parse::<usize>() {
            _ if name.is_empty() => {
                self.next += 1;
                self.call.positional.get(self.next - 1).cloned()
            }
            Ok(position) => self.call.positional.get(position).cloned(),
            Err(_) => match &self.mapping {
                Some(mapping) => Some(interpreter.get_item(&mapping.clone(), &Value::str(name), span)?),
                None => self.call.keyword(name).cloned(),
            },
        };
        let Some(mut value) = first.map(|value| interpreter.read(&value)) else { return Ok(None) };
        while !path.is_empty() {
            if let Some(rest) = path.strip_prefix('[') {
                let Some((key, behind)) = rest.split_once(']') else { return Ok(None) };
                let key = key.parse::<i64>().map_or_else(|_| Value::str(key), Value::int);
                value = interpreter.get_item(&value, &key, span)?;
                path = behind;
            } else {
                let rest = path.strip_prefix('.').unwrap_or(path);
                let (name, behind) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
                value = interpreter.get_attribute(&value, Name::new(name), span)?;
                path = behind;
            }
            value = interpreter.read(&value);
        }
        Ok(Some(value))
    }
}
