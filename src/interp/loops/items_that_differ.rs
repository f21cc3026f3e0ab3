//! Items of a loop that tell what the iteration is to do: the widths of layers, strides, names of modes. An iteration
//! that added nothing speaks for those after it, unless one of these has a number or a text that no item before it had.
//! The numbers of `enumerate` differ always, and tell nothing.

use crate::values::value::Value;

/// So many items that are left are looked at one by one.
const FEW: usize = 16;

/// Whether an item from `next` on has a plain value in a place where none of the items before has the same; only asked where few are left.
pub fn differ_from_those_before(items: &[Value], next: usize) -> bool {
    let (before, left) = items.split_at(next.min(items.len()));
    !before.is_empty() && left.len() <= FEW && left.iter().any(|item| differs(item, before))
}

fn differs(item: &Value, before: &[Value]) -> bool {
    let Value::Tuple(parts) = item else {
        return is_plain(item) && !before.iter().any(|other| other.same(item));
    };
    (0..parts.len()).any(|place| {
        let of = |other: &Value| match other {
            Value::Tuple(others) if others.len() == parts.len() => Some(others[place].clone()),
            _ => None,
        };
        let column: Option<Vec<Value>> = before.iter().map(of).collect();
        let Some(column) = column else { return false };
        !counts(&column, &parts[place]) && differs(&parts[place], &column)
    })
}

/// Whether these are numbers that `enumerate` gives: each is its position plus where the count starts, 0 or 1.
fn counts(column: &[Value], last: &Value) -> bool {
    let Some(start @ 0..=1) = column.first().and_then(number_of) else { return false };
    let is_position = |(at, value)| number_of(value) == Some(start + at as i64);
    column.iter().enumerate().all(is_position)
        && number_of(last).is_some_and(|last| last >= start + column.len() as i64)
}

fn number_of(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => number.as_const(),
        _ => None,
    }
}

fn is_plain(value: &Value) -> bool {
    number_of(value).is_some() || matches!(value, Value::Bool(_) | Value::Str(Some(_)) | Value::None)
}
