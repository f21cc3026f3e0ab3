//! `json.dumps`: the text of what is known, and `json.dump`, which writes it.

use crate::methods::*;
use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::builtins::sorted;
use harp_interp::calls::call::CallArguments;
use harp_interp::evaluate::binary_operators::LONGEST_TEXT;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_limits::light_tick;
use harp_python::name::Name;

/// What lies deeper is not written.
const DEEPEST: usize = 32;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "json.dumps" => dumps,
        "json.dump" => |this, name, mut arguments| {
            let file = arguments.get(1, "fp").cloned().unwrap_or(Value::None);
            let span = arguments.span;
            arguments.positional.truncate(1);
            arguments.positional_spans.clear();
            let text = dumps(this, name, arguments)?;
            this.write_to(&file, text, span)?;
            Ok(Value::None)
        },
        _ => return None,
    })
}

/// How a text is written, and what it is so far.
struct Writer {
    text: String,
    /// What each level of a text of several lines begins with.
    indent: Option<String>,
    /// What stands between items, and between a key and its value.
    separators: [String; 2],
    is_sorted: bool,
    /// What makes something of objects that JSON does not have.
    default: Option<Value>,
    span: Span,
}

fn dumps(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = arguments.get(0, "obj").cloned().unwrap_or(Value::Unknown("missing argument"));
    let Some(mut writer) = writer(interpreter, &arguments)? else { return Ok(Value::Str(None)) };
    let is_known = writer.write(interpreter, &value, 0)?;
    Ok(Value::Str(is_known.then(|| writer.text.into())))
}

/// The form that the arguments ask for; `None` where it is not known.
fn writer(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Eval<Option<Writer>> {
    let span = arguments.span;
    let mut writer = Writer {
        text: String::new(),
        indent: None,
        separators: [", ".to_owned(), ": ".to_owned()],
        is_sorted: false,
        default: None,
        span,
    };
    let mut has_separators = false;
    for (name, value) in &arguments.keywords {
        match (name.as_str(), interpreter.read(value)) {
            ("obj" | "fp" | "allow_nan" | "check_circular" | "skipkeys", _) | (_, Value::None) => {}
            ("ensure_ascii", Value::Bool(true)) => {}
            ("sort_keys", Value::Bool(is_sorted)) => writer.is_sorted = is_sorted,
            ("indent", Value::Int(count)) => match count.as_const() {
                Some(count @ 0..=16) => writer.indent = Some(" ".repeat(count as usize)),
                _ => return Ok(None),
            },
            ("indent", Value::Str(Some(text))) => writer.indent = Some(text.to_string()),
            ("separators", Value::Tuple(parts)) => match &parts[..] {
                [Value::Str(Some(item)), Value::Str(Some(key))] => {
                    writer.separators = [item.to_string(), key.to_string()];
                    has_separators = true;
                }
                _ => return Ok(None),
            },
            ("default", function) => writer.default = Some(function),
            ("cls", class @ Value::Class(_)) => {
                let encoder = interpreter.call(&class, CallArguments::empty(span))?;
                writer.default = interpreter.own_method(&encoder, "default");
            }
            _ => return Ok(None),
        }
    }
    if writer.indent.is_some() && !has_separators {
        writer.separators[0] = ",".to_owned();
    }
    Ok(Some(writer))
}

impl Writer {
    /// Adds the text of a value; `false` where it is not known.
    fn write(&mut self, interpreter: &mut Interpreter<'_>, value: &Value, depth: usize) -> Eval<bool> {
        light_tick();
        if depth == DEEPEST || self.text.len() > LONGEST_TEXT {
            return Ok(false);
        }
        let value = interpreter.read(value);
        let value = interpreter.plain_of(&value).unwrap_or(value);
        match &value {
            Value::Tuple(items) => return self.write_items(interpreter, items, depth),
            Value::List(id) => match interpreter.heap.list(*id).filter(|data| data.rest.is_none()).cloned() {
                Some(data) => return self.write_items(interpreter, &data.items, depth),
                None => return Ok(false),
            },
            Value::Dict(id) => match interpreter.heap.dict(*id).filter(|data| data.rest.is_none()).cloned() {
                Some(data) => return self.write_entries(interpreter, &data.entries, depth),
                None => return Ok(false),
            },
            Value::Set(_) | Value::Instance(_) => {
                let Some(default) = self.default.clone() else { return Ok(false) };
                let plain = interpreter.call(&default, CallArguments::positional(vec![value.clone()], self.span))?;
                return self.write(interpreter, &plain, depth + 1);
            }
            _ => {}
        }
        match plain_text(interpreter, &value) {
            Some(text) => self.text.push_str(&text),
            None => return Ok(false),
        }
        Ok(self.text.len() <= LONGEST_TEXT)
    }

    fn write_items(&mut self, interpreter: &mut Interpreter<'_>, items: &[Value], depth: usize) -> Eval<bool> {
        self.text.push('[');
        for (index, item) in items.iter().enumerate() {
            self.begin_item(index, depth + 1);
            if !self.write(interpreter, item, depth + 1)? {
                return Ok(false);
            }
        }
        self.end_items(items.is_empty(), depth, ']');
        Ok(true)
    }

    fn write_entries(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        entries: &[(Value, Value)],
        depth: usize,
    ) -> Eval<bool> {
        let mut entries = entries.to_vec();
        if self.is_sorted {
            let is_ordered = entries.windows(2).all(|pair| sorted::compare(&pair[0].0, &pair[1].0).is_some());
            if !is_ordered {
                return Ok(false);
            }
            entries.sort_by(|(one, _), (other, _)| sorted::compare(one, other).unwrap_or(std::cmp::Ordering::Equal));
        }
        self.text.push('{');
        for (index, (key, item)) in entries.iter().enumerate() {
            self.begin_item(index, depth + 1);
            let key = interpreter.read(key);
            let key = interpreter.plain_of(&key).unwrap_or(key);
            let Some(name) = plain_text(interpreter, &key) else { return Ok(false) };
            let is_text = matches!(key, Value::Str(_));
            self.text.push_str(&if is_text { name } else { format!("\"{name}\"") });
            self.text.push_str(&self.separators[1].clone());
            if !self.write(interpreter, item, depth + 1)? {
                return Ok(false);
            }
        }
        self.end_items(entries.is_empty(), depth, '}');
        Ok(true)
    }

    fn begin_item(&mut self, index: usize, depth: usize) {
        if index > 0 {
            self.text.push_str(&self.separators[0].clone());
        }
        self.begin_line(depth);
    }

    fn end_items(&mut self, is_empty: bool, depth: usize, bracket: char) {
        if !is_empty {
            self.begin_line(depth);
        }
        self.text.push(bracket);
    }

    fn begin_line(&mut self, depth: usize) {
        if let Some(indent) = &self.indent {
            self.text.push('\n');
            self.text.push_str(&indent.repeat(depth));
        }
    }
}

/// The text of a value that holds no others.
fn plain_text(interpreter: &Interpreter<'_>, value: &Value) -> Option<String> {
    Some(match value {
        Value::None => "null".to_owned(),
        Value::Bool(value) => if *value { "true" } else { "false" }.to_owned(),
        Value::Int(dim) => interpreter.solver.resolve(*dim).as_const()?.to_string(),
        Value::Float(Some(number)) if number.is_finite() && number.fract() == 0.0 && number.abs() < 1e15 => {
            format!("{number:.1}")
        }
        Value::Float(Some(number)) if (1e-4..1e15).contains(&number.abs()) => number.to_string(),
        Value::Str(Some(part)) => quoted(part)?,
        _ => return None,
    })
}

fn quoted(part: &str) -> Option<String> {
    let mut text = String::from('"');
    for character in part.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            character if character.is_ascii() && !character.is_control() => text.push(character),
            character if character.is_control() => return None,
            character => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text.push('"');
    Some(text)
}
