//! What is certain of a module of which a statement ended in an exception. An exit of which it is not sure that every way of the script takes it
//! ends nothing: who silences what stands below hides what fails.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::ir::{CompareOperator, Expr, ExprKind, Function, Handler, Stmt, StmtKind, UnaryOperator, WithItem};

/// Functions that call each other deeper are not looked into.
const DEEPEST_CALL: usize = 4;

/// Whether what stands below the statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// Perhaps, with other options, or because Harp took a wrong way.
    Perhaps,
    /// Not in the script, but where the module is imported.
    OfScript,
    /// Never.
    OfModule,
}

/// Where a statement stands that may end the program.
#[derive(Clone, Copy)]
struct Place<'f> {
    /// `None` in the module's own statements.
    function: Option<&'f Function>,
    depth: usize,
}

impl Interpreter<'_> {
    /// What a statement of a module, which ended in an exception, ends whatever is decided on the way.
    pub(crate) fn end_of_module(&mut self, statement: &Stmt) -> End {
        self.surely_ends(statement, Place { function: None, depth: 0 })
    }

    /// Whether the statements of a function end in an exception on every way.
    pub(crate) fn surely_fails(&mut self, body: &[Stmt]) -> bool {
        let function = self.frames.last().and_then(|frame| frame.function.clone());
        self.block_surely_ends(body, Place { function: function.as_deref(), depth: 0 }) == End::OfModule
    }

    fn surely_ends(&mut self, statement: &Stmt, place: Place<'_>) -> End {
        match &statement.kind {
            StmtKind::Raise { .. } => End::OfModule,
            StmtKind::Assert { test, .. } if matches!(test.kind, ExprKind::Bool(false) | ExprKind::Int(0)) => {
                End::OfModule
            }
            StmtKind::Expr(Expr { kind: ExprKind::Call(call), .. }) => self.call_surely_ends(&call.function, place),
            StmtKind::If { test, body, orelse } => {
                let (body, orelse) = (self.block_surely_ends(body, place), self.block_surely_ends(orelse, place));
                match &test.kind {
                    ExprKind::Bool(true) => body,
                    ExprKind::Bool(false) => orelse,
                    _ => match is_main_test(test) {
                        Some(true) => body.min(End::OfScript).max(body.min(orelse)),
                        Some(false) => orelse.min(End::OfScript).max(body.min(orelse)),
                        None => body.min(orelse),
                    },
                }
            }
            StmtKind::With { items, body } if items.iter().all(|item| self.takes_nothing(item)) => {
                self.block_surely_ends(body, place)
            }
            StmtKind::Try { body, handlers, finally, .. } if !finally.iter().any(leaves) => {
                let is_taken = handlers.iter().any(|handler| !is_passed_on(handler));
                let in_body = if is_taken { End::Perhaps } else { self.block_surely_ends(body, place) };
                in_body.max(self.block_surely_ends(finally, place))
            }
            _ => End::Perhaps,
        }
    }

    /// A statement before may leave the block another way.
    fn block_surely_ends(&mut self, body: &[Stmt], place: Place<'_>) -> End {
        for statement in body {
            let end = self.surely_ends(statement, place);
            if end != End::Perhaps {
                return end;
            }
            if leaves(statement) {
                break;
            }
        }
        End::Perhaps
    }

    fn call_surely_ends(&mut self, function: &Expr, place: Place<'_>) -> End {
        let Some(root) = root_of(function) else { return End::Perhaps };
        if place.function.is_some_and(|function| place.depth > 0 && function.is_local(root)) {
            return End::Perhaps;
        }
        let callee = match &function.kind {
            ExprKind::Name(name) => self.lookup(*name),
            _ => self.evaluate(function).ok(),
        };
        match callee.map(|callee| self.read(&callee)) {
            Some(Value::Library(name)) if ends_program(name.as_str()) => End::OfModule,
            Some(Value::Function(closure)) => {
                let function = &closure.function;
                let is_here = closure.enclosing.is_empty() && function.file == self.file();
                let is_run = !function.is_async && !function.is_generator && is_here;
                if !is_run || place.depth >= DEEPEST_CALL {
                    return End::Perhaps;
                }
                let inside = Place { function: Some(function.as_ref()), depth: place.depth + 1 };
                self.block_surely_ends(&function.body, inside)
            }
            _ => End::Perhaps,
        }
    }

    /// Whether it is known of a context manager that it takes no exception.
    fn takes_nothing(&mut self, item: &WithItem) -> bool {
        let ExprKind::Call(call) = &item.context.kind else { return false };
        let context = match &call.function.kind {
            ExprKind::Name(name) => self.lookup(*name),
            _ => root_of(&call.function).and_then(|_| self.evaluate(&call.function).ok()),
        };
        let Some(Value::Library(name)) = context.map(|context| self.read(&context)) else { return false };
        name.as_str() == "builtins.open" || name.as_str().starts_with("torch.")
    }
}

/// The variable of `a.b.c`.
fn root_of(expression: &Expr) -> Option<harp_python::name::Name> {
    match &expression.kind {
        ExprKind::Name(name) => Some(*name),
        ExprKind::Attribute { value, .. } => root_of(value),
        _ => None,
    }
}

/// Whether a handler only raises again what it takes.
fn is_passed_on(handler: &Handler) -> bool {
    matches!(&handler.body[..], [Stmt { kind: StmtKind::Raise { .. }, .. }])
}

/// Whether a statement may leave the block in which it stands other than by an exception.
fn leaves(statement: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(leaves);
    match &statement.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { body, orelse, .. }
        | StmtKind::For { body, orelse, .. }
        | StmtKind::While { body, orelse, .. } => any(body) || any(orelse),
        StmtKind::With { body, .. } => any(body),
        StmtKind::Match { cases, .. } => cases.iter().any(|case| any(&case.body)),
        StmtKind::Try { body, handlers, orelse, finally } => {
            any(body) || any(orelse) || any(finally) || handlers.iter().any(|handler| any(&handler.body))
        }
        _ => false,
    }
}

/// Whether a call of a library function ends the program.
pub(crate) fn ends_program(function: &str) -> bool {
    matches!(
        function,
        "sys.exit"
            | "builtins.exit"
            | "builtins.quit"
            | "os._exit"
            | "os.abort"
            | "os.execl"
            | "os.execle"
            | "os.execlp"
            | "os.execlpe"
            | "os.execv"
            | "os.execve"
            | "os.execvp"
            | "os.execvpe"
    )
}

/// Whether `__name__ == "__main__"` holds where a condition does; `None` for other conditions.
fn is_main_test(test: &Expr) -> Option<bool> {
    match &test.kind {
        ExprKind::Unary { operator: UnaryOperator::Not, operand } => is_main_test(operand).map(|holds| !holds),
        ExprKind::Compare { left, rest } => {
            let [(operator, right)] = &rest[..] else { return None };
            let is_name = |side: &Expr| matches!(&side.kind, ExprKind::Name(name) if name.as_str() == "__name__");
            let is_main = |side: &Expr| matches!(&side.kind, ExprKind::Str(text) if &**text == "__main__");
            let asks = is_name(left) && is_main(right) || is_main(left) && is_name(right);
            match operator {
                CompareOperator::Equal if asks => Some(true),
                CompareOperator::NotEqual if asks => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}
