//! What is certain of a module of which a statement ended in an exception.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::ir::{CompareOperator, Expr, ExprKind, Stmt, StmtKind};

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

impl Interpreter<'_> {
    /// What an exception on its way out of a statement of a module ends. Where options may have decided, the script goes on with others.
    pub(crate) fn end_of_module(&mut self, statement: &Stmt) -> End {
        let is_decided = self.exits() && !self.defaults.others.are_noted();
        self.surely_ends(statement).max(if is_decided { End::OfScript } else { End::Perhaps })
    }

    /// What a statement ends whatever is decided on the way.
    fn surely_ends(&mut self, statement: &Stmt) -> End {
        match &statement.kind {
            StmtKind::Raise { .. } => End::OfModule,
            StmtKind::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
                let callee = match &call.function.kind {
                    ExprKind::Name(name) => self.lookup(*name),
                    ExprKind::Attribute { .. } => self.evaluate(&call.function).ok(),
                    _ => None,
                };
                let is_exit = matches!(callee.map(|callee| self.read(&callee)), Some(Value::Library(name)) if ends_program(name.as_str()));
                if is_exit { End::OfModule } else { End::Perhaps }
            }
            StmtKind::If { test, body, .. } if is_main_test(test) => self.block_surely_ends(body).min(End::OfScript),
            StmtKind::If { test, body, .. } if matches!(test.kind, ExprKind::Bool(true)) => {
                self.block_surely_ends(body)
            }
            StmtKind::If { body, orelse, .. } => self.block_surely_ends(body).min(self.block_surely_ends(orelse)),
            StmtKind::With { body, .. } => self.block_surely_ends(body),
            StmtKind::Try { body, handlers, finally, .. } => {
                let in_body = if handlers.is_empty() { self.block_surely_ends(body) } else { End::Perhaps };
                in_body.max(self.block_surely_ends(finally))
            }
            _ => End::Perhaps,
        }
    }

    fn block_surely_ends(&mut self, body: &[Stmt]) -> End {
        body.iter().map(|statement| self.surely_ends(statement)).max().unwrap_or(End::Perhaps)
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

/// `__name__ == "__main__"`
fn is_main_test(test: &Expr) -> bool {
    let ExprKind::Compare { left, rest } = &test.kind else { return false };
    let [(CompareOperator::Equal, right)] = &rest[..] else { return false };
    let is_name = |side: &Expr| matches!(&side.kind, ExprKind::Name(name) if name.as_str() == "__name__");
    is_name(left) || is_name(right)
}
