//! Walks the syntax tree of a file for what is written there, executed or not: its calls, its classes, and its
//! functions with the classes that they are methods of.

use crate::ir::{Call, Class, Expr, ExprKind, Function, Stmt, StmtKind};
use crate::{blocks_of, subexpressions};

/// What a walk over a file's statements meets.
pub enum Written<'a> {
    /// Wherever it stands, annotations excepted.
    Call(&'a Call),
    /// With the class in whose body it stands.
    Function(&'a Function, Option<&'a Class>),
    /// A function without a name.
    Lambda(&'a Function),
    /// Its methods are shown after it, with it.
    Class(&'a Class),
}

/// Shows `visit` every call and every function in some statements, those in functions, classes and comprehensions too.
pub fn visit_written<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(Written<'a>)) {
    statements(body, None, visit);
}

fn statements<'a>(body: &'a [Stmt], class: Option<&'a Class>, visit: &mut dyn FnMut(Written<'a>)) {
    for stmt in body {
        statement(stmt, class, visit);
    }
}

fn statement<'a>(stmt: &'a Stmt, class: Option<&'a Class>, visit: &mut dyn FnMut(Written<'a>)) {
    match &stmt.kind {
        StmtKind::Expr(value) => expression(value, visit),
        StmtKind::Assign { targets, value } => expressions(targets.iter().chain([value]), visit),
        StmtKind::AnnotatedAssign { target, value, .. } => expressions([target].into_iter().chain(value), visit),
        StmtKind::AugmentedAssign { target, value, .. } => expressions([target, value], visit),
        StmtKind::Return(value) => expressions(value, visit),
        StmtKind::Raise { exception, cause } => expressions(exception.iter().chain(cause), visit),
        StmtKind::Assert { test, message } => expressions([test].into_iter().chain(message), visit),
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => expression(test, visit),
        StmtKind::For { target, iterable, .. } => expressions([target, iterable], visit),
        StmtKind::With { items, .. } => {
            expressions(items.iter().flat_map(|item| [&item.context].into_iter().chain(&item.target)), visit);
        }
        StmtKind::Try { handlers, .. } => expressions(handlers.iter().filter_map(|it| it.exception.as_ref()), visit),
        StmtKind::Match { subject, cases } => {
            expressions([subject].into_iter().chain(cases.iter().filter_map(|case| case.guard.as_ref())), visit);
        }
        StmtKind::Function(function) => {
            visit(Written::Function(function, class));
            parts_of_function(function, visit);
        }
        StmtKind::Class(inner) => {
            visit(Written::Class(inner));
            expressions(inner.decorators.iter().chain(inner.arguments.iter().map(|argument| &argument.value)), visit);
            statements(&inner.body, Some(inner), visit);
        }
        StmtKind::Delete(targets) => expressions(targets, visit),
        StmtKind::Import(_)
        | StmtKind::ImportFrom(_)
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Pass
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Unsupported { .. } => {}
    }
    blocks_of(stmt).into_iter().for_each(|block| statements(block, class, visit));
}

fn parts_of_function<'a>(function: &'a Function, visit: &mut dyn FnMut(Written<'a>)) {
    let defaults = function.parameters.iter().filter_map(|parameter| parameter.default.as_ref());
    expressions(function.decorators.iter().chain(defaults), visit);
    statements(&function.body, None, visit);
}

fn expressions<'a>(all: impl IntoIterator<Item = &'a Expr>, visit: &mut dyn FnMut(Written<'a>)) {
    for part in all {
        expression(part, visit);
    }
}

fn expression<'a>(whole: &'a Expr, visit: &mut dyn FnMut(Written<'a>)) {
    match &whole.kind {
        ExprKind::Call(call) => visit(Written::Call(call)),
        ExprKind::Lambda(function) => {
            visit(Written::Lambda(function));
            return parts_of_function(function, visit);
        }
        ExprKind::Comprehension(comprehension) => {
            expressions([&comprehension.element].into_iter().chain(&comprehension.value), visit);
            for generator in &comprehension.generators {
                expressions([&generator.iterable].into_iter().chain(&generator.conditions), visit);
            }
            return;
        }
        _ => {}
    }
    expressions(subexpressions(whole), visit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;
    use crate::parse_module;
    use harp_corpus::FileId;

    /// The names of the functions that are called, and `Class.name` of those that are defined.
    fn written(text: &str) -> (Vec<String>, Vec<String>) {
        let parsed = parse_module(FileId(0), Name::new("m"), false, text);
        let (mut calls, mut functions) = (Vec::new(), Vec::new());
        visit_written(&parsed.module.body, &mut |part| match part {
            Written::Call(call) => {
                if let ExprKind::Name(name) = &call.function.kind {
                    calls.push(name.as_str().to_owned());
                }
            }
            Written::Function(function, class) => {
                let class = class.map_or(String::new(), |class| format!("{}.", class.name.as_str()));
                functions.push(format!("{class}{}", function.name.as_str()));
            }
            Written::Lambda(_) | Written::Class(_) => {}
        });
        (calls, functions)
    }

    #[test]
    fn every_call_is_met_once() {
        let text = "@a()\ndef f(x=b()):\n    with c() as d:\n        return [e(y) for y in g() if h(y)] or (lambda: i())\n\
                    class K(j()):\n    def m(self):\n        try:\n            k()\n        except l():\n            m(n(o()))\n\
                    if p():\n    q = {r(): s()}\n";
        let (mut calls, functions) = written(text);
        calls.sort();
        assert_eq!(calls.concat(), "abceghijklmnoprs");
        assert_eq!(functions, ["f", "K.m"]);
    }
}
