//! `re` on texts that are known: names and block strings of architectures are taken apart with it.

use harp_interp::state::compiled_patterns::LONGEST;
use std::rc::Rc;

use regex::Regex;

use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, Value};
use harp_python::name::{Name, name};

const PATTERN: &str = "re.Pattern";
const MATCH: &str = "re.Match";

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name.strip_prefix("re.")? {
        "compile" => Some(compile),
        "escape" => Some(|_, _, arguments| {
            const SPECIAL: &str = "()[]{}?*+-|^$\\.&~# \t\n\r\u{b}\u{c}";
            let escaped = |letter: char| SPECIAL.contains(letter).then_some('\\').into_iter().chain([letter]);
            let text = arguments.get(0, "pattern").and_then(Value::as_text);
            Ok(Value::Str(text.map(|text| text.chars().flat_map(escaped).collect::<String>().into())))
        }),
        "split" | "match" | "search" | "fullmatch" | "sub" | "subn" | "findall" | "finditer" => Some(on_function),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    if let Some(method) = name.strip_prefix("re.Pattern.") {
        return match method {
            "split" => Some(|this, pattern, arguments| on_pattern(this, pattern, "split", arguments)),
            "match" => Some(|this, pattern, arguments| on_pattern(this, pattern, "match", arguments)),
            "search" => Some(|this, pattern, arguments| on_pattern(this, pattern, "search", arguments)),
            "fullmatch" => Some(|this, pattern, arguments| on_pattern(this, pattern, "fullmatch", arguments)),
            "sub" => Some(|this, pattern, arguments| on_pattern(this, pattern, "sub", arguments)),
            "subn" => Some(|this, pattern, arguments| on_pattern(this, pattern, "subn", arguments)),
            "finditer" => Some(|this, pattern, arguments| on_pattern(this, pattern, "finditer", arguments)),
            "findall" => Some(|this, pattern, arguments| on_pattern(this, pattern, "findall", arguments)),
            _ => None,
        };
    }
    match name.strip_prefix("re.Match.")? {
        "group" | "__getitem__" => Some(group),
        "groups" => Some(groups),
        "groupdict" => Some(group_dict),
        "start" => Some(|this, found, arguments| {
            let place = place_of_group(this, found, &arguments);
            Ok(place.map_or_else(|| this.any_integer("position"), |[start, _]| start))
        }),
        "end" => Some(|this, found, arguments| {
            let place = place_of_group(this, found, &arguments);
            Ok(place.map_or_else(|| this.any_integer("position"), |[_, end]| end))
        }),
        "span" => Some(|this, found, arguments| {
            let place = place_of_group(this, found, &arguments);
            Ok(Value::tuple(place.map_or_else(|| vec![this.any_integer("position"); 2], |span| span.to_vec())))
        }),
        _ => None,
    }
}

fn instance(interpreter: &mut Interpreter<'_>, class: &str, data: Vec<(Name, Value)>, call: &CallArguments) -> Value {
    let data = InstanceData { class: Value::library(class), arguments: data, origin: call.span };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

/// `re.compile(pattern, flags)`.
fn compile(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let pattern = arguments.get(0, "pattern").cloned().unwrap_or(Value::Str(None));
    let pattern = match arguments.get(1, "flags") {
        Some(flags) => with_flags(&pattern, flags),
        None => pattern,
    };
    Ok(instance(interpreter, PATTERN, vec![(name!("pattern"), pattern)], &arguments))
}

/// The flags of `re` that the engine knows, by their bits.
const FLAGS: [(i64, char); 4] = [(2, 'i'), (8, 'm'), (16, 's'), (64, 'x')];

/// `re.IGNORECASE` and its like.
pub fn constant(name: &str) -> Option<Value> {
    let bit = match name.strip_prefix("re.")? {
        "NOFLAG" => 0,
        "I" | "IGNORECASE" => 2,
        "L" | "LOCALE" => 4,
        "M" | "MULTILINE" => 8,
        "S" | "DOTALL" => 16,
        "U" | "UNICODE" => 32,
        "X" | "VERBOSE" => 64,
        "A" | "ASCII" => 256,
        _ => return None,
    };
    Some(Value::int(bit))
}

/// A pattern that says its flags itself; one that is not known where the engine does not know a flag.
fn with_flags(pattern: &Value, flags: &Value) -> Value {
    let (Some(text), Some(bits)) = (pattern.as_text(), flags.as_int()) else { return Value::Str(None) };
    // Texts are matched as Unicode anyway.
    let known = FLAGS.iter().fold(32, |known, (bit, _)| known | bit);
    let letters: String = FLAGS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, letter)| letter).collect();
    match (bits & !known == 0, letters.is_empty()) {
        (false, _) => Value::Str(None),
        (true, true) => pattern.clone(),
        (true, false) => Value::str(&format!("(?{letters}){text}")),
    }
}

/// `re.split(pattern, text)` and its like.
fn on_function(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    let operation = name.as_str().rsplit('.').next().unwrap_or_default().to_owned();
    if arguments.positional.is_empty() {
        return Ok(interpreter.symbolic("match", arguments.span, true));
    }
    let pattern = arguments.positional.remove(0);
    arguments.positional_spans.clear();
    Ok(run(interpreter, &pattern, &operation, &arguments))
}

fn on_pattern(interpreter: &mut Interpreter<'_>, receiver: &Value, operation: &str, arguments: CallArguments) -> Eval {
    let pattern = interpreter.instance_data(receiver).map(|data| argument_of(&data, "pattern"));
    Ok(run(interpreter, &pattern.unwrap_or(Value::Str(None)), operation, &arguments))
}

fn run(interpreter: &mut Interpreter<'_>, pattern: &Value, operation: &str, arguments: &CallArguments) -> Value {
    let pattern = match interpreter.read(pattern) {
        object @ Value::Instance(_) => interpreter.instance_data(&object).map(|data| argument_of(&data, "pattern")),
        pattern => Some(pattern),
    };
    let pattern = match (pattern, arguments.keyword("flags")) {
        (Some(pattern), Some(flags)) => Some(with_flags(&pattern, flags)),
        (pattern, _) => pattern,
    };
    let at = usize::from(operation.starts_with("sub"));
    let text = arguments.get(at, "string").and_then(Value::as_text).filter(|text| text.len() <= LONGEST);
    let known = pattern.as_ref().and_then(Value::as_text).zip(text);
    // Further arguments bound the number of results, or say where to begin.
    let bounded = matches!(operation, "split" | "sub" | "subn");
    let is_plain = arguments.positional.len() <= at + 1 + usize::from(bounded);
    let found = known.filter(|_| is_plain).and_then(|(pattern, text)| {
        let expression = interpreter.caches.expressions.expression(pattern, operation == "fullmatch")?;
        let text = text.to_owned();
        answer(interpreter, &expression, operation, &text, arguments)
    });
    found.unwrap_or_else(|| match operation {
        "sub" => Value::Str(None),
        "subn" => Value::tuple(vec![Value::Str(None), interpreter.any_integer("count")]),
        "split" | "findall" => {
            let list = interpreter.heap.allocate_list(Vec::new());
            interpreter.heap.change_list(list, |data| data.rest = Some(Value::Str(None)));
            Value::List(list)
        }
        _ => interpreter.symbolic("match", arguments.span, true),
    })
}

fn answer(
    interpreter: &mut Interpreter<'_>,
    expression: &Regex,
    operation: &str,
    text: &str,
    arguments: &CallArguments,
) -> Option<Value> {
    Some(match operation {
        "split" => {
            let items = split(expression, text, bound_of(arguments, 1, "maxsplit")?)?;
            Value::List(interpreter.heap.allocate_list(items))
        }
        "finditer" => {
            let found: Vec<_> = expression.captures_iter(text).take(LONGEST).collect();
            let items = found.iter().map(|found| match_of(interpreter, expression, text, found, arguments)).collect();
            interpreter.held(Value::Iterator(Rc::new(Iteration::Items(items))))
        }
        "findall" => {
            let items = expression.captures_iter(text).take(LONGEST).map(|found| match found.len() {
                1 | 2 => Value::str(found.get(found.len() - 1).map_or("", |part| part.as_str())),
                _ => Value::tuple(
                    found.iter().skip(1).map(|part| Value::str(part.map_or("", |it| it.as_str()))).collect(),
                ),
            });
            let items = items.collect();
            Value::List(interpreter.heap.allocate_list(items))
        }
        "sub" | "subn" => {
            let replacement = interpreter.read(arguments.positional.first()?);
            let most = bound_of(arguments, 2, "count")?;
            let count = expression.find_iter(text).take(LONGEST).count();
            let count = if most == 0 { count } else { count.min(most) };
            let replaced = if let Value::Function(_) | Value::BoundMethod(_) = &replacement {
                replaced_by_calls(interpreter, expression, text, &replacement, count, arguments)?
            } else {
                let template = template(replacement.as_text()?)?;
                Value::str(&if count == 0 { text.into() } else { expression.replacen(text, count, &*template) })
            };
            if operation == "sub" { replaced } else { Value::tuple(vec![replaced, Value::int(count as i64)]) }
        }
        _ => {
            let found = expression
                .captures(text)
                .filter(|found| operation == "search" || found.get(0).is_some_and(|whole| whole.start() == 0));
            let Some(found) = found else {
                // The leftmost match may begin later although one begins at the start.
                let is_certain = operation != "match" || !expression.is_match(text);
                return (is_certain || starts_nowhere(expression, text)).then_some(Value::None);
            };
            match_of(interpreter, expression, text, &found, arguments)
        }
    })
}

/// How many results are asked for at most; 0 is all of them. `None` where it is not known.
fn bound_of(arguments: &CallArguments, position: usize, name: &str) -> Option<usize> {
    match arguments.get(position, name) {
        None => Some(0),
        Some(most) => usize::try_from(most.as_int()?).ok(),
    }
}

/// What Python's template of a replacement is for the engine: `\\1` and `\\g<name>` are `${1}` and `${name}`.
fn template(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$']) {
        result.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        if rest[at..].starts_with('$') {
            result.push_str("$$");
            rest = behind;
            continue;
        }
        let next = behind.chars().next()?;
        let digits = behind.len() - behind.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        rest = match next {
            // Beyond two digits, and after a zero, it may be the number of a letter.
            '1'..='9' if digits <= 2 => {
                result.push_str(&format!("${{{}}}", &behind[..digits]));
                &behind[digits..]
            }
            'g' => {
                let (name, behind) = behind[1..].strip_prefix('<')?.split_once('>')?;
                result.push_str(&format!("${{{name}}}"));
                behind
            }
            'n' | 't' | '\\' => {
                result.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
                &behind[1..]
            }
            _ => return None,
        };
    }
    result.push_str(rest);
    Some(result)
}

/// The object of a match: its groups, their names, and where they begin and end, in characters.
fn match_of(
    interpreter: &mut Interpreter<'_>,
    expression: &Regex,
    text: &str,
    found: &regex::Captures<'_>,
    arguments: &CallArguments,
) -> Value {
    let groups = found.iter().map(|part| part.map_or(Value::None, |part| Value::str(part.as_str()))).collect();
    let names = expression.capture_names().map(|name| name.map_or(Value::None, Value::str)).collect();
    let place = |bytes: usize| Value::int(text[..bytes].chars().count() as i64);
    let span = |part: Option<regex::Match<'_>>| {
        part.map_or(vec![Value::int(-1); 2], |part| vec![place(part.start()), place(part.end())])
    };
    let spans = found.iter().map(|part| Value::tuple(span(part))).collect();
    let data = vec![
        (name!("groups"), Value::tuple(groups)),
        (name!("names"), Value::tuple(names)),
        (name!("spans"), Value::tuple(spans)),
    ];
    instance(interpreter, MATCH, data, arguments)
}

/// `re.sub` with a function, which is called with each match.
fn replaced_by_calls(
    interpreter: &mut Interpreter<'_>,
    expression: &Regex,
    text: &str,
    function: &Value,
    count: usize,
    arguments: &CallArguments,
) -> Option<Value> {
    let (mut result, mut end) = (String::new(), 0);
    for found in expression.captures_iter(text).take(count) {
        let whole = found.get(0)?;
        result.push_str(&text[end..whole.start()]);
        end = whole.end();
        let given = match_of(interpreter, expression, text, &found, arguments);
        let part = interpreter.call(function, CallArguments::positional(vec![given], arguments.span)).ok()?;
        result.push_str(interpreter.read(&part).as_text()?);
    }
    result.push_str(&text[end..]);
    Some(Value::str(&result))
}

/// Where a group of a match begins and ends.
fn place_of_group(interpreter: &mut Interpreter<'_>, found: &Value, arguments: &CallArguments) -> Option<[Value; 2]> {
    let data = interpreter.instance_data(found)?;
    let Value::Tuple(spans) = argument_of(&data, "spans") else { return None };
    let group = match arguments.positional.first() {
        None => 0,
        Some(group) => usize::try_from(group.as_int()?).ok()?,
    };
    match spans.get(group)? {
        Value::Tuple(span) => Some([span.first()?.clone(), span.get(1)?.clone()]),
        _ => None,
    }
}

/// Whether no match begins at the start: the leftmost one would.
fn starts_nowhere(expression: &Regex, text: &str) -> bool {
    expression.find(text).is_none_or(|found| found.start() > 0)
}

/// As Python splits: groups of the pattern are among the parts. Empty matches split, too, which is left alone.
fn split(expression: &Regex, text: &str, most: usize) -> Option<Vec<Value>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for found in expression.captures_iter(text).take(if most == 0 { usize::MAX } else { most }) {
        let whole = found.get(0)?;
        if whole.is_empty() {
            return None;
        }
        parts.push(Value::str(&text[from..whole.start()]));
        parts.extend(found.iter().skip(1).map(|part| part.map_or(Value::None, |part| Value::str(part.as_str()))));
        from = whole.end();
    }
    parts.push(Value::str(&text[from..]));
    Some(parts)
}

fn parts(interpreter: &Interpreter<'_>, found: &Value, which: &str) -> Rc<[Value]> {
    match interpreter.instance_data(found).map(|data| argument_of(&data, which)) {
        Some(Value::Tuple(parts)) => parts,
        _ => Rc::from([]),
    }
}

/// `match.group(1)`, `match.group("name")`, `match[1]`.
fn group(interpreter: &mut Interpreter<'_>, found: &Value, arguments: CallArguments) -> Eval {
    let groups = parts(interpreter, found, "groups");
    let names = parts(interpreter, found, "names");
    let one = |wanted: &Value| {
        let place = match wanted.as_text() {
            Some(name) => names.iter().position(|known| known.as_text() == Some(name)),
            None => wanted.as_int().and_then(|number| usize::try_from(number).ok()),
        };
        place.and_then(|place| groups.get(place)).cloned().unwrap_or(Value::Str(None))
    };
    Ok(match &arguments.positional[..] {
        [] => one(&Value::int(0)),
        [wanted] => one(wanted),
        several => Value::tuple(several.iter().map(one).collect()),
    })
}

fn groups(interpreter: &mut Interpreter<'_>, found: &Value, _: CallArguments) -> Eval {
    Ok(Value::tuple(parts(interpreter, found, "groups").iter().skip(1).cloned().collect()))
}

fn group_dict(interpreter: &mut Interpreter<'_>, found: &Value, _: CallArguments) -> Eval {
    let (groups, names) = (parts(interpreter, found, "groups"), parts(interpreter, found, "names"));
    let named = names.iter().zip(groups.iter()).filter(|(name, _)| !name.is_none());
    let entries = named.map(|(name, group)| (name.clone(), group.clone())).collect();
    Ok(Value::Dict(interpreter.heap.allocate_dict(entries)))
}
