//! Reading files of settings: `open`, `yaml`, `json`, `tomllib`, `configparser`. A file that lies in the project is
//! read; of every other one nothing is known.

use crate::methods::*;
use std::rc::Rc;

use crate::settings::{Dialect, Format, IniForm, is_malformed_json};
use crate::stdlib::saved_objects;
use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, Value};
use harp_limits::light_tick;
use harp_python::name::{Name, name};

const PARSERS: [&str; 2] = ["configparser.ConfigParser", "configparser.RawConfigParser"];
/// Where a parser of `configparser` keeps its sections.
const SECTIONS: &str = "#sections";
/// What such a parser takes that others refuse: keys without a value, and what is there twice.
const BARE_KEYS: &str = "#bare keys";
const REPEATS: &str = "#repeats";
/// How deep objects of JSON are made by `object_hook`.
const DEEPEST_HOOK: usize = 32;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.open" | "io.open" | "codecs.open" => {
            |this, name, arguments| for_each_source(this, arguments, |this, arguments| open(this, name, arguments))
        }
        "yaml.safe_load" | "yaml.load" | "yaml.full_load" | "yaml.unsafe_load" => |this, _, arguments| {
            for_each_source(this, arguments, |this, arguments| {
                Ok(loaded(this, Format::Yaml(Dialect::PyYaml), &arguments))
            })
        },
        "json.load" | "json.loads" => |this, name, arguments| {
            for_each_source(this, arguments, |this, arguments| {
                refuse_malformed(this, name, &arguments)?;
                let value = loaded(this, Format::Json, &arguments);
                if value.is_unknown() {
                    return this.call_described(name, arguments);
                }
                hooked(this, value, &arguments)
            })
        },
        "tomllib.load" | "tomllib.loads" | "tomli.load" | "tomli.loads" | "toml.load" | "toml.loads" => {
            |this, name, arguments| {
                for_each_source(this, arguments, |this, arguments| {
                    // `toml.load` takes the path itself.
                    let is_path =
                        name.as_str() == "toml.load" && matches!(arguments.positional.first(), Some(Value::Str(_)));
                    if is_path && let Some(file) = opened(this, &arguments) {
                        return Ok(loaded(this, Format::Toml, &CallArguments::positional(vec![file], arguments.span)));
                    }
                    Ok(loaded(this, Format::Toml, &arguments))
                })
            }
        }
        name if PARSERS.contains(&name) => new_parser,
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    Some(match (class, method) {
        ("pathlib.Path", "read") => |this, file, arguments| {
            let size = arguments.get(0, "size").cloned().unwrap_or(Value::None);
            let is_whole = size.is_none() || matches!(size, Value::Int(dim) if dim.as_const() == Some(-1));
            let path = this.path_of(file).and_then(|path| this.settings_file(&path));
            let begins = if let Value::Symbolic(id) = this.read(file) { this.reads_from_start(id) } else { true };
            Ok(match path {
                Some(file) if begins && is_whole => this.text_of_file(&file),
                Some(_) => Value::Str(None),
                None => this.data_from_outside("text", arguments.span),
            })
        },
        ("pathlib.Path", "readline") => |this, file, _| {
            if let Value::Symbolic(id) = this.read(file) {
                this.reads_from_start(id);
            }
            Ok(Value::Str(None))
        },
        ("pathlib.Path", "seek") => |this, file, arguments| {
            let is_start = matches!(arguments.get(0, "offset"), Some(Value::Int(dim)) if dim.as_const() == Some(0));
            if let Value::Symbolic(id) = this.read(file) {
                this.move_file(id, is_start && arguments.get(1, "whence").is_none());
            }
            Ok(arguments.get(0, "offset").cloned().unwrap_or(Value::Unknown("place in a file")))
        },
        ("pathlib.Path", "read_text") => |this, file, arguments| {
            let file = this.path_of(file).and_then(|path| this.settings_file(&path));
            Ok(match file {
                Some(file) => this.text_of_file(&file),
                None => this.data_from_outside("text", arguments.span),
            })
        },
        ("pathlib.Path", "readlines") => |this, file, arguments| {
            let lines = if let Value::Symbolic(id) = this.read(file) { this.lines_of_file(id) } else { None };
            Ok(match lines {
                Some(Iteration::Items(lines)) => Value::List(this.heap.allocate_list(lines)),
                _ => this.data_from_outside("lines", arguments.span),
            })
        },
        ("pathlib.Path", "open") => |this, path, arguments| match this.path_of(path) {
            Some(known) if is_read(&arguments, 0) && this.settings_file(&known).is_some() => {
                Ok(open_file(this, &known, arguments.span))
            }
            _ => Ok(path.clone()),
        },
        ("pathlib.Path", "close") => |_, _, _| Ok(Value::None),
        (class, _) if PARSERS.contains(&class) => match method {
            "read" | "read_file" | "read_string" => read_sections,
            "get" | "getint" | "getfloat" | "getboolean" => return Some(option_of(method)),
            "__getitem__" => |this, parser, arguments| {
                let sections = sections(this, parser);
                this.get_item(&sections, arguments.positional.first().unwrap_or(&Value::None), arguments.span)
            },
            "set" | "add_section" | "remove_option" | "remove_section" => return Some(change_of(method)),
            "options" | "items" | "has_option" | "has_section" => return Some(question_of(method)),
            "sections" => |this, parser, _| {
                let Value::Dict(id) = sections(this, parser) else { return Ok(Value::Unknown("sections")) };
                let Some(data) = this.heap.dict(id).cloned() else { return Ok(Value::Unknown("sections")) };
                let names = data.entries.iter().map(|(name, _)| name.clone());
                let names = names.filter(|name| name.as_text() != Some("DEFAULT")).collect();
                Ok(Value::List(this.heap.allocate_list(names)))
            },
            _ => return None,
        },
        ("configparser.SectionProxy", "getint" | "getfloat" | "getboolean") => return Some(entry_of(method)),
        _ => return None,
    })
}

/// `open(path)` for reading a file of settings.
/// Reads from each of the files that the first argument may mean: `path = sys.argv[1] if len(sys.argv) > 1 else "default.json"`.
fn for_each_source<'p>(
    interpreter: &mut Interpreter<'p>,
    arguments: CallArguments,
    mut read: impl FnMut(&mut Interpreter<'p>, CallArguments) -> Eval,
) -> Eval {
    let source = arguments.positional.first().map(|source| interpreter.read(source));
    let Some(source @ Value::Alternatives(_)) = source else { return read(interpreter, arguments) };
    // Files of which nothing is known are all one.
    if !interpreter.names_settings_file(&source) {
        return read(interpreter, arguments);
    }
    interpreter.for_each_alternative(&source, |this, source| {
        let mut arguments = arguments.clone();
        arguments.positional[0] = source;
        read(this, arguments)
    })
}

#[easy_ext::ext(OpenFilesMethods)]
impl Interpreter<'_> {
    /// Whether one of the alternatives of a path, or of an open file, is a file of the project that is read.
    fn names_settings_file(&mut self, source: &Value) -> bool {
        let Value::Alternatives(alternatives) = source else { return false };
        let alternatives: Vec<Value> = alternatives.iter().map(|(_, value)| self.read(value)).collect();
        alternatives.iter().any(|value| match self.path_of(value) {
            Some(path) => self.settings_file(&path).is_some(),
            None => false,
        })
    }
}

fn open(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match if is_read(&arguments, 1) { opened(interpreter, &arguments) } else { None } {
        Some(known) => Ok(known),
        None if is_read(&arguments, 1) => {
            if let Some(path) = arguments.get(0, "file") {
                interpreter.note_missing_file(path, arguments.span);
            }
            saved_objects::open(interpreter, name, arguments)
        }
        None => saved_objects::open(interpreter, name, arguments),
    }
}

/// Whether a file is opened for reading alone; `place` is that of the mode among the arguments.
fn is_read(arguments: &CallArguments, place: usize) -> bool {
    let mode = arguments.get(place, "mode").and_then(Value::as_text).unwrap_or("r");
    !mode.contains(['w', 'a', 'x', '+'])
}

fn opened(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Option<Value> {
    let path = interpreter.path_of(arguments.get(0, "file")?)?;
    interpreter.settings_file(&path)?;
    Some(open_file(interpreter, &path, arguments.span))
}

/// A file that is read from its beginning.
fn open_file(interpreter: &mut Interpreter<'_>, path: &str, span: Span) -> Value {
    let file = interpreter.path_object(path, span);
    if let Value::Symbolic(id) = file {
        interpreter.move_file(id, true);
    }
    file
}

/// What a file or a text holds.
fn loaded(interpreter: &mut Interpreter<'_>, format: Format, arguments: &CallArguments) -> Value {
    let span = arguments.span;
    let source =
        arguments.positional.first().or_else(|| arguments.keyword("stream")).map(|source| interpreter.read(source));
    let known = match source {
        Some(Value::Str(Some(text))) => interpreter.settings_of_text(&text, format, span),
        Some(file @ Value::Symbolic(_)) => {
            let path = interpreter.path_of(&file);
            let known = path.and_then(|path| interpreter.settings_file(&path));
            let begins = if let Value::Symbolic(id) = file { interpreter.reads_from_start(id) } else { true };
            known.filter(|_| begins).and_then(|file| interpreter.settings_of_file(&file, format, "", span))
        }
        _ => None,
    };
    known.unwrap_or_else(|| interpreter.data_from_outside("settings", span))
}

/// A text of the program that is no JSON ends in an exception, where the program waits for one. Another file may lie there when it runs.
fn refuse_malformed(interpreter: &mut Interpreter<'_>, name: Name, arguments: &CallArguments) -> Eval<()> {
    let text = arguments.positional.first().map(|text| interpreter.read(text));
    match text {
        Some(Value::Str(Some(text))) if name.as_str() == "json.loads" && is_malformed_json(&text) => {
            if interpreter.model_state.settings.is_from_file(&text) {
                return Ok(());
            }
            interpreter.raise_if_caught("json.JSONDecodeError", "Expecting value", arguments.span)
        }
        _ => Ok(()),
    }
}

/// `json.load(file, object_hook=…)`: the function is called for each object, the innermost first.
fn hooked(interpreter: &mut Interpreter<'_>, value: Value, arguments: &CallArguments) -> Eval {
    // What else makes other values of what stands there is not followed.
    let others = ["cls", "object_pairs_hook", "parse_constant", "parse_float", "parse_int"];
    if others.iter().any(|name| arguments.keyword(name).is_some_and(|hook| !hook.is_none())) {
        return Ok(interpreter.data_from_outside("settings", arguments.span));
    }
    match arguments.keyword("object_hook").cloned() {
        Some(hook) if !hook.is_none() => apply_hook(interpreter, &value, &hook, arguments.span, DEEPEST_HOOK),
        _ => Ok(value),
    }
}

fn apply_hook(interpreter: &mut Interpreter<'_>, value: &Value, hook: &Value, span: Span, depth: usize) -> Eval {
    light_tick();
    if depth == 0 {
        return Ok(value.clone());
    }
    match value {
        Value::Dict(id) => {
            let Some(data) = interpreter.heap.dict(*id).cloned() else { return Ok(value.clone()) };
            let mut entries = Vec::with_capacity(data.entries.len());
            for (key, value) in &data.entries {
                entries.push((key.clone(), apply_hook(interpreter, value, hook, span, depth - 1)?));
            }
            let dict = Value::Dict(interpreter.heap.allocate_dict(entries));
            interpreter.call(hook, CallArguments::positional(vec![dict], span))
        }
        Value::List(id) => {
            let Some(data) = interpreter.heap.list(*id).cloned() else { return Ok(value.clone()) };
            let mut items = Vec::with_capacity(data.items.len());
            for item in &data.items {
                items.push(apply_hook(interpreter, item, hook, span, depth - 1)?);
            }
            Ok(Value::List(interpreter.heap.allocate_list(items)))
        }
        _ => Ok(value.clone()),
    }
}

fn new_parser(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let data = InstanceData { class: Value::Library(name), arguments: Vec::new(), origin: arguments.span };
    let has_bare_keys = !matches!(arguments.keyword("allow_no_value"), None | Some(Value::Bool(false)));
    let has_repeats = !matches!(arguments.keyword("strict"), None | Some(Value::Bool(true)));
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    let sections = Value::Dict(interpreter.heap.allocate_dict(Vec::new()));
    interpreter.heap.set_attribute(id, Name::new(SECTIONS), sections);
    interpreter.heap.set_attribute(id, Name::new(BARE_KEYS), Value::Bool(has_bare_keys));
    interpreter.heap.set_attribute(id, Name::new(REPEATS), Value::Bool(has_repeats));
    Ok(Value::Instance(id))
}

/// What a parser reads.
fn form_of(interpreter: &Interpreter<'_>, parser: &Value) -> IniForm {
    let has = |name: &str| match parser {
        Value::Instance(id) => matches!(interpreter.heap.attribute(*id, Name::new(name)), Some(Value::Bool(true))),
        _ => false,
    };
    IniForm { has_bare_keys: has(BARE_KEYS), has_repeats: has(REPEATS) }
}

fn sections(interpreter: &Interpreter<'_>, parser: &Value) -> Value {
    let Value::Instance(id) = parser else { return Value::Unknown("sections") };
    interpreter.heap.attribute(*id, Name::new(SECTIONS)).cloned().unwrap_or(Value::Unknown("sections"))
}

/// `parser.read(paths)`, `parser.read_file(file)`, `parser.read_string(text)`: what cannot be read leaves everything open.
fn read_sections(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let given = arguments.positional.first().map_or(Value::None, |given| interpreter.read(given));
    let files = match &given {
        Value::List(id) => interpreter.heap.list(*id).map(|data| data.items.clone()).unwrap_or_default(),
        given => vec![given.clone()],
    };
    let form = Format::Ini(form_of(interpreter, parser));
    for file in files {
        let path = interpreter.path_of(&file);
        let known = path.and_then(|path| interpreter.settings_file(&path));
        let read = match (known, file) {
            (Some(known), _) => interpreter.settings_of_file(&known, form, "", arguments.span),
            (None, Value::Str(Some(text))) => interpreter.settings_of_text(&text, form, arguments.span),
            _ => None,
        };
        let Value::Dict(all) = sections(interpreter, parser) else { break };
        let read = match read {
            Some(Value::Dict(read)) => interpreter.heap.dict(read).cloned(),
            _ => None,
        };
        let Some(read) = read else {
            let unknown = interpreter.data_from_outside("section", arguments.span);
            interpreter.heap.change_dict(all, |data| data.rest = Some((Value::Str(None), unknown)));
            continue;
        };
        for (name, section) in &read.entries {
            let section = interpreter.opened(section, &Value::library("configparser.SectionProxy"));
            interpreter.store_item(&Value::Dict(all), name, section, arguments.span)?;
        }
    }
    Ok(interpreter.data_from_outside("files", arguments.span))
}

/// `parser.getint(section, key, fallback=…)`.
fn option_of(method: &str) -> MethodHandler {
    fn find(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: &CallArguments, kind: &str) -> Eval {
        let sections = sections(interpreter, parser);
        let section = arguments.get(0, "section").cloned().unwrap_or(Value::None);
        let section = match &sections {
            Value::Dict(id) => {
                interpreter.heap.dict(*id).and_then(|data| data.find(&section).map(|(_, found)| found.clone()))
            }
            _ => None,
        };
        let option = arguments.get(1, "option").cloned().unwrap_or(Value::None);
        Ok(entry(interpreter, section.as_ref(), &option, arguments, kind))
    }
    match method {
        "getint" => |this, parser, arguments| find(this, parser, &arguments, "int"),
        "getfloat" => |this, parser, arguments| find(this, parser, &arguments, "float"),
        "getboolean" => |this, parser, arguments| find(this, parser, &arguments, "bool"),
        _ => |this, parser, arguments| find(this, parser, &arguments, "str"),
    }
}

/// `parser.set(section, key, value)` and what else changes the sections; names of options are in small letters.
fn change_of(method: &str) -> MethodHandler {
    fn option(call: &CallArguments) -> Value {
        let name = call.get(1, "option").cloned().unwrap_or(Value::None);
        name.as_text().map_or(name.clone(), |name| Value::str(&name.to_lowercase()))
    }
    fn section(interpreter: &mut Interpreter<'_>, parser: &Value, call: &CallArguments) -> Eval {
        let sections = sections(interpreter, parser);
        interpreter.get_item(&sections, call.get(0, "section").unwrap_or(&Value::None), call.span)
    }
    match method {
        "set" => |this, parser, call| {
            let section = section(this, parser, &call)?;
            let value = call.get(2, "value").cloned().unwrap_or(Value::None);
            this.store_item(&section, &option(&call), value, call.span).map(|()| Value::None)
        },
        "remove_option" => |this, parser, call| {
            let section = section(this, parser, &call)?;
            this.delete_item(&section, &option(&call));
            Ok(Value::Unknown("whether an option was there"))
        },
        "add_section" => |this, parser, call| {
            let sections = sections(this, parser);
            let new = Value::Dict(this.heap.allocate_dict(Vec::new()));
            let name = call.get(0, "section").cloned().unwrap_or(Value::None);
            this.store_item(&sections, &name, new, call.span).map(|()| Value::None)
        },
        _ => |this, parser, call| {
            let sections = sections(this, parser);
            this.delete_item(&sections, call.get(0, "section").unwrap_or(&Value::None));
            Ok(Value::Unknown("whether a section was there"))
        },
    }
}

/// `section.getint(key, fallback)`.
fn entry_of(method: &str) -> MethodHandler {
    fn find(interpreter: &mut Interpreter<'_>, section: &Value, arguments: &CallArguments, kind: &str) -> Eval {
        let option = arguments.get(0, "option").cloned().unwrap_or(Value::None);
        let arguments = match arguments.positional.get(1).cloned() {
            Some(fallback) => {
                let mut arguments = arguments.clone();
                arguments.keywords.push((name!("fallback"), fallback));
                arguments
            }
            None => arguments.clone(),
        };
        Ok(entry(interpreter, Some(section), &option, &arguments, kind))
    }
    match method {
        "getint" => |this, section, arguments| find(this, section, &arguments, "int"),
        "getfloat" => |this, section, arguments| find(this, section, &arguments, "float"),
        _ => |this, section, arguments| find(this, section, &arguments, "bool"),
    }
}

/// `parser.options(section)` and its like.
fn question_of(method: &str) -> MethodHandler {
    fn entries(
        interpreter: &Interpreter<'_>,
        parser: &Value,
        arguments: &CallArguments,
    ) -> Option<Option<Vec<(Value, Value)>>> {
        let Value::Dict(all) = sections(interpreter, parser) else { return None };
        let data = interpreter.heap.dict(all).filter(|data| data.rest.is_none())?;
        let Some((_, section)) = data.find(arguments.get(0, "section")?) else { return Some(None) };
        let Value::Dict(section) = interpreter.read(section) else { return None };
        let data = interpreter.heap.dict(section).filter(|data| data.rest.is_none())?;
        Some(Some(data.entries.clone()))
    }
    fn list(interpreter: &mut Interpreter<'_>, items: Option<Vec<Value>>, call: &CallArguments) -> Value {
        match items {
            Some(items) => Value::List(interpreter.heap.allocate_list(items)),
            None => interpreter.data_from_outside("options", call.span),
        }
    }
    match method {
        "options" => |this, parser, arguments| {
            let names = entries(this, parser, &arguments).flatten();
            let names = names.map(|entries| entries.into_iter().map(|(name, _)| name).collect());
            Ok(list(this, names, &arguments))
        },
        "items" => |this, parser, arguments| {
            let pairs = entries(this, parser, &arguments).flatten();
            let pairs = pairs.map(|it| it.into_iter().map(|(name, value)| Value::tuple(vec![name, value])).collect());
            Ok(list(this, pairs, &arguments))
        },
        "has_option" => |this, parser, arguments| {
            let wanted = arguments.get(1, "option").and_then(Value::as_text).map(str::to_lowercase);
            let is_it = |name: &Value| name.as_text().is_some_and(|name| Some(name) == wanted.as_deref());
            Ok(match entries(this, parser, &arguments) {
                Some(entries) if wanted.is_some() => {
                    Value::Bool(entries.is_some_and(|entries| entries.iter().any(|(name, _)| is_it(name))))
                }
                _ => Value::Unknown("whether there is an option"),
            })
        },
        _ => |this, parser, arguments| {
            let is_default = arguments.get(0, "section").and_then(Value::as_text) == Some("DEFAULT");
            Ok(match entries(this, parser, &arguments) {
                Some(entries) => Value::Bool(entries.is_some() && !is_default),
                None => Value::Unknown("whether there is a section"),
            })
        },
    }
}

/// An entry of a section, converted.
fn entry(
    interpreter: &mut Interpreter<'_>,
    section: Option<&Value>,
    option: &Value,
    arguments: &CallArguments,
    kind: &str,
) -> Value {
    let key = Value::Str(option.as_text().map(|name| Rc::from(name.to_lowercase())));
    let found = match section {
        Some(Value::Dict(id)) => {
            interpreter.heap.dict(*id).and_then(|data| data.find(&key).map(|(_, found)| found.clone()))
        }
        _ => None,
    };
    let found = found.as_ref().and_then(Value::as_text);
    let converted = match (kind, found) {
        (_, None) => arguments.keyword("fallback").cloned(),
        ("int", Some(text)) => text.trim().parse().ok().map(Value::int),
        ("float", Some(text)) => text.trim().parse().ok().map(|number| Value::Float(Some(number))),
        ("bool", Some(text)) => match text.trim().to_lowercase().as_str() {
            "1" | "yes" | "true" | "on" => Some(Value::Bool(true)),
            "0" | "no" | "false" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        (_, Some(text)) => Some(Value::str(text)),
    };
    converted.unwrap_or_else(|| interpreter.data_from_outside("setting", arguments.span))
}
