//! What options of the analysed program's command line hold for the words that they are given.

use crate::command_line::argparse::default_value;
use crate::command_line::argument_words::{Action, Arity, Declared, Given};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;

/// What `argparse` stores: options that collect add to their default, each of those that are stored in one place in its turn.
pub fn value_after_default(
    interpreter: &mut Interpreter<'_>,
    options: &[Declared],
    option: &Declared,
    given: &Given,
) -> Eval {
    let collects =
        |option: &Declared| matches!(option.action, Action::Append | Action::Extend | Action::AppendConstant);
    if option.action == Action::Count {
        let before = match &option.default {
            Value::None => Value::int(0),
            default => default.clone(),
        };
        return Ok(match before.as_int() {
            Some(before) => Value::int(before + given.groups.len() as i64),
            None => Value::Unknown("counted option"),
        });
    }
    if !collects(option) {
        return given_value(interpreter, option, given);
    }
    let first = options.iter().find(|known| known.destination == option.destination).unwrap_or(option);
    let mut items = match default_value(interpreter, first)? {
        Value::None => Vec::new(),
        default => match items_of(interpreter, &default) {
            Some(items) => items,
            None => return Ok(Value::Unknown("collected option")),
        },
    };
    for (group, by) in given.groups.iter().zip(&given.by) {
        let Some(option) = options.iter().find(|option| option.flags.first() == Some(by)) else { continue };
        let once = Given { groups: vec![group.clone()], by: vec![by.clone()], is_negated: false };
        let value = given_value(interpreter, option, &once)?;
        match items_of(interpreter, &value).filter(|_| collects(option)) {
            Some(more) => items.extend(more),
            None => return Ok(value),
        }
    }
    Ok(Value::List(interpreter.heap.allocate_list(items)))
}

fn items_of(interpreter: &Interpreter<'_>, value: &Value) -> Option<Vec<Value>> {
    match interpreter.read(value) {
        Value::List(id) => interpreter.heap.list(id).filter(|data| data.rest.is_none()).map(|data| data.items.clone()),
        Value::Tuple(items) => Some(items.to_vec()),
        _ => None,
    }
}

/// What an option holds for the words that it was given.
pub fn given_value(interpreter: &mut Interpreter<'_>, option: &Declared, given: &Given) -> Eval {
    let is_list = !matches!(option.arity, Arity::One | Arity::Optional);
    Ok(match option.action {
        Action::StoreTrue => Value::Bool(true),
        Action::StoreFalse => Value::Bool(false),
        Action::Switch => Value::Bool(!given.is_negated),
        Action::StoreConstant => option.constant.clone(),
        Action::Count => Value::int(given.groups.len() as i64),
        Action::AppendConstant => {
            let items = vec![option.constant.clone(); given.groups.len()];
            Value::List(interpreter.heap.allocate_list(items))
        }
        Action::Extend => {
            let words: Vec<String> = given.groups.iter().flatten().cloned().collect();
            converted_group(interpreter, option, &words, true)?
        }
        Action::Append => {
            let mut items = Vec::new();
            for group in &given.groups {
                items.push(converted_group(interpreter, option, group, is_list)?);
            }
            Value::List(interpreter.heap.allocate_list(items))
        }
        Action::Store => match given.groups.last() {
            Some(group) => converted_group(interpreter, option, group, is_list)?,
            None => option.constant.clone(),
        },
        Action::Ignored => Value::None,
    })
}

fn converted_group(interpreter: &mut Interpreter<'_>, option: &Declared, group: &[String], is_list: bool) -> Eval {
    if !is_list {
        return match group.first() {
            Some(word) => converted(interpreter, option, word),
            None => Ok(option.constant.clone()),
        };
    }
    let mut items = Vec::with_capacity(group.len());
    for word in group {
        items.push(converted(interpreter, option, word)?);
    }
    Ok(Value::List(interpreter.heap.allocate_list(items)))
}

/// A word as the option's `type` makes it.
pub fn converted(interpreter: &mut Interpreter<'_>, option: &Declared, word: &str) -> Eval {
    if option.is_integer() {
        return Ok(word.trim().replace('_', "").parse().map_or(Value::Unknown("not a number"), Value::int));
    }
    match &option.conversion {
        Value::None | Value::Str(_) => Ok(Value::str(word)),
        own @ Value::Instance(_) if interpreter.is_instance_of(own, "click.ParamType") => {
            let Some(convert) = interpreter.own_method(own, "convert") else { return Ok(Value::str(word)) };
            let given = vec![Value::str(word), Value::None, Value::None];
            interpreter.call(&convert, CallArguments::positional(given, option.span))
        }
        conversion => {
            let call = CallArguments::positional(vec![Value::str(word)], option.span);
            interpreter.call(&conversion.clone(), call)
        }
    }
}
