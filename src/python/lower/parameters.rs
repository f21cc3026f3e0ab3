//! Lowers functions, lambdas, their parameters, and classes to Harp's own syntax tree.

use std::sync::Arc;

use ruff_python_ast as ast;

use super::scope::{Scope, ScopeKind};
use super::{Lowering, range_of};
use crate::ir::{Class, Expr, Function, Parameter, ParameterKind, Range, Stmt, StmtKind};
use crate::name::Name;

/// The parts of a function that differ between `def` and `lambda`.
struct Header {
    name: Name,
    range: Range,
    name_range: Range,
    type_parameters: Vec<Name>,
    decorators: Vec<Expr>,
    returns: Option<Expr>,
    is_async: bool,
    is_lambda: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn function(&mut self, node: &'a ast::StmtFunctionDef) -> Arc<Function> {
        let name = self.identifier(&node.name);
        self.bind(name);
        let header = Header {
            name,
            range: range_of(node),
            name_range: range_of(&node.name),
            type_parameters: self.type_parameters(node.type_params.as_deref()),
            decorators: self.decorators(&node.decorator_list),
            returns: node.returns.as_deref().map(|annotation| self.expr(annotation)),
            is_async: node.is_async,
            is_lambda: false,
        };
        let mut parameters = self.parameters(&node.parameters);
        // A broken header ends behind the last part that was read, which a comma may follow.
        let end = node.body.first().map_or(header.range.end + 4, |statement| range_of(statement).start);
        if self.broken.iter().any(|place| (header.name_range.end..=end).contains(place)) {
            // Whatever the function takes: its header is not one that Python reads.
            let any = [("*", ParameterKind::Variadic), ("**", ParameterKind::VariadicKeyword)];
            for (name, kind) in any {
                if parameters.iter().any(|known| known.kind == kind) {
                    continue;
                }
                let name = self.name(name);
                parameters.push(Parameter { range: header.name_range, name, kind, default: None, annotation: None });
            }
        }
        self.finish_function(header, parameters, |lowering| lowering.body(&node.body))
    }

    pub(super) fn lambda(&mut self, node: &'a ast::ExprLambda) -> Arc<Function> {
        self.closures += 1;
        let range = range_of(node);
        let header = Header {
            name: self.name("<lambda>"),
            range,
            name_range: Range { start: range.start, end: range.end.min(range.start + "lambda".len() as u32) },
            type_parameters: Vec::new(),
            decorators: Vec::new(),
            returns: None,
            is_async: false,
            is_lambda: true,
        };
        let parameters = node.parameters.as_deref().map(|parameters| self.parameters(parameters)).unwrap_or_default();
        self.finish_function(header, parameters, |lowering| {
            let value = lowering.expr(&node.body);
            vec![Stmt { range: value.range, kind: StmtKind::Return(Some(value)) }]
        })
    }

    /// Lowers the body in a scope of its own. Parameters were lowered outside of it: defaults and annotations belong there.
    fn finish_function(
        &mut self,
        header: Header,
        parameters: Vec<Parameter>,
        body: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> Arc<Function> {
        let qualified_name = self.scope().qualify(header.name.as_str());
        let mut scope = Scope::new(ScopeKind::Function, format!("{qualified_name}.<locals>."));
        for parameter in &parameters {
            scope.bind(parameter.name);
        }
        self.scopes.push(scope);
        let body = body(self);
        let names = self.scopes.pop().map(Scope::finish);
        let names = names.unwrap_or_else(|| Scope::new(ScopeKind::Function, String::new()).finish());
        Arc::new(Function {
            file: self.file,
            name: header.name,
            qualified_name: Name::new(&qualified_name),
            range: header.range,
            name_range: header.name_range,
            type_parameters: header.type_parameters,
            parameters,
            body,
            decorators: header.decorators,
            returns: header.returns,
            is_async: header.is_async,
            is_generator: names.is_generator,
            is_lambda: header.is_lambda,
            locals: names.locals,
            globals: names.globals,
            nonlocals: names.nonlocals,
        })
    }

    fn type_parameters(&mut self, node: Option<&'a ast::TypeParams>) -> Vec<Name> {
        node.into_iter().flat_map(|node| &node.type_params).map(|node| self.identifier(node.name())).collect()
    }

    fn decorators(&mut self, decorators: &'a [ast::Decorator]) -> Vec<Expr> {
        decorators.iter().map(|decorator| self.expr(&decorator.expression)).collect()
    }

    fn parameters(&mut self, node: &'a ast::Parameters) -> Vec<Parameter> {
        let mut parameters = Vec::with_capacity(node.len());
        for parameter in &node.posonlyargs {
            parameters.push(self.parameter_with_default(parameter, ParameterKind::PositionalOnly));
        }
        for parameter in &node.args {
            parameters.push(self.parameter_with_default(parameter, ParameterKind::Normal));
        }
        if let Some(parameter) = &node.vararg {
            parameters.push(self.parameter(parameter, ParameterKind::Variadic));
        }
        for parameter in &node.kwonlyargs {
            parameters.push(self.parameter_with_default(parameter, ParameterKind::KeywordOnly));
        }
        if let Some(parameter) = &node.kwarg {
            parameters.push(self.parameter(parameter, ParameterKind::VariadicKeyword));
        }
        parameters
    }

    fn parameter_with_default(&mut self, node: &'a ast::ParameterWithDefault, kind: ParameterKind) -> Parameter {
        let default = node.default.as_deref().map(|default| self.expr(default));
        Parameter { range: range_of(node), default, ..self.parameter(&node.parameter, kind) }
    }

    fn parameter(&mut self, node: &'a ast::Parameter, kind: ParameterKind) -> Parameter {
        Parameter {
            range: range_of(node),
            name: self.identifier(&node.name),
            kind,
            default: None,
            annotation: node.annotation.as_deref().map(|annotation| self.expr(annotation)),
        }
    }

    pub(super) fn class(&mut self, node: &'a ast::StmtClassDef) -> Arc<Class> {
        let name = self.identifier(&node.name);
        self.bind(name);
        let decorators = self.decorators(&node.decorator_list);
        let arguments = node.arguments.as_deref().map(|arguments| self.arguments(arguments)).unwrap_or_default();
        let qualified_name = self.scope().qualify(name.as_str());
        self.scopes.push(Scope::new(ScopeKind::Class, format!("{qualified_name}.")));
        let body = self.body(&node.body);
        let globals = self.scopes.pop().map(|scope| scope.finish().globals).unwrap_or_default();
        Arc::new(Class {
            file: self.file,
            name,
            qualified_name: Name::new(&qualified_name),
            range: range_of(node),
            name_range: range_of(&node.name),
            type_parameters: self.type_parameters(node.type_params.as_deref()),
            arguments,
            decorators,
            body,
            globals,
        })
    }
}
