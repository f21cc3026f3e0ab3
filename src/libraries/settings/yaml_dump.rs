//! `yaml.dump` of values that are known: the text, as PyYAML writes it in its block style.

use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::Value;

/// Longer texts are not written,
const LONGEST: usize = 1 << 16;
/// nor values within values beyond this depth.
const DEEPEST: usize = 16;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "yaml.dump" | "yaml.safe_dump" => |this, _, arguments| {
            let is_block =
                !matches!(arguments.keyword("default_flow_style"), Some(value) if !matches!(value, Value::Bool(false)));
            let is_sorted = !matches!(arguments.keyword("sort_keys"), Some(Value::Bool(false)));
            let to_stream = arguments.get(1, "stream").is_some_and(|stream| !stream.is_none());
            Ok(match written(this, &arguments, is_sorted).filter(|_| is_block) {
                _ if to_stream => Value::None,
                Some(text) => Value::str(&text),
                None => Value::Str(None),
            })
        },
        "omegaconf.OmegaConf.to_yaml" => |this, _, arguments| {
            let is_sorted = matches!(arguments.keyword("sort_keys"), Some(Value::Bool(true)));
            Ok(written(this, &arguments, is_sorted).map_or(Value::Str(None), |text| Value::str(&text)))
        },
        _ => return None,
    })
}

fn written(interpreter: &Interpreter<'_>, arguments: &CallArguments, is_sorted: bool) -> Option<String> {
    let mut text = String::new();
    let value = interpreter.read(arguments.positional.first()?);
    match inline(interpreter, &value) {
        Some(scalar) => text.push_str(&scalar),
        None => block(interpreter, &value, is_sorted, 0, &mut text)?,
    }
    Some(text)
}

/// A mapping or sequence with contents, line by line.
fn block(
    interpreter: &Interpreter<'_>,
    value: &Value,
    is_sorted: bool,
    indent: usize,
    text: &mut String,
) -> Option<()> {
    if indent > 2 * DEEPEST || text.len() > LONGEST {
        return None;
    }
    let margin = " ".repeat(indent);
    match value {
        Value::Dict(id) => {
            let data = interpreter.heap.dict(*id).filter(|data| data.rest.is_none())?;
            let mut entries: Vec<(String, Value)> = Vec::with_capacity(data.entries.len());
            for (key, value) in &data.entries {
                entries.push((scalar(&interpreter.read(key))?, interpreter.read(value)));
            }
            if is_sorted {
                entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            }
            for (key, value) in entries {
                text.push_str(&format!("{margin}{key}:"));
                match inline(interpreter, &value) {
                    Some(scalar) => text.push_str(&format!(" {scalar}\n")),
                    None => {
                        text.push('\n');
                        let is_list = matches!(value, Value::List(_));
                        block(interpreter, &value, is_sorted, if is_list { indent } else { indent + 2 }, text)?;
                    }
                }
            }
        }
        Value::List(id) => {
            let data = interpreter.heap.list(*id).filter(|data| data.rest.is_none())?;
            for item in &data.items {
                let item = interpreter.read(item);
                match inline(interpreter, &item) {
                    Some(scalar) => text.push_str(&format!("{margin}- {scalar}\n")),
                    None => {
                        let mut within = String::new();
                        block(interpreter, &item, is_sorted, indent + 2, &mut within)?;
                        text.push_str(&format!("{margin}- {}", &within[indent + 2..]));
                    }
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// What stands on the line of its key: a scalar, or an empty container.
fn inline(interpreter: &Interpreter<'_>, value: &Value) -> Option<String> {
    match value {
        Value::Dict(id) if interpreter.heap.dict(*id)?.entries.is_empty() => Some("{}".to_owned()),
        Value::List(id) if interpreter.heap.list(*id)?.items.is_empty() => Some("[]".to_owned()),
        value => scalar(value),
    }
}

fn scalar(value: &Value) -> Option<String> {
    const WORDS: [&str; 12] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "~", "nan", "inf"];
    Some(match value {
        Value::None => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(dim) => dim.as_const()?.to_string(),
        Value::Float(Some(number)) if number.is_finite() && (1e-4..1e15).contains(&number.abs()) => {
            format!("{number:?}")
        }
        Value::Str(Some(text)) => {
            let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_./- ".contains(letter))
                && !text.ends_with(' ');
            match is_word && !WORDS.contains(&text.to_ascii_lowercase().as_str()) {
                true => text.to_string(),
                false if text.chars().all(|letter| !letter.is_control()) => format!("'{}'", text.replace('\'', "''")),
                false => return None,
            }
        }
        _ => return None,
    })
}
