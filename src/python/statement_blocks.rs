//! The blocks within a statement of the syntax tree.

use crate::ir::{Stmt, StmtKind};

/// The blocks of statements that a statement holds, in their order in the file; the bodies of functions and classes are none of them.
pub fn blocks_of(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => {
            vec![body, orelse]
        }
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Try { body, handlers, orelse, finally } => {
            let handled = handlers.iter().map(|handler| &handler.body[..]);
            [&body[..]].into_iter().chain(handled).chain([&orelse[..], finally]).collect()
        }
        StmtKind::Match { cases, .. } => cases.iter().map(|case| &case.body[..]).collect(),
        _ => Vec::new(),
    }
}
