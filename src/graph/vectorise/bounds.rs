//! Vectorises a loop: the bounds of a range become bounds of slices.

use crate::subscripts::{RangeLoop, dotted};
use harp_python::ir::{BinaryOperator, Expr, ExprKind};
use harp_python::name::Name;

/// A bound of the range.
#[derive(PartialEq, Eq)]
pub enum Bound {
    /// A number.
    Constant(i64),
    /// Anything else, as it is written.
    Text {
        /// The source.
        text: String,
        /// Whether it surely is not negative: a length, a size, sums and products of them.
        is_size: bool,
    },
}

impl Bound {
    /// The bound that an expression is; without one, the first element.
    pub fn of(expression: Option<&Expr>, text: impl FnOnce(&Expr) -> String) -> Bound {
        match expression {
            None => Bound::Constant(0),
            Some(Expr { kind: ExprKind::Int(value), .. }) => Bound::Constant(*value),
            Some(other) => Bound::Text { text: text(other), is_size: is_size(other) },
        }
    }

    /// The bound moved by an offset; `None` where it would wrap around to the end.
    pub fn moved(&self, offset: i64) -> Option<String> {
        match self {
            Bound::Constant(value) => {
                let moved = value.checked_add(offset)?;
                (moved >= 0).then(|| moved.to_string())
            }
            Bound::Text { text, .. } => Some(moved_text(text, offset)),
        }
    }

    /// Whether it may be negative when it is moved: a slice then counts from the end, where a range is empty.
    pub fn may_be_negative(&self, offset: i64) -> bool {
        match self {
            Bound::Constant(_) => false,
            Bound::Text { is_size, .. } => !is_size || offset < 0,
        }
    }
}

/// `n - 1` moved by 1 is `n`.
pub fn moved_text(text: &str, offset: i64) -> String {
    for (sign, factor) in [(" - ", -1), (" + ", 1)] {
        if let Some((rest, last)) = text.rsplit_once(sign)
            && let Ok(value) = last.parse::<i64>()
            && !rest.contains(['+', '-', '*', '/', '%', '(', ')'])
        {
            return match factor * value + offset {
                0 => rest.to_owned(),
                sum if sum > 0 => format!("{rest} + {sum}"),
                sum => format!("{rest} - {}", sum.unsigned_abs()),
            };
        }
    }
    match offset {
        0 => text.to_owned(),
        _ if offset > 0 => format!("{text} + {offset}"),
        _ => format!("{text} - {}", offset.unsigned_abs()),
    }
}

/// Whether the bounds can be evaluated again in each slice: they do nothing, and read nothing that the body assigns.
pub fn are_repeatable(range_loop: &RangeLoop<'_>, assigned: &[Name]) -> bool {
    range_loop.bounds().into_iter().flatten().all(|bound| is_repeatable(bound, assigned))
}

fn is_repeatable(bound: &Expr, assigned: &[Name]) -> bool {
    let is_steady = |owner: &Expr| dotted(owner).is_some_and(|(root, _)| !assigned.contains(&root));
    match &bound.kind {
        ExprKind::Int(_) => true,
        ExprKind::Name(_) | ExprKind::Attribute { .. } => is_steady(bound),
        ExprKind::Unary { operand, .. } => is_repeatable(operand, assigned),
        ExprKind::Binary { operator, left, right } => {
            let binds_like_a_sum = matches!(
                operator,
                BinaryOperator::Add
                    | BinaryOperator::Subtract
                    | BinaryOperator::Multiply
                    | BinaryOperator::FloorDivide
                    | BinaryOperator::Modulo
            );
            binds_like_a_sum && is_repeatable(left, assigned) && is_repeatable(right, assigned)
        }
        _ => size_of(bound).is_some_and(is_steady),
    }
}

/// What `len(x)`, `x.shape[0]` and `x.size(0)` are sizes of.
fn size_of(bound: &Expr) -> Option<&Expr> {
    match &bound.kind {
        ExprKind::Call(call) => match (&call.function.kind, &call.arguments[..]) {
            (ExprKind::Name(name), [argument]) if name.as_str() == "len" => Some(&argument.value),
            (ExprKind::Attribute { value, attribute, .. }, [axis]) if attribute.as_str() == "size" => {
                is_axis(&axis.value).then_some(value)
            }
            _ => None,
        },
        ExprKind::Subscript { value, index } if is_axis(index) => match &value.kind {
            ExprKind::Attribute { value, attribute, .. } if attribute.as_str() == "shape" => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn is_axis(index: &Expr) -> bool {
    match &index.kind {
        ExprKind::Int(_) => true,
        ExprKind::Unary { operand, .. } => matches!(operand.kind, ExprKind::Int(_)),
        _ => false,
    }
}

fn is_size(bound: &Expr) -> bool {
    match &bound.kind {
        ExprKind::Int(value) => *value >= 0,
        ExprKind::Binary {
            operator: BinaryOperator::Add | BinaryOperator::Multiply | BinaryOperator::FloorDivide,
            left,
            right,
        } => is_size(left) && is_size(right),
        ExprKind::Attribute { value, attribute, .. } => attribute.as_str() == "size" && dotted(value).is_some(),
        _ => size_of(bound).is_some(),
    }
}
