//! `harp check --coverage`: counts the statements of a file that call something, and those that were executed.

use std::collections::BTreeSet;

use harp_corpus::{FileId, SourceFile, Span};
use harp_python::ir::{Expr, ExprKind, Range, Stmt, StmtKind};
use harp_python::{blocks_of, subexpressions};

use crate::rewrites::parsed_module;

/// The statements of a file that call something.
#[derive(Default)]
pub(super) struct Statements {
    /// How many there are.
    pub all: usize,
    /// How many of them were executed.
    pub followed: usize,
    /// The first that was not.
    pub first_unreached: Option<Span>,
}

impl Statements {
    /// Counts them, where expressions were executed at these places.
    pub fn of(file: &SourceFile, executed: &BTreeSet<(FileId, u32)>) -> Statements {
        let mut found = Statements::default();
        let module = parsed_module(file);
        found.block(&module.body, file.id, executed);
        found
    }

    fn block(&mut self, body: &[Stmt], file: FileId, executed: &BTreeSet<(FileId, u32)>) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Function(function) => self.block(&function.body, file, executed),
                StmtKind::Class(class) => self.block(&class.body, file, executed),
                _ => {
                    let blocks = blocks_of(stmt);
                    if blocks.is_empty() && has_call(stmt) {
                        self.count(stmt.range, file, executed);
                    }
                    blocks.into_iter().for_each(|block| self.block(block, file, executed));
                }
            }
        }
    }

    fn count(&mut self, range: Range, file: FileId, executed: &BTreeSet<(FileId, u32)>) {
        self.all += 1;
        if executed.range((file, range.start)..(file, range.end.max(range.start))).next().is_some() {
            self.followed += 1;
        } else if self.first_unreached.is_none() {
            self.first_unreached = Some(range.in_file(file));
        }
    }
}

fn has_call(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Expr(value)
        | StmtKind::Return(Some(value))
        | StmtKind::Assign { value, .. }
        | StmtKind::AugmentedAssign { value, .. }
        | StmtKind::AnnotatedAssign { value: Some(value), .. } => calls(value),
        _ => false,
    }
}

fn calls(expression: &Expr) -> bool {
    let mut left = vec![expression];
    while let Some(next) = left.pop() {
        if matches!(next.kind, ExprKind::Call(_)) {
            return true;
        }
        left.extend(subexpressions(next));
    }
    false
}
