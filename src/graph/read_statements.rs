//! Reads the syntax trees into the [`Host`]: statements first, expressions in `expressions.rs`.

use crate::Program;
use crate::defects::DefectOfGraph;
use crate::host::{
    Arm, ExpressionId, ExpressionNode, FunctionId, FunctionNode, Host, LoopKind, StatementId, StatementNode,
};
use crate::scopes::Scopes;
use harp_corpus::{FileId, Span};
use harp_limits::{contained, fault_point, tick};
use harp_python::Project;
use harp_python::ir::{Class, Expr, ExprKind, Function, Module, Pattern, Range, Stmt, StmtKind};
use harp_python::name::Name;

/// Reads all modules of a project.
pub fn read(program: Program<'_>, project: &Project, defects: &mut Vec<DefectOfGraph>) -> Host {
    let mut host = Host::with_room_for(bytes_of(program, project));
    for module in &project.modules {
        read_module(program, &mut host, module, defects);
    }
    host.finish();
    host
}

/// Reads all modules of a project whose syntax trees nobody else wants: only those are left that the relations of subscripts are about.
pub fn read_and_free(program: Program<'_>, project: &mut Project, defects: &mut Vec<DefectOfGraph>) -> Host {
    let mut host = Host::with_room_for(bytes_of(program, project));
    for module in &mut project.modules {
        let before = host.statements.len();
        read_module(program, &mut host, module, defects);
        if host.statements[before..].iter().all(|node| node.loop_kind != Some(LoopKind::Range)) {
            module.body = Vec::new();
        }
    }
    host.finish();
    host
}

/// Reads a module; one that Harp fails on is left out.
fn read_module(program: Program<'_>, host: &mut Host, module: &Module, defects: &mut Vec<DefectOfGraph>) {
    let extent = host.extent();
    let read = contained(|| {
        fault_point("facts", module.name.as_str());
        Walker::new(program, host, module).module(module);
    });
    match read {
        Ok(()) => {}
        Err(stopped) => {
            host.forget_since(extent);
            // A ceiling is for whoever watches it.
            defects.push(DefectOfGraph::of(stopped, format!("the facts of module {}", module.name)));
        }
    }
}

fn bytes_of(program: Program<'_>, project: &Project) -> usize {
    let files = project.modules.iter().filter_map(|module| program.corpus.file(module.file));
    files.map(|file| file.text.len()).sum()
}

/// Reads one module.
pub struct Walker<'a, 'h> {
    pub program: Program<'a>,
    pub host: &'h mut Host,
    pub file: FileId,
    pub scopes: Scopes<'a>,
    /// The statement whose expressions are being read.
    pub statement: StatementId,
    /// Where the statement being read stands.
    parent: Option<(StatementId, Arm)>,
    inside: Option<StatementId>,
    module_name: Name,
    /// Its place in the order of the modules.
    module: u32,
}

impl<'a, 'h> Walker<'a, 'h> {
    fn new(program: Program<'a>, host: &'h mut Host, module: &Module) -> Self {
        let id = FunctionId(host.functions.len() as u32);
        let number = host.functions.last().map_or(0, |last| last.module + 1);
        Walker {
            program,
            host,
            file: module.file,
            scopes: Scopes::module(id),
            statement: StatementId(0),
            parent: None,
            inside: None,
            module_name: module.name,
            module: number,
        }
    }

    pub fn span(&self, range: Range) -> Span {
        range.in_file(self.file)
    }

    fn module(&mut self, module: &'a Module) {
        let span = Span::new(module.file, 0, 0);
        let id = self.new_function(span, module.name.as_str().to_owned());
        let body = self.block(&module.body);
        self.host.functions[id.index()].body = body;
    }

    fn new_function(&mut self, span: Span, name: String) -> FunctionId {
        let id = FunctionId(self.host.functions.len() as u32);
        self.host.functions.push(FunctionNode {
            span,
            name,
            parameters: Vec::new(),
            takes_receiver: false,
            decorators: Vec::new(),
            body: Vec::new(),
            module: self.module,
        });
        self.host.function_of_span.insert(span, id);
        id
    }

    fn block(&mut self, statements: &'a [Stmt]) -> Vec<StatementId> {
        statements.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &'a Stmt) -> StatementId {
        tick();
        let id = StatementId(self.host.statements.len() as u32);
        let new = StatementNode::new(self.span(statement.range), kind_name(&statement.kind), self.scopes.current());
        self.host.statements.push(StatementNode { parent: self.parent, inside: self.inside, ..new });
        self.statement = id;
        self.read(id, &statement.kind);
        id
    }

    fn node(&mut self, id: StatementId) -> &mut StatementNode {
        self.host.statement_mut(id)
    }

    fn read(&mut self, id: StatementId, kind: &'a StmtKind) {
        match kind {
            StmtKind::Expr(value) => {
                self.expression(value, None);
            }
            StmtKind::Assign { targets, value } => self.assign(id, targets, value),
            StmtKind::AnnotatedAssign { target, value, .. } => {
                if let Some(value) = value {
                    self.assign(id, std::slice::from_ref(target), value);
                }
            }
            StmtKind::AugmentedAssign { target, value, .. } => {
                self.expression(target, None);
                self.expression(value, None);
                self.define(id, target);
                if let Some(variable) = self.variable_of(target) {
                    self.node(id).mutations.push(variable);
                }
            }
            StmtKind::Return(value) => {
                self.node(id).leaves = true;
                self.optional(value.as_ref());
            }
            StmtKind::Raise { exception, cause } => {
                self.node(id).leaves = true;
                self.optional(exception.as_ref());
                self.optional(cause.as_ref());
            }
            StmtKind::Assert { test, message } => {
                self.expression(test, None);
                self.optional(message.as_ref());
            }
            StmtKind::If { test, body, orelse } => {
                self.expression(test, None);
                self.inner(id, Arm::Then, body);
                self.inner(id, Arm::Else, orelse);
            }
            StmtKind::While { test, body, orelse } => {
                self.expression(test, None);
                self.looped(id, LoopKind::While, body, orelse);
            }
            StmtKind::For { target, iterable, body, orelse } => {
                self.expression(iterable, None);
                self.define(id, target);
                let kind = if is_range(iterable) { LoopKind::Range } else { LoopKind::For };
                self.looped(id, kind, body, orelse);
            }
            StmtKind::With { items, body } => {
                for item in items.iter() {
                    self.expression(&item.context, None);
                    if let Some(target) = &item.target {
                        self.define(id, target);
                    }
                }
                self.inner(id, Arm::Body, body);
            }
            StmtKind::Try { body, handlers, orelse, finally } => {
                self.inner(id, Arm::Body, body);
                for handler in handlers {
                    self.statement = id;
                    self.optional(handler.exception.as_ref());
                    if let Some(name) = handler.name {
                        self.define_name(id, name);
                    }
                    self.inner(id, Arm::Handler, &handler.body);
                }
                self.inner(id, Arm::Else, orelse);
                self.inner(id, Arm::Body, finally);
            }
            StmtKind::Match { subject, cases } => {
                self.expression(subject, None);
                for case in cases {
                    self.statement = id;
                    self.pattern(id, &case.pattern);
                    self.optional(case.guard.as_ref());
                    self.inner(id, Arm::Then, &case.body);
                }
            }
            StmtKind::Function(function) => self.function(id, function),
            StmtKind::Class(class) => self.class(id, class),
            StmtKind::Import(modules) => {
                for module in modules {
                    let first = module.module.as_str().split('.').next().unwrap_or("");
                    self.define_name(id, module.alias.unwrap_or_else(|| Name::new(first)));
                }
            }
            StmtKind::ImportFrom(import) => {
                for imported in &import.names {
                    self.define_name(id, imported.alias.unwrap_or(imported.name));
                }
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.define(id, target)),
            StmtKind::Break => self.node(id).leaves = true,
            StmtKind::Global(_) | StmtKind::Nonlocal(_) | StmtKind::Pass | StmtKind::Continue => {}
            StmtKind::Unsupported { .. } => self.node(id).is_impure = true,
        }
    }

    fn optional(&mut self, expression: Option<&'a Expr>) {
        if let Some(expression) = expression {
            self.expression(expression, None);
        }
    }

    fn assign(&mut self, id: StatementId, targets: &'a [Expr], value: &'a Expr) {
        let read = self.expression(value, None);
        for target in targets {
            self.define(id, target);
        }
        if let [Expr { kind: ExprKind::Name(name), .. }] = targets {
            let variable = self.scopes.assign(self.host, *name);
            self.node(id).value = Some((variable, read));
        }
        if let [target @ Expr { kind: ExprKind::Attribute { .. }, .. }] = targets
            && let Some(variable) = self.variable_of(target)
        {
            self.node(id).attribute_value = Some((variable, read));
        }
        for target in targets {
            self.note_aliases(target, value, read);
        }
    }

    /// `x, y = base[1:], base[:-1]` is two assignments; `x, y = pair` gives parts of one value.
    fn note_aliases(&mut self, target: &Expr, value: &Expr, read: ExpressionId) {
        let (ExprKind::Tuple(targets) | ExprKind::List(targets)) = &target.kind else {
            if let Some(variable) = self.variable_of(target) {
                self.note_alias(variable, value, read);
            }
            return;
        };
        match &value.kind {
            ExprKind::Tuple(values) | ExprKind::List(values) => {
                if targets.len() == values.len() {
                    targets.iter().zip(values).for_each(|(target, value)| self.note_aliases(target, value, read));
                }
            }
            _ => targets.iter().for_each(|target| self.note_aliases(target, value, read)),
        }
    }

    /// `y = x`, `y = x[0]`, `y = x.view(…)`: both may be changed through each other.
    fn note_alias(&mut self, variable: crate::host::VariableId, value: &Expr, read: ExpressionId) {
        match &value.kind {
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Subscript { .. } => {
                if let Some(source) = self.variable_of(base(value)) {
                    self.host.aliases.push((variable, source));
                }
            }
            ExprKind::Call(call) if self.gives_view(value) => {
                let receiver = match &call.function.kind {
                    ExprKind::Attribute { value, .. } => Some(&**value),
                    _ => None,
                };
                let operands = receiver.into_iter().chain(call.arguments.iter().map(|argument| &argument.value));
                let sources: Vec<_> = operands.filter_map(|operand| self.variable_of(base(operand))).collect();
                self.host.aliases.extend(sources.into_iter().map(|source| (variable, source)));
            }
            ExprKind::Conditional { .. } | ExprKind::Boolean { .. } | ExprKind::Tuple(_) | ExprKind::List(_) => {
                let sources = self.host.reads_of(read).to_vec();
                self.host.aliases.extend(sources.into_iter().map(|source| (variable, source)));
            }
            _ => {}
        }
    }

    fn inner(&mut self, id: StatementId, arm: Arm, statements: &'a [Stmt]) {
        if statements.is_empty() {
            return;
        }
        let before = self.parent.replace((id, arm));
        let block = self.block(statements);
        self.parent = before;
        self.node(id).blocks.push((arm, block));
    }

    fn looped(&mut self, id: StatementId, kind: LoopKind, body: &'a [Stmt], orelse: &'a [Stmt]) {
        self.node(id).loop_kind = Some(kind);
        let before = self.inside.replace(id);
        self.inner(id, Arm::Body, body);
        self.inside = before;
        self.inner(id, Arm::Else, orelse);
    }

    fn function(&mut self, id: StatementId, function: &'a Function) {
        let decorators: Vec<ExpressionId> =
            function.decorators.iter().map(|decorator| self.expression(decorator, None)).collect();
        for parameter in &function.parameters {
            self.optional(parameter.default.as_ref());
        }
        self.define_name(id, function.name);
        let block = self.function_body(function);
        if let Some(known) = self.host.function_of_span.get(&self.span(function.range)) {
            self.host.functions[known.index()].decorators = decorators;
        }
        self.node(id).blocks.push((Arm::Body, block));
    }

    /// Reads a function's code, which does not run where it stands.
    pub fn function_body(&mut self, function: &'a Function) -> Vec<StatementId> {
        let name = format!("{}.{}", self.module_name, function.qualified_name);
        let new = self.new_function(self.span(function.range), name);
        let is_in_class = self.parent.is_some_and(|(parent, _)| self.host.statement(parent).kind == "class");
        let is_static =
            |decorator: &Expr| matches!(&decorator.kind, ExprKind::Name(name) if name.as_str() == "staticmethod");
        self.host.functions[new.index()].takes_receiver = is_in_class && !function.decorators.iter().any(is_static);
        let (statement, parent, inside) = (self.statement, self.parent.take(), self.inside.take());
        self.scopes.enter_function(new, function);
        let parameters = function.parameters.iter();
        let parameters = parameters.map(|parameter| self.scopes.resolve(self.host, parameter.name)).collect();
        let body = self.block(&function.body);
        self.scopes.leave();
        (self.statement, self.parent, self.inside) = (statement, parent, inside);
        let node = &mut self.host.functions[new.index()];
        node.parameters = parameters;
        node.body.clone_from(&body);
        body
    }

    fn class(&mut self, id: StatementId, class: &'a Class) {
        for decorator in &class.decorators {
            self.expression(decorator, None);
        }
        for argument in &class.arguments {
            self.expression(&argument.value, None);
        }
        self.define_name(id, class.name);
        let name = format!("{}.{}", self.module_name, class.qualified_name);
        let new = self.new_function(self.span(class.range), name);
        self.scopes.enter_class(new);
        let (parent, inside) = (self.parent.replace((id, Arm::Body)), self.inside.take());
        let body = self.block(&class.body);
        (self.parent, self.inside) = (parent, inside);
        self.scopes.leave();
        self.host.functions[new.index()].body.clone_from(&body);
        self.statement = id;
        self.node(id).blocks.push((Arm::Body, body));
    }

    fn define_name(&mut self, id: StatementId, name: Name) {
        let variable = self.scopes.assign(self.host, name);
        self.node(id).definitions.push(variable);
    }

    /// The target of an assignment: what it defines, and what it changes.
    fn define(&mut self, id: StatementId, target: &'a Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.define_name(id, *name),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| self.define(id, item)),
            ExprKind::Starred(inner) => self.define(id, inner),
            ExprKind::Attribute { value, .. } => {
                self.expression(value, None);
                match self.variable_of(target) {
                    Some(variable) => self.node(id).definitions.push(variable),
                    None => self.change_base(id, value),
                }
            }
            ExprKind::Subscript { value, index } => {
                self.expression(value, None);
                self.expression(index, None);
                self.change_base(id, value);
            }
            _ => {
                self.expression(target, None);
                self.node(id).is_impure = true;
            }
        }
    }

    fn change_base(&mut self, id: StatementId, value: &Expr) {
        if let Some(variable) = self.variable_of(base(value)) {
            self.node(id).mutations.push(variable);
        }
    }

    fn pattern(&mut self, id: StatementId, pattern: &'a Pattern) {
        match pattern {
            Pattern::Capture(name) | Pattern::Star(name) => {
                if let Some(name) = name {
                    self.define_name(id, *name);
                }
            }
            Pattern::Value(value) | Pattern::Singleton(value) => {
                self.expression(value, None);
            }
            Pattern::Sequence(patterns) | Pattern::Or(patterns) => {
                patterns.iter().for_each(|pattern| self.pattern(id, pattern));
            }
            Pattern::Mapping { entries, rest } => {
                entries.iter().for_each(|(_, pattern)| self.pattern(id, pattern));
                if let Some(name) = rest {
                    self.define_name(id, *name);
                }
            }
            Pattern::Class { positional, keywords, .. } => {
                positional.iter().for_each(|pattern| self.pattern(id, pattern));
                keywords.iter().for_each(|(_, pattern)| self.pattern(id, pattern));
            }
            Pattern::As { pattern, name } => {
                self.pattern(id, pattern);
                self.define_name(id, *name);
            }
        }
    }

    /// Adds an expression and gives its number; what it reads is filled in when its parts were read.
    pub fn new_expression(&mut self, range: Range, parent: Option<ExpressionId>) -> ExpressionId {
        let id = ExpressionId(self.host.expressions.len() as u32);
        let start = self.host.reads.len() as u32;
        self.host.expressions.push(ExpressionNode::new(range, self.statement, parent, start));
        id
    }
}

/// What a subscript, or a chain of them, subscripts.
pub fn base(expression: &Expr) -> &Expr {
    let mut expression = expression;
    while let ExprKind::Subscript { value, .. } | ExprKind::Starred(value) = &expression.kind {
        expression = value;
    }
    expression
}

fn is_range(iterable: &Expr) -> bool {
    let ExprKind::Call(call) = &iterable.kind else { return false };
    matches!(&call.function.kind, ExprKind::Name(name) if name.as_str() == "range")
}

fn kind_name(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Expr(_) => "expression",
        StmtKind::Assign { .. } | StmtKind::AnnotatedAssign { .. } => "assign",
        StmtKind::AugmentedAssign { .. } => "update",
        StmtKind::Return(_) => "return",
        StmtKind::Raise { .. } => "raise",
        StmtKind::Assert { .. } => "assert",
        StmtKind::If { .. } => "if",
        StmtKind::While { .. } => "while",
        StmtKind::For { .. } => "for",
        StmtKind::With { .. } => "with",
        StmtKind::Try { .. } => "try",
        StmtKind::Match { .. } => "match",
        StmtKind::Function(_) => "def",
        StmtKind::Class(_) => "class",
        StmtKind::Import(_) | StmtKind::ImportFrom(_) => "import",
        StmtKind::Global(_) => "global",
        StmtKind::Nonlocal(_) => "nonlocal",
        StmtKind::Delete(_) => "delete",
        StmtKind::Pass => "pass",
        StmtKind::Break => "break",
        StmtKind::Continue => "continue",
        StmtKind::Unsupported { .. } => "unsupported",
    }
}
