//! Executes starred assignments, as `b, t, c, h = (*x.shape, heads)`: the targets say how many items the starred part
//! has.

use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::ir::{Expr, ExprKind};

impl Interpreter<'_> {
    /// The items of a display with one starred part of unknown length, where the targets say how many there are. `None` where it is no such
    /// assignment, of which nothing was evaluated then.
    pub(crate) fn evaluate_spread(&mut self, targets: &[Expr], value: &Expr) -> Eval<Option<Vec<Value>>> {
        let Some((items, width)) = spread(targets, value) else { return Ok(None) };
        let mut values = Vec::with_capacity(items.len() + width);
        for item in items {
            let ExprKind::Starred(inner) = &item.kind else {
                values.push(self.evaluate_held(item)?);
                continue;
            };
            let inner = self.evaluate(inner)?;
            match self.read(&inner) {
                Value::Size(_) | Value::Symbolic(_) => values.extend(self.unpack_values(&inner, width, None)?),
                _ => {
                    let iteration = self.iterate_at(&inner, self.span(item.range))?;
                    let (more, exact, _) = self.sample(iteration);
                    match more.as_slice() {
                        _ if exact => values.extend(more),
                        [one] => values.extend((0..width).map(|_| self.another(one)).collect::<Vec<_>>()),
                        _ => values.extend(vec![Value::Unknown("unpacked items"); width]),
                    }
                }
            }
        }
        Ok(Some(values))
    }
}

/// The items of the display, and how many of the targets its starred part fills.
fn spread<'a>(targets: &[Expr], value: &'a Expr) -> Option<(&'a [Expr], usize)> {
    let is_starred = |item: &&Expr| matches!(item.kind, ExprKind::Starred(_));
    let ([Expr { kind: ExprKind::Tuple(names) | ExprKind::List(names), .. }], ExprKind::Tuple(items)) =
        (targets, &value.kind)
    else {
        return None;
    };
    if names.iter().any(|name| is_starred(&name)) || items.iter().filter(is_starred).count() != 1 {
        return None;
    }
    Some((items, (names.len() + 1).checked_sub(items.len())?))
}
