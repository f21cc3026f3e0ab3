//! `argparse` and `optparse`: options are collected as the program declares them, and parsing gives an object whose attributes are the words
//! of the user's command line, else the defaults. An integer's default becomes a variable, so that what only the defaults hide can be told.

use std::collections::HashSet;
use std::rc::Rc;

use crate::command_line::argument_words::{self, Action, Arity, Declared};
use crate::command_line::option_values::{converted, value_after_default};
use crate::command_line::options_as_numbers::is_number_everywhere;
use crate::command_line::signature_options::made_with_words;
use crate::settings::Words;
use crate::stdlib::os_environ::changed_words;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{ConstructorHandler, FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::loops::asks_iteration_number::children;
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt, Speculation};
use harp_interp::values::value::{Guard, Iteration, Literal, ObjectId, Value};
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::{Name, name};
use harp_shape::{Dim, Var, VarInfo};
use harp_trace::assumption::{AssumptionKind, words as sentences};

const PARSERS: [&str; 5] = [
    "argparse.ArgumentParser",
    "optparse.OptionParser",
    "configargparse.ArgParser",
    "configargparse.ArgumentParser",
    "simple_parsing.ArgumentParser",
];
const NAMESPACE: &str = "argparse.Namespace";
const OPTION: &str = "argparse.option";
/// Where a parser keeps its options; no name of a program's attribute.
const OPTIONS: &str = "#options";
/// Where a parser keeps what `set_defaults` gave.
const DEFAULTS: &str = "#defaults";
/// Where a parser says that it has options that nobody knows.
const IS_OPEN: &str = "#any attribute";
/// The parsers of commands, with their names.
const COMMANDS: &str = "#commands";
/// The attribute in which the name of the chosen command is stored.
const COMMAND_DESTINATION: &str = "#command";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        name if PARSERS.contains(&name) => |this, name, arguments| {
            let data = InstanceData { class: Value::Library(name), arguments: Vec::new(), origin: arguments.span };
            let id = this.heap.allocate(Payload::Instance(Rc::new(data)));
            set_up(this, id, arguments)?;
            Ok(Value::Instance(id))
        },
        NAMESPACE | "types.SimpleNamespace" => |this, _, arguments| {
            let namespace = new_namespace(this, arguments.span);
            fill_namespace(this, namespace, arguments)?;
            Ok(Value::Instance(namespace))
        },
        _ => return None,
    })
}

pub fn constructor(class: &str) -> Option<ConstructorHandler> {
    match class {
        NAMESPACE | "types.SimpleNamespace" => Some(fill_namespace),
        class => PARSERS.contains(&class).then_some(set_up as ConstructorHandler),
    }
}

/// What a namespace is made with are its attributes.
fn fill_namespace(interpreter: &mut Interpreter<'_>, id: ObjectId, arguments: CallArguments) -> Eval<()> {
    for (name, value) in arguments.keywords {
        interpreter.heap.set_attribute(id, name, value);
    }
    if arguments.is_open {
        interpreter.open_attributes(&Value::Instance(id));
    }
    Ok(())
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    if !PARSERS.contains(&class) {
        return None;
    }
    Some(match method {
        "add_argument" | "add_option" => add_argument,
        // A group's options are its parser's.
        "add_argument_group" | "add_mutually_exclusive_group" | "add_option_group" => |_, parser, _| Ok(parser.clone()),
        "set_defaults" => set_defaults,
        "add_arguments" => add_record,
        "get_default" => get_default,
        "add_subparsers" => add_subparsers,
        "add_parser" => add_parser,
        "parse_args" => parse_args,
        "parse_known_args" | "parse_known_intermixed_args" => parse_known_args,
        "parse_intermixed_args" => parse_args,
        "print_help" | "print_usage" | "set_usage" | "register" | "convert_arg_line_to_args" => {
            |_, _, _| Ok(Value::None)
        }
        "format_help" | "format_usage" => |_, _, _| Ok(Value::Str(None)),
        "error" | "exit" => |_, _, _| Err(Interrupt::Raise),
        _ => return None,
    })
}

/// A new parser's state; the options of `parents` are its own too.
fn set_up(interpreter: &mut Interpreter<'_>, id: ObjectId, arguments: CallArguments) -> Eval<()> {
    let mut options = Vec::new();
    if let Some(parents) = arguments.keyword("parents").cloned()
        && let Iteration::Items(parents) = interpreter.iterate(&parents)?
    {
        for parent in parents {
            options.extend(options_of(interpreter, &parent));
        }
    }
    let options = Value::List(interpreter.heap.allocate_list(options));
    interpreter.heap.set_attribute(id, Name::new(OPTIONS), options);
    let defaults = Value::Dict(interpreter.heap.allocate_dict(Vec::new()));
    interpreter.heap.set_attribute(id, Name::new(DEFAULTS), defaults);
    let commands = Value::Dict(interpreter.heap.allocate_dict(Vec::new()));
    interpreter.heap.set_attribute(id, name!("choices"), commands.clone());
    interpreter.heap.set_attribute(id, Name::new(COMMANDS), commands);
    Ok(())
}

fn new_namespace(interpreter: &mut Interpreter<'_>, span: Span) -> ObjectId {
    let data = InstanceData { class: Value::library(NAMESPACE), arguments: Vec::new(), origin: span };
    interpreter.heap.allocate(Payload::Instance(Rc::new(data)))
}

fn options_of(interpreter: &Interpreter<'_>, parser: &Value) -> Vec<Value> {
    let Value::Instance(id) = parser else { return Vec::new() };
    let Some(Value::List(list)) = interpreter.heap.attribute(*id, Name::new(OPTIONS)) else { return Vec::new() };
    interpreter.heap.list(*list).map(|data| data.items.clone()).unwrap_or_default()
}

/// The entries of a parser's hidden dictionary.
fn entries_of(interpreter: &Interpreter<'_>, parser: &Value, name: &str) -> Vec<(Value, Value)> {
    let Value::Instance(id) = parser else { return Vec::new() };
    let Some(Value::Dict(dict)) = interpreter.heap.attribute(*id, Name::new(name)) else { return Vec::new() };
    interpreter.heap.dict(*dict).map(|data| data.entries.clone()).unwrap_or_default()
}

/// `add_argument(*flags, …)`: kept as an object, whose arguments the parsing reads.
fn add_argument(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = parser else { return Ok(Value::None) };
    let mut known = vec![(name!("flags"), Value::tuple(arguments.positional.clone()))];
    known.extend(arguments.keywords);
    // Which attribute such an option has is not known.
    if arguments.is_open || arguments.positional.iter().any(|flag| flag.as_text().is_none()) {
        interpreter.heap.set_attribute(*id, Name::new(IS_OPEN), Value::Bool(true));
    }
    let data = InstanceData { class: Value::library(OPTION), arguments: known, origin: arguments.span };
    let option = Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))));
    if let Some(Value::List(list)) = interpreter.heap.attribute(*id, Name::new(OPTIONS)).cloned() {
        let added = option.clone();
        interpreter.heap.change_list(list, |data| data.items.push(added));
    }
    Ok(option)
}

fn set_defaults(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = parser else { return Ok(Value::None) };
    if arguments.is_open {
        interpreter.heap.set_attribute(*id, Name::new(IS_OPEN), Value::Bool(true));
    }
    if let Some(Value::Dict(dict)) = interpreter.heap.attribute(*id, Name::new(DEFAULTS)).cloned() {
        interpreter.heap.change_dict(dict, |data| {
            for (name, value) in arguments.keywords {
                harp_interp::evaluate::expressions::insert(data, Value::str(name.as_str()), value);
            }
        });
    }
    Ok(Value::None)
}

/// `add_arguments(Config, dest="config")`: the options of a data class, whose object is stored under one name.
fn add_record(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let (Some(class), Some(name)) = (arguments.get(0, "dataclass"), arguments.get(1, "dest").and_then(Value::as_text))
    else {
        return Ok(Value::None);
    };
    let (class, name, span) = (class.clone(), Name::new(name), arguments.span);
    let words = command_words(interpreter, None)?;
    let made = made_with_words(interpreter, &class, words.as_deref(), span)?;
    let defaults =
        CallArguments { keywords: vec![(name, made)], keyword_spans: vec![None], ..CallArguments::empty(span) };
    set_defaults(interpreter, parser, defaults)
}

fn get_default(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let Some(wanted) = arguments.get(0, "dest").and_then(Value::as_text) else { return Ok(Value::Unknown("default")) };
    let given = entries_of(interpreter, parser, DEFAULTS);
    if let Some((_, value)) = given.iter().find(|(name, _)| name.as_text() == Some(wanted)) {
        return Ok(value.clone());
    }
    let options = declared(interpreter, parser);
    Ok(options.into_iter().find(|option| option.destination == wanted).map_or(Value::None, |option| option.default))
}

/// The parser itself stands for its commands.
fn add_subparsers(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    if let (Value::Instance(id), Some(name)) = (parser, arguments.keyword("dest")) {
        interpreter.heap.set_attribute(*id, Name::new(COMMAND_DESTINATION), name.clone());
    }
    Ok(parser.clone())
}

fn add_parser(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let command = interpreter.call_library(
        Name::new(PARSERS[0]),
        CallArguments { positional: Vec::new(), positional_spans: Vec::new(), ..arguments.clone() },
    )?;
    if let (Value::Instance(id), Some(name)) = (parser, arguments.positional.first().cloned())
        && let Some(Value::Dict(dict)) = interpreter.heap.attribute(*id, Name::new(COMMANDS)).cloned()
    {
        let added = command.clone();
        let aliases = match arguments.keyword("aliases") {
            Some(aliases) => interpreter.iterate(aliases)?,
            None => Iteration::Items(Vec::new()),
        };
        let aliases = if let Iteration::Items(aliases) = aliases { aliases } else { Vec::new() };
        interpreter.heap.change_dict(dict, |data| {
            for name in std::iter::once(name).chain(aliases) {
                harp_interp::evaluate::expressions::insert(data, name, added.clone());
            }
        });
    }
    Ok(command)
}

fn parse_args(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let (namespace, rest) = parse(interpreter, parser, arguments)?;
    let is_optparse = interpreter.is_instance_of(parser, PARSERS[1]);
    Ok(if is_optparse { Value::tuple(vec![namespace, rest]) } else { namespace })
}

fn parse_known_args(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval {
    let (namespace, rest) = parse(interpreter, parser, arguments)?;
    Ok(Value::tuple(vec![namespace, rest]))
}

/// The namespace, and the words that no option takes.
fn parse(interpreter: &mut Interpreter<'_>, parser: &Value, arguments: CallArguments) -> Eval<(Value, Value)> {
    let words = command_words(interpreter, arguments.get(0, "args"))?;
    let namespace = match arguments.get(1, "namespace") {
        Some(Value::Instance(id)) => *id,
        _ => new_namespace(interpreter, arguments.span),
    };
    // What a namespace has that is handed in takes the place of defaults.
    let before: Vec<(Name, Value)> =
        interpreter.heap.object(namespace).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
    let owner = owner_of_words(interpreter, arguments.get(0, "args"), words.as_deref());
    let outer = std::mem::replace(&mut interpreter.model_state.settings.words, owner);
    let rest = fill(interpreter, parser, namespace, words.as_deref(), arguments.span);
    interpreter.model_state.settings.words = outer;
    let rest = rest?;
    if !before.is_empty() {
        let options = declared(interpreter, parser);
        let parsed = argument_words::parse(&options, words.as_deref().unwrap_or(&[]), &[]);
        for (name, value) in before {
            if !parsed.given.iter().any(|(destination, _)| destination == name.as_str()) {
                interpreter.heap.set_attribute(namespace, name, value);
            }
        }
    }
    let rest: Vec<Value> = rest.iter().map(|word| Value::str(word)).collect();
    Ok((Value::Instance(namespace), Value::List(interpreter.heap.allocate_list(rest))))
}

/// The words to parse: those of the call, else the user's; `None` where there are none and the defaults are meant.
pub(crate) fn command_words(interpreter: &mut Interpreter<'_>, given: Option<&Value>) -> Eval<Option<Vec<String>>> {
    if let Some(given) = given
        && !given.is_none()
    {
        return Ok(match interpreter.iterate(given)? {
            Iteration::Items(items) => items.iter().map(|item| item.as_text().map(str::to_owned)).collect(),
            _ => None,
        });
    }
    Ok(changed_words(interpreter).unwrap_or_else(|| interpreter.options.arguments.clone()))
}

/// Whose words a call parses.
fn owner_of_words(interpreter: &Interpreter<'_>, given: Option<&Value>, words: Option<&[String]>) -> Words {
    let is_given = given.is_some_and(|given| !given.is_none());
    match words {
        Some(words) if interpreter.options.arguments.as_deref() == Some(words) => Words::OfUser,
        Some(_) => Words::Written,
        None if !is_given && changed_words(interpreter).is_some() => Words::Unknown,
        None => Words::OfUser,
    }
}

/// Stores every option's value in the namespace; returns the words that were not understood.
pub(crate) fn fill(
    interpreter: &mut Interpreter<'_>,
    parser: &Value,
    namespace: ObjectId,
    words: Option<&[String]>,
    span: Span,
) -> Eval<Vec<String>> {
    let options = declared(interpreter, parser);
    if matches!(parser, Value::Instance(id) if interpreter.has_open_attributes(*id)) {
        interpreter.open_attributes(&Value::Instance(namespace));
    }
    let commands = entries_of(interpreter, parser, COMMANDS);
    let names: Vec<&str> = commands.iter().filter_map(|(name, _)| name.as_text()).collect();
    let parsed = argument_words::parse(&options, words.unwrap_or(&[]), &names);
    let mut stored: HashSet<&str> = HashSet::new();
    for option in &options {
        let value = match parsed.given.iter().find(|(destination, _)| *destination == option.destination) {
            // Of several options that are stored in one place, the one that came last says what is there.
            Some((_, given)) if given.by.last() != option.flags.first() => continue,
            Some((_, given)) => value_after_default(interpreter, &options, option, given)?,
            // And the first one has the default.
            None if !stored.insert(&option.destination) => continue,
            None if is_suppressed(option) && interpreter.given_option(option.span, option.label()).is_none() => {
                continue;
            }
            None => default_value(interpreter, option)?,
        };
        if given_is_no_choice(interpreter, &option.choices, &value) && is_given(&parsed, option) {
            return Err(interpreter.raise("SystemExit", "invalid choice", span));
        }
        if let (Value::Class(class), true) = (&option.custom, is_given(&parsed, option)) {
            let default = default_value(interpreter, option)?;
            interpreter.heap.set_attribute(namespace, Name::new(&option.destination), default);
            run_action(interpreter, *class, option, [parser.clone(), Value::Instance(namespace), value], span)?;
            continue;
        }
        if value.is_none() {
            let given = required_value(interpreter, option);
            interpreter.heap.set_attribute(namespace, given_name(Name::new(&option.destination)), given);
        }
        interpreter.heap.set_attribute(namespace, Name::new(&option.destination), value);
    }
    for (name, value) in entries_of(interpreter, parser, DEFAULTS) {
        let is_given = parsed.given.iter().any(|(destination, _)| name.as_text() == Some(destination.as_str()));
        if let (Some(name), false) = (name.as_text(), is_given) {
            interpreter.heap.set_attribute(namespace, Name::new(name), value);
        }
    }
    let mut rest = parsed.rest;
    if commands.is_empty() {
        return Ok(rest);
    }
    let chosen = parsed.command.as_ref().and_then(|(name, words)| {
        let command = commands.iter().find(|(known, _)| known.as_text() == Some(name.as_str()))?;
        Some((command.clone(), words.clone()))
    });
    let destination = match parser {
        Value::Instance(id) => interpreter.heap.attribute(*id, Name::new(COMMAND_DESTINATION)).cloned(),
        _ => None,
    };
    let destination = destination.as_ref().and_then(Value::as_text).map(Name::new);
    match chosen {
        Some(((name, command), words)) => {
            if let Some(destination) = destination {
                interpreter.heap.set_attribute(namespace, destination, name);
            }
            rest.extend(fill(interpreter, &command, namespace, Some(&words), span)?);
        }
        None => {
            // Which command is run is not known: the options of all are there.
            if let Some(destination) = destination {
                let command = interpreter.symbolic(destination.as_str(), span, false);
                interpreter.heap.set_attribute(namespace, destination, command);
            }
            for (_, command) in commands.iter().rev() {
                fill(interpreter, command, namespace, None, span)?;
            }
            let given = defaults_of_one(interpreter, &commands);
            for (name, value) in given {
                interpreter.heap.set_attribute(namespace, name, value);
            }
        }
    }
    Ok(rest)
}

fn is_given(parsed: &argument_words::Parsed, option: &Declared) -> bool {
    parsed.given.iter().any(|(destination, _)| *destination == option.destination)
}

/// Calls an action of the program's own with the parser, the namespace and the values.
fn run_action(
    interpreter: &mut Interpreter<'_>,
    class: ObjectId,
    option: &Declared,
    [parser, namespace, values]: [Value; 3],
    span: Span,
) -> Eval<()> {
    let action = interpreter.allocate_instance(class, option.span);
    let Value::Instance(id) = action else { return Ok(()) };
    let flags = option.flags.iter().map(|flag| Value::str(flag)).collect();
    let flags = Value::List(interpreter.heap.allocate_list(flags));
    let settings = [
        ("option_strings", flags),
        ("dest", Value::str(&option.destination)),
        ("const", option.constant.clone()),
        ("default", option.default.clone()),
        ("type", option.conversion.clone()),
        ("choices", option.choices.clone()),
    ];
    for (name, value) in settings {
        interpreter.heap.set_attribute(id, Name::new(name), value);
    }
    let Some(call) = interpreter.own_method(&action, "__call__") else { return Ok(()) };
    let arguments = vec![parser, namespace, values, Value::str(option.label())];
    interpreter.call(&call, CallArguments::positional(arguments, span))?;
    Ok(())
}

/// Whether a word that was given is none of the choices that the program declares.
fn given_is_no_choice(interpreter: &mut Interpreter<'_>, choices: &Value, value: &Value) -> bool {
    let is_constant = |value: &Value| value.as_int().is_some() || value.as_text().is_some();
    let Ok(Iteration::Items(choices)) = interpreter.iterate(choices).map(|choices| interpreter.itemised(choices))
    else {
        return false;
    };
    let values = match value {
        Value::List(id) => interpreter.heap.list(*id).map(|data| data.items.clone()).unwrap_or_default(),
        value => vec![value.clone()],
    };
    !choices.is_empty()
        && choices.iter().all(is_constant)
        && values.iter().any(|value| is_constant(value) && !choices.iter().any(|choice| choice.same(value)))
}

/// What `set_defaults` of the commands gives, as `func` does: one of several, depending on which command the user runs.
fn defaults_of_one(interpreter: &mut Interpreter<'_>, commands: &[(Value, Value)]) -> Vec<(Name, Value)> {
    let given: Vec<Vec<(Value, Value)>> =
        commands.iter().map(|(_, command)| entries_of(interpreter, command, DEFAULTS)).collect();
    let mut names: Vec<String> = Vec::new();
    for name in given.iter().flatten().filter_map(|(name, _)| name.as_text()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() || !(2..=interpreter.options.limits.alternatives).contains(&commands.len()) {
        return Vec::new();
    }
    let mut guards: Vec<Guard> = Vec::with_capacity(commands.len());
    let mut before: Vec<Literal> = Vec::new();
    for (index, (name, _)) in commands.iter().enumerate() {
        let mut guard = before.clone();
        if index + 1 < commands.len() {
            let text = format!("the command is `{}`", name.as_text().unwrap_or("another"));
            let decision = interpreter.new_decision(&text, None);
            guard.push(Literal { decision, taken: true });
            before.push(Literal { decision, taken: false });
        }
        guards.push(Rc::from(guard));
    }
    let value_of = |entries: &[(Value, Value)], name: &str| {
        entries.iter().find(|(known, _)| known.as_text() == Some(name)).map_or(Value::None, |(_, value)| value.clone())
    };
    names
        .into_iter()
        .map(|name| {
            let values = guards.iter().zip(&given).map(|(guard, given)| (Rc::clone(guard), value_of(given, &name)));
            (Name::new(&name), interpreter.join(values.collect()))
        })
        .collect()
}

/// A parser's options, read from the calls that declared them.
fn declared(interpreter: &mut Interpreter<'_>, parser: &Value) -> Vec<Declared> {
    let options = options_of(interpreter, parser);
    let mut declared: Vec<Declared> = options.iter().filter_map(|option| declaration(interpreter, option)).collect();
    for option in &mut declared {
        // Where the user gives none there are none.
        if option.is_positional && matches!(&option.default, Value::Tuple(words) if words.is_empty()) {
            option.default = Value::List(interpreter.heap.allocate_list(Vec::new()));
        }
    }
    declared
}

fn declaration(interpreter: &Interpreter<'_>, option: &Value) -> Option<Declared> {
    let Value::Instance(id) = interpreter.read(option) else { return None };
    let data = interpreter.heap.instance(id)?;
    let get = |name: &str| {
        data.arguments.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| interpreter.read(value))
    };
    let Value::Tuple(flags) = argument_of(data, "flags") else { return None };
    let flags: Vec<String> = flags.iter().filter_map(|flag| flag.as_text().map(str::to_owned)).collect();
    let destination = match get("dest").as_ref().and_then(Value::as_text) {
        Some(name) => name.to_owned(),
        None => argument_words::destination(&flags)?,
    };
    let constant = get("const").unwrap_or(Value::None);
    let action = match get("action") {
        Some(Value::Library(name)) if name.as_str() == "argparse.BooleanOptionalAction" => Action::Switch,
        Some(Value::Class(_)) => Action::Store,
        Some(action) => Action::named(action.as_text().unwrap_or("")),
        None => Action::Store,
    };
    let custom = get("action").filter(|action| matches!(action, Value::Class(_))).unwrap_or(Value::None);
    let arity = match get("nargs") {
        Some(Value::Int(count)) => count.as_const().map_or(Arity::Any, |count| Arity::Exactly(count.max(0) as usize)),
        Some(Value::Library(name)) if name.as_str() == "argparse.REMAINDER" => Arity::Remainder,
        Some(Value::Library(name)) if name.as_str() == "argparse.ONE_OR_MORE" => Arity::Some,
        Some(Value::Library(name)) if name.as_str() == "argparse.ZERO_OR_MORE" => Arity::Any,
        Some(Value::Library(name)) if name.as_str() == "argparse.OPTIONAL" => Arity::Optional,
        Some(count) => Arity::named(count.as_text()),
        None => Arity::One,
    };
    let is_positional = !flags.iter().any(|flag| flag.starts_with('-'));
    let default = get("default");
    let has_default = default.is_some();
    let default = default.unwrap_or(match action {
        Action::StoreTrue => Value::Bool(false),
        Action::StoreFalse => Value::Bool(true),
        _ if is_positional && matches!(arity, Arity::Any | Arity::Remainder) => Value::tuple(Vec::new()),
        _ => Value::None,
    });
    let is_required = if is_positional {
        !has_default && matches!(arity, Arity::One | Arity::Exactly(_) | Arity::Some)
    } else {
        // A default that says nothing is never used either.
        matches!(get("required"), Some(Value::Bool(true))) && default.is_none()
    };
    Some(Declared {
        destination,
        is_positional,
        flags,
        conversion: get("type").unwrap_or(Value::None),
        default,
        action,
        arity,
        is_required,
        constant,
        choices: get("choices").unwrap_or(Value::None),
        custom,
        negations: Vec::new(),
        span: data.origin,
    })
}

/// What an option holds where the command line does not give it.
/// Whether an option that is not given leaves no attribute.
fn is_suppressed(option: &Declared) -> bool {
    matches!(&option.default, Value::Library(name) if name.as_str() == "argparse.SUPPRESS")
}

pub(crate) fn default_value(interpreter: &mut Interpreter<'_>, option: &Declared) -> Eval {
    if interpreter.model_state.settings.words == Words::Unknown {
        return Ok(Value::Unknown("a word that the program may have put among those of the command line"));
    }
    if let Some(given) = interpreter.given_option(option.span, option.label()) {
        return Ok(given);
    }
    if option.is_required {
        let value = required_value(interpreter, option);
        interpreter.note_required_option(option.span, option.label(), &option.destination, &value);
        return Ok(value);
    }
    // What the program computes with is no `None`: it stops without the option, and is run with it.
    if option.default.is_none()
        && option.is_number()
        && interpreter.model_state.settings.words != Words::Written
        && is_number_everywhere(interpreter.corpus, &option.destination)
    {
        let (label, kind) = (option.label(), AssumptionKind::DefaultValue);
        let text = sentences::default_value_given(label);
        let evidence = "it has no default, and the program computes with it".to_owned();
        let id = match interpreter.speculate(kind, label, text, evidence, option.span) {
            Speculation::Assumed(id) => Some(id),
            Speculation::Confirmed => None,
            Speculation::Denied => return Ok(Value::None),
        };
        let value = required_value(interpreter, option);
        if let (Some(id), Some(variable)) = (id, value.as_dim().and_then(Dim::as_var)) {
            interpreter.rests_on(variable, id);
        }
        interpreter.note_required_option(option.span, label, &option.destination, &value);
        return Ok(value);
    }
    // Strings are converted as words of the command line are.
    let value = match &option.default {
        Value::Str(Some(text)) if !matches!(option.conversion, Value::None) => {
            let text = Rc::clone(text);
            converted(interpreter, option, &text)?
        }
        Value::Library(name) if name.as_str() == "argparse.SUPPRESS" => return Ok(Value::Unknown("suppressed option")),
        value => value.clone(),
    };
    if interpreter.model_state.settings.words == Words::Written {
        return Ok(value);
    }
    let label = option.label();
    let text = sentences::default_value_setting(label, value.describe());
    let evidence = "the command line does not give it".to_owned();
    let kind = AssumptionKind::DefaultValue;
    let speculation = interpreter.speculate(kind, label, text, evidence, option.span);
    let assumption = match speculation {
        Speculation::Assumed(id) => id,
        Speculation::Confirmed => return Ok(value),
        Speculation::Denied => return Ok(required_value(interpreter, option)),
    };
    interpreter.note_option(option.span, label, &option.destination, &value);
    let is_text = matches!(&option.conversion, Value::None)
        || matches!(&option.conversion, Value::Library(name) if name.as_str() == "builtins.str");
    if value.is_none() && is_text && matches!(option.arity, Arity::One | Arity::Optional) {
        interpreter.note_unset_option(option.span, label, &option.destination);
    }
    if !option.choices.is_none()
        && matches!(option.arity, Arity::One | Arity::Optional)
        && let Iteration::Items(choices) = interpreter.iterate(&option.choices)?
    {
        interpreter.note_choices(option.span, (label, &option.destination), &choices, &value);
    }
    match value.as_int() {
        Some(default)
            if option.is_integer()
                && matches!(value, Value::Int(_))
                && !interpreter.is_at_default(option.span.file, label, default) =>
        {
            let variable = Var::fresh(VarInfo::config(&option.destination, default));
            interpreter.rests_on(variable, assumption);
            Ok(Value::Int(Dim::var(variable)))
        }
        _ => Ok(value),
    }
}

/// A value that the user must give and has not given.
pub(crate) fn required_value(interpreter: &mut Interpreter<'_>, option: &Declared) -> Value {
    if !matches!(option.arity, Arity::One) {
        return interpreter.symbolic(&option.destination, option.span, false);
    }
    if option.is_integer() {
        return Value::Int(Dim::var(Var::fresh(VarInfo::fixed(&option.destination))));
    }
    match &option.conversion {
        Value::Library(name) if name.as_str() == "builtins.float" => Value::Float(None),
        Value::None => interpreter.some_text(&option.destination, option.span),
        Value::Library(name) if name.as_str() == "builtins.str" => {
            interpreter.some_text(&option.destination, option.span)
        }
        _ => interpreter.symbolic(&option.destination, option.span, false),
    }
}

/// Where a namespace keeps what an option without a default would hold; no name of a program's attribute.
fn given_name(option: Name) -> Name {
    Name::new(&format!("#given {option}"))
}

/// A program that stops where an option without a default is not given is run with it: the options that a test mentions are given from
/// now on. Returns whether there are any.
pub fn give_demanded(interpreter: &mut Interpreter<'_>, test: &Expr) -> Eval<bool> {
    if interpreter.options.arguments.is_some() {
        return Ok(false);
    }
    let mut has_given = false;
    let mut waiting = vec![test];
    while let Some(expression) = waiting.pop() {
        waiting.extend(children(expression));
        let ExprKind::Attribute { value: owner, attribute, .. } = &expression.kind else { continue };
        if !matches!(owner.kind, ExprKind::Name(_) | ExprKind::Attribute { .. }) {
            continue;
        }
        let Value::Instance(id) = interpreter.evaluate(owner)? else { continue };
        let is_absent = interpreter.heap.attribute(id, *attribute).is_some_and(Value::is_none);
        let Some(given) = interpreter.heap.attribute(id, given_name(*attribute)).cloned().filter(|_| is_absent) else {
            continue;
        };
        let span = interpreter.span(expression.range);
        let text = sentences::default_value_given(attribute);
        let evidence = "the program stops without it".to_owned();
        let kind = AssumptionKind::DefaultValue;
        if let Speculation::Denied = interpreter.speculate(kind, attribute.as_str(), text, evidence, span) {
            continue;
        }
        interpreter.heap.set_attribute(id, *attribute, given);
        has_given = true;
    }
    Ok(has_given)
}
