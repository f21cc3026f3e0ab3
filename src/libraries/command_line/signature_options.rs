//! Command lines that follow from a signature: `typer`, `fire`, `tyro`, `simple_parsing`, `HfArgumentParser` and their like make an option of each
//! parameter of a function, or of each field of a data class, data classes within it included.

use crate::methods::*;
use std::rc::Rc;

use crate::command_line::argument_words::{Action, Arity, Declared};
use crate::command_line::signature_types::{
    Field, Kind, annotated_fields, class_named, enumeration_named, flags_of_annotation, flags_of_option,
    is_argument_marker, kind_of, says_argument,
};
use crate::command_line::{argparse, argument_words, option_values};
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::builtins::eval::as_literal;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_interp::values::value::{Closure, Iteration, ObjectId, Value};
use harp_limits::light_tick;
use harp_python::ir::{Parameter, ParameterKind};
use harp_python::name::{Name, name};

/// How deep data classes lie within each other.
const DEEPEST: usize = 8;
const TYPER: &str = "typer.Typer";
/// `@app.command(…)`, which waits for the function.
const TYPER_DECORATOR: &str = "typer.decorator";
const COMMANDS: &str = "#commands";
/// What runs before each of the commands of an application.
const CALLBACK: &str = "#callback";
const HF_PARSER: &str = "transformers.HfArgumentParser";
const HF_PARSER_MODULE: &str = "transformers.hf_argparser.HfArgumentParser";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "tyro.cli"
        | "simple_parsing.parse"
        | "jsonargparse.CLI"
        | "jsonargparse.auto_cli"
        | "pyrallis.parse"
        | "draccus.parse" => from_class_or_function,
        "typer.run" | "fire.Fire" => run,
        TYPER => |this, name, arguments| {
            let id = new_object(this, name, arguments.span);
            let commands = Value::List(this.heap.allocate_list(Vec::new()));
            this.heap.set_attribute(id, Name::new(COMMANDS), commands);
            Ok(Value::Instance(id))
        },
        HF_PARSER | HF_PARSER_MODULE => |this, _, arguments| {
            let types = arguments.get(0, "dataclass_types").cloned().unwrap_or(Value::None);
            let id = new_object(this, Name::new(HF_PARSER), arguments.span);
            this.heap.set_attribute(id, name!("dataclass_types"), types);
            Ok(Value::Instance(id))
        },
        "typer.Option" | "typer.Argument" => |this, name, arguments| {
            let default = arguments.get(0, "default").cloned();
            let class = Value::Library(name);
            let flags = arguments.positional.iter().skip(1).filter(|flag| flag.as_text().is_some()).cloned().collect();
            let mut known = vec![(name!("flags"), Value::tuple(flags))];
            known.extend(default.map(|default| (name!("default"), default)));
            let data = InstanceData { class, arguments: known, origin: arguments.span };
            Ok(Value::Instance(this.heap.allocate(Payload::Instance(Rc::new(data)))))
        },
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    Some(match (class, method) {
        (TYPER, "callback") => |this, app, arguments| {
            let id = new_object(this, Name::new(TYPER_DECORATOR), arguments.span);
            this.heap.set_attribute(id, name!("app"), app.clone());
            this.heap.set_attribute(id, name!("name"), Value::Bool(true));
            Ok(Value::Instance(id))
        },
        (TYPER, "command") => |this, app, arguments| {
            let id = new_object(this, Name::new(TYPER_DECORATOR), arguments.span);
            this.heap.set_attribute(id, name!("app"), app.clone());
            let name = arguments.get(0, "name").cloned().unwrap_or(Value::None);
            this.heap.set_attribute(id, name!("name"), name);
            Ok(Value::Instance(id))
        },
        (TYPER, "add_typer") => |_, _, _| Ok(Value::None),
        (HF_PARSER, "parse_args_into_dataclasses") => |this, parser, arguments| {
            let words = argparse::command_words(this, arguments.get(0, "args"))?;
            let records = parsed_records(this, parser, words.as_deref(), &[], arguments.span)?;
            // The words that no class takes come last.
            let has_rest = arguments.get(1, "return_remaining_strings").cloned().unwrap_or(Value::Bool(false));
            match (this.read(&has_rest), &records) {
                (Value::Bool(false), _) => Ok(records),
                (Value::Bool(true), Value::Tuple(known)) => {
                    let word = this.some_text("word", arguments.span);
                    let rest = this.list_of(word);
                    Ok(Value::tuple(known.iter().cloned().chain([rest]).collect()))
                }
                _ => Ok(this.symbolic("options", arguments.span, true)),
            }
        },
        (HF_PARSER, "parse_dict") => |this, parser, arguments| {
            let given = arguments.get(0, "args").cloned().unwrap_or(Value::None);
            records_of_dict(this, parser, given, arguments.span)
        },
        (HF_PARSER, "parse_json_file" | "parse_yaml_file") => |this, parser, arguments| {
            use crate::settings::{Dialect, Format};
            let path = arguments.positional.first().or_else(|| arguments.keywords.first().map(|(_, path)| path));
            let file = path.and_then(|path| this.path_of(path)).and_then(|path| this.settings_file(&path));
            let is_json = file.as_ref().is_some_and(|file| file.path.ends_with(".json"));
            let format = if is_json { Format::Json } else { Format::Yaml(Dialect::PyYaml) };
            let given = file.and_then(|file| this.settings_of_file(&file, format, "", arguments.span));
            let given = given.unwrap_or_else(|| this.data_from_outside("settings", arguments.span));
            records_of_dict(this, parser, given, arguments.span)
        },
        _ => return None,
    })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        TYPER => Some(|this, app, arguments| {
            let commands = commands_of(this, app);
            let callback = match app {
                Value::Instance(id) => this.heap.attribute(*id, Name::new(CALLBACK)).cloned(),
                _ => None,
            };
            run_commands(this, callback.as_ref(), &commands, &arguments)
        }),
        TYPER_DECORATOR => Some(|this, decorator, arguments| {
            let function = arguments.positional.first().cloned().unwrap_or(Value::None);
            let span = arguments.span;
            let app = this.get_attribute(decorator, name!("app"), span)?;
            let name = this.get_attribute(decorator, name!("name"), span)?;
            if let (Value::Instance(app), Value::Bool(true)) = (&app, &name) {
                this.heap.set_attribute(*app, Name::new(CALLBACK), function.clone());
                return Ok(function);
            }
            if let Value::Instance(app) = app
                && let Some(Value::List(commands)) = this.heap.attribute(app, Name::new(COMMANDS)).cloned()
            {
                let command = Value::tuple(vec![command_name(&name, &function), function.clone()]);
                this.heap.push_item(commands, command);
            }
            Ok(function)
        }),
        _ => None,
    }
}

fn new_object(interpreter: &mut Interpreter<'_>, class: Name, origin: Span) -> ObjectId {
    let data = InstanceData { class: Value::Library(class), arguments: Vec::new(), origin };
    interpreter.heap.allocate(Payload::Instance(Rc::new(data)))
}

fn command_name(given: &Value, function: &Value) -> Value {
    match (given.as_text(), function) {
        (Some(_), _) => given.clone(),
        (None, Value::Function(closure)) => Value::str(&closure.function.name.as_str().replace('_', "-")),
        _ => Value::Str(None),
    }
}

fn commands_of(interpreter: &Interpreter<'_>, app: &Value) -> Vec<(Value, Value)> {
    let Value::Instance(id) = app else { return Vec::new() };
    let Some(Value::List(list)) = interpreter.heap.attribute(*id, Name::new(COMMANDS)) else { return Vec::new() };
    let items = interpreter.heap.list(*list).map(|data| data.items.clone()).unwrap_or_default();
    let pair = |item: Value| match item {
        Value::Tuple(parts) if parts.len() == 2 => Some((parts[0].clone(), parts[1].clone())),
        _ => None,
    };
    items.into_iter().filter_map(pair).collect()
}

/// Runs the command that the user names, the only one there is, or, where nothing is known of that, each.
fn run_commands(
    interpreter: &mut Interpreter<'_>,
    callback: Option<&Value>,
    commands: &[(Value, Value)],
    call: &CallArguments,
) -> Eval {
    let mut words = argparse::command_words(interpreter, None)?;
    if let Some(callback) = callback {
        // Its options stand before the name of the command.
        let names = |word: &String| commands.iter().any(|(name, _)| name.as_text() == Some(word.as_str()));
        let place = words.as_ref().and_then(|words| words.iter().position(names));
        let later = place.and_then(|place| words.as_mut().map(|words| words.split_off(place)));
        call_with_words(interpreter, callback, words.as_deref(), call.span)?;
        words = later.or(words);
    }
    if let ([(_, only)], None) = (commands, callback) {
        return call_with_words(interpreter, only, words.as_deref(), call.span);
    }
    if let Some(words) = &words
        && let Some((first, rest)) = words.split_first()
        && let Some((_, command)) = commands.iter().find(|(name, _)| name.as_text() == Some(first.as_str()))
    {
        return call_with_words(interpreter, command, Some(rest), call.span);
    }
    for (_, command) in commands {
        if let Err(budget @ Interrupt::Budget(_)) = call_with_words(interpreter, command, None, call.span) {
            return Err(budget);
        }
    }
    Ok(Value::None)
}

/// `fire.Fire(target)` and `typer.run(function)`.
fn run(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let before = interpreter.model_state.settings.reads_literals;
    interpreter.model_state.settings.reads_literals = name.as_str() == "fire.Fire";
    let result = run_target(interpreter, name, arguments);
    interpreter.model_state.settings.reads_literals = before;
    result
}

fn run_target(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let Some(target) = arguments.get(0, "component").cloned() else {
        if name.as_str() == "fire.Fire" {
            let commands = functions_of_script(interpreter);
            return run_commands(interpreter, None, &commands, &arguments);
        }
        interpreter.not_understood(name.as_str(), arguments.span);
        return Ok(Value::None);
    };
    match interpreter.read(&target) {
        Value::Dict(id) => {
            let commands = interpreter.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
            run_commands(interpreter, None, &commands, &arguments)
        }
        // The methods of what the class makes are the commands.
        Value::Class(class) => {
            let words = argparse::command_words(interpreter, None)?;
            let object = made_with_words(interpreter, &Value::Class(class), words.as_deref(), arguments.span)?;
            run_methods(interpreter, class, &object, &arguments)
        }
        object @ Value::Instance(_) => match interpreter.class_of(&object) {
            Value::Class(class) => run_methods(interpreter, class, &object, &arguments),
            _ => Ok(Value::None),
        },
        function => run_commands(interpreter, None, &[(Value::None, function)], &arguments),
    }
}

/// The functions that a script defines, by their names: what `fire.Fire()` has for commands. One that wants something is mostly a helper of the others,
/// and is no command that anyone gives without it.
fn functions_of_script(interpreter: &Interpreter<'_>) -> Vec<(Value, Value)> {
    let Some(frame) = interpreter.frames.last() else { return Vec::new() };
    let is_given = |parameter: &Parameter| {
        parameter.default.is_some()
            || matches!(parameter.kind, ParameterKind::Variadic | ParameterKind::VariadicKeyword)
    };
    let is_own = |value: &Value| match value {
        Value::Function(closure) => {
            closure.function.file == frame.file && closure.function.parameters.iter().all(is_given)
        }
        _ => false,
    };
    let names = interpreter.heap.object(frame.globals).attributes.iter();
    names.filter(|(_, value)| is_own(value)).map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect()
}

fn run_methods(interpreter: &mut Interpreter<'_>, class: ObjectId, object: &Value, call: &CallArguments) -> Eval {
    let members = interpreter.heap.object(class).attributes.iter();
    let is_command =
        |name: &Name, value: &Value| !name.as_str().starts_with('_') && matches!(value, Value::Function(_));
    let names: Vec<Name> = members.filter(|(name, value)| is_command(name, value)).map(|(name, _)| name).collect();
    let mut commands = Vec::with_capacity(names.len());
    for name in names {
        let method = interpreter.get_attribute(object, name, call.span)?;
        if matches!(method, Value::BoundMethod(_) | Value::Function(_)) {
            commands.push((Value::str(name.as_str()), method));
        }
    }
    // Where nothing says which, none is run for certain; what they do is looked at as for every function that nobody calls.
    let mut words = argparse::command_words(interpreter, None)?.unwrap_or_default();
    let is_command = |word: &String| commands.iter().any(|(name, _)| name.as_text() == Some(word.as_str()));
    let place = words.iter().position(is_command);
    let word = place.map(|place| words.remove(place));
    // Flags of the constructor are not those of the method.
    if let Some(Value::Function(closure)) = interpreter.member_of(&Value::Class(class), name!("__init__"), None) {
        let taken: Vec<Name> = closure.function.parameters.iter().map(|parameter| parameter.name).collect();
        words = argument_words::without_flags(words, &taken);
    }
    match word.and_then(|word| commands.iter().find(|(name, _)| name.as_text() == Some(word.as_str()))) {
        Some((_, command)) => call_with_words(interpreter, &command.clone(), Some(&words), call.span),
        None => run_commands(interpreter, None, &commands, call),
    }
}

/// `tyro.cli(target)`: an object of the class, or what the function returns.
fn from_class_or_function(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let target = arguments.get(0, "f").or_else(|| arguments.keyword("config_class")).cloned();
    let Some(target) = target.or_else(|| arguments.keyword("components").cloned()) else {
        interpreter.not_understood(name.as_str(), arguments.span);
        return Ok(interpreter.symbolic("options", arguments.span, true));
    };
    let words = argparse::command_words(interpreter, arguments.keyword("args"))?;
    made_with_words(interpreter, &target, words.as_deref(), arguments.span)
}

/// An object of a class for which the options of its constructor stand behind `prefix`.
pub fn made_of_command_line(interpreter: &mut Interpreter<'_>, class: &Value, prefix: &str, span: Span) -> Eval {
    let words = argparse::command_words(interpreter, None)?.unwrap_or_default();
    let start = format!("--{prefix}.");
    let own: Vec<String> = words
        .iter()
        .flat_map(|word| word.strip_prefix(&start).map(|rest| format!("--{rest}")).or_else(|| Some(word.clone())))
        .collect();
    call_with_words(interpreter, class, Some(&own), span)
}

/// An object of a data class, or what a function returns, with the words of a command line.
pub fn made_with_words(
    interpreter: &mut Interpreter<'_>,
    target: &Value,
    words: Option<&[String]>,
    span: Span,
) -> Eval {
    match interpreter.read(target) {
        Value::Class(class) if interpreter.is_record_class(class) => {
            let options = Options { words: words.unwrap_or(&[]), span, are_literals: false, fills_defaults: false };
            options.record(interpreter, class, None, "", 0)
        }
        target => call_with_words(interpreter, &target, words, span),
    }
}

/// Calls a function or class with the words of a command line.
fn call_with_words(interpreter: &mut Interpreter<'_>, function: &Value, words: Option<&[String]>, span: Span) -> Eval {
    let (closure, skipped) = match function {
        Value::Function(closure) => (Rc::clone(closure), 0),
        Value::BoundMethod(method) => match &method.function {
            Value::Function(closure) => (Rc::clone(closure), 1),
            _ => return interpreter.call(function, CallArguments::empty(span)),
        },
        Value::Class(_) => match interpreter.member_of(function, name!("__init__"), None) {
            Some(Value::Function(closure)) => (closure, 1),
            _ => return interpreter.call(function, CallArguments::empty(span)),
        },
        _ => return interpreter.call(function, CallArguments::empty(span)),
    };
    let are_literals = interpreter.model_state.settings.reads_literals;
    // `fire` fills the parameters of functions so, and not those of classes.
    let fills_defaults = are_literals && !matches!(function, Value::Class(_));
    let options = Options { words: words.unwrap_or(&[]), span, are_literals, fills_defaults };
    let (positional, keywords) = options.parameters(interpreter, &closure, skipped)?;
    let keyword_spans = vec![None; keywords.len()];
    interpreter.call(function, CallArguments { positional, keywords, keyword_spans, ..CallArguments::empty(span) })
}

/// `parser.parse_args_into_dataclasses()`: a tuple with an object of each class.
fn parsed_records(
    interpreter: &mut Interpreter<'_>,
    parser: &Value,
    words: Option<&[String]>,
    given: &[(Value, Value)],
    span: Span,
) -> Eval {
    let types = interpreter.get_attribute(parser, name!("dataclass_types"), span)?;
    let types = match types {
        Value::Class(_) | Value::Library(_) => vec![types],
        types => match interpreter.iterate(&types)? {
            Iteration::Items(items) => items,
            _ => return Ok(interpreter.symbolic("options", span, true)),
        },
    };
    let mut records = Vec::with_capacity(types.len());
    for class in types {
        records.push(match interpreter.read(&class) {
            Value::Class(class) if interpreter.is_record_class(class) && given.is_empty() => {
                let options = Options { words: words.unwrap_or(&[]), span, are_literals: false, fills_defaults: false };
                options.record(interpreter, class, None, "", 0)?
            }
            Value::Class(class) if interpreter.is_record_class(class) => {
                let fields = interpreter.record_fields(class);
                let named = |(key, value): &(Value, Value)| Some((Name::new(key.as_text()?), value.clone()));
                let keywords: Vec<(Name, Value)> =
                    given.iter().filter_map(named).filter(|(name, _)| fields.contains(name)).collect();
                let keyword_spans = vec![None; keywords.len()];
                interpreter
                    .instantiate(class, CallArguments { keywords, keyword_spans, ..CallArguments::empty(span) })?
            }
            // The arguments of a library's training loop.
            _ => interpreter.data_from_outside("options", span),
        });
    }
    Ok(Value::tuple(records))
}

fn records_of_dict(interpreter: &mut Interpreter<'_>, parser: &Value, given: Value, span: Span) -> Eval {
    match interpreter.read(&given) {
        Value::Dict(id) => {
            let given = interpreter.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
            parsed_records(interpreter, parser, None, &given, span)
        }
        _ => Ok(interpreter.symbolic("options", span, true)),
    }
}

/// The arguments of a call: by position, and by name.
type Given = (Vec<Value>, Vec<(Name, Value)>);

/// The words that options of a signature are looked for in.
struct Options<'w> {
    words: &'w [String],
    span: Span,
    /// Whether words are what they say in Python, whatever the parameters are.
    are_literals: bool,
    /// Whether words that belong to no option are for parameters with defaults, too.
    fills_defaults: bool,
}

impl Options<'_> {
    /// The arguments for a function's parameters, each by name.
    fn parameters(&self, interpreter: &mut Interpreter<'_>, closure: &Rc<Closure>, skipped: usize) -> Eval<Given> {
        let mut keywords = Vec::new();
        let function = std::sync::Arc::clone(&closure.function);
        let loose = self.loose_words(interpreter, closure, skipped);
        let mut loose = loose.into_iter();
        for (index, parameter) in function.parameters.iter().enumerate().skip(skipped) {
            if matches!(parameter.kind, ParameterKind::Variadic | ParameterKind::VariadicKeyword) {
                continue;
            }
            let default = closure.defaults.get(index).cloned().flatten();
            let place = parameter.range.in_file(function.file);
            let annotation = parameter.annotation.as_ref();
            let class = annotation.and_then(|annotation| class_named(interpreter, annotation, closure.globals));
            let value = match class {
                Some(class) => self.record(interpreter, class, default, &prefixed("", parameter.name), 1)?,
                None => {
                    let kind = annotation.map_or(Kind::Other, kind_of);
                    let is_argument = annotation.is_some_and(says_argument)
                        || default.as_ref().is_some_and(|it| is_argument_marker(interpreter, it));
                    let mut option = self.declared(interpreter, parameter.name.as_str(), kind, default, place);
                    let choices =
                        annotation.and_then(|annotation| enumeration_named(interpreter, annotation, closure.globals));
                    option.conversion = choices.unwrap_or(option.conversion);
                    option.flags.extend(annotation.map(flags_of_annotation).unwrap_or_default());
                    let takes_word = option.is_required
                        || is_argument
                        || self.fills_defaults && parameter.kind != ParameterKind::KeywordOnly;
                    self.value_or_word(interpreter, &option, takes_word, &mut loose)?
                }
            };
            keywords.push((parameter.name, value));
        }
        let has = |kind| function.parameters.iter().any(|parameter| parameter.kind == kind);
        if !self.are_literals || !(has(ParameterKind::Variadic) || has(ParameterKind::VariadicKeyword)) {
            return Ok((Vec::new(), keywords));
        }
        let further: Vec<Value> = loose.map(|word| as_literal(interpreter, &word)).collect();
        if has(ParameterKind::VariadicKeyword) {
            self.further_keywords(interpreter, &mut keywords);
        }
        // What stands before `*args` goes by position where there are any.
        let mut positional = Vec::new();
        if !further.is_empty() && has(ParameterKind::Variadic) {
            let before = function.parameters.iter().skip(skipped);
            let before = before.take_while(|parameter| parameter.kind != ParameterKind::Variadic).count();
            positional.extend(keywords.drain(..before.min(keywords.len())).map(|(_, value)| value));
            positional.extend(further);
        }
        Ok((positional, keywords))
    }

    /// Flags that no parameter has a name for, with their values.
    fn further_keywords(&self, interpreter: &mut Interpreter<'_>, keywords: &mut Vec<(Name, Value)>) {
        let mut words = self.words.iter().peekable();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else { continue };
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (flag, words.next_if(|next| !next.starts_with("--")).cloned()),
            };
            let name = Name::new(&name.replace('-', "_"));
            if keywords.iter().all(|(known, _)| *known != name) {
                let value = value.map_or(Value::Bool(true), |value| as_literal(interpreter, &value));
                keywords.push((name, value));
            }
        }
    }

    /// An object of a data class. `default` is one whose fields are the defaults; `prefix` stands before its options.
    fn record(
        &self,
        interpreter: &mut Interpreter<'_>,
        class: ObjectId,
        default: Option<Value>,
        prefix: &str,
        depth: usize,
    ) -> Eval {
        light_tick();
        if depth > DEEPEST {
            return Ok(interpreter.symbolic("options", self.span, true));
        }
        let of_default = match default.map(|default| interpreter.read(&default)) {
            Some(Value::Instance(id)) => Some(id),
            _ => None,
        };
        let mut keywords = Vec::new();
        for Field { name, kind, class: of_type, choices, place } in annotated_fields(interpreter, class) {
            let default = match of_default {
                Some(id) => interpreter.heap.attribute(id, name).cloned(),
                None => {
                    let value = interpreter.member_of(&Value::Class(class), name, None);
                    value.map(|value| interpreter.field_default(value, self.span))
                }
            };
            let inner = match &default {
                Some(Value::Instance(id)) => match interpreter.class_of(&Value::Instance(*id)) {
                    Value::Class(class) if interpreter.is_record_class(class) => Some(class),
                    _ => None,
                },
                _ => of_type,
            };
            let flag = prefixed(prefix, name);
            let value = match inner {
                Some(class) => self.record(interpreter, class, default, &flag, depth + 1)?,
                None => self.value(interpreter, &flag, kind, choices, default, place)?,
            };
            keywords.push((name, value));
        }
        let keyword_spans = vec![None; keywords.len()];
        interpreter.instantiate(class, CallArguments { keywords, keyword_spans, ..CallArguments::empty(self.span) })
    }

    /// The words that belong to no option: they are for the parameters without a default, in order.
    fn loose_words(&self, interpreter: &Interpreter<'_>, closure: &Closure, skipped: usize) -> Vec<String> {
        let mut options = Vec::new();
        for (index, parameter) in closure.function.parameters.iter().enumerate().skip(skipped) {
            let default = closure.defaults.get(index).cloned().flatten();
            let kind = parameter.annotation.as_ref().map_or(Kind::Other, kind_of);
            let place = parameter.range.in_file(closure.function.file);
            let mut option = self.declared(interpreter, parameter.name.as_str(), kind, default, place);
            option.flags.extend(parameter.annotation.as_ref().map(flags_of_annotation).unwrap_or_default());
            options.push(option);
        }
        let rest = argument_words::parse(&options, self.words, &[]).rest;
        let takes_any = closure.function.parameters.iter().any(|known| known.kind == ParameterKind::VariadicKeyword);
        let mut loose = Vec::new();
        let mut rest = rest.into_iter().peekable();
        while let Some(word) = rest.next() {
            match word.strip_prefix("--") {
                None => loose.push(word),
                // The value of a flag of the program's own choosing.
                Some(flag) if takes_any && self.are_literals && !flag.contains('=') => {
                    rest.next_if(|next| !next.starts_with("--"));
                }
                Some(_) => {}
            }
        }
        loose
    }

    /// The value of an option, or the next of the words that belong to none.
    fn value_or_word(
        &self,
        interpreter: &mut Interpreter<'_>,
        option: &Declared,
        takes_word: bool,
        loose: &mut std::vec::IntoIter<String>,
    ) -> Eval {
        let mut parsed = argument_words::parse(std::slice::from_ref(option), self.words, &[]);
        self.join_groups(option, &mut parsed);
        match parsed.given.first() {
            Some((_, given)) => option_values::given_value(interpreter, &self.read_as_literal(option), given),
            None if takes_word && option.action == Action::Store && option.arity == Arity::One => match loose.next() {
                Some(word) => {
                    let given = argument_words::Given { groups: vec![vec![word]], by: Vec::new(), is_negated: false };
                    option_values::given_value(interpreter, &self.read_as_literal(option), &given)
                }
                None => argparse::default_value(interpreter, option),
            },
            None => argparse::default_value(interpreter, option),
        }
    }

    /// `--dims 4 --dims 5` of a list is both, where each time has one word.
    fn join_groups(&self, option: &Declared, parsed: &mut argument_words::Parsed) {
        for (_, given) in &mut parsed.given {
            if option.arity == Arity::Any && given.groups.len() > 1 && given.groups.iter().all(|group| group.len() == 1)
            {
                given.groups = vec![given.groups.concat()];
            }
        }
    }

    /// The option as its words are read, where they are what they say in Python.
    fn read_as_literal(&self, option: &Declared) -> Declared {
        let mut option = option.clone();
        if self.are_literals {
            option.conversion = Value::library("fire.parser.DefaultParseValue");
        }
        option
    }

    /// The value of one option.
    fn value(
        &self,
        interpreter: &mut Interpreter<'_>,
        name: &str,
        kind: Kind,
        choices: Option<Value>,
        default: Option<Value>,
        span: Span,
    ) -> Eval {
        let mut option = self.declared(interpreter, name, kind, default, span);
        option.conversion = choices.unwrap_or(option.conversion);
        let mut parsed = argument_words::parse(std::slice::from_ref(&option), self.words, &[]);
        self.join_groups(&option, &mut parsed);
        match parsed.given.first() {
            Some((_, given)) => option_values::given_value(interpreter, &option, given),
            None => argparse::default_value(interpreter, &option),
        }
    }

    /// The option of a parameter or field.
    fn declared(
        &self,
        interpreter: &Interpreter<'_>,
        name: &str,
        kind: Kind,
        default: Option<Value>,
        span: Span,
    ) -> Declared {
        let named = match &default {
            Some(value) => flags_of_option(interpreter, value),
            None => Vec::new(),
        };
        // `typer.Option(8)` stands for its default, and for none where that is `...`.
        let default = match default {
            Some(value) => match interpreter.instance_data(&value) {
                Some(data) if matches!(&data.class, Value::Library(name) if name.as_str().starts_with("typer.")) => {
                    Some(argument_of(&data, "default"))
                        .filter(|default| !matches!(default, Value::Ellipsis | Value::Unknown(_)))
                }
                Some(data) if matches!(&data.class, Value::Library(name) if name.as_str() == "dataclasses.field") => {
                    None
                }
                _ => Some(value),
            },
            None => None,
        };
        let kind = kind.or_of(default.as_ref());
        let short = name.rsplit('.').next().unwrap_or(name);
        let mut flags: Vec<String> = Vec::new();
        for flag in [name.to_owned(), name.replace('_', "-"), short.to_owned(), short.replace('_', "-")] {
            let flag = format!("--{flag}");
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        let negations = [name, short]
            .into_iter()
            .flat_map(|name| [format!("--no-{}", name.replace('_', "-")), format!("--no_{name}")]);
        let mut negations: Vec<String> = if kind == Kind::Bool { negations.collect() } else { Vec::new() };
        // `"--deep/--shallow"`
        for flag in named {
            let (positive, negative) = flag.split_once('/').unwrap_or((&flag, ""));
            flags.extend([positive.trim().to_owned()].into_iter().filter(|flag| !flag.is_empty()));
            negations.extend([negative.trim().to_owned()].into_iter().filter(|flag| !flag.is_empty()));
        }
        Declared {
            destination: name.to_owned(),
            is_positional: false,
            negations,
            flags,
            conversion: match kind {
                Kind::Int | Kind::List(true) => Value::library("builtins.int"),
                Kind::Float => Value::library("builtins.float"),
                // A default that is a text says that words stay what they are.
                Kind::Path if !matches!(default, Some(Value::Str(_))) => Value::library("pathlib.Path"),
                Kind::Made if !matches!(default, Some(Value::Str(_))) => {
                    Value::Unknown("what an annotation makes of a word")
                }
                _ => Value::None,
            },
            is_required: default.is_none(),
            default: default.unwrap_or(Value::None),
            action: if kind == Kind::Bool { Action::Switch } else { Action::Store },
            arity: if matches!(kind, Kind::List(_)) { Arity::Any } else { Arity::One },
            choices: Value::None,
            custom: Value::None,
            constant: Value::None,
            span,
        }
    }
}

fn prefixed(prefix: &str, name: Name) -> String {
    if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") }
}
