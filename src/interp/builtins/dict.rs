//! Methods of the built-in type `dict`.

use std::rc::Rc;

use crate::api::library_model::MethodHandler;
use crate::builtins::containers::{clear, copy, dict, first};
use crate::calls::call::CallArguments;
use crate::evaluate::expressions::insert;
use crate::evaluate::item_assignment::names_one_key;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, Value, ViewPart};
use harp_python::name::name;

/// Configurations within configurations are updated to this depth.
const DEEPEST_UPDATE: usize = 32;

pub(crate) fn dict_method(method: &str) -> Option<MethodHandler> {
    Some(match method {
        // The names with `iter` and `view` are those of Python 2.
        "items" | "iteritems" | "viewitems" => |_, receiver, _| Ok(view(receiver, ViewPart::Items)),
        "keys" | "iterkeys" | "viewkeys" => |_, receiver, _| Ok(view(receiver, ViewPart::Keys)),
        "values" | "itervalues" | "viewvalues" => |_, receiver, _| Ok(view(receiver, ViewPart::Values)),
        "get" => dict_get,
        "pop" => dict_pop,
        "__delitem__" => |this, dict, arguments| {
            if let Some(key) = arguments.positional.first() {
                this.delete_item(dict, key);
            }
            Ok(Value::None)
        },
        "setdefault" => dict_setdefault,
        "update" => dict_update,
        "copy" => copy,
        "clear" => clear,
        "move_to_end" => move_to_end,
        "popitem" => pop_item,
        _ => return None,
    })
}

/// `OrderedDict.move_to_end(key, last=True)`.
fn move_to_end(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let (Value::Dict(id), Some(key)) = (receiver, arguments.get(0, "key")) else { return Ok(Value::None) };
    let is_last = !matches!(arguments.get(1, "last"), Some(Value::Bool(false)));
    let key = interpreter.read(key);
    interpreter.heap.change_dict(*id, |data| {
        if let Some(place) = data.entries.iter().position(|(known, _)| known.same_key(&key)) {
            let entry = data.entries.remove(place);
            let place = if is_last { data.entries.len() } else { 0 };
            data.entries.insert(place, entry);
        }
    });
    Ok(Value::None)
}

/// `dict.popitem()`, and `popitem(last=False)` of an ordered one.
fn pop_item(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Value::Dict(id) = receiver else { return Ok(Value::Unknown("item")) };
    let Some(data) = interpreter.heap.dict(*id).cloned() else { return Ok(Value::Unknown("item")) };
    if data.rest.is_some() {
        return Ok(Value::tuple(vec![Value::Unknown("key"), Value::Unknown("value")]));
    }
    if data.entries.is_empty() {
        interpreter.raise_if_caught("KeyError", "dictionary is empty", arguments.span)?;
        return Ok(Value::Unknown("item of an empty dictionary"));
    }
    let is_first = matches!(arguments.get(0, "last"), Some(Value::Bool(false)));
    let place = if is_first { 0 } else { data.entries.len() - 1 };
    let (key, value) = data.entries[place].clone();
    interpreter.heap.change_dict(*id, |data| drop(data.entries.remove(place)));
    Ok(Value::tuple(vec![key, value]))
}

pub(crate) fn view(receiver: &Value, part: ViewPart) -> Value {
    match receiver {
        Value::Dict(dict) => Value::Iterator(Rc::new(Iteration::View { dict: *dict, part })),
        _ => Value::Unknown("entries"),
    }
}

fn dict_get(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Value::Dict(id) = receiver else { return Ok(Value::Unknown("get")) };
    let key = interpreter.key_in(*id, &first(&arguments));
    let default = arguments.get(1, "default").cloned().unwrap_or(Value::None);
    let Some(data) = interpreter.heap.dict(*id).cloned() else { return Ok(Value::Unknown("get")) };
    interpreter.note_sought_key(*id, &key, arguments.span);
    if let Some((_, value)) = data.find(&key) {
        let value = interpreter.read(value);
        return Ok(match data.doubt_of(&key) {
            None => value,
            Some(truth) => {
                let truth = interpreter.read(truth);
                value_if(interpreter, &truth, &value, &default)
            }
        });
    }
    let has_more = data.rest.is_some() && !interpreter.is_filled_by_callers(*id);
    let is_open = has_more || !is_constant_key(&key);
    if !is_open {
        return Ok(default);
    }
    // Which entry it is depends on the run: any of them, or the default. Numbers and texts are so whichever it is.
    let rest = data.rest.iter().map(|(_, value)| value);
    let values: Vec<Value> =
        data.entries.iter().map(|(_, value)| value).chain(rest).chain([&default]).cloned().collect();
    let are_plain = values.iter().all(|value| matches!(value, Value::Int(_) | Value::Float(_) | Value::Str(_)));
    if are_plain {
        return Ok(interpreter.widen(&values));
    }
    let unknown = interpreter.symbolic("entry", arguments.span, true);
    if data.rest.is_some() {
        return Ok(unknown);
    }
    // A table of functions gives one of them, as a subscript does. Who gives no default takes it that there is one.
    let mut entries = data.entries.clone();
    if !default.is_none() {
        entries.push((Value::Unknown("another key"), default));
    }
    Ok(interpreter.entry_by_key(&key, &entries, unknown, arguments.span))
}

/// The value where a truth holds, and the other where not.
fn value_if(interpreter: &mut Interpreter<'_>, truth: &Value, value: &Value, other: &Value) -> Value {
    match truth {
        Value::Bool(false) => other.clone(),
        Value::Alternatives(truths) => {
            let ways = truths.iter().map(|(guard, truth)| match truth {
                Value::Bool(false) => (Rc::clone(guard), other.clone()),
                _ => (Rc::clone(guard), value.clone()),
            });
            interpreter.join(ways.collect())
        }
        _ => value.clone(),
    }
}

/// Whether a key is one value, which is among the entries or not.
fn is_constant_key(key: &Value) -> bool {
    match key {
        Value::Int(dim) => dim.as_const().is_some(),
        Value::Str(text) => text.is_some(),
        Value::Float(number) => number.is_some(),
        Value::Tuple(items) => items.iter().all(is_constant_key),
        key => !key.is_unknown() && !matches!(key, Value::Alternatives(_) | Value::Condition(_) | Value::Tensor(_)),
    }
}

fn dict_pop(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let value = dict_get(interpreter, receiver, arguments.clone())?;
    if arguments.get(1, "default").is_none()
        && let Value::Dict(id) = receiver
        && let key = interpreter.key_in(*id, &first(&arguments))
        && is_constant_key(&key)
        && interpreter.heap.dict(*id).is_some_and(|data| data.rest.is_none() && data.find(&key).is_none())
    {
        interpreter.raise_if_caught("KeyError", key.as_text().unwrap_or_default(), arguments.span)?;
        return Ok(Value::Unknown("entry that is missing"));
    }
    interpreter.delete_item(receiver, &first(&arguments));
    Ok(value)
}

fn dict_setdefault(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Value::Dict(id) = receiver else { return Ok(Value::Unknown("setdefault")) };
    let key = interpreter.key_in(*id, &first(&arguments));
    let known = interpreter.heap.dict(*id).and_then(|data| data.find(&key).cloned());
    if let Some((_, value)) = known {
        return Ok(interpreter.read(&value));
    }
    let value = arguments.get(1, "default").cloned().unwrap_or(Value::None);
    let stored = value.clone();
    if names_one_key(&interpreter.read(&key)) {
        interpreter.store_through(*id, &key, &stored);
        interpreter.heap.push_entry(*id, key, stored);
        return Ok(value);
    }
    // One of any number of keys, each with a value of its own: one stands for all.
    match interpreter.heap.dict(*id).and_then(|data| data.rest.clone()) {
        Some((_, value)) => Ok(interpreter.another(&value)),
        None => {
            interpreter.heap.change_dict(*id, |data| data.rest = Some((key, stored)));
            Ok(value)
        }
    }
}

fn dict_update(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Value::Dict(id) = receiver else { return Ok(Value::None) };
    let Value::Dict(other) = dict(interpreter, name!("dict"), arguments)? else { return Ok(Value::None) };
    let mut other = Value::Dict(other);
    // Those make dictionaries within a dictionary such as they are.
    if let Some(class @ Value::Library(name)) = interpreter.dict_class(*id).cloned()
        && matches!(name.as_str(), "easydict.EasyDict" | "attrdict.AttrDict" | "addict.Dict" | "addict.addict.Dict")
    {
        other = interpreter.opened(&other, &class);
    }
    let Value::Dict(other) = other else { return Ok(Value::None) };
    let Some(other) = interpreter.heap.dict(other).cloned() else { return Ok(Value::None) };
    if interpreter.is_config_dict(receiver) && other.rest.is_none() {
        return update_within(interpreter, receiver, &other.entries, DEEPEST_UPDATE);
    }
    for (key, value) in &other.entries {
        interpreter.store_through(*id, key, value);
    }
    if other.rest.as_ref().is_some_and(|(_, value)| value.is_unknown()) {
        interpreter.changed_under_unknown_keys(*id, span);
    }
    interpreter.heap.change_dict(*id, |data| {
        for (key, value) in &other.entries {
            insert(data, key.clone(), value.clone());
        }
        if other.rest.is_some() {
            data.rest = other.rest.clone();
        }
    });
    for (key, _) in &other.entries {
        interpreter.models.entry_is_set(interpreter, *id, key, span);
    }
    Ok(Value::None)
}

/// `ConfigDict.update(other)`: dictionaries within the dictionary are updated in turn, and others become such configurations.
fn update_within(
    interpreter: &mut Interpreter<'_>,
    receiver: &Value,
    entries: &[(Value, Value)],
    depth: usize,
) -> Eval {
    let Value::Dict(id) = receiver else { return Ok(Value::None) };
    let class = interpreter.class_of(receiver);
    for (key, value) in entries {
        interpreter.step()?;
        let value = interpreter.read(value);
        let known = interpreter.heap.dict(*id).and_then(|data| data.find(key)).map(|(_, known)| known.clone());
        let known = known.map(|known| interpreter.read(&known));
        match (&known, &value) {
            (Some(inner @ Value::Dict(_)), Value::Dict(other)) if depth > 0 => {
                let entries = interpreter.heap.dict(*other).map(|data| data.entries.clone()).unwrap_or_default();
                update_within(interpreter, inner, &entries, depth - 1)?;
            }
            _ => {
                let value = interpreter.opened(&value, &class);
                interpreter.store_through(*id, key, &value);
                interpreter.heap.change_dict(*id, |data| insert(data, key.clone(), value));
            }
        }
    }
    Ok(Value::None)
}
