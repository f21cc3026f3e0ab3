//! Built-in containers: lists, tuples, sets, dictionaries, and what iterates over them.

use std::rc::Rc;

use crate::api::library_model::{FunctionHandler, MethodHandler};
use crate::builtins::deque;
use crate::builtins::dict::dict_method;
use crate::builtins::sorted;
use crate::calls::call::CallArguments;
use crate::evaluate::expressions::insert;
use crate::evaluate::item_assignment::names_one_key;
use crate::heap::objects::{DictData, ListData, Payload};
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Residual, Value};
use harp_python::ir::CompareOperator;
use harp_python::name::{Name, name};
use harp_shape::Dim;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.range" | "builtins.xrange" => range,
        "builtins.list" => list,
        "builtins.tuple" => tuple,
        "builtins.set" | "builtins.frozenset" => set,
        "builtins.dict" | "collections.OrderedDict" => dict,
        "builtins.sorted" => sorted,
        "builtins.slice" => slice,
        "builtins.dict.fromkeys" | "collections.OrderedDict.fromkeys" => |this, _, arguments| {
            let value = arguments.get(1, "value").cloned().unwrap_or(Value::None);
            let iteration = this.iterate(&first(&arguments))?;
            let (keys, is_exact, _) = this.sample(iteration);
            let dict = this.heap.allocate_dict(Vec::new());
            this.heap.change_dict(dict, |data| {
                for key in keys {
                    match is_exact {
                        true => insert(data, key, value.clone()),
                        false => data.rest = Some((key, value.clone())),
                    }
                }
            });
            Ok(Value::Dict(dict))
        },
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.strip_prefix("builtins.")?.split_once('.')?;
    match class {
        "list" => list_method(method),
        "dict" => dict_method(method),
        "set" => set_method(method),
        "range" => match method {
            "index" => Some(index_of),
            _ => None,
        },
        "tuple" => match method {
            "index" => Some(index_of),
            "count" => Some(count_of_item),
            "numel" => Some(crate::builtins::numbers::elements_of_size),
            _ => None,
        },
        _ => None,
    }
}

fn list_method(method: &str) -> Option<MethodHandler> {
    Some(match method {
        "append" => append,
        "extend" => extend,
        "appendleft" => |this, list, arguments| {
            insert_item(this, list, arguments.with_first(Value::int(0)))?;
            deque::keep_bound(this, list, deque::End::Right);
            Ok(Value::None)
        },
        "popleft" => |this, list, arguments| pop(this, list, arguments.with_first(Value::int(0))),
        "insert" => insert_item,
        "pop" => pop,
        "clear" => clear,
        "copy" => copy,
        "reverse" => reverse,
        "sort" => sort,
        "remove" => remove,
        "index" => index_of,
        "count" => count_of_item,
        method => return deque::method(method),
    })
}

fn set_method(method: &str) -> Option<MethodHandler> {
    Some(match method {
        "add" => append,
        "update" => extend,
        "union" => |this, set, arguments| {
            let united = copy(this, set, CallArguments::empty(arguments.span))?;
            for other in &arguments.positional {
                extend(this, &united, CallArguments::positional(vec![other.clone()], arguments.span))?;
            }
            Ok(united)
        },
        "copy" => copy,
        "clear" => clear,
        "remove" => remove,
        "discard" => |this, set, arguments| {
            take_away(this, set, &first(&arguments));
            Ok(Value::None)
        },
        "pop" => pop_from_set,
        "issubset" => |this, receiver, arguments| {
            let Some(id) = list_id(receiver) else { return Ok(Value::Unknown("set")) };
            let other = first(&arguments);
            let other = set(this, name!("builtins.set"), CallArguments::positional(vec![other], arguments.span))?;
            this.compare(CompareOperator::LessEqual, &Value::Set(id), &other, arguments.span, [arguments.span; 2])
        },
        method => return crate::builtins::set::method(method),
    })
}

pub(crate) fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}

fn range(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let read: Vec<Value> = arguments.positional.iter().map(|value| interpreter.read(value)).collect();
    if let Some(position) = read.iter().position(|value| matches!(value, Value::Alternatives(_))) {
        // A range for each bound that is possible, so that a counter goes with the sizes that were made of the same bound.
        return interpreter.for_each_alternative(&read[position], |this, bound| {
            let mut arguments = arguments.clone();
            arguments.positional[position] = bound;
            range(this, name!("builtins.range"), arguments)
        });
    }
    let mut dims = Vec::new();
    for value in &arguments.positional {
        let value = interpreter.read(value);
        let dim = match value {
            Value::Symbolic(id) => interpreter.refine_to_integer(id, "it bounds a `range`", arguments.span),
            own @ Value::Instance(_) => {
                interpreter.own_number(&own, "__index__", arguments.span)?.as_ref().and_then(Value::as_dim)
            }
            value => value.as_dim(),
        };
        dims.push(dim.unwrap_or_else(|| interpreter.free_dim("n", 0)));
    }
    let (zero, one) = (Dim::constant(0), Dim::constant(1));
    let bounds = match dims[..] {
        [stop] => [zero, stop, one],
        [start, stop] => [start, stop, one],
        [start, stop, step] => [start, stop, step],
        _ => return Ok(Value::Unknown("range")),
    };
    Ok(Value::Range(Rc::new(bounds)))
}

/// The items of an iterable as list data.
fn data_of(interpreter: &mut Interpreter<'_>, value: &Value) -> Eval<ListData> {
    let iteration = interpreter.iterate(value)?;
    let (items, exact, _) = interpreter.sample(iteration);
    Ok(if exact {
        ListData { items, rest: None }
    } else {
        ListData { items: Vec::new(), rest: items.into_iter().next() }
    })
}

fn list(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let data = match arguments.positional.first() {
        Some(value) => data_of(interpreter, value)?,
        None => ListData::default(),
    };
    Ok(Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data)))))
}

fn set(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Value::List(id) = list(interpreter, name, arguments)? else { return Ok(Value::Unknown("set")) };
    interpreter.keep_distinct(id, span)?;
    Ok(Value::Set(id))
}

pub fn tuple(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some(value) = arguments.positional.first() else { return Ok(Value::tuple(Vec::new())) };
    if let Value::Size(_) = value {
        return Ok(value.clone());
    }
    let data = data_of(interpreter, value)?;
    Ok(match data.rest {
        None => Value::tuple(data.items),
        Some(_) => Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data)))),
    })
}

pub(crate) fn dict(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let mut data = DictData::default();
    if let Some(value) = arguments.positional.first() {
        let value = interpreter.read(value);
        match &value {
            Value::Dict(id) => {
                data = interpreter.heap.dict(*id).map(|data| (**data).clone()).unwrap_or_default();
                if interpreter.is_filled_by_callers(*id) {
                    data.rest = None;
                }
            }
            Value::Instance(_) if let Some(Value::Dict(id)) = interpreter.mapping_of_keys(&value, arguments.span) => {
                data = interpreter.heap.dict(id).map(|data| (**data).clone()).unwrap_or_default();
            }
            _ => {
                let pairs = data_of(interpreter, &value)?;
                for pair in &pairs.items {
                    let pair = interpreter.read(pair);
                    match interpreter.plain_of(&pair).unwrap_or(pair) {
                        Value::Tuple(pair) if pair.len() == 2 => insert(&mut data, pair[0].clone(), pair[1].clone()),
                        Value::Tuple(_) => {
                            interpreter.raise_if_caught(
                                "ValueError",
                                "an element has not two parts",
                                arguments.span,
                            )?;
                            data.rest = Some((Value::Unknown("key"), Value::Unknown("value")));
                        }
                        Value::List(id) => {
                            let items = interpreter.heap.list(id).map(|data| data.items.clone()).unwrap_or_default();
                            if let [key, value] = &items[..] {
                                insert(&mut data, key.clone(), value.clone());
                            }
                        }
                        _ => data.rest = Some((Value::Unknown("key"), Value::Unknown("value"))),
                    }
                }
                if let Some(rest) = pairs.rest {
                    data.rest = Some(match rest {
                        Value::Tuple(pair) if pair.len() == 2 => (pair[0].clone(), pair[1].clone()),
                        _ => (Value::Unknown("key"), Value::Unknown("value")),
                    });
                }
            }
        }
    }
    for (name, value) in &arguments.keywords {
        insert(&mut data, Value::str(name.as_str()), value.clone());
    }
    Ok(Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(data)))))
}

/// Applies a change to every element of an iteration.
pub fn map_iteration(
    interpreter: &mut Interpreter<'_>,
    iteration: Iteration,
    mut change: impl FnMut(&mut Interpreter<'_>, Value) -> Eval,
) -> Eval<Iteration> {
    Ok(match iteration {
        Iteration::Items(items) => {
            let mut changed = Vec::with_capacity(items.len());
            for item in items {
                changed.push(change(interpreter, item)?);
            }
            Iteration::Items(changed)
        }
        Iteration::Repeated { element, count, residual } => {
            let element = change(interpreter, element)?;
            let residual = match residual {
                Some(residual) => {
                    let changed = change(interpreter, residual.element.clone())?;
                    Some(Rc::new(Residual { element: changed, ..Residual::clone(&residual) }))
                }
                None => None,
            };
            Iteration::Repeated { element, count, residual }
        }
        Iteration::View { dict, part } => {
            let seen = interpreter.view_now(dict, part);
            return map_iteration(interpreter, seen, change);
        }
        counter @ Iteration::Counter { .. } => {
            let (items, exact, count) = interpreter.sample(counter);
            if exact {
                return map_iteration(interpreter, Iteration::Items(items), change);
            }
            let element = items.into_iter().next().unwrap_or(Value::Unknown("counter"));
            let element = change(interpreter, element)?;
            Iteration::Repeated { element, count, residual: None }
        }
    })
}

/// Sorting keeps the items; their order is kept too, unless they are constants that can be compared.
fn sorted(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    let mut data = data_of(interpreter, &value)?;
    data.items = sorted::sort(interpreter, data.items, &arguments)?;
    Ok(Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data)))))
}

fn slice(_: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let bounds = match &arguments.positional[..] {
        [stop] => [Value::None, stop.clone(), Value::None],
        [start, stop] => [start.clone(), stop.clone(), Value::None],
        [start, stop, step] => [start.clone(), stop.clone(), step.clone()],
        _ => return Ok(Value::Unknown("slice")),
    };
    Ok(Value::Slice(Rc::new(bounds)))
}

fn list_id(receiver: &Value) -> Option<ObjectId> {
    match receiver {
        Value::List(id) | Value::Set(id) => Some(*id),
        _ => None,
    }
}

fn append(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if let Some(id) = list_id(receiver) {
        let is_set = matches!(receiver, Value::Set(_));
        let is_one_of_many = is_set && !names_one_key(&interpreter.read(&value));
        let has_rest = is_one_of_many || interpreter.heap.list(id).is_some_and(|data| data.rest.is_some());
        let last = interpreter.heap.list(id).and_then(|data| data.items.last().cloned());
        interpreter.note_items(last.iter().chain([&value]), arguments.span);
        if has_rest {
            let before = interpreter.heap.list(id).and_then(|data| data.rest.clone());
            let rest: Vec<Value> = before.clone().into_iter().chain([value]).collect();
            let rest = interpreter.widen(&rest);
            // Of items of several sizes no number says how large they are together.
            let are_alike = interpreter.is_as_before(before.as_ref(), Some(&rest));
            let length = interpreter.length_of_open(receiver).filter(|_| !is_set && are_alike);
            interpreter.heap.change_list(id, |data| data.rest = Some(rest));
            interpreter.keep_length_of_open(id, length.map(|length| length + Dim::ONE));
        } else if !(is_set && is_among_items(interpreter, id, &value)) {
            interpreter.heap.push_item(id, value);
            deque::keep_bound(interpreter, receiver, deque::End::Left);
        }
    }
    Ok(Value::None)
}

/// Whether a set has an item, which takes time with the number of its items.
fn is_among_items(interpreter: &mut Interpreter<'_>, set: ObjectId, value: &Value) -> bool {
    let Some((count, is_there)) =
        interpreter.heap.list(set).map(|data| (data.items.len(), data.items.iter().any(|item| item.same(value))))
    else {
        return false;
    };
    interpreter.pay_for_items(count);
    is_there
}

fn extend(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    if let Some(id) = list_id(receiver) {
        arguments.positional.iter().try_for_each(|items| interpreter.extend_list(id, items))?;
        if matches!(receiver, Value::Set(_)) {
            interpreter.keep_distinct(id, arguments.span)?;
        }
        deque::keep_bound(interpreter, receiver, deque::End::Left);
    }
    Ok(Value::None)
}

fn insert_item(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let (Some(id), [position, value]) = (list_id(receiver), &arguments.positional[..]) else { return Ok(Value::None) };
    let value = value.clone();
    let position = position.as_int();
    interpreter.heap.change_list(id, |data| match position {
        Some(position) => {
            let length = data.items.len() as i64;
            let position = if position < 0 { (position + length).max(0) } else { position.min(length) };
            data.items.insert(position as usize, value);
        }
        None => data.rest = Some(value),
    });
    Ok(Value::None)
}

fn pop(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Some(id) = list_id(receiver) else { return Ok(Value::Unknown("pop")) };
    let position = arguments.positional.first().map_or(Some(-1), Value::as_int);
    let Some(data) = interpreter.heap.list(id).cloned() else { return Ok(Value::Unknown("pop")) };
    let length = data.items.len() as i64;
    match &data.rest {
        // One of those that are not known, and each time another one.
        Some(rest) if !position.is_some_and(|at| (0..length).contains(&at)) => {
            interpreter.shorten_open(id, Some(1));
            return Ok(interpreter.another(rest));
        }
        _ => {}
    }
    let position = position.map(|position| if position < 0 { position + length } else { position });
    let position = position.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < data.items.len());
    Ok(match position {
        Some(position) => {
            let value = interpreter.read(&data.items[position]);
            interpreter.heap.change_list(id, |data| {
                data.items.remove(position);
            });
            value
        }
        None => {
            if data.rest.is_none() && (data.items.is_empty() || arguments.positional.iter().all(is_whole_number)) {
                interpreter.raise_if_caught("IndexError", "pop index out of range", arguments.span)?;
            }
            interpreter.symbolic("popped item", arguments.span, true)
        }
    })
}

fn is_whole_number(value: &Value) -> bool {
    value.as_int().is_some()
}

/// `list.remove(x)`, `set.remove(x)`, which raise where it is not there.
fn remove(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    interpreter.refuse_search_of_many(receiver, &first(&arguments), span);
    if let Some(id) = list_id(receiver) {
        interpreter.shorten_open(id, None);
    }
    if !take_away(interpreter, receiver, &first(&arguments)) {
        let class = if matches!(receiver, Value::Set(_)) { "KeyError" } else { "ValueError" };
        interpreter.raise_if_caught(class, "not in the collection", span)?;
    }
    Ok(Value::None)
}

/// Takes an item away; `false` where it surely is not there.
fn take_away(interpreter: &mut Interpreter<'_>, receiver: &Value, value: &Value) -> bool {
    let Some(id) = list_id(receiver) else { return true };
    let Some(data) = interpreter.heap.list(id).cloned() else { return true };
    let known = data.items.iter().position(|item| item.same(value));
    let equal = || data.items.iter().position(|item| matches!(interpreter.equals(item, value), Value::Bool(true)));
    if let Some(position) = known.or_else(equal) {
        interpreter.heap.change_list(id, |data| drop(data.items.remove(position)));
        return true;
    }
    let differs = |item: &Value| matches!(interpreter.equals(item, value), Value::Bool(false));
    data.rest.is_some() || data.items.len() > 256 || !data.items.iter().all(differs)
}

/// `set.pop()`: of several, one that nobody knows.
fn pop_from_set(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Some(id) = list_id(receiver) else { return Ok(Value::Unknown("pop")) };
    let Some(data) = interpreter.heap.list(id).cloned() else { return Ok(Value::Unknown("pop")) };
    let all: Vec<Value> = data.items.iter().chain(&data.rest).cloned().collect();
    if all.is_empty() {
        interpreter.raise_if_caught("KeyError", "pop from an empty set", arguments.span)?;
        return Ok(interpreter.symbolic("popped item", arguments.span, true));
    }
    let any = interpreter.widen(&all);
    let is_last = all.len() == 1 && data.rest.is_none();
    let left = ListData { items: Vec::new(), rest: (!is_last).then(|| any.clone()) };
    interpreter.heap.set_payload(id, Payload::List(Rc::new(left)));
    Ok(any)
}

pub(crate) fn clear(interpreter: &mut Interpreter<'_>, receiver: &Value, _: CallArguments) -> Eval {
    match receiver {
        Value::List(id) | Value::Set(id) => interpreter.heap.set_payload(*id, Payload::List(Rc::default())),
        Value::Dict(id) => interpreter.heap.set_payload(*id, Payload::Dict(Rc::default())),
        _ => {}
    }
    Ok(Value::None)
}

pub fn copy(interpreter: &mut Interpreter<'_>, receiver: &Value, _: CallArguments) -> Eval {
    Ok(match receiver {
        Value::List(id) => Value::List(interpreter.heap.allocate(interpreter.heap.payload(*id).clone())),
        Value::Set(id) => Value::Set(interpreter.heap.allocate(interpreter.heap.payload(*id).clone())),
        Value::Dict(id) => Value::Dict(interpreter.heap.allocate(interpreter.heap.payload(*id).clone())),
        other => other.clone(),
    })
}

fn sort(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    if let Some(id) = list_id(receiver)
        && let Some(data) = interpreter.heap.list(id).cloned()
    {
        let items = sorted::sort(interpreter, data.items.clone(), &arguments)?;
        interpreter.heap.change_list(id, |data| data.items = items);
    }
    Ok(Value::None)
}

fn reverse(interpreter: &mut Interpreter<'_>, receiver: &Value, _: CallArguments) -> Eval {
    if let Some(id) = list_id(receiver) {
        interpreter.heap.change_list(id, |data| data.items.reverse());
    }
    Ok(Value::None)
}

fn index_of(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if arguments.positional.len() == 1 {
        interpreter.refuse_search_of_many(receiver, &value, arguments.span);
    }
    let items = match receiver {
        Value::Tuple(items) => items.to_vec(),
        Value::List(id) => interpreter.heap.list(*id).map(|data| data.items.clone()).unwrap_or_default(),
        Value::Range(_) => match interpreter.iterate(receiver).map(|iteration| interpreter.itemised(iteration))? {
            Iteration::Items(items) => items,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let mut place = items.iter().position(|item| item.same(&value));
    let mut is_known = items.iter().all(|item| !item.is_unknown()) && !value.is_unknown();
    if place.is_none() && items.len() <= 256 {
        let span = arguments.span;
        for (position, item) in items.iter().enumerate() {
            let equal = interpreter.compare(CompareOperator::Equal, item, &value, span, [span; 2])?;
            match interpreter.truth(&equal) {
                Truth::Known(true) => {
                    place = Some(position);
                    break;
                }
                Truth::Known(false) => {}
                _ => {
                    is_known = false;
                    break;
                }
            }
        }
    }
    let is_closed =
        !matches!(receiver, Value::List(id) if interpreter.heap.list(*id).is_none_or(|it| it.rest.is_some()));
    Ok(match place {
        Some(position) => Value::int(position as i64),
        None => {
            if is_known && is_closed && arguments.positional.len() == 1 {
                interpreter.raise_if_caught("ValueError", "is not in list", arguments.span)?;
            }
            Value::Int(interpreter.free_dim("index", 0))
        }
    })
}

/// How often an item is there, where all of them are constants.
fn count_of_item(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let items = match receiver {
        Value::Tuple(items) => Some(items.to_vec()),
        receiver => list_id(receiver)
            .and_then(|id| interpreter.heap.list(id).filter(|data| data.rest.is_none()).map(|data| data.items.clone())),
    };
    if let (Some(items), Some(wanted)) = (items.filter(|items| items.len() <= 1024), arguments.positional.first()) {
        let mut count = 0;
        let is_known = items.iter().all(|item| {
            let equal = interpreter.equals(item, wanted);
            count += i64::from(matches!(equal, Value::Bool(true)));
            matches!(equal, Value::Bool(_))
        });
        if is_known {
            return Ok(Value::int(count));
        }
    }
    Ok(Value::Int(interpreter.free_dim("count", 0)))
}
