//! What the syntax tree has around a place of a module, and which names code at that place reads.

use crate::ir::{Expr, ExprKind, Function, Module, Range, Stmt, StmtKind};
use crate::name::Name;
use crate::{blocks_of, subexpressions};

/// What stands around a range of a module's text.
#[derive(Default)]
pub struct Enclosing<'a> {
    /// The smallest statement that holds all of it.
    pub statement: Option<&'a Stmt>,
    /// How many further statements its block has.
    pub siblings: usize,
    /// Whether its block is that of a loop.
    pub is_in_loop: bool,
    /// The functions in whose bodies it lies, the outermost first; lambdas are left out.
    pub functions: Vec<&'a Function>,
}

impl Enclosing<'_> {
    /// The text in which names of the place mean the same: the innermost function, or `whole`.
    pub fn scope(&self, whole: Range) -> Range {
        self.functions.last().map_or(whole, |function| function.range)
    }
}

/// What stands around a range.
pub fn enclosing(module: &Module, range: Range) -> Enclosing<'_> {
    let mut found = Enclosing::default();
    descend(&module.body, range, false, &mut found);
    found
}

fn descend<'a>(body: &'a [Stmt], range: Range, is_in_loop: bool, found: &mut Enclosing<'a>) {
    let holds = |stmt: &&Stmt| stmt.range.start <= range.start && range.end <= stmt.range.end;
    let Some(stmt) = body.iter().find(holds) else { return };
    (found.statement, found.siblings, found.is_in_loop) = (Some(stmt), body.len() - 1, is_in_loop);
    match &stmt.kind {
        StmtKind::Function(function) if is_in_block(&function.body, range) => {
            found.functions.push(function);
            descend(&function.body, range, false, found);
        }
        StmtKind::Class(class) => descend(&class.body, range, false, found),
        StmtKind::For { .. } | StmtKind::While { .. } => {
            blocks_of(stmt).into_iter().for_each(|block| descend(block, range, true, found));
        }
        _ => blocks_of(stmt).into_iter().for_each(|block| descend(block, range, false, found)),
    }
}

fn is_in_block(block: &[Stmt], range: Range) -> bool {
    let (Some(first), Some(last)) = (block.first(), block.last()) else { return false };
    first.range.start <= range.start && range.end <= last.range.end
}

/// The names that code in a range reads, as far as it stands in no comprehension or lambda, which have names of their own; and those that it
/// assigns. Both sorted, without duplicates.
pub fn names_in(module: &Module, range: Range) -> (Vec<Name>, Vec<Name>) {
    let mut names = NamesIn { range, read: Vec::new(), assigned: Vec::new() };
    names.block(&module.body);
    for list in [&mut names.read, &mut names.assigned] {
        list.sort_unstable();
        list.dedup();
    }
    (names.read, names.assigned)
}

struct NamesIn {
    range: Range,
    read: Vec<Name>,
    assigned: Vec<Name>,
}

impl NamesIn {
    fn touches(&self, other: Range) -> bool {
        other.start < self.range.end && self.range.start < other.end
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            if self.touches(stmt.range) {
                self.statement(stmt);
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.target(target));
                self.expression(value);
            }
            StmtKind::AnnotatedAssign { target, value, .. } => {
                self.target(target);
                value.iter().for_each(|value| self.expression(value));
            }
            StmtKind::AugmentedAssign { target, value, .. } => {
                self.expression(target);
                self.target(target);
                self.expression(value);
            }
            StmtKind::For { target, iterable, .. } => {
                self.target(target);
                self.expression(iterable);
            }
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => self.expression(value),
            StmtKind::If { test, .. } | StmtKind::While { test, .. } => self.expression(test),
            StmtKind::Assert { test, message } => test_and(test, message).for_each(|part| self.expression(part)),
            StmtKind::With { items, .. } => {
                for item in items.iter() {
                    self.expression(&item.context);
                    item.target.iter().for_each(|target| self.target(target));
                }
            }
            StmtKind::Function(function) => {
                function.parameters.iter().filter_map(|it| it.default.as_ref()).for_each(|it| self.expression(it));
                self.block(&function.body);
            }
            StmtKind::Class(class) => self.block(&class.body),
            _ => {}
        }
        blocks_of(stmt).into_iter().for_each(|block| self.block(block));
    }

    fn target(&mut self, target: &Expr) {
        match &target.kind {
            _ if !self.touches(target.range) => {}
            ExprKind::Name(name) => self.assigned.push(*name),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| self.target(item)),
            ExprKind::Starred(inner) => self.target(inner),
            _ => self.expression(target),
        }
    }

    fn expression(&mut self, expression: &Expr) {
        match &expression.kind {
            _ if !self.touches(expression.range) => {}
            ExprKind::Name(name) => self.read.push(*name),
            ExprKind::Lambda(_) | ExprKind::Comprehension(_) => {}
            _ => subexpressions(expression).into_iter().for_each(|part| self.expression(part)),
        }
    }
}

fn test_and<'a>(test: &'a Expr, message: &'a Option<Expr>) -> impl Iterator<Item = &'a Expr> {
    [test].into_iter().chain(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_module;
    use harp_corpus::FileId;

    fn range(text: &str, part: &str) -> Range {
        let start = text.find(part).expect("a part") as u32;
        Range { start, end: start + part.len() as u32 }
    }

    #[test]
    fn the_smallest_statement_and_the_functions_around_are_found() {
        let text = "class C:\n    def f(self):\n        for i in x:\n            y = g(i)\n";
        let module = parse_module(FileId(0), Name::new("m"), false, text).module;
        let around = enclosing(&module, range(text, "g(i)"));
        assert_eq!(around.statement.map(|stmt| stmt.range), Some(range(text, "y = g(i)")));
        assert_eq!(around.functions.iter().map(|function| function.name.as_str()).collect::<Vec<_>>(), ["f"]);
        assert!(enclosing(&module, range(text, "self")).functions.is_empty());
    }

    #[test]
    fn names_are_read_or_assigned() {
        let text = "a = b\nfor i in c:\n    d[e], f = g.h([k for k in l])\nm = n\n";
        let module = parse_module(FileId(0), Name::new("m"), false, text).module;
        let words = |names: Vec<Name>| names.iter().map(|name| name.as_str().to_owned()).collect::<Vec<_>>();
        let (read, assigned) = names_in(&module, range(text, "for i in c:\n    d[e], f = g.h([k for k in l])"));
        let (mut read, mut assigned) = (words(read), words(assigned));
        read.sort();
        assigned.sort();
        assert_eq!((read.concat(), assigned.concat()), ("cdeg".to_owned(), "fi".to_owned()));
        let (read, assigned) = names_in(&module, range(text, "b"));
        assert_eq!((words(read).concat(), words(assigned).concat()), ("b".to_owned(), String::new()));
    }
}
