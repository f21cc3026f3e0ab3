//! `click`: decorators make a command of a function; calling the command parses the command line and calls the function with what it gives.

use std::rc::Rc;

use crate::command_line::argument_words::{Action, Arity, Declared};
use crate::command_line::{argparse, argument_words, option_values};
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::name::{Name, name};

const COMMAND: &str = "click.Command";
/// `click.option(…)`, `click.command(…)` and their like: what waits for the function.
const DECORATOR: &str = "click.decorator";
/// `group.command(…)`, which waits for the function, too.
const IN_GROUP: &str = "click.group-decorator";
const CONTEXT: &str = "click.Context";
const CALLBACK: &str = "callback";
const OPTIONS: &str = "#options";
const COMMANDS: &str = "#commands";
/// Which first argument the function gets: the context or its object.
const PASSES: &str = "#passes";
/// The attributes of a command that have the class whose object it gets, and whether one is made where there is none.
const PASSED: &str = "#passed";
const ENSURES: &str = "#ensures";
const MAKE_PASS: &str = "click.make_pass_decorator";
const DECORATORS: [&str; 9] = [
    "click.argument",
    "click.command",
    "click.confirmation_option",
    "click.group",
    "click.help_option",
    "click.option",
    "click.pass_context",
    "click.pass_obj",
    "click.version_option",
];

/// Types of options; all but those of numbers leave a text a text.
const TYPES: [&str; 6] =
    ["click.Choice", "click.DateTime", "click.File", "click.FloatRange", "click.IntRange", "click.Path"];

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "click.echo" | "click.secho" => Some(|_, _, _| Ok(Value::None)),
        MAKE_PASS => Some(decorator),
        name if TYPES.contains(&name) => {
            Some(|this, name, arguments| Ok(this.data_from_outside(name.as_str(), arguments.span)))
        }
        name => DECORATORS.contains(&name).then_some(decorator as FunctionHandler),
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    Some(match (class, method) {
        (COMMAND, "command" | "group") => add_new_command,
        (COMMAND, "add_command") => |this, group, arguments| {
            let name = arguments.get(1, "name").cloned();
            if let Some(command) = arguments.positional.first().cloned() {
                add_command(this, group, name.as_ref(), &command);
            }
            Ok(Value::None)
        },
        (COMMAND, "main" | "__call__") => call_command,
        (CONTEXT, "ensure_object") => |this, context, arguments| {
            let known = this.get_attribute(context, name!("obj"), arguments.span)?;
            if let (Value::Instance(id), true, Some(class)) = (context, known.is_none(), arguments.positional.first()) {
                let made = this.call(class, CallArguments::empty(arguments.span))?;
                this.heap.set_attribute(*id, name!("obj"), made);
            }
            this.get_attribute(context, name!("obj"), arguments.span)
        },
        (CONTEXT, "invoke" | "forward") => |this, _, arguments| invoke(this, arguments),
        (CONTEXT, "exit" | "fail" | "abort") => |_, _, _| Err(Interrupt::Raise),
        _ => return None,
    })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        COMMAND => Some(call_command),
        DECORATOR => Some(decorate),
        IN_GROUP => Some(decorate_in_group),
        _ => None,
    }
}

pub fn is_decorator(name: &str) -> bool {
    DECORATORS.contains(&name) || matches!(name, "click.Command.command" | "click.Command.group")
}

/// `click.option(…)` waits for the function; `@click.command` has it already.
fn decorator(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let is_immediate =
        matches!(arguments.positional.first(), Some(Value::Function(_) | Value::BoundMethod(_) | Value::Instance(_)))
            && arguments.positional.len() == 1;
    if is_immediate {
        let function = arguments.positional[0].clone();
        return apply(interpreter, name, &CallArguments::empty(arguments.span), function);
    }
    let mut known =
        vec![(name!("#kind"), Value::Library(name)), (name!("#flags"), Value::tuple(arguments.positional.clone()))];
    known.extend(arguments.keywords);
    let data = InstanceData { class: Value::library(DECORATOR), arguments: known, origin: arguments.span };
    Ok(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))))
}

fn decorate(interpreter: &mut Interpreter<'_>, decorator: &Value, arguments: CallArguments) -> Eval {
    let Some(data) = interpreter.instance_data(decorator) else { return Ok(Value::None) };
    let (Value::Library(kind), Some(function)) = (argument_of(&data, "#kind"), arguments.positional.first().cloned())
    else {
        return Ok(Value::None);
    };
    let mut given = CallArguments::empty(data.origin);
    if let Value::Tuple(flags) = argument_of(&data, "#flags") {
        given.positional = flags.to_vec();
    }
    given.keywords = data.arguments.iter().filter(|(name, _)| !name.as_str().starts_with('#')).cloned().collect();
    apply(interpreter, kind, &given, function)
}

/// A function, or the command that an inner decorator made of it, under a further decorator.
fn apply(interpreter: &mut Interpreter<'_>, kind: Name, given: &CallArguments, function: Value) -> Eval {
    let command = match function {
        Value::Instance(id) if interpreter.is_instance_of(&function, COMMAND) => id,
        function => new_command(interpreter, function, given),
    };
    let text = |value: &Value| Value::str(value.as_text().unwrap_or_default());
    match kind.as_str() {
        "click.option" | "click.argument" => {
            let mut known = vec![
                (name!("#flags"), Value::tuple(given.positional.clone())),
                (name!("#argument"), Value::Bool(kind.as_str() == "click.argument")),
            ];
            known.extend(given.keywords.clone());
            let data = InstanceData { class: Value::library("click.Parameter"), arguments: known, origin: given.span };
            let option = Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))));
            if let Some(Value::List(list)) = interpreter.heap.attribute(command, Name::new(OPTIONS)).cloned() {
                // Decorators apply from the innermost one on; arguments are in the order of the text.
                interpreter.heap.change_list(list, |data| data.items.insert(0, option));
            }
        }
        "click.command" | "click.group" => {
            if let Some(name) = given.get(0, "name").filter(|name| name.as_text().is_some()) {
                interpreter.heap.set_attribute(command, name!("name"), text(name));
            }
        }
        "click.pass_context" => interpreter.heap.set_attribute(command, Name::new(PASSES), Value::str("context")),
        MAKE_PASS => {
            let class = given.get(0, "object_type").cloned().unwrap_or(Value::None);
            let ensures = given.keyword("ensure").cloned().unwrap_or(Value::Bool(false));
            for (name, value) in [(PASSES, Value::str("object of a class")), (PASSED, class), (ENSURES, ensures)] {
                interpreter.heap.set_attribute(command, Name::new(name), value);
            }
        }
        "click.pass_obj" => interpreter.heap.set_attribute(command, Name::new(PASSES), Value::str("object")),
        _ => {}
    }
    Ok(Value::Instance(command))
}

fn new_command(interpreter: &mut Interpreter<'_>, function: Value, given: &CallArguments) -> ObjectId {
    let name = match &function {
        Value::Function(closure) => closure.function.name.as_str().to_lowercase().replace('_', "-"),
        _ => String::new(),
    };
    let data = InstanceData { class: Value::library(COMMAND), arguments: Vec::new(), origin: given.span };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    let (options, commands) = (interpreter.heap.allocate_list(Vec::new()), interpreter.heap.allocate_dict(Vec::new()));
    for (name, value) in [
        (CALLBACK, function),
        ("name", Value::str(&name)),
        (OPTIONS, Value::List(options)),
        (COMMANDS, Value::Dict(commands)),
    ] {
        interpreter.heap.set_attribute(id, Name::new(name), value);
    }
    id
}

/// `@group.command()`
fn add_new_command(interpreter: &mut Interpreter<'_>, group: &Value, arguments: CallArguments) -> Eval {
    if let Some(function @ (Value::Function(_) | Value::Instance(_))) = arguments.positional.first().cloned() {
        let command = apply(interpreter, name!("click.command"), &CallArguments::empty(arguments.span), function)?;
        add_command(interpreter, group, None, &command);
        return Ok(command);
    }
    let made = decorator(interpreter, name!("click.command"), arguments)?;
    if let Value::Instance(id) = made
        && let Some(data) = interpreter.heap.instance(id).cloned()
    {
        let mut known = data.arguments.clone();
        known.push((name!("#group"), group.clone()));
        let class = Value::library(IN_GROUP);
        let data = InstanceData { class, arguments: known, origin: data.origin };
        interpreter.heap.set_payload(id, Payload::Instance(Rc::new(data)));
    }
    Ok(made)
}

/// What `@group.command()` does once it has the function.
fn decorate_in_group(interpreter: &mut Interpreter<'_>, decorator: &Value, arguments: CallArguments) -> Eval {
    let group = interpreter.instance_data(decorator).map(|data| argument_of(&data, "#group"));
    let command = decorate(interpreter, decorator, arguments)?;
    if let Some(group) = group {
        add_command(interpreter, &group, None, &command);
    }
    Ok(command)
}

fn add_command(interpreter: &mut Interpreter<'_>, group: &Value, name: Option<&Value>, command: &Value) {
    let (Value::Instance(group), Value::Instance(id)) = (group, command) else { return };
    let own = interpreter.heap.attribute(*id, name!("name")).cloned();
    let name = name.filter(|name| name.as_text().is_some()).cloned().or(own);
    if let (Some(name), Some(Value::Dict(commands))) =
        (name, interpreter.heap.attribute(*group, Name::new(COMMANDS)).cloned())
    {
        let command = command.clone();
        interpreter.heap.change_dict(commands, |data| harp_interp::evaluate::expressions::insert(data, name, command));
    }
}

/// `command()`: the user's words, else the defaults.
fn call_command(interpreter: &mut Interpreter<'_>, command: &Value, arguments: CallArguments) -> Eval {
    let words = argparse::command_words(interpreter, arguments.get(0, "args"))?;
    let object = arguments.keyword("obj").cloned().unwrap_or(Value::None);
    let data = InstanceData { class: Value::library(CONTEXT), arguments: Vec::new(), origin: arguments.span };
    let context = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    interpreter.heap.set_attribute(context, name!("obj"), object);
    let nothing = interpreter.data_from_outside("command", arguments.span);
    interpreter.heap.set_attribute(context, name!("invoked_subcommand"), nothing);
    run(interpreter, command, words.as_deref(), context, &arguments, 8)
}

/// An option of a command.
struct Offered {
    declared: Declared,
    /// The function of the program through which its value goes.
    callback: Option<Value>,
    /// Whether the command gets it.
    is_exposed: bool,
}

impl Offered {
    fn of(interpreter: &Interpreter<'_>, option: &Value) -> Option<Offered> {
        let option = interpreter.read(option);
        let declared = declaration(interpreter, &option)?;
        let data = interpreter.instance_data(&option)?;
        let is_exposed = !matches!(argument_of(&data, "expose_value"), Value::Bool(false));
        let callback = Some(argument_of(&data, "callback")).filter(|it| matches!(it, Value::Function(_)));
        Some(Offered { declared, callback, is_exposed })
    }
}

/// What a command gets of its options, by name.
fn values_of_options(
    interpreter: &mut Interpreter<'_>,
    options: &[Offered],
    parsed: &argument_words::Parsed,
    context: ObjectId,
) -> Eval<Vec<(Name, Value)>> {
    let mut keywords = Vec::with_capacity(options.len());
    for Offered { declared: option, callback, is_exposed } in options {
        let value = match parsed.given.iter().find(|(destination, _)| *destination == option.destination) {
            Some((_, given)) => option_values::given_value(interpreter, option, given)?,
            None => argparse::default_value(interpreter, option)?,
        };
        let value = match callback {
            Some(callback) => {
                let parameter = interpreter.symbolic("param", option.span, true);
                let given = vec![Value::Instance(context), parameter, value];
                interpreter.call(callback, CallArguments::positional(given, option.span))?
            }
            None => value,
        };
        if *is_exposed {
            keywords.push((Name::new(&option.destination), value));
        }
    }
    Ok(keywords)
}

fn run(
    interpreter: &mut Interpreter<'_>,
    command: &Value,
    words: Option<&[String]>,
    context: ObjectId,
    call: &CallArguments,
    depth: usize,
) -> Eval {
    let Value::Instance(id) = command else { return Ok(Value::None) };
    let part = |this: &Interpreter<'_>, name: &str| this.heap.attribute(*id, Name::new(name)).cloned();
    let options = match part(interpreter, OPTIONS) {
        Some(Value::List(list)) => interpreter.heap.list(list).map(|data| data.items.clone()).unwrap_or_default(),
        _ => Vec::new(),
    };
    let options: Vec<Offered> = options.iter().filter_map(|option| Offered::of(interpreter, option)).collect();
    let commands = match part(interpreter, COMMANDS) {
        Some(Value::Dict(dict)) => interpreter.heap.dict(dict).map(|data| data.entries.clone()).unwrap_or_default(),
        _ => Vec::new(),
    };
    let names: Vec<&str> = commands.iter().filter_map(|(name, _)| name.as_text()).collect();
    let declared: Vec<Declared> = options.iter().map(|option| option.declared.clone()).collect();
    let parsed = argument_words::parse(&declared, words.unwrap_or(&[]), &names);
    let mut arguments = CallArguments::empty(call.span);
    let keywords = values_of_options(interpreter, &options, &parsed, context)?;
    let mut passed = None;
    match part(interpreter, PASSES).as_ref().and_then(Value::as_text) {
        Some("context") => passed = Some(Value::Instance(context)),
        Some(_) => {
            let mut object = interpreter.heap.attribute(context, name!("obj")).cloned().unwrap_or(Value::None);
            if let (Some(class), Some(Value::Bool(true)), true) =
                (part(interpreter, PASSED), part(interpreter, ENSURES), object.is_none())
            {
                object = interpreter.call(&class, CallArguments::empty(call.span))?;
                interpreter.heap.set_attribute(context, name!("obj"), object.clone());
            }
            passed = Some(object);
        }
        None => {}
    }
    arguments.keyword_spans = vec![None; keywords.len()];
    arguments.keywords = keywords;
    if let Some(passed) = passed {
        arguments = arguments.with_first(passed);
    }
    let callback = part(interpreter, CALLBACK).unwrap_or(Value::None);
    let result = if callback.is_none() { Value::None } else { interpreter.call(&callback, arguments)? };
    if commands.is_empty() || depth == 0 {
        return Ok(result);
    }
    let chosen = parsed.command.as_ref().and_then(|(name, words)| {
        let found = commands.iter().find(|(known, _)| known.as_text() == Some(name.as_str()))?;
        Some((found.1.clone(), words.clone()))
    });
    if let Some((command, words)) = chosen {
        return run(interpreter, &command, Some(&words), context, call, depth - 1);
    }
    // Which one the user runs is not known: each is looked at.
    for (_, command) in &commands {
        if let Err(budget @ Interrupt::Budget(_)) = run(interpreter, command, None, context, call, depth - 1) {
            return Err(budget);
        }
    }
    Ok(Value::None)
}

/// `context.invoke(command, …)`
fn invoke(interpreter: &mut Interpreter<'_>, mut arguments: CallArguments) -> Eval {
    if arguments.positional.is_empty() {
        return Ok(Value::None);
    }
    let mut target = arguments.positional.remove(0);
    arguments.positional_spans.remove(0);
    if let Value::Instance(id) = target
        && interpreter.is_instance_of(&target, COMMAND)
    {
        target = interpreter.heap.attribute(id, Name::new(CALLBACK)).cloned().unwrap_or(Value::None);
    }
    interpreter.call(&target, arguments)
}

/// An option or argument as it was declared.
fn declaration(interpreter: &Interpreter<'_>, option: &Value) -> Option<Declared> {
    let data = interpreter.instance_data(option)?;
    let get = |name: &str| {
        data.arguments.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| interpreter.read(value))
    };
    let is_true = |name: &str| matches!(get(name), Some(Value::Bool(true)));
    let Value::Tuple(given) = argument_of(&data, "#flags") else { return None };
    let is_positional = matches!(argument_of(&data, "#argument"), Value::Bool(true));
    let (mut flags, mut negations, mut destination) = (Vec::new(), Vec::new(), None);
    for name in given.iter().filter_map(Value::as_text) {
        match name.split_once('/') {
            _ if !name.starts_with('-') => {
                destination = Some(name.to_owned());
                if is_positional {
                    flags.push(name.to_owned());
                }
            }
            Some((on, off)) => {
                flags.push(on.trim().to_owned());
                negations.push(off.trim().to_owned());
            }
            None => flags.push(name.to_owned()),
        }
    }
    let destination = destination.or_else(|| argument_words::destination(&flags))?.to_lowercase().replace('-', "_");
    let default = get("default");
    let (conversion, is_flag_type) = conversion(interpreter, get("type"), default.as_ref());
    let is_flag =
        is_true("is_flag") || !negations.is_empty() || is_flag_type && !is_positional && get("type").is_none();
    let is_several = is_true("multiple");
    let arity = match get("nargs").and_then(|count| count.as_int()) {
        Some(1) => Arity::One,
        Some(count) => usize::try_from(count).map_or(Arity::Any, Arity::Exactly),
        None => match get("type") {
            Some(Value::Tuple(types)) => Arity::Exactly(types.len()),
            _ => Arity::One,
        },
    };
    let action = match (is_flag, get("flag_value"), is_several) {
        (true, Some(_), _) => Action::StoreConstant,
        (true, None, _) => Action::Switch,
        _ if is_true("count") => Action::Count,
        (_, _, true) => Action::Append,
        _ => Action::Store,
    };
    let is_open = default.is_none();
    let default = default.unwrap_or(match action {
        Action::Switch => Value::Bool(false),
        Action::Count => Value::int(0),
        Action::Append => Value::tuple(Vec::new()),
        _ => Value::None,
    });
    let is_required = is_open
        && (is_true("required")
            || (is_positional && !matches!(get("required"), Some(Value::Bool(false))))
            || get("prompt").is_some());
    Some(Declared {
        destination,
        is_positional,
        flags,
        conversion,
        default,
        action,
        arity,
        is_required,
        constant: get("flag_value").unwrap_or(Value::None),
        choices: Value::None,
        custom: Value::None,
        negations,
        span: data.origin,
    })
}

/// How words are converted: as the type says, else as the default is. The second is whether that is a truth value.
fn conversion(interpreter: &Interpreter<'_>, kind: Option<Value>, default: Option<&Value>) -> (Value, bool) {
    let by_name = |name: &str| match name {
        "click.INT" | "click.IntRange" | "click.types.INT" | "builtins.int" => (Value::library("builtins.int"), false),
        "click.FLOAT" | "click.FloatRange" | "click.types.FLOAT" | "builtins.float" => {
            (Value::library("builtins.float"), false)
        }
        "click.BOOL" | "builtins.bool" => (Value::None, true),
        _ => (Value::None, false),
    };
    match &kind {
        Some(Value::Library(name)) => by_name(name.as_str()),
        Some(Value::Symbolic(id)) => {
            let description = interpreter.heap.symbolic(*id).map(|data| Rc::clone(&data.description));
            by_name(description.as_deref().unwrap_or_default())
        }
        Some(Value::Tuple(kinds)) => match kinds.first() {
            Some(Value::Library(name)) if kinds.iter().all(|kind| kind.same(&kinds[0])) => by_name(name.as_str()),
            _ => (Value::None, false),
        },
        Some(function @ Value::Function(_)) => (function.clone(), false),
        // A class of types of its own says how by its `convert`.
        Some(own @ Value::Instance(_)) if interpreter.is_instance_of(own, "click.ParamType") => (own.clone(), false),
        Some(_) => (Value::None, false),
        None => match default {
            Some(Value::Int(_)) => (Value::library("builtins.int"), false),
            Some(Value::Float(_) | Value::Ratio(_)) => (Value::library("builtins.float"), false),
            Some(Value::Bool(_)) => (Value::None, true),
            _ => (Value::None, false),
        },
    }
}
