//! Where a script uses an option: the statements that ask for its value, or hand it on.

use crate::entries::execution_coverage::Coverage;
use crate::loops::asks_iteration_number::children;
use harp_corpus::FileId;
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
                && (body.iter().any(does_something) || orelse.iter().any(does_something))
            {
                return true;
            }
            blocks.extend(blocks_of(statement));
        }
    }
    false
}

fn blocks_of(statement: &Stmt) -> Vec<&[Stmt]> {
    match &statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => {
            vec![body, orelse]
        }
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Try { body, orelse, finally, .. } => vec![body, orelse, finally],
        StmtKind::Function(function) => vec![&function.body],
        StmtKind::Class(class) => vec![&class.body],
        _ => Vec::new(),
    }
}

fn expressions_of(statement: &Stmt) -> Vec<&Expr> {
    match &statement.kind {
        StmtKind::Expr(value) | StmtKind::Assign { value, .. } | StmtKind::Return(Some(value)) => vec![value],
        StmtKind::AnnotatedAssign { value: Some(value), .. } | StmtKind::AugmentedAssign { value, .. } => vec![value],
        StmtKind::For { iterable, .. } => vec![iterable],
        _ => Vec::new(),
    }
}

/// Whether a call within an expression has `….flag` among its arguments, or a conditional expression asks for it.
fn is_handed_on(expression: &Expr, flag: Name) -> bool {
    let mut waiting = vec![expression];
    while let Some(expression) = waiting.pop() {
        match &expression.kind {
            ExprKind::Call(call) if call.arguments.iter().any(|argument| is_attribute(&argument.value, flag)) => {
                return true;
            }
            ExprKind::Conditional { test, .. } if mentions(test, flag) => return true,
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

/// Whether an arm did not run of a branch that was reached and asks for an option, though the arm does something.
pub(crate) fn has_missing_arm(body: &[Stmt], option: Name, file: FileId, coverage: &Coverage) -> bool {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            if let StmtKind::If { test, body, orelse } = &statement.kind
                && names(test, option)
                && let Some(arm) = coverage.missing_arm(file, test.range)
                && (if arm { body } else { orelse }).iter().any(calls_something)
            {
                return true;
            }
            blocks.extend(blocks_of(statement));
        }
    }
    false
}

/// Whether a test asks for an option: as an attribute or an item, or in a variable of its name.
fn names(test: &Expr, option: Name) -> bool {
    let mut waiting = vec![test];
    while let Some(expression) = waiting.pop() {
        let is_option = match &expression.kind {
            ExprKind::Attribute { attribute, .. } => *attribute == option,
            ExprKind::Name(name) => *name == option,
            ExprKind::Str(text) => &**text == option.as_str(),
            _ => false,
        };
        if is_option {
            return true;
        }
        waiting.extend(children(expression));
    }
    false
}

/// Whether a statement calls what may fail for the shapes of tensors: not what prints alone.
fn calls_something(statement: &Stmt) -> bool {
    let has_call = |expression: &Expr| {
        let mut waiting = vec![expression];
        while let Some(expression) = waiting.pop() {
            if matches!(&expression.kind, ExprKind::Call(call) if !is_plain_call(&call.function)) {
                return true;
            }
            waiting.extend(children(expression));
        }
        false
    };
    expressions_of(statement).into_iter().any(has_call)
        || blocks_of(statement).into_iter().flatten().any(calls_something)
}

/// Whether a call of that name tells or makes something of texts and numbers alone, or ends the program.
fn is_plain_call(function: &Expr) -> bool {
    const PLAIN: [&str; 24] = [
        "print",
        "exit",
        "quit",
        "str",
        "int",
        "float",
        "bool",
        "len",
        "format",
        "join",
        "makedirs",
        "mkdir",
        "exists",
        "isfile",
        "isdir",
        "info",
        "warning",
        "error",
        "debug",
        "seed",
        "manual_seed",
        "manual_seed_all",
        "device",
        "is_available",
    ];
    function.last_name().is_some_and(|name| PLAIN.contains(&name.as_str()))
}
