//! `absl.flags`: a flag has its value from where it is defined on, be it the user's or its default; `FLAGS` holds them all.

use std::rc::Rc;

use crate::command_line::argument_words::{Action, Arity, Declared};
use crate::command_line::{argparse, argument_words, option_values};
use harp_corpus::{FileId, Span};
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{Heap, InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::name::{Name, name};

/// The object of all flags.
pub const FLAGS: &str = "absl.flags.FLAGS";
/// What a definition returns.
const HOLDER: &str = "absl.flags.FlagHolder";

/// The object of all flags, which is there before the program begins.
pub fn new_registry(heap: &mut Heap) -> ObjectId {
    let origin = Span::new(FileId(0), 0, 0);
    heap.allocate(Payload::Instance(Rc::new(InstanceData {
        class: Value::library(FLAGS),
        arguments: Vec::new(),
        origin,
    })))
}

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "absl.app.run" => return Some(run),
        "absl.flags.mark_flag_as_required" | "absl.flags.mark_flags_as_required" | "absl.flags.register_validator" => {
            return Some(|_, _, _| Ok(Value::None));
        }
        "absl.logging.info" | "absl.logging.warning" | "absl.logging.set_verbosity" | "absl.logging.error" => {
            return Some(|_, _, _| Ok(Value::None));
        }
        _ => {}
    }
    name.strip_prefix("absl.flags.DEFINE_").map(|_| define as FunctionHandler)
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name.strip_prefix(FLAGS)?.strip_prefix('.')? {
        "flag_values_dict" => |this, _, _| {
            let registry = this.model_state.settings.registry;
            let known = this.heap.object(registry).attributes.iter();
            let known = known.filter(|(name, _)| !name.as_str().starts_with('#'));
            let entries = known.map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
            Ok(Value::Dict(this.heap.allocate_dict(entries)))
        },
        "get_flag_value" => |this, flags, arguments| match arguments.get(0, "name").and_then(Value::as_text) {
            Some(name) => this.get_attribute(flags, Name::new(name), arguments.span),
            None => Ok(this.data_from_outside("flag", arguments.span)),
        },
        "is_parsed" => |_, _, _| Ok(Value::Bool(true)),
        "mark_as_parsed" | "flags_into_string" | "append_flags_into_file" => |_, _, _| Ok(Value::None),
        _ => return None,
    })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    (class == FLAGS).then_some(|_, _, arguments| Ok(arguments.positional.first().cloned().unwrap_or(Value::None)))
}

/// `app.run(main)`: `main` gets the words that are no flags.
fn run(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some(main) = arguments.get(0, "main").cloned() else { return Ok(Value::None) };
    let mut loose = vec![Value::Str(None)];
    let words = argparse::command_words(interpreter, None)?.unwrap_or_default();
    loose.extend(words_of_no_flag(interpreter, &words).into_iter().map(|word| Value::str(&word)));
    let words = Value::List(interpreter.heap.allocate_list(loose));
    interpreter.call(&main, CallArguments::positional(vec![words], arguments.span))
}

/// The words that are neither flags nor their values: `--name=value`, `--name value`, and `--switch` alone.
fn words_of_no_flag(interpreter: &Interpreter<'_>, words: &[String]) -> Vec<String> {
    let registry = interpreter.model_state.settings.registry;
    let mut loose = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            loose.extend(rest.cloned());
            break;
        }
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|flag| !flag.is_empty())
        else {
            loose.push(word.clone());
            continue;
        };
        let takes_next = match interpreter.heap.attribute(registry, Name::new(flag)) {
            Some(Value::Bool(_)) | None => false,
            Some(_) => true,
        };
        if takes_next {
            rest.next();
        }
    }
    loose
}

/// `DEFINE_integer(name, default, help)` and its like.
fn define(interpreter: &mut Interpreter<'_>, function: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(name) = arguments.get(0, "name").and_then(Value::as_text).map(str::to_owned) else {
        return Ok(interpreter.data_from_outside("flag", span));
    };
    let kind = function.as_str().rsplit('.').next().and_then(|last| last.strip_prefix("DEFINE_")).unwrap_or_default();
    let is_switch = matches!(kind, "bool" | "boolean");
    let is_several = kind.starts_with("multi_");
    let conversion = match kind.trim_start_matches("multi_") {
        "integer" => Value::library("builtins.int"),
        "float" => Value::library("builtins.float"),
        _ => Value::None,
    };
    let is_known = matches!(
        kind.trim_start_matches("multi_"),
        "integer" | "float" | "bool" | "boolean" | "string" | "enum" | "list" | "spaceseplist"
    );
    let mut default = arguments.get(1, "default").map_or(Value::None, |default| interpreter.read(default));
    // A list is given as a text, too.
    if matches!(kind, "list" | "spaceseplist")
        && let Some(text) = default.as_text()
    {
        let items = listed(kind, text);
        default = Value::List(interpreter.heap.allocate_list(items));
    }
    let mut flags = vec![format!("--{name}"), format!("-{name}")];
    if let Some(short) = arguments.keyword("short_name").and_then(Value::as_text) {
        flags.push(format!("-{short}"));
    }
    let option = Declared {
        destination: name.clone(),
        is_positional: false,
        flags,
        conversion,
        default,
        action: match (is_switch, is_several) {
            (true, _) => Action::Switch,
            (_, true) => Action::Append,
            _ => Action::Store,
        },
        arity: Arity::One,
        is_required: matches!(arguments.keyword("required"), Some(Value::Bool(true))),
        choices: Value::None,
        custom: Value::None,
        constant: Value::None,
        negations: if is_switch { vec![format!("--no{name}")] } else { Vec::new() },
        span,
    };
    let words = argparse::command_words(interpreter, None)?.unwrap_or_default();
    let parsed = argument_words::parse(std::slice::from_ref(&option), &words, &[]);
    let value = match parsed.given.first() {
        Some((_, given)) => {
            let value = option_values::given_value(interpreter, &option, given)?;
            match value.as_text() {
                Some(text) if matches!(kind, "list" | "spaceseplist") => {
                    let items = listed(kind, text);
                    Value::List(interpreter.heap.allocate_list(items))
                }
                _ => value,
            }
        }
        None if !is_known => interpreter.data_from_outside(&name, span),
        None => argparse::default_value(interpreter, &option)?,
    };
    let registry = interpreter.model_state.settings.registry;
    interpreter.heap.set_attribute(registry, Name::new(&name), value.clone());
    let data = InstanceData { class: Value::library(HOLDER), arguments: Vec::new(), origin: span };
    let holder = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    interpreter.heap.set_attribute(holder, name!("value"), value);
    interpreter.heap.set_attribute(holder, name!("name"), Value::str(&name));
    Ok(Value::Instance(holder))
}

fn listed(kind: &str, text: &str) -> Vec<Value> {
    let parts: Vec<&str> = if kind == "list" { text.split(',').collect() } else { text.split_whitespace().collect() };
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).map(Value::str).collect()
}
