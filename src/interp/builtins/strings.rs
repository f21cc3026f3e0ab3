//! The built-in type `str`, `print`, and the parts of `os` that make path names.

use std::rc::Rc;

use crate::api::library_model::{FunctionHandler, MethodHandler};
use crate::calls::call::CallArguments;
use crate::evaluate::binary_operators::LONGEST_TEXT;
use crate::modules::ends::ends_program;
use crate::paths::predicates::Place;
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, LibraryMethod, ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};
use harp_shape::DType;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.str" | "builtins.repr" | "builtins.format" | "builtins.unicode" => to_text,
        "builtins.bin" | "builtins.oct" | "builtins.hex" => |_, name, arguments| {
            let number = arguments.positional.first().and_then(Value::as_int);
            Ok(Value::Str(number.map(|number| {
                let (sign, magnitude) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
                Rc::from(match name.as_str() {
                    "builtins.bin" => format!("{sign}{magnitude:#b}"),
                    "builtins.oct" => format!("{sign}{magnitude:#o}"),
                    _ => format!("{sign}{magnitude:#x}"),
                })
            })))
        },
        "os.path.splitext" => |_, _, arguments| {
            let path = arguments.positional.first().and_then(Value::as_text);
            Ok(match path {
                Some(path) => {
                    let name = path.rfind('/').map_or(0, |place| place + 1);
                    let stem = path[name..].len() - path[name..].trim_start_matches('.').len();
                    let dot = path[name + stem..].rfind('.').map_or(path.len(), |place| name + stem + place);
                    Value::tuple(vec![Value::str(&path[..dot]), Value::str(&path[dot..])])
                }
                None => Value::tuple(vec![Value::Str(None); 2]),
            })
        },
        "builtins.ord" => |this, _, arguments| {
            let mut characters = arguments.positional.first().and_then(Value::as_text).unwrap_or_default().chars();
            Ok(match (characters.next(), characters.next()) {
                (Some(character), None) => Value::int(i64::from(u32::from(character))),
                _ => Value::Int(this.free_dim("character", 0)),
            })
        },
        "builtins.chr" => |_, _, arguments| {
            let number = arguments.positional.first().and_then(Value::as_int);
            let character = number.and_then(|number| char::from_u32(u32::try_from(number).ok()?));
            Ok(Value::Str(character.map(|character| Rc::from(character.to_string()))))
        },
        "builtins.input" | "builtins.raw_input" | "os.getcwd" | "time.strftime" => |_, _, _| Ok(Value::Str(None)),
        "time.time" | "time.perf_counter" | "time.monotonic" | "random.random" | "random.uniform" | "random.gauss" => {
            |_, _, _| Ok(Value::Float(None))
        }
        "os.makedirs"
        | "os.mkdir"
        | "random.seed"
        | "time.sleep"
        | "warnings.warn"
        | "warnings.filterwarnings"
        | "warnings.simplefilter" => |_, _, _| Ok(Value::None),
        "random.shuffle" => shuffle,
        "random.randint" | "random.randrange" => random_integer,
        name if ends_program(name) => |this, _, arguments| {
            let code = arguments.positional.first().cloned().unwrap_or(Value::None);
            Err(this.raise_exit(code, arguments.span))
        },
        "unittest.main" => |this, _, arguments| match arguments.keyword("exit") {
            None => Err(this.raise_exit(Value::None, arguments.span)),
            Some(_) => Ok(this.symbolic("tests", arguments.span, true)),
        },
        _ => return None,
    })
}

/// The items of longer lists are not told apart when they were shuffled.
const MOST_SHUFFLED: usize = 64;

/// After `random.shuffle(items)`, each item may be any of them.
fn shuffle(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if let Some(Value::List(id)) = arguments.positional.first().map(|list| interpreter.read(list))
        && let Some(data) = interpreter.heap.list(id).cloned()
        && data.items.len() > 1
        && data.items[1..].iter().any(|item| !item.same(&data.items[0]))
    {
        let any = interpreter.widen(&data.items);
        // The places do not hold one item again and again.
        let is_short = data.items.len() <= MOST_SHUFFLED;
        let items: Vec<Value> =
            data.items.iter().map(|_| if is_short { interpreter.widen(&data.items) } else { any.clone() }).collect();
        interpreter.heap.change_list(id, |data| data.items = items);
    }
    Ok(Value::None)
}

pub fn method(name: &str) -> Option<MethodHandler> {
    if matches!(
        name,
        "builtins.str.self"
            | "builtins.int.numel"
            | "builtins.float.item"
            | "builtins.int.item"
            | "builtins.bool.item"
            | "builtins.float.tolist"
            | "builtins.int.tolist"
    ) {
        return Some(identity);
    }
    let method = name.strip_prefix("builtins.str.")?;
    Some(match method {
        "format" => crate::builtins::str_format::format,
        "join" => join,
        "split" => split,
        "rsplit" => split_from_the_end,
        "splitlines" => lines,
        "strip" => |_, receiver, arguments| Ok(stripped(receiver, &arguments, true, true)),
        "lstrip" => |_, receiver, arguments| Ok(stripped(receiver, &arguments, true, false)),
        "rstrip" => |_, receiver, arguments| Ok(stripped(receiver, &arguments, false, true)),
        "lower" | "upper" | "replace" => change_case,
        "startswith" => |this, receiver, arguments| affix(this, receiver, &arguments, Place::Begin),
        "endswith" => |this, receiver, arguments| affix(this, receiver, &arguments, Place::End),
        "removeprefix" => {
            |_, receiver, arguments| Ok(without(receiver, &arguments, |text, part| text.strip_prefix(part)))
        }
        "removesuffix" => {
            |_, receiver, arguments| Ok(without(receiver, &arguments, |text, part| text.strip_suffix(part)))
        }
        "encode" => |_, _, _| Ok(Value::Bytes),
        "isdigit" | "isnumeric" => |_, receiver, _| Ok(test(receiver, char::is_numeric)),
        "isalpha" => |_, receiver, _| Ok(test(receiver, char::is_alphabetic)),
        "isalnum" => |_, receiver, _| Ok(test(receiver, char::is_alphanumeric)),
        "isspace" => |_, receiver, _| Ok(test(receiver, is_space)),
        "isupper" => |_, receiver, _| Ok(has_case(receiver, char::is_uppercase, char::is_lowercase)),
        "islower" => |_, receiver, _| Ok(has_case(receiver, char::is_lowercase, char::is_uppercase)),
        "istitle" => |_, receiver, _| {
            Ok(receiver.as_text().map_or(Value::Unknown("test of a string"), |text| {
                let words: Vec<&str> =
                    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
                let is_title = |word: &&str| {
                    let mut letters = word.chars();
                    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
                };
                Value::Bool(!words.is_empty() && words.iter().all(is_title))
            }))
        },
        "find" => |this, text, arguments| Ok(position(this, text, &arguments)),
        "rfind" => |this, text, arguments| Ok(last_position(this, text, &arguments)),
        "index" => |this, text, arguments| found(this, position, text, &arguments),
        "rindex" => |this, text, arguments| found(this, last_position, text, &arguments),
        "expandtabs" => |_, text, arguments| {
            let width = arguments.get(0, "tabsize").map_or(Some(8), Value::as_int);
            let width = width.and_then(|width| usize::try_from(width).ok());
            Ok(Value::Str(text.as_text().zip(width).and_then(|(text, width)| with_spaces(text, width))))
        },
        "count" => |this, text, arguments| {
            Ok(match (text.as_text(), &arguments.positional[..]) {
                (Some(text), [Value::Str(Some(part))]) if !part.is_empty() => {
                    Value::int(text.matches(&**part).count() as i64)
                }
                _ => this.any_integer("count"),
            })
        },
        "zfill" => |_, text, arguments| Ok(filled(text, &arguments, Side::Zeros)),
        "ljust" => |_, text, arguments| Ok(filled(text, &arguments, Side::Left)),
        "rjust" => |_, text, arguments| Ok(filled(text, &arguments, Side::Right)),
        "center" => |_, text, arguments| Ok(filled(text, &arguments, Side::Centre)),
        "casefold" => {
            |_, text, _| Ok(Value::Str(text.as_text().and_then(crate::builtins::str_case::folded).map(Rc::from)))
        }
        "swapcase" => |_, text, _| Ok(Value::Str(text.as_text().map(swapped))),
        "format_map" => crate::builtins::str_format::format_map,
        "partition" => |_, text, arguments| Ok(parted(text, &arguments, |text, part| text.find(part), false)),
        "rpartition" => |_, text, arguments| Ok(parted(text, &arguments, |text, part| text.rfind(part), true)),
        _ => return None,
    })
}

/// `text.find(part)`: counted in characters, as Python does; -1 where it does not occur.
fn position(interpreter: &mut Interpreter<'_>, text: &Value, arguments: &CallArguments) -> Value {
    match (text.as_text(), &arguments.positional[..]) {
        (Some(text), [part]) if part.as_text().is_some() => {
            let found = text.find(part.as_text().unwrap_or_default());
            Value::int(found.map_or(-1, |bytes| text[..bytes].chars().count() as i64))
        }
        _ => interpreter.any_integer("position"),
    }
}

/// `text.index(part)`: what is not there is an error.
fn found(
    interpreter: &mut Interpreter<'_>,
    position: fn(&mut Interpreter<'_>, &Value, &CallArguments) -> Value,
    text: &Value,
    arguments: &CallArguments,
) -> Eval {
    let place = position(interpreter, text, arguments);
    if place.as_int() == Some(-1) {
        interpreter.raise_if_caught("ValueError", "substring not found", arguments.span)?;
        return Ok(interpreter.any_integer("position"));
    }
    Ok(place)
}

/// The text with spaces up to the next column that is a multiple of `width` in place of each tab.
fn with_spaces(text: &str, width: usize) -> Option<Rc<str>> {
    if width > 256 || text.len() > LONGEST_TEXT / 256 {
        return None;
    }
    let (mut column, mut spaced) = (0usize, String::with_capacity(text.len()));
    for character in text.chars() {
        let spaces = width - column.checked_rem(width).unwrap_or(width);
        match character {
            '\t' => {
                spaced.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            _ => {
                spaced.push(character);
                column = if matches!(character, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Some(Rc::from(spaced))
}

/// `text.rfind(part)`.
fn last_position(interpreter: &mut Interpreter<'_>, text: &Value, arguments: &CallArguments) -> Value {
    match (text.as_text(), &arguments.positional[..]) {
        (Some(text), [Value::Str(Some(part))]) => {
            Value::int(text.rfind(&**part).map_or(-1, |bytes| text[..bytes].chars().count() as i64))
        }
        _ => interpreter.any_integer("position"),
    }
}

/// Whether a text has letters of the one case and none of the other.
fn has_case(text: &Value, wanted: fn(char) -> bool, other: fn(char) -> bool) -> Value {
    match text.as_text() {
        Some(text) => Value::Bool(text.chars().any(wanted) && !text.chars().any(other)),
        None => Value::Unknown("test of a string"),
    }
}

fn swapped(text: &str) -> Rc<str> {
    let swap =
        |c: char| -> String { if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() } };
    Rc::from(text.chars().map(swap).collect::<String>())
}

/// Where the text stands in the width that it is filled up to.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
    Centre,
    Zeros,
}

fn filled(text: &Value, arguments: &CallArguments, side: Side) -> Value {
    let width = arguments.positional.first().and_then(Value::as_int).and_then(|width| usize::try_from(width).ok());
    let (Some(text), Some(width)) = (text.as_text(), width.filter(|width| *width <= 4096)) else {
        return Value::Str(None);
    };
    let fill = match (side, arguments.positional.get(1)) {
        (Side::Zeros, _) => "0".to_owned(),
        (_, None) => " ".to_owned(),
        (_, Some(Value::Str(Some(fill)))) => fill.to_string(),
        _ => return Value::Str(None),
    };
    let missing = width.saturating_sub(text.chars().count());
    let fills = |count: usize| fill.repeat(count);
    Value::str(&match side {
        Side::Left => format!("{text}{}", fills(missing)),
        Side::Right => format!("{}{text}", fills(missing)),
        Side::Centre => {
            // Python puts the odd one in front where the width is odd.
            let front = missing / 2 + (missing & width & 1);
            format!("{}{text}{}", fills(front), fills(missing - front))
        }
        Side::Zeros => match text.strip_prefix(['+', '-']) {
            Some(digits) => format!("{}{}{digits}", &text[..1], fills(missing)),
            None => format!("{}{text}", fills(missing)),
        },
    })
}

fn to_text(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if name.as_str() != "builtins.format"
        && let [Value::Class(class)] = &arguments.positional[..]
        && let Some(text) = name_in_full(interpreter, *class)
    {
        return Ok(Value::Str(Some(Rc::from(format!("<class '{text}'>")))));
    }
    if name.as_str() != "builtins.format"
        && let [Value::Library(class)] = &arguments.positional[..]
        && interpreter.library_class(*class).is_some()
    {
        let shown = class.as_str().strip_prefix("builtins.").unwrap_or(class.as_str());
        return Ok(Value::Str(Some(Rc::from(format!("<class '{shown}'>")))));
    }
    let is_plain = name.as_str() == "builtins.str" && arguments.positional.len() <= 1;
    if let (Some(value), true) = (arguments.positional.first(), arguments.positional.len() == 1) {
        let value = interpreter.read(value);
        if name.as_str() == "builtins.repr" {
            let text = match &value {
                Value::Alternatives(_) => None,
                value => interpreter.representation_of(value, arguments.span)?,
            };
            return Ok(Value::Str(text));
        }
        if !matches!(value, Value::Alternatives(_))
            && let Some(text) = interpreter.text_of(&value, arguments.span)?
        {
            return Ok(Value::Str(Some(text)));
        }
    }
    Ok(match (arguments.positional.first().map(|value| interpreter.read(value)), is_plain) {
        (Some(Value::Str(text)), true) => Value::Str(text),
        (Some(Value::Int(dim)), true) => Value::Str(dim.as_const().map(|value| Rc::from(value.to_string()))),
        (Some(Value::Bool(value)), true) => Value::str(if value { "True" } else { "False" }),
        (Some(Value::None), true) => Value::str("None"),
        (None, true) => Value::str(""),
        (Some(path @ Value::Symbolic(_)), true) => Value::Str(interpreter.path_of(&path)),
        _ => Value::Str(None),
    })
}

fn random_integer(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    interpreter.random_integer(name, &arguments)
}

fn joined_length(texts: &[&str], separator: &str) -> usize {
    let separators = separator.len().saturating_mul(texts.len().saturating_sub(1));
    texts.iter().fold(separators, |length, text| length.saturating_add(text.len()))
}

fn join(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let (Some(separator), Some(parts)) = (receiver.as_text(), arguments.positional.first()) else {
        return Ok(Value::Str(None));
    };
    let Iteration::Items(items) = interpreter.iterate(parts)? else { return Ok(Value::Str(None)) };
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_text).collect();
    Ok(match texts {
        Some(texts) if joined_length(&texts, separator) <= LONGEST_TEXT => Value::str(&texts.join(separator)),
        _ => Value::Str(None),
    })
}

fn split(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let separator = arguments.get(0, "sep").filter(|separator| !separator.is_none());
    let most = match arguments.get(1, "maxsplit") {
        None => Some(usize::MAX),
        Some(most) => most.as_int().map(|most| usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1))),
    };
    let parts: Option<Vec<Value>> = match (receiver.as_text(), separator, most) {
        (Some(text), None, Some(usize::MAX)) => {
            Some(text.split(is_space).filter(|part| !part.is_empty()).map(Value::str).collect())
        }
        (Some(text), Some(Value::Str(Some(separator))), Some(most)) if !separator.is_empty() => {
            Some(text.splitn(most, &**separator).map(Value::str).collect())
        }
        _ => None,
    };
    Ok(list_of_texts(interpreter, parts))
}

/// A list; one of unknown texts where they are not known.
fn list_of_texts(interpreter: &mut Interpreter<'_>, parts: Option<Vec<Value>>) -> Value {
    match parts {
        Some(parts) => Value::List(interpreter.heap.allocate_list(parts)),
        None => {
            let list = interpreter.heap.allocate_list(Vec::new());
            interpreter.heap.change_list(list, |data| data.rest = Some(Value::Str(None)));
            Value::List(list)
        }
    }
}

/// `rsplit` with a bound counts from the end; without one it is `split`.
fn split_from_the_end(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Some(most) = arguments.get(1, "maxsplit").map(Value::as_int) else {
        return split(interpreter, receiver, arguments);
    };
    let parts = match (receiver.as_text(), arguments.get(0, "sep").and_then(Value::as_text), most) {
        (Some(text), Some(separator), Some(most @ 0..)) if !separator.is_empty() => {
            let mut parts: Vec<Value> = text.rsplitn(most as usize + 1, separator).map(Value::str).collect();
            parts.reverse();
            Some(parts)
        }
        _ => None,
    };
    Ok(list_of_texts(interpreter, parts))
}

fn lines(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    // With the ends of lines or without.
    let keeps_ends = match arguments.get(0, "keepends").map(|keeps| interpreter.truth(keeps)) {
        None | Some(Truth::Known(false)) => Some(false),
        Some(Truth::Known(true)) => Some(true),
        Some(_) => None,
    };
    let parts = receiver.as_text().zip(keeps_ends).map(|(text, keeps_ends)| match keeps_ends {
        true => lines_of(text).map(|(line, end)| Value::str(&[line, end].concat())).collect(),
        false => lines_of(text).map(|(line, _)| Value::str(line)).collect(),
    });
    Ok(list_of_texts(interpreter, parts))
}

/// The lines of a text with what ends each of them: Python knows more ends than line feeds (the library reference, "str.splitlines").
fn lines_of(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    const ENDS: [char; 10] = ['\n', '\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e', '\u{85}', '\u{2028}', '\u{2029}'];
    std::iter::from_fn(move || {
        let end = match text.find(ENDS) {
            _ if text.is_empty() => return None,
            None => return Some((std::mem::take(&mut text), "")),
            Some(end) => end,
        };
        let (line, rest) = text.split_at(end);
        let length = if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
        text = &rest[length..];
        Some((line, &rest[..length]))
    })
}

/// What Python takes for white space: four control characters more than Unicode says.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// `partition`, `rpartition`: what stands before a separator, the separator, and what stands after it.
fn parted(receiver: &Value, arguments: &CallArguments, find: fn(&str, &str) -> Option<usize>, is_last: bool) -> Value {
    let separator = arguments.positional.first().and_then(Value::as_text);
    let (Some(text), Some(separator)) = (receiver.as_text(), separator) else {
        return Value::tuple(vec![Value::Str(None); 3]);
    };
    let parts = match find(text, separator) {
        Some(at) => [&text[..at], separator, &text[at + separator.len()..]],
        None if is_last => ["", "", text],
        None => [text, "", ""],
    };
    Value::tuple(parts.map(Value::str).to_vec())
}

/// Methods whose result is known for a known string only by calling them with a name of its own; here those without arguments.
fn change_case(_: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Some(text) = receiver.as_text() else { return Ok(Value::Str(None)) };
    Ok(match &arguments.positional[..] {
        [Value::Str(Some(from)), Value::Str(Some(to))] if !from.is_empty() && text.len() < 4096 && to.len() < 256 => {
            Value::str(&text.replace(&**from, to))
        }
        [Value::Str(Some(from)), Value::Str(Some(to)), count]
            if !from.is_empty() && text.len() < 4096 && to.len() < 256 && count.as_int().is_some() =>
        {
            let count = count.as_int().and_then(|count| usize::try_from(count).ok());
            // A negative number is no limit.
            Value::str(&text.replacen(&**from, to, count.unwrap_or(usize::MAX)))
        }
        _ => Value::Str(None),
    })
}

/// `startswith`, `endswith`: with one text, or any of a tuple of texts.
fn affix(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: &CallArguments, place: Place) -> Eval {
    const UNDECIDED: Value = Value::Unknown("test of a string");
    if let (Value::Symbolic(id), [part]) = (receiver, &arguments.positional[..]) {
        let part = interpreter.read(part);
        return Ok(part.as_text().map_or(UNDECIDED, |part| interpreter.asked_of_text(*id, place, part)));
    }
    let (Some(text), [part]) = (receiver.as_text(), &arguments.positional[..]) else { return Ok(UNDECIDED) };
    let parts = match interpreter.read(part) {
        Value::Tuple(parts) => parts.iter().map(|part| interpreter.read(part)).collect(),
        part => vec![part],
    };
    let answers: Vec<Option<bool>> = parts.iter().map(|part| Some(place.holds(text, part.as_text()?))).collect();
    Ok(match (answers.contains(&Some(true)), answers.contains(&None)) {
        (true, _) => Value::Bool(true),
        (false, true) => UNDECIDED,
        (false, false) => Value::Bool(false),
    })
}

/// `isdigit` and its like: not empty, and every character is one of those.
fn test(receiver: &Value, is_meant: fn(char) -> bool) -> Value {
    match receiver.as_text() {
        Some(text) => Value::Bool(!text.is_empty() && text.chars().all(is_meant)),
        None => Value::Unknown("test of a string"),
    }
}

/// `strip`: white space, or the characters of the argument, from either end.
fn stripped(receiver: &Value, arguments: &CallArguments, front: bool, back: bool) -> Value {
    let characters = match arguments.positional.first() {
        None | Some(Value::None) => None,
        Some(Value::Str(Some(characters))) => Some(characters),
        Some(_) => return Value::Str(None),
    };
    let Some(mut text) = receiver.as_text() else { return Value::Str(None) };
    let is_meant = |c: char| characters.map_or_else(|| is_space(c), |characters| characters.contains(c));
    if front {
        text = text.trim_start_matches(is_meant);
    }
    if back {
        text = text.trim_end_matches(is_meant);
    }
    Value::str(text)
}

/// `removeprefix`, `removesuffix`.
fn without(receiver: &Value, arguments: &CallArguments, remove: for<'t> fn(&'t str, &str) -> Option<&'t str>) -> Value {
    match (receiver.as_text(), arguments.positional.first().and_then(Value::as_text)) {
        (Some(text), Some(part)) => Value::str(remove(text, part).unwrap_or(text)),
        _ => Value::Str(None),
    }
}

impl Interpreter<'_> {
    /// `torch.max(x, dim)` and its like give a tuple whose parts have names.
    fn named_part(&self, value: &Value, name: Name) -> Option<Value> {
        if let (Value::List(queue), "maxlen") = (value, name.as_str()) {
            return self.heap.attribute(*queue, Name::new(crate::builtins::deque::BOUND)).cloned();
        }
        let Value::Tuple(items) = value else { return None };
        // The operation that made the parts knows their names.
        if let Some(Value::Tensor(tensor)) = items.first()
            && let Some(record) = self.trace.operation(tensor.operation)
        {
            let fields = harp_operations::field_names(record.api.as_str());
            let place = fields.iter().position(|field| *field == name.as_str());
            if let Some(part) = place.filter(|_| fields.len() == items.len()).and_then(|place| items.get(place)) {
                return Some(part.clone());
            }
        }
        let [first @ Value::Tensor(_), second @ Value::Tensor(_)] = &items[..] else { return None };
        match name.as_str() {
            "values" | "Q" | "eigenvalues" | "sign" | "solution" => Some(first.clone()),
            "indices" | "R" | "eigenvectors" | "logabsdet" => Some(second.clone()),
            _ => None,
        }
    }

    /// A member of a value of a built-in type.
    pub fn builtin_member(&mut self, value: &Value, name: Name, span: Span) -> Value {
        // A member of an enumeration stands for its value.
        if name.as_str() == "value"
            && matches!(value, Value::Int(_) | Value::Str(_) | Value::Float(_) | Value::Bool(_) | Value::Tuple(_))
        {
            return value.clone();
        }
        if let Some(part) = self.named_part(value, name) {
            return part;
        }
        let class = match value {
            Value::Range(_) if matches!(name.as_str(), "index" | "count") => Value::library("builtins.range"),
            Value::Iterator(_) if crate::generators::generator_methods::is_member(name.as_str()) => {
                self.class_of(value)
            }
            Value::Iterator(_) | Value::Range(_) | Value::Unknown(_) => {
                return self.symbolic(name.as_str(), span, true);
            }
            Value::DType(dtype) => {
                return match name.as_str() {
                    "is_floating_point" if *dtype != DType::Unknown => Value::Bool(dtype.is_floating()),
                    _ => self.symbolic(name.as_str(), span, true),
                };
            }
            Value::Size(shape) if name.as_str() == "numel" => {
                let count = self.solver.resolve_shape(shape).prod();
                let receiver = Value::Int(count);
                let api = name!("builtins.int.numel");
                return Value::LibraryMethod(Rc::new(LibraryMethod { receiver, api }));
            }
            other => self.class_of(other),
        };
        let Value::Library(class) = class else { return self.symbolic(name.as_str(), span, true) };
        let api = self.qualified(class, name);
        // `str.lower` and its like need their own name to be computed.
        if let Value::Str(Some(text)) = value {
            let changed = match name.as_str() {
                "lower" => Some(text.to_lowercase()),
                "upper" => Some(text.to_uppercase()),
                _ => None,
            };
            if let Some(changed) = changed {
                let receiver = Value::str(&changed);
                return Value::LibraryMethod(Rc::new(LibraryMethod { receiver, api: name!("builtins.str.self") }));
            }
        }
        Value::LibraryMethod(Rc::new(LibraryMethod { receiver: value.clone(), api }))
    }
}

/// Methods that return their receiver.
pub fn identity(_: &mut Interpreter<'_>, receiver: &Value, _: CallArguments) -> Eval {
    Ok(receiver.clone())
}

/// `module.Class`
fn name_in_full(interpreter: &Interpreter<'_>, class: ObjectId) -> Option<String> {
    let definition = &interpreter.heap.class(class)?.definition;
    let module = interpreter.project.module(interpreter.project.module_of_file(definition.file))?;
    Some(format!("{}.{}", module.name, definition.qualified_name))
}
