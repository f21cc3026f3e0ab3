//! Lowers statements, and the names that they bind, to Harp's own syntax tree.

use ruff_python_ast as ast;

use super::expressions::binary_operator;
use super::{Lowering, always_run, convert_range, range_of};
use crate::ir::{
    ArgumentKind, Call, Case, Expr, ExprKind, Handler, ImportFrom, ImportedModule, ImportedName, Range, Stmt, StmtKind,
    WithItem,
};
use crate::name::Name;
use crate::parse::SyntaxError;

/// Every `elif` is one level of the tree.
const MAX_ELIF: usize = 500;

impl<'a> Lowering<'a> {
    pub(super) fn body(&mut self, statements: &'a [ast::Stmt]) -> Vec<Stmt> {
        let mut lowered = Vec::with_capacity(statements.len());
        self.add_to_body(statements, &mut lowered);
        lowered
    }

    /// What always runs stands in the block around it: classes and modules are also looked at without being executed.
    fn add_to_body(&mut self, statements: &'a [ast::Stmt], lowered: &mut Vec<Stmt>) {
        for statement in statements {
            match always_run(statement) {
                Some(body) => self.deeper(range_of(statement), (), |lowering| lowering.add_to_body(body, lowered)),
                None => lowered.push(self.statement(statement)),
            }
        }
    }

    fn statement(&mut self, node: &'a ast::Stmt) -> Stmt {
        let range = range_of(node);
        let too_deep = StmtKind::Unsupported { what: "a statement nested too deeply" };
        let kind = self.deeper(range, too_deep, |lowering| lowering.statement_kind(node));
        Stmt { range, kind }
    }

    fn statement_kind(&mut self, node: &'a ast::Stmt) -> StmtKind {
        match node {
            ast::Stmt::Expr(node) => StmtKind::Expr(self.print(node).unwrap_or_else(|| self.stated(&node.value))),
            ast::Stmt::FunctionDef(node) => StmtKind::Function(self.function(node)),
            ast::Stmt::ClassDef(node) => StmtKind::Class(self.class(node)),
            ast::Stmt::Return(node) => StmtKind::Return(node.value.as_deref().map(|value| self.stated(value))),
            ast::Stmt::If(node) => self.if_statement(node),
            ast::Stmt::While(node) => StmtKind::While {
                test: self.stated(&node.test),
                body: self.body(&node.body),
                orelse: self.body(&node.orelse),
            },
            ast::Stmt::For(node) => StmtKind::For {
                target: self.target(&node.target),
                iterable: self.stated(&node.iter),
                body: self.body(&node.body),
                orelse: self.body(&node.orelse),
            },
            ast::Stmt::With(node) => {
                StmtKind::With { items: self.with_items(&node.items).into(), body: self.body(&node.body).into() }
            }
            ast::Stmt::Try(node) => StmtKind::Try {
                body: self.body(&node.body),
                handlers: self.handlers(&node.handlers, node.is_star),
                orelse: self.body(&node.orelse),
                finally: self.body(&node.finalbody),
            },
            ast::Stmt::Match(node) => {
                StmtKind::Match { subject: self.stated(&node.subject), cases: self.cases(&node.cases) }
            }
            ast::Stmt::Import(node) => StmtKind::Import(self.imported_modules(&node.names)),
            ast::Stmt::ImportFrom(node) => StmtKind::ImportFrom(self.import_from(node)),
            _ => self.simple_statement(node),
        }
    }

    fn simple_statement(&mut self, node: &'a ast::Stmt) -> StmtKind {
        match node {
            ast::Stmt::Assign(node) => {
                StmtKind::Assign { targets: self.targets(&node.targets), value: self.stated(&node.value) }
            }
            ast::Stmt::AnnAssign(node) => StmtKind::AnnotatedAssign {
                target: self.target(&node.target),
                annotation: self.stated(&node.annotation),
                value: node.value.as_deref().map(|value| self.stated(value)),
            },
            ast::Stmt::AugAssign(node) => StmtKind::AugmentedAssign {
                target: self.target(&node.target),
                operator: binary_operator(node.op),
                value: self.stated(&node.value),
            },
            ast::Stmt::TypeAlias(node) => {
                // The names between its brackets are known in it alone, and it is looked at when somebody asks for it.
                let value = match &node.type_params {
                    Some(_) => Expr::new(range_of(&*node.value), ExprKind::Invalid),
                    None => self.expr(&node.value),
                };
                StmtKind::Assign { targets: vec![self.target(&node.name)], value }
            }
            ast::Stmt::Raise(node) => StmtKind::Raise {
                exception: self.optional(node.exc.as_deref()),
                cause: self.optional(node.cause.as_deref()),
            },
            ast::Stmt::Assert(node) => {
                StmtKind::Assert { test: self.stated(&node.test), message: self.optional(node.msg.as_deref()) }
            }
            ast::Stmt::Global(node) => {
                let names = self.identifiers(&node.names);
                names.iter().for_each(|&name| self.scope().declare_global(name));
                StmtKind::Global(names)
            }
            ast::Stmt::Nonlocal(node) => {
                let names = self.identifiers(&node.names);
                names.iter().for_each(|&name| self.scope().declare_nonlocal(name));
                StmtKind::Nonlocal(names)
            }
            ast::Stmt::Delete(node) => StmtKind::Delete(self.targets(&node.targets)),
            ast::Stmt::Pass(_) => StmtKind::Pass,
            ast::Stmt::Break(_) => StmtKind::Break,
            ast::Stmt::Continue(_) => StmtKind::Continue,
            ast::Stmt::IpyEscapeCommand(_) => StmtKind::Unsupported { what: "an IPython command" },
            _ => StmtKind::Unsupported { what: "a statement of an unknown kind" },
        }
    }

    /// An expression that a statement evaluates. Where the parser found an error on its lines, what recovery made of it says nothing.
    fn stated(&mut self, node: &'a ast::Expr) -> Expr {
        let range = range_of(node);
        if self.is_broken(range) { Expr::new(range, ExprKind::Invalid) } else { self.expr(node) }
    }

    fn is_broken(&self, range: Range) -> bool {
        let next = self.broken_lines.partition_point(|line| line.end < range.start);
        self.broken_lines.get(next).is_some_and(|line| line.start <= range.end)
    }

    fn optional(&mut self, node: Option<&'a ast::Expr>) -> Option<Expr> {
        node.map(|node| self.expr(node))
    }

    fn identifiers(&mut self, identifiers: &'a [ast::Identifier]) -> Vec<Name> {
        identifiers.iter().map(|identifier| self.identifier(identifier)).collect()
    }

    fn targets(&mut self, nodes: &'a [ast::Expr]) -> Vec<Expr> {
        nodes.iter().map(|node| self.target(node)).collect()
    }

    /// An expression that is assigned to or deleted, which binds the names in it.
    fn target(&mut self, node: &'a ast::Expr) -> Expr {
        self.bind_target(node);
        self.expr(node)
    }

    fn bind_target(&mut self, node: &'a ast::Expr) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            match node {
                ast::Expr::Name(name) if !name.id.is_empty() => {
                    let name = self.name(name.id.as_str());
                    self.bind(name);
                }
                ast::Expr::Tuple(tuple) => pending.extend(&tuple.elts),
                ast::Expr::List(list) => pending.extend(&list.elts),
                ast::Expr::Starred(starred) => pending.push(&starred.value),
                _ => {}
            }
        }
    }

    /// Builds the chain of `elif` from its end, so that a long one does not recurse.
    fn if_statement(&mut self, node: &'a ast::StmtIf) -> StmtKind {
        let test = self.stated(&node.test);
        let body = self.body(&node.body);
        let clauses = &node.elif_else_clauses;
        if let Some(clause) = clauses.get(MAX_ELIF) {
            let start = range_of(clause).start;
            let range = Range { start, end: start };
            self.errors.push(SyntaxError::limit(range, "too many elif clauses"));
        }
        let mut orelse: Vec<Stmt> = Vec::new();
        for clause in clauses.iter().take(MAX_ELIF).rev() {
            let range = Range { start: range_of(clause).start, end: range_of(node).end };
            let clause_body = self.body(&clause.body);
            match &clause.test {
                Some(test) => {
                    let test = self.stated(test);
                    orelse = vec![Stmt { range, kind: StmtKind::If { test, body: clause_body, orelse } }];
                }
                None => orelse = clause_body,
            }
        }
        StmtKind::If { test, body, orelse }
    }

    fn with_items(&mut self, items: &'a [ast::WithItem]) -> Vec<WithItem> {
        let item = |item: &'a ast::WithItem| WithItem {
            context: self.expr(&item.context_expr),
            target: item.optional_vars.as_deref().map(|target| self.target(target)),
        };
        items.iter().map(item).collect()
    }

    /// The call that a `print` statement of Python 2 makes, which is parsed as a tuple behind a name.
    fn print(&mut self, node: &'a ast::StmtExpr) -> Option<Expr> {
        let range = range_of(node);
        self.prints.binary_search(&range.start).ok()?;
        let ast::Expr::Tuple(tuple) = &*node.value else { return None };
        let mut arguments = Vec::with_capacity(tuple.elts.len());
        for printed in tuple.elts.iter().skip(1) {
            arguments.push(self.argument(range_of(printed), ArgumentKind::Positional, printed));
        }
        let print = Range { start: range.start, end: range.start + "print".len() as u32 };
        let function = Expr { range: print, kind: ExprKind::Name(Name::new("print")), imported: None };
        Some(Expr { range, kind: ExprKind::Call(Box::new(Call { function, arguments })), imported: None })
    }

    fn handlers(&mut self, handlers: &'a [ast::ExceptHandler], takes_part: bool) -> Vec<Handler> {
        handlers.iter().map(|ast::ExceptHandler::ExceptHandler(handler)| self.handler(handler, takes_part)).collect()
    }

    fn handler(&mut self, node: &'a ast::ExceptHandlerExceptHandler, takes_part: bool) -> Handler {
        let (exception, name) = match node.type_.as_deref() {
            // `except E, error:` of Python 2
            Some(ast::Expr::Tuple(ast::ExprTuple { elts, parenthesized: false, .. })) if self.is_python_2 => {
                let name = elts.get(1).and_then(|name| name.as_name_expr()).map(|name| self.name(name.id.as_str()));
                (self.optional(elts.first()), name)
            }
            exception => (self.optional(exception), node.name.as_ref().map(|name| self.identifier(name))),
        };
        if let Some(name) = name {
            self.bind(name);
        }
        Handler { takes_part, range: range_of(node), exception, name, body: self.body(&node.body) }
    }

    fn cases(&mut self, cases: &'a [ast::MatchCase]) -> Vec<Case> {
        let case = |case: &'a ast::MatchCase| Case {
            range: range_of(case),
            pattern: self.pattern(&case.pattern),
            guard: self.optional(case.guard.as_deref()),
            body: self.body(&case.body),
        };
        cases.iter().map(case).collect()
    }

    fn imported_modules(&mut self, aliases: &'a [ast::Alias]) -> Vec<ImportedModule> {
        let imported = |node: &'a ast::Alias| {
            let module = self.identifier(&node.name);
            let alias = node.asname.as_ref().map(|alias| self.identifier(alias));
            // `import a.b` binds `a`.
            let first = node.name.as_str().split('.').next().unwrap_or_default();
            let bound = alias.unwrap_or_else(|| self.name(first));
            self.bind(bound);
            ImportedModule { range: range_of(node), module, alias }
        };
        aliases.iter().map(imported).collect()
    }

    fn import_from(&mut self, node: &'a ast::StmtImportFrom) -> ImportFrom {
        let module = node.module.as_ref().map(|module| self.identifier(module));
        let is_star = node.names.iter().any(|alias| alias.name.as_str() == "*");
        let names = if is_star { &[] } else { node.names.as_slice() };
        let imported = |alias: &'a ast::Alias| {
            let name = self.identifier(&alias.name);
            let renamed = alias.asname.as_ref().map(|renamed| self.identifier(renamed));
            self.bind(renamed.unwrap_or(name));
            ImportedName { range: convert_range(alias.range), name, alias: renamed }
        };
        let names = names.iter().map(imported).collect();
        ImportFrom { module, level: node.level, names, is_star }
    }
}
