//! The built-in functions `sorted`, and `min` and `max` by a key, and `list.sort`: items whose order is known are put
//! in it.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_limits::tick;
use harp_python::ir::CompareOperator;

/// More objects than this are not put in order by their own comparisons.
const MOST_OBJECTS: usize = 64;

/// A value that Python orders, where it is known.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Number(f64),
    Text(String),
    Items(Vec<Key>),
    /// An item of a tuple, which matters only where the items before it are equal.
    Open,
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Key::Number(one), Key::Number(other)) => one.partial_cmp(other),
            (Key::Text(one), Key::Text(other)) => one.partial_cmp(other),
            (Key::Items(one), Key::Items(other)) => one.partial_cmp(other),
            _ => None,
        }
    }
}

fn key_of(value: &Value) -> Option<Key> {
    tick();
    Some(match value {
        Value::Float(Some(number)) => Key::Number(*number),
        Value::Str(Some(text)) => Key::Text(text.to_string()),
        Value::Tuple(items) => Key::Items(items.iter().map(|item| key_of(item).unwrap_or(Key::Open)).collect()),
        other => {
            let number = other.as_int()?;
            // Beyond that a float would confuse neighbours.
            if number.unsigned_abs() > 1 << 53 {
                return None;
            }
            Key::Number(number as f64)
        }
    })
}

/// How Python orders two values, where it is known.
pub fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    let (Value::Tuple(items), Value::Tuple(others)) = (left, right) else {
        return key_of(left)?.partial_cmp(&key_of(right)?);
    };
    tick();
    // The first items that differ decide; an object is equal to itself.
    let pairs = items.iter().zip(others.iter());
    let ordered = pairs
        .map(|(item, other)| if is_one_object(item, other) { Some(Ordering::Equal) } else { compare(item, other) });
    ordered.into_iter().find(|order| *order != Some(Ordering::Equal)).unwrap_or(Some(items.len().cmp(&others.len())))
}

fn is_one_object(item: &Value, other: &Value) -> bool {
    matches!((item, other), (Value::Tuple(item), Value::Tuple(other)) if Rc::ptr_eq(item, other))
}

/// The positions of `items` in ascending order of their keys, equal ones as they stand; `None` where a key is not known.
fn ascending(
    interpreter: &mut Interpreter<'_>,
    items: &[Value],
    arguments: &CallArguments,
) -> Eval<Option<Vec<usize>>> {
    let function = arguments.keyword("key").filter(|key| !key.is_none()).cloned();
    let mut keys = Vec::with_capacity(items.len());
    let mut objects = Vec::new();
    for item in items {
        let value = match &function {
            Some(function) => {
                interpreter.call(function, CallArguments::positional(vec![item.clone()], arguments.span))?
            }
            None => item.clone(),
        };
        // Lists are ordered as tuples of their items are.
        let value = match interpreter.read(&value) {
            Value::List(id) => match interpreter.heap.list(id).filter(|data| data.rest.is_none()) {
                Some(data) => Value::tuple(data.items.iter().map(|item| interpreter.read(item)).collect()),
                None => Value::List(id),
            },
            value => value,
        };
        match key_of(&value) {
            Some(key) if objects.is_empty() => keys.push(key),
            None if keys.is_empty() && matches!(value, Value::Instance(_)) => objects.push(value),
            _ => return Ok(None),
        }
    }
    if !objects.is_empty() {
        return by_their_classes(interpreter, &objects, arguments);
    }
    let mut positions: Vec<usize> = (0..items.len()).collect();
    let mut is_ordered = true;
    positions.sort_by(|a, b| {
        keys[*a].partial_cmp(&keys[*b]).unwrap_or_else(|| {
            is_ordered = false;
            std::cmp::Ordering::Equal
        })
    });
    Ok(is_ordered.then_some(positions))
}

/// The positions of objects whose class says which is less.
fn by_their_classes(
    interpreter: &mut Interpreter<'_>,
    objects: &[Value],
    arguments: &CallArguments,
) -> Eval<Option<Vec<usize>>> {
    if objects.len() > MOST_OBJECTS {
        return Ok(None);
    }
    let mut positions: Vec<usize> = Vec::with_capacity(objects.len());
    for (index, object) in objects.iter().enumerate() {
        let mut place = positions.len();
        while place > 0 {
            let before = &objects[positions[place - 1]];
            let span = arguments.span;
            let less = interpreter.compare(CompareOperator::Less, object, before, span, [span; 2])?;
            match interpreter.truth(&less) {
                Truth::Known(true) => place -= 1,
                Truth::Known(false) => break,
                _ => return Ok(None),
            }
        }
        positions.insert(place, index);
    }
    Ok(Some(positions))
}

/// `items` in order. Where the order is not known each place may hold any of them.
pub fn sort(interpreter: &mut Interpreter<'_>, items: Vec<Value>, arguments: &CallArguments) -> Eval<Vec<Value>> {
    let is_reverse = matches!(arguments.keyword("reverse"), Some(Value::Bool(true)));
    if items.len() < 2 {
        return Ok(items);
    }
    let given: Vec<Value> = if is_reverse { items.iter().rev().cloned().collect() } else { items };
    if arguments.keyword("key").is_none_or(Value::is_none) {
        interpreter.refuse_order_of_many(&given, arguments.span);
    }
    match ascending(interpreter, &given, arguments)? {
        Some(positions) => {
            let mut sorted: Vec<Value> = positions.into_iter().map(|position| given[position].clone()).collect();
            if is_reverse {
                sorted.reverse();
            }
            Ok(sorted)
        }
        None => {
            let any = interpreter.widen(&given);
            Ok(vec![any; given.len()])
        }
    }
}

/// The least or greatest of `items` by a key; any of them where that is not known.
pub fn extremum(
    interpreter: &mut Interpreter<'_>,
    items: &[Value],
    is_min: bool,
    arguments: &CallArguments,
) -> Eval<Value> {
    if items.is_empty() {
        return Ok(arguments.keyword("default").cloned().unwrap_or(Value::Unknown("extremum")));
    }
    // Of equal ones Python takes the first.
    let given: Vec<Value> = if is_min { items.to_vec() } else { items.iter().rev().cloned().collect() };
    let positions = ascending(interpreter, &given, arguments)?;
    let place = positions.and_then(|positions| if is_min { positions.first() } else { positions.last() }.copied());
    Ok(match place {
        Some(place) => given[place].clone(),
        None => interpreter.widen(items),
    })
}
