//! Methods of `collections.deque` that lists lack.

use crate::api::library_model::MethodHandler;
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_python::name::{Name, name};

/// The attribute of a queue that says how many items it holds at most.
pub(crate) const BOUND: &str = "\u{1}bound";

/// The end at which a full queue drops items.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Left,
    Right,
}

/// Turns by more places than this are not carried out.
const MOST_TURNS: i64 = 1 << 32;

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name {
        "rotate" => rotate,
        "extendleft" => extend_left,
        _ => return None,
    })
}

/// `deque(items, maxlen)`
pub fn make(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let bound = arguments.get(1, "maxlen").map(|bound| interpreter.read(bound));
    let items: Vec<Value> = arguments.get(0, "iterable").cloned().into_iter().collect();
    let list = interpreter.call_library(name!("builtins.list"), CallArguments::positional(items, arguments.span))?;
    if let (Value::List(id), Some(bound)) = (&list, bound.filter(|bound| !matches!(bound, Value::None))) {
        interpreter.heap.set_attribute(*id, Name::new(BOUND), bound);
        keep_bound(interpreter, &list, End::Left);
    }
    Ok(list)
}

/// Drops what a queue that holds only so many items has no place for.
pub fn keep_bound(interpreter: &mut Interpreter<'_>, queue: &Value, end: End) {
    let Value::List(id) = queue else { return };
    let Some(bound) = interpreter.heap.attribute(*id, Name::new(BOUND)).cloned() else { return };
    let length = interpreter.heap.list(*id).map_or(0, |data| data.items.len());
    let bound = interpreter.read(&bound).as_int().and_then(|bound| usize::try_from(bound).ok());
    match bound {
        Some(bound) if length > bound => interpreter.heap.change_list(*id, |data| match end {
            End::Left => drop(data.items.drain(..length - bound)),
            End::Right => data.items.truncate(bound),
        }),
        Some(_) => {}
        // How many items it has from here on is not known.
        None => forget_order(interpreter, *id),
    }
}

/// `queue.rotate(n)`: the last `n` items come first.
fn rotate(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Value::List(id) = receiver else { return Ok(Value::None) };
    let turns = match arguments.get(0, "n") {
        None => Some(1),
        Some(turns) => interpreter.read(turns).as_int(),
    };
    let is_known = interpreter.heap.list(*id).is_some_and(|data| data.rest.is_none());
    match turns.filter(|turns| is_known && turns.abs() < MOST_TURNS) {
        Some(turns) => interpreter.heap.change_list(*id, |data| {
            let length = data.items.len().max(1) as i64;
            data.items.rotate_right(usize::try_from(turns.rem_euclid(length)).unwrap_or(0));
        }),
        None => forget_order(interpreter, *id),
    }
    Ok(Value::None)
}

/// `queue.extendleft(items)`: each item goes before the one added last.
fn extend_left(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let (Value::List(id), Some(items)) = (receiver, arguments.positional.first()) else { return Ok(Value::None) };
    let before = interpreter.heap.list(*id).map_or(0, |data| data.items.len());
    interpreter.extend_list(*id, items)?;
    if interpreter.heap.list(*id).is_some_and(|data| data.rest.is_some()) {
        forget_order(interpreter, *id);
    } else {
        interpreter.heap.change_list(*id, |data| {
            let mut added = data.items.split_off(before.min(data.items.len()));
            added.reverse();
            added.append(&mut data.items);
            data.items = added;
        });
    }
    keep_bound(interpreter, receiver, End::Right);
    Ok(Value::None)
}

/// Any item may stand anywhere.
fn forget_order(interpreter: &mut Interpreter<'_>, list: ObjectId) {
    let Some(data) = interpreter.heap.list(list).cloned() else { return };
    let all: Vec<Value> = data.items.iter().chain(&data.rest).cloned().collect();
    if all.is_empty() {
        return;
    }
    let any = interpreter.widen(&all);
    interpreter.heap.change_list(list, |data| {
        data.items.clear();
        data.rest = Some(any);
    });
}
