//! The text of an abstract value, as `str` and `repr` make it.

use std::fmt::Write as _;
use std::rc::Rc;

use crate::evaluate::binary_operators::LONGEST_TEXT;
use crate::evaluate::exceptions::is_kind_of;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::{Name, name};

/// Containers deeper than that, or with more items, are not written out.
const DEEPEST: usize = 6;
const MOST_ITEMS: usize = 256;

impl Interpreter<'_> {
    /// The text that `str(value)`, or an f-string without a format, gives, where it is known.
    pub fn text_of(&mut self, value: &Value, span: Span) -> Eval<Option<Rc<str>>> {
        Ok(match self.read(value) {
            Value::Str(text) => text,
            object @ (Value::Instance(_) | Value::Dict(_)) => {
                let text = match self.ask(&object, "__str__", span)? {
                    Some(text) => Some(text),
                    None => self.ask(&object, "__repr__", span)?,
                };
                match text.map(|text| self.read(&text)) {
                    Some(Value::Str(text)) => text,
                    Some(_) => None,
                    None if self.shown_fields(&object).is_none()
                        && let Some(held) = self.plain_of(&object) =>
                    {
                        return self.text_of(&held, span);
                    }
                    None => match self.text_of_exception(&object, span)? {
                        Some(text) => Some(text),
                        None => self.representation(&object, span, DEEPEST)?.map(Rc::from),
                    },
                }
            }
            other => self.representation(&other, span, DEEPEST)?.map(Rc::from),
        })
    }

    /// The text that `repr(value)` gives, where it is known.
    pub fn representation_of(&mut self, value: &Value, span: Span) -> Eval<Option<Rc<str>>> {
        let value = self.read(value);
        Ok(self.representation(&value, span, DEEPEST)?.map(Rc::from))
    }

    fn representation(&mut self, value: &Value, span: Span, depth: usize) -> Eval<Option<String>> {
        light_tick();
        if depth == 0 {
            return Ok(None);
        }
        Ok(match self.read(value) {
            Value::Str(Some(text)) => quoted(&text),
            Value::Bool(value) => Some(if value { "True" } else { "False" }.to_owned()),
            Value::Int(dim) => self.solver.resolve(dim).as_const().map(|value| value.to_string()),
            Value::None => Some("None".to_owned()),
            Value::Ellipsis => Some("Ellipsis".to_owned()),
            Value::Float(Some(number)) => text_of_float(number),
            Value::Tuple(items) => {
                let end = if items.len() == 1 { ",)" } else { ")" };
                self.representation_of_items(&items, ["(", end], span, depth)?
            }
            Value::List(id) => match self.heap.list(id).filter(|data| data.rest.is_none()).cloned() {
                Some(data) if self.class_of_list(id).is_none() => {
                    self.representation_of_items(&data.items, ["[", "]"], span, depth)?
                }
                _ => None,
            },
            // The order of a set's items is not known.
            Value::Set(id) => match self.heap.list(id).filter(|data| data.rest.is_none()).cloned() {
                Some(data) if data.items.len() == 1 => {
                    self.representation_of_items(&data.items, ["{", "}"], span, depth)?
                }
                _ => None,
            },
            object @ Value::Instance(_) => match self.ask(&object, "__repr__", span)? {
                Some(text) => self.read(&text).as_text().map(str::to_owned),
                None if let Some(fields) = self.shown_fields(&object) => {
                    self.representation_of_fields(&object, &fields, span, depth)?
                }
                None => match self.plain_of(&object) {
                    Some(held) => self.representation(&held, span, depth)?,
                    None => None,
                },
            },
            Value::Dict(id) => match self.ask(&Value::Dict(id), "__repr__", span)? {
                Some(text) => self.read(&text).as_text().map(str::to_owned),
                None => self.representation_of_dict(id, span, depth)?,
            },
            _ => None,
        })
    }

    /// The fields that a record or a named tuple shows of itself.
    fn shown_fields(&mut self, object: &Value) -> Option<Vec<Name>> {
        let class = self.class_of(object);
        let Value::Class(id) = &class else { return None };
        if let Some(Value::Tuple(fields)) = self.fields_of_named_tuple(object) {
            return fields.iter().map(|field| field.as_text().map(Name::new)).collect();
        }
        if !self.is_record_class(*id) {
            return None;
        }
        let is_shown = |field: &Name| {
            let stated = self.member_of(&class, *field, None);
            let said = stated.and_then(|stated| self.said_of_field(&stated, "repr"));
            !matches!(said, Some(Value::Bool(false)))
        };
        Some(self.record_fields(*id).into_iter().filter(is_shown).collect())
    }

    fn representation_of_fields(
        &mut self,
        object: &Value,
        fields: &[Name],
        span: Span,
        depth: usize,
    ) -> Eval<Option<String>> {
        let (Value::Instance(id), Value::Class(class)) = (object, self.class_of(object)) else { return Ok(None) };
        let Some(definition) = self.heap.class(class).map(|data| std::sync::Arc::clone(&data.definition)) else {
            return Ok(None);
        };
        let mut text = format!("{}(", definition.qualified_name);
        for (index, field) in fields.iter().enumerate() {
            let Some(value) = self.heap.attribute(*id, *field).cloned() else { return Ok(None) };
            let Some(value) = self.representation(&value, span, depth - 1)? else { return Ok(None) };
            if text.len() + value.len() > LONGEST_TEXT {
                return Ok(None);
            }
            let _ = write!(text, "{}{field}={value}", if index == 0 { "" } else { ", " });
        }
        Ok(Some(text + ")"))
    }

    /// A class of the program, or of a library, that a list is an object of.
    fn class_of_list(&self, id: ObjectId) -> Option<Value> {
        match self.class_of(&Value::List(id)) {
            Value::Library(class) if class.as_str() == "builtins.list" => None,
            class => Some(class),
        }
    }

    fn representation_of_items(
        &mut self,
        items: &[Value],
        brackets: [&str; 2],
        span: Span,
        depth: usize,
    ) -> Eval<Option<String>> {
        if items.len() > MOST_ITEMS {
            return Ok(None);
        }
        let mut text = brackets[0].to_owned();
        for (index, item) in items.iter().enumerate() {
            let Some(item) = self.representation(item, span, depth - 1)? else { return Ok(None) };
            if text.len() + item.len() > LONGEST_TEXT {
                return Ok(None);
            }
            let _ = write!(text, "{}{item}", if index == 0 { "" } else { ", " });
        }
        Ok(Some(text + brackets[1]))
    }

    fn representation_of_dict(&mut self, id: ObjectId, span: Span, depth: usize) -> Eval<Option<String>> {
        let is_plain = match self.class_of(&Value::Dict(id)) {
            Value::Library(class) => class.as_str() == "builtins.dict",
            _ => false,
        };
        let is_plain = is_plain && self.heap.attribute(id, name!("default_factory")).is_none();
        let Some(data) = self.heap.dict(id).filter(|data| is_plain && data.rest.is_none()).cloned() else {
            return Ok(None);
        };
        if data.entries.len() > MOST_ITEMS {
            return Ok(None);
        }
        let mut text = "{".to_owned();
        for (index, (key, item)) in data.entries.iter().enumerate() {
            let Some(key) = self.representation(key, span, depth - 1)? else { return Ok(None) };
            let Some(item) = self.representation(item, span, depth - 1)? else { return Ok(None) };
            if text.len() + key.len() + item.len() > LONGEST_TEXT {
                return Ok(None);
            }
            let _ = write!(text, "{}{key}: {item}", if index == 0 { "" } else { ", " });
        }
        Ok(Some(text + "}"))
    }

    /// An exception's text is what it was made with: one argument as it is, several as the tuple of them; that of a `KeyError` is the key's
    /// `repr`.
    fn text_of_exception(&mut self, object: &Value, span: Span) -> Eval<Option<Rc<str>>> {
        let Value::Instance(id) = object else { return Ok(None) };
        let class = self.class_of(object);
        if !self.is_exception_class(&class) {
            return Ok(None);
        }
        let Some(Value::Tuple(arguments)) = self.heap.attribute(*id, name!("args")).cloned() else {
            return Ok(None);
        };
        let is_key_error = self.derives_from(&class, "builtins.KeyError");
        // Errors of the system have texts of their own where they are given a number.
        let is_of_system =
            self.library_bases(&class, None).iter().any(|base| is_kind_of(plain(base.as_str()), "OSError"));
        match &arguments[..] {
            [] => Ok(Some(Rc::from(""))),
            [key] if is_key_error => self.representation_of(key, span),
            [message] => self.text_of(message, span),
            _ if is_of_system => Ok(None),
            several => self.representation_of(&Value::tuple(several.to_vec()), span),
        }
    }
}

fn plain(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A text between the quotation marks that `repr` takes.
pub fn quoted(text: &str) -> Option<String> {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(mark);
    for character in text.chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            character if character == mark => quoted.extend(['\\', mark]),
            // Which of the others are printable is Unicode's to say.
            character if character.is_control() || (!character.is_ascii() && !character.is_alphanumeric()) => {
                return None;
            }
            character => quoted.push(character),
        }
    }
    quoted.push(mark);
    Some(quoted)
}

/// A float's shortest text that is read as the same number.
pub fn text_of_float(number: f64) -> Option<String> {
    let size = number.abs();
    match number {
        number if number.is_nan() => Some("nan".to_owned()),
        number if number.is_infinite() => Some(if number > 0.0 { "inf" } else { "-inf" }.to_owned()),
        number if number.fract() == 0.0 && size < 1e15 => Some(format!("{number:.1}")),
        number if (1e-4..1e15).contains(&size) => Some(number.to_string()),
        number if size > 0.0 => {
            let text = format!("{number:e}");
            let (digits, exponent) = text.split_once('e')?;
            let exponent: i32 = exponent.parse().ok()?;
            if (-4..16).contains(&exponent) {
                return None;
            }
            Some(format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()))
        }
        _ => None,
    }
}
