//! Modules that end before their last statement: what is certain of them after an exception. An exit of which it is not
//! sure that every way of the script takes it ends nothing: who silences what stands below hides what fails.

use crate::loops::loop_ends::never_ends;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, ObjectId, Value};
use harp_python::ir::{CompareOperator, Expr, ExprKind, Function, Handler, Stmt, StmtKind, UnaryOperator, WithItem};
use harp_python::name::Name;

/// Functions that call each other deeper are not looked into.
const DEEPEST_CALL: usize = 4;

/// Methods that end the program.
const OF_PARSERS: [&str; 2] = ["argparse.ArgumentParser.error", "argparse.ArgumentParser.exit"];

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
    /// A function that does not run, with the namespace of its module; `None` for the code that runs.
    function: Option<(&'f Function, ObjectId)>,
    depth: usize,
}

impl Interpreter<'_> {
    /// What a statement of a module, which ended in an exception, ends whatever is decided on the way.
    pub(crate) fn end_of_module(&mut self, statement: &Stmt) -> End {
        self.surely_ends(statement, Place { function: None, depth: 0 })
    }

    /// Whether the statements of a function end in an exception on every way.
    pub(crate) fn surely_fails(&mut self, body: &[Stmt]) -> bool {
        self.block_surely_ends(body, Place { function: None, depth: 0 }) == End::OfModule
    }

    fn surely_ends(&mut self, statement: &Stmt, place: Place<'_>) -> End {
        match &statement.kind {
            StmtKind::Raise { .. } => End::OfModule,
            StmtKind::Assert { test, .. } if matches!(test.kind, ExprKind::Bool(false) | ExprKind::Int(0)) => {
                End::OfModule
            }
            StmtKind::While { .. } if never_ends(statement) && !leaves(statement) => End::OfModule,
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
            StmtKind::With { items, body } if items.iter().all(|item| self.takes_nothing(item, place)) => {
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
        match self.called_at(function, place) {
            Some(Value::Library(name)) if ends_program(name.as_str()) || OF_PARSERS.contains(&name.as_str()) => {
                End::OfModule
            }
            Some(Value::Function(closure)) => self.function_surely_ends(&closure, place),
            Some(Value::BoundMethod(method)) => match &method.function {
                Value::Function(closure) => self.function_surely_ends(closure, place),
                _ => End::Perhaps,
            },
            _ => End::Perhaps,
        }
    }

    /// What is called: within functions that do not run, what the names of their modules tell.
    fn called_at(&mut self, function: &Expr, place: Place<'_>) -> Option<Value> {
        match place.function {
            None => self.value_at(function),
            Some((inside, _)) if root_of(function).is_none_or(|root| inside.is_local(root)) => None,
            Some((_, globals)) => self.value_found(function, &|this, name| {
                this.heap.attribute(globals, name).cloned().or_else(|| this.builtin(name))
            }),
        }
    }

    /// What `a.b.c` is where nothing has to be executed for that.
    pub(crate) fn value_at(&self, path: &Expr) -> Option<Value> {
        self.value_found(path, &|this, name| this.lookup(name))
    }

    fn value_found(&self, path: &Expr, find: &dyn Fn(&Self, Name) -> Option<Value>) -> Option<Value> {
        match &path.kind {
            ExprKind::Name(name) => find(self, *name).map(|value| self.read(&value)),
            ExprKind::Attribute { value, attribute, .. } => match self.value_found(value, find)? {
                Value::Library(owner) => Some(Value::Library(self.qualified(owner, *attribute))),
                Value::Module(id) | Value::Class(id) => {
                    self.heap.attribute(id, *attribute).map(|value| self.read(value))
                }
                instance @ Value::Instance(_) => match self.class_of(&instance) {
                    Value::Library(class) => Some(Value::Library(self.qualified(class, *attribute))),
                    _ => self.class_attribute(&instance, *attribute).map(|value| self.read(&value)),
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn function_surely_ends(&mut self, closure: &Closure, place: Place<'_>) -> End {
        let function = &closure.function;
        let is_run = !function.is_async && !function.is_generator && closure.enclosing.is_empty();
        if !is_run || place.depth >= DEEPEST_CALL {
            return End::Perhaps;
        }
        let inside = Place { function: Some((function.as_ref(), closure.globals)), depth: place.depth + 1 };
        self.block_surely_ends(&function.body, inside)
    }

    /// Whether it is known of a context manager that it takes no exception.
    fn takes_nothing(&mut self, item: &WithItem, place: Place<'_>) -> bool {
        let ExprKind::Call(call) = &item.context.kind else { return false };
        let Some(Value::Library(name)) = self.called_at(&call.function, place) else { return false };
        name.as_str() == "builtins.open" || self.family_of_api(name).is_some()
    }
}

/// The variable of `a.b.c`.
fn root_of(expression: &Expr) -> Option<Name> {
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
pub(crate) fn leaves(statement: &Stmt) -> bool {
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
