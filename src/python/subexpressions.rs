//! The parts of an expression of the syntax tree, in the order in which Python evaluates them.

use crate::ir::{Expr, ExprKind, FStringFormat, FStringPart};

/// The expressions that are evaluated where an expression is, in their order. The body of a lambda is none of them, and of a comprehension only
/// what it first iterates over is one.
pub fn subexpressions(expression: &Expr) -> Vec<&Expr> {
    match &expression.kind {
        ExprKind::Attribute { value, .. }
        | ExprKind::Unary { operand: value, .. }
        | ExprKind::Named { value, .. }
        | ExprKind::Starred(value)
        | ExprKind::Await(value)
        | ExprKind::YieldFrom(value)
        | ExprKind::Yield(Some(value)) => vec![value],
        ExprKind::Subscript { value, index } => vec![value, index],
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().map(|bound| &**bound).collect()
        }
        ExprKind::Call(call) => {
            std::iter::once(&call.function).chain(call.arguments.iter().map(|argument| &argument.value)).collect()
        }
        ExprKind::Binary { left, right, .. } => vec![left, right],
        ExprKind::Boolean { values: items, .. }
        | ExprKind::List(items)
        | ExprKind::Tuple(items)
        | ExprKind::Set(items) => items.iter().collect(),
        ExprKind::Compare { left, rest } => {
            std::iter::once(&**left).chain(rest.iter().map(|(_, value)| value)).collect()
        }
        ExprKind::Conditional { test, body, orelse } => vec![test, body, orelse],
        ExprKind::Dict(entries) => entries.iter().flat_map(|(key, value)| key.iter().chain([value])).collect(),
        ExprKind::FString(parts) => parts_of_text(parts),
        ExprKind::Comprehension(comprehension) => {
            comprehension.generators.first().map(|generator| &generator.iterable).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn parts_of_text(parts: &[FStringPart]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for part in parts {
        if let FStringPart::Interpolation { value, format, .. } = part {
            found.push(value);
            if let Some(FStringFormat::Computed(parts)) = format {
                found.extend(parts_of_text(parts));
            }
        }
    }
    found
}
