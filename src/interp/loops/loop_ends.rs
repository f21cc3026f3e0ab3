//! Whether a loop can end, as its text tells.

use harp_python::ir::{Expr, ExprKind, Stmt, StmtKind};

/// Whether a statement is a loop that only an exception or a `return` ends.
pub(crate) fn never_ends(statement: &Stmt) -> bool {
    matches!(&statement.kind, StmtKind::While { test, body, .. } if is_endless(test) && !body.iter().any(breaks))
}

/// Whether a statement stands in a block, perhaps under conditions.
pub(crate) fn stands_in(body: &[Stmt], statement: &Stmt) -> bool {
    body.iter().any(|other| match &other.kind {
        StmtKind::If { body, orelse, .. } => stands_in(body, statement) || stands_in(orelse, statement),
        _ => other.range == statement.range,
    })
}

/// Whether a statement may end the loop around it.
fn breaks(statement: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(breaks);
    match &statement.kind {
        StmtKind::Break => true,
        StmtKind::If { body, orelse, .. } => any(body) || any(orelse),
        // Of an inner loop, what stands behind its `else` is in the outer one.
        StmtKind::For { orelse, .. } | StmtKind::While { orelse, .. } => any(orelse),
        StmtKind::With { body, .. } => any(body),
        StmtKind::Match { cases, .. } => cases.iter().any(|case| any(&case.body)),
        StmtKind::Try { body, handlers, orelse, finally } => {
            any(body) || any(orelse) || any(finally) || handlers.iter().any(|handler| any(&handler.body))
        }
        _ => false,
    }
}

/// Whether a test says nothing: `while True:`.
pub(crate) fn is_endless(test: &Expr) -> bool {
    matches!(test.kind, ExprKind::Bool(true) | ExprKind::Int(1))
}
