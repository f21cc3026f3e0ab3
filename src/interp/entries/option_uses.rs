//! Where a script that is an entry uses an option: the statements that ask for its value, or hand it on, for runs with
//! others.

use crate::entries::waiting_arms::may_fail;
use crate::loops::asks_iteration_number::children;
use harp_python::ir::{Expr, ExprKind, Stmt, StmtKind};
use harp_python::name::Name;

/// Parts of the names of flags that say where and how often something runs, and not what.
const MACHINERY: [&str; 31] = [
    "accel",
    "amp",
    "benchmark",
    "bf16",
    "cpu",
    "cuda",
    "debug",
    "determin",
    "device",
    "dist",
    "download",
    "dry",
    "fp16",
    "gpu",
    "half",
    "help",
    "log",
    "mps",
    "parallel",
    "pin",
    "plot",
    "profil",
    "quiet",
    "render",
    "resume",
    "save",
    "seed",
    "show",
    "verbose",
    "visual",
    "wandb",
];

pub(crate) fn is_machinery(flag: &str) -> bool {
    let flag = flag.to_lowercase();
    MACHINERY.iter().any(|part| flag.contains(part))
}

/// Whether a flag is handed on, or decides which statements are executed that are more than a way out.
pub(crate) fn is_used(body: &[Stmt], flag: Name) -> bool {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            if expressions_of(statement).into_iter().any(|expression| is_handed_on(expression, flag)) {
                return true;
            }
            // A variable that holds it may decide later.
            if let StmtKind::Assign { value, .. } | StmtKind::Return(Some(value)) = &statement.kind
                && mentions(value, flag)
            {
                return true;
            }
            if let StmtKind::If { test, body, orelse } = &statement.kind
                && mentions(test, flag)
                && body.iter().chain(orelse).any(|statement| does_something(statement) || may_fail(statement))
            {
                return true;
            }
            blocks.extend(blocks_of(statement));
        }
    }
    false
}

/// The blocks within a statement, those of functions and classes among them.
pub(crate) fn blocks_of(statement: &Stmt) -> Vec<&[Stmt]> {
    match &statement.kind {
        StmtKind::Function(function) => vec![&function.body],
        StmtKind::Class(class) => vec![&class.body],
        _ => harp_python::blocks_of(statement),
    }
}

/// The expressions of a statement that give a value on, without those of its blocks.
pub(crate) fn expressions_of(statement: &Stmt) -> Vec<&Expr> {
    match &statement.kind {
        StmtKind::Expr(value) | StmtKind::Assign { value, .. } | StmtKind::Return(Some(value)) => vec![value],
        StmtKind::AnnotatedAssign { value: Some(value), .. } | StmtKind::AugmentedAssign { value, .. } => vec![value],
        StmtKind::For { iterable, .. } => vec![iterable],
        _ => Vec::new(),
    }
}

/// Whether a call within an expression has `….flag` among its arguments, or a conditional expression, or what decides on a call, asks
/// for it.
fn is_handed_on(expression: &Expr, flag: Name) -> bool {
    let mut waiting = vec![expression];
    while let Some(expression) = waiting.pop() {
        match &expression.kind {
            ExprKind::Call(call) if call.arguments.iter().any(|argument| is_attribute(&argument.value, flag)) => {
                return true;
            }
            ExprKind::Conditional { test, .. } if mentions(test, flag) => return true,
            // `args.flag and run()`: what stands behind runs with the flag alone.
            ExprKind::Boolean { values, .. }
                if values.split_last().is_some_and(|(last, tests)| {
                    matches!(last.kind, ExprKind::Call(_)) && tests.iter().any(|test| mentions(test, flag))
                }) =>
            {
                return true;
            }
            _ => {}
        }
        waiting.extend(children(expression));
    }
    false
}

fn is_attribute(expression: &Expr, name: Name) -> bool {
    matches!(&expression.kind, ExprKind::Attribute { attribute, .. } if *attribute == name)
}

fn mentions(expression: &Expr, name: Name) -> bool {
    let mut waiting = vec![expression];
    while let Some(expression) = waiting.pop() {
        if is_attribute(expression, name) {
            return true;
        }
        waiting.extend(children(expression));
    }
    false
}

/// Whether a statement makes or changes a value, rather than leaving or telling something.
fn does_something(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Assign { .. } | StmtKind::AugmentedAssign { .. } | StmtKind::Return(Some(_)) => true,
        StmtKind::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            !matches!(&call.function.kind, ExprKind::Name(name) if matches!(name.as_str(), "print" | "exit" | "quit"))
        }
        _ => blocks_of(statement).into_iter().flatten().any(does_something),
    }
}
