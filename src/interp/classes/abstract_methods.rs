//! Methods that a class leaves to the classes that derive from it: an abstract method, or one whose body is `...`.
//!
//! No object has such a method as it stands. Where one is called all the same, the object is of another class than is known here: a factory gave
//! it, or a base of which nothing is known has the method. What it returns is what that class makes of it, not `None`.

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, Value};
use harp_python::ir::{ArgumentKind, Class, ExprKind, Function, Stmt, StmtKind};

impl Interpreter<'_> {
    /// What the call of a method gives that is left to derived classes and that no class of the object defines.
    pub(crate) fn given_by_derived(&mut self, closure: &Closure, arguments: &CallArguments) -> Option<Value> {
        let function = &closure.function;
        if closure.class.is_none() || !is_left_to_derived(function) {
            return None;
        }
        let receiver = arguments.positional.first().filter(|value| matches!(value, Value::Instance(_)))?;
        // An own method may call the empty one by `super()`, which runs it.
        match self.class_attribute(receiver, function.name)? {
            Value::Function(found) if std::sync::Arc::ptr_eq(&found.function, function) => {}
            _ => return None,
        }
        // An abstract class whose methods are looked at for themselves is not made by any program.
        if self.entry.kind != EntryKind::Symbolic {
            let what = format!("`{}`, which is left to other classes", function.qualified_name);
            self.not_understood(&what, arguments.span);
        }
        let result = self.symbolic(function.name.as_str(), arguments.span, true);
        Some(self.take_result_hint(function, result))
    }
}

/// Whether a function says nothing but that there is one, and is to give something.
fn is_left_to_derived(function: &Function) -> bool {
    let is_none = |expression: &harp_python::ir::Expr| matches!(expression.kind, ExprKind::None);
    let is_empty = |statement: &Stmt| match &statement.kind {
        StmtKind::Pass => true,
        StmtKind::Expr(value) => matches!(value.kind, ExprKind::Str(_) | ExprKind::Ellipsis),
        _ => false,
    };
    let is_ellipsis =
        |statement: &Stmt| matches!(&statement.kind, StmtKind::Expr(value) if matches!(value.kind, ExprKind::Ellipsis));
    function.body.iter().all(is_empty)
        && !function.returns.as_ref().is_some_and(is_none)
        && (function.body.iter().any(is_ellipsis) || is_abstract_method(function))
}

/// Whether a class has `metaclass=ABCMeta`.
pub(crate) fn names_abstract_metaclass(class: &Class) -> bool {
    class.arguments.iter().any(|argument| match argument.kind {
        ArgumentKind::Keyword(keyword) => {
            keyword.as_str() == "metaclass" && argument.value.last_name().is_some_and(|name| name.as_str() == "ABCMeta")
        }
        _ => false,
    })
}

/// Whether a method is marked as one that derived classes define.
pub(crate) fn is_abstract_method(function: &Function) -> bool {
    let mut names = function.decorators.iter().filter_map(|decorator| decorator.last_name());
    names.any(|name| name.as_str().starts_with("abstract"))
}
