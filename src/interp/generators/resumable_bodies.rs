//! Whether the body of a generator function can stop at each of its `yield`s. A statement that goes on is evaluated again up to its `yield`, whose
//! result is known then: what stands before it must be such that this makes no difference.

use harp_python::ir::{Expr, ExprKind, Stmt, StmtKind};
use harp_python::subexpressions;

/// Whether nothing but names and constants is evaluated before any `yield` in its statement.
pub fn stops_at_each_yield(block: &[Stmt]) -> bool {
    block.iter().all(|statement| {
        let mut scan = Scan { has_effects: false };
        heads_of(statement).into_iter().all(|expression| scan.expression(expression))
            && blocks_of(statement).into_iter().all(stops_at_each_yield)
    })
}

/// Whether there is a `yield` in a block.
pub(crate) fn has_yield(block: &[Stmt]) -> bool {
    block.iter().any(|statement| {
        heads_of(statement).into_iter().any(contains_yield) || blocks_of(statement).into_iter().any(has_yield)
    })
}

fn contains_yield(expression: &Expr) -> bool {
    matches!(expression.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_))
        || subexpressions(expression).into_iter().any(contains_yield)
}

/// The expressions of a statement itself, in the order in which they are evaluated; the targets of assignments come last.
fn heads_of(statement: &Stmt) -> Vec<&Expr> {
    match &statement.kind {
        StmtKind::Expr(value) | StmtKind::Return(Some(value)) => vec![value],
        StmtKind::Assign { targets, value } => std::iter::once(value).chain(targets).collect(),
        StmtKind::AnnotatedAssign { target, value, .. } => value.iter().chain([target]).collect(),
        StmtKind::AugmentedAssign { target, value, .. } => vec![target, value],
        StmtKind::Raise { exception, cause } => exception.iter().chain(cause).collect(),
        StmtKind::Assert { test, message } => std::iter::once(test).chain(message).collect(),
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => vec![test],
        StmtKind::For { target, iterable, .. } => vec![iterable, target],
        StmtKind::With { items, .. } => items.iter().map(|item| &item.context).collect(),
        StmtKind::Match { subject, .. } => vec![subject],
        StmtKind::Delete(targets) => targets.iter().collect(),
        _ => Vec::new(),
    }
}

fn blocks_of(statement: &Stmt) -> Vec<&[Stmt]> {
    match &statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => vec![body, orelse],
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Try { body, handlers, orelse, finally } => {
            let handlers = handlers.iter().map(|handler| &handler.body[..]);
            [&body[..], orelse, finally].into_iter().chain(handlers).collect()
        }
        StmtKind::Match { cases, .. } => cases.iter().map(|case| &case.body[..]).collect(),
        _ => Vec::new(),
    }
}

struct Scan {
    /// Whether something was evaluated that may do something, or give something else the next time.
    has_effects: bool,
}

impl Scan {
    fn expression(&mut self, expression: &Expr) -> bool {
        match &expression.kind {
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => {
                // What is yielded is not evaluated again.
                return !self.has_effects && !subexpressions(expression).into_iter().any(contains_yield);
            }
            ExprKind::Call(_)
            | ExprKind::Attribute { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::Comprehension(_) => {
                let fits = subexpressions(expression).into_iter().all(|part| self.expression(part));
                self.has_effects = true;
                return fits;
            }
            _ => {}
        }
        subexpressions(expression).into_iter().all(|part| self.expression(part))
    }
}
