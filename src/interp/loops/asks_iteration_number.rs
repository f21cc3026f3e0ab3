//! Whether the body of a loop asks which iteration it is in.

use harp_python::ir::{Expr, ExprKind, Stmt, StmtKind};
use harp_python::name::Name;

/// Whether a condition in `body` mentions the loop's target.
pub fn is_tested(target: &Expr, body: &[Stmt]) -> bool {
    match &target.kind {
        ExprKind::Name(name) => tests_in_block(*name, body),
        _ => false,
    }
}

/// Whether a statement of `body` is executed or not by a condition that mentions the loop's target.
pub(crate) fn decides(target: &Expr, body: &[Stmt]) -> bool {
    fn in_block(name: Name, body: &[Stmt]) -> bool {
        body.iter().any(|statement| match &statement.kind {
            StmtKind::If { test, body, orelse } => {
                mentions(name, test) || in_block(name, body) || in_block(name, orelse)
            }
            StmtKind::With { body, .. } => in_block(name, body),
            _ => false,
        })
    }
    matches!(&target.kind, ExprKind::Name(name) if in_block(*name, body))
}

fn tests_in_block(name: Name, body: &[Stmt]) -> bool {
    body.iter().any(|statement| tests_in(name, statement))
}

fn tests_in(name: Name, statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
            mentions(name, test) || tests_in_block(name, body) || tests_in_block(name, orelse)
        }
        StmtKind::For { iterable, body, orelse, .. } => {
            mentions(name, iterable) || tests_in_block(name, body) || tests_in_block(name, orelse)
        }
        StmtKind::With { body, .. } => tests_in_block(name, body),
        StmtKind::Try { body, handlers, orelse, finally } => {
            tests_in_block(name, body)
                || handlers.iter().any(|handler| tests_in_block(name, &handler.body))
                || tests_in_block(name, orelse)
                || tests_in_block(name, finally)
        }
        StmtKind::Match { subject, cases } => {
            mentions(name, subject) || cases.iter().any(|case| tests_in_block(name, &case.body))
        }
        StmtKind::Assert { test, .. } => mentions(name, test),
        StmtKind::Assign { value, .. } | StmtKind::AugmentedAssign { value, .. } | StmtKind::Expr(value) => {
            chooses(name, value)
        }
        StmtKind::AnnotatedAssign { value: Some(value), .. } | StmtKind::Return(Some(value)) => chooses(name, value),
        _ => false,
    }
}

/// Whether an expression has a conditional part that depends on the name, or takes an item by it.
fn chooses(name: Name, expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Conditional { test, body, orelse } => {
            mentions(name, test) || chooses(name, body) || chooses(name, orelse)
        }
        ExprKind::Compare { .. } | ExprKind::Boolean { .. } => mentions(name, expression),
        ExprKind::Subscript { value, index } => mentions(name, index) || chooses(name, value),
        _ => children(expression).into_iter().any(|child| chooses(name, child)),
    }
}

fn mentions(name: Name, expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Name(known) => *known == name,
        _ => children(expression).into_iter().any(|child| mentions(name, child)),
    }
}

/// The parts of an expression that are evaluated with it.
pub fn children(expression: &Expr) -> Vec<&Expr> {
    match &expression.kind {
        ExprKind::Attribute { value, .. }
        | ExprKind::Starred(value)
        | ExprKind::Named { value, .. }
        | ExprKind::Await(value) => vec![value],
        ExprKind::Unary { operand, .. } => vec![operand],
        ExprKind::Subscript { value, index } => vec![value, index],
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().map(|part| &**part).collect()
        }
        ExprKind::Call(call) => {
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            std::iter::once(&call.function).chain(arguments).collect()
        }
        ExprKind::Binary { left, right, .. } => vec![left, right],
        ExprKind::Boolean { values, .. } => values.iter().collect(),
        ExprKind::Compare { left, rest } => {
            std::iter::once(&**left).chain(rest.iter().map(|(_, right)| right)).collect()
        }
        ExprKind::Conditional { test, body, orelse } => vec![test, body, orelse],
        ExprKind::List(items) | ExprKind::Tuple(items) | ExprKind::Set(items) => items.iter().collect(),
        ExprKind::Dict(entries) => {
            entries.iter().flat_map(|(key, value)| key.iter().chain(std::iter::once(value))).collect()
        }
        _ => Vec::new(),
    }
}
