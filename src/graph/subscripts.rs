//! Rows on loops over `range(…)` and what they subscript with the loop variable.

use rustc_hash::FxHashMap;

use crate::Program;
use crate::expression_rows::one_line;
use crate::host::{Arm, Host, LoopKind, StatementId, VariableId};
use crate::host_rows::{Emitter, source};
use crate::schema::Relation;
use crate::vectorise;
use harp_corpus::{FileId, Span};
use harp_python::Project;
use harp_python::ir::{Argument, ArgumentKind, BinaryOperator, Expr, ExprKind, Stmt, StmtKind, UnaryOperator};
use harp_python::name::Name;

/// `for target in range(…)`.
pub struct RangeLoop<'a> {
    pub id: StatementId,
    pub file: FileId,
    pub target: Name,
    arguments: &'a [Argument],
    pub body: &'a [Stmt],
    pub has_else: bool,
}

impl<'a> RangeLoop<'a> {
    /// The first value, the end, and the step; `None` where it is left out.
    pub fn bounds(&self) -> [Option<&'a Expr>; 3] {
        let argument = |index: usize| self.arguments.get(index).map(|argument| &argument.value);
        match self.arguments.len() {
            1 => [None, argument(0), None],
            _ => [argument(0), argument(1), argument(2)],
        }
    }

    pub fn span(&self, expression: &Expr) -> Span {
        expression.range.in_file(self.file)
    }
}

/// All loops over a range with one loop variable, in order.
pub fn range_loops<'a>(project: &'a Project, host: &Host) -> Vec<RangeLoop<'a>> {
    let range_loops = host.loops().filter(|(_, kind)| *kind == LoopKind::Range);
    let ids: FxHashMap<Span, StatementId> = range_loops.map(|(id, _)| (host.statement(id).span, id)).collect();
    let mut found = Vec::new();
    if ids.is_empty() {
        return found;
    }
    for module in &project.modules {
        collect(module.file, &module.body, &ids, &mut found);
    }
    found
}

fn collect<'a>(file: FileId, body: &'a [Stmt], ids: &FxHashMap<Span, StatementId>, found: &mut Vec<RangeLoop<'a>>) {
    for statement in body {
        match &statement.kind {
            StmtKind::For { target, iterable, body, orelse } => {
                if let Some(id) = ids.get(&statement.range.in_file(file))
                    && let (ExprKind::Name(target), ExprKind::Call(call)) = (&target.kind, &iterable.kind)
                    && (1..=3).contains(&call.arguments.len())
                    && call.arguments.iter().all(|argument| argument.kind == ArgumentKind::Positional)
                {
                    let has_else = !orelse.is_empty();
                    found.push(RangeLoop {
                        id: *id,
                        file,
                        target: *target,
                        arguments: &call.arguments,
                        body,
                        has_else,
                    });
                }
                collect(file, body, ids, found);
                collect(file, orelse, ids, found);
            }
            StmtKind::If { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
                collect(file, body, ids, found);
                collect(file, orelse, ids, found);
            }
            StmtKind::With { body, .. } => collect(file, body, ids, found),
            StmtKind::Try { body, handlers, orelse, finally } => {
                collect(file, body, ids, found);
                handlers.iter().for_each(|handler| collect(file, &handler.body, ids, found));
                collect(file, orelse, ids, found);
                collect(file, finally, ids, found);
            }
            StmtKind::Match { cases, .. } => cases.iter().for_each(|case| collect(file, &case.body, ids, found)),
            StmtKind::Function(function) => collect(file, &function.body, ids, found),
            StmtKind::Class(class) => collect(file, &class.body, ids, found),
            _ => {}
        }
    }
}

/// An index that is a multiple of the loop variable plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    pub coefficient: i64,
    pub offset: i64,
}

/// The index as a function of the variable, where it is affine with constant coefficients.
pub fn affine(index: &Expr, variable: Name) -> Option<Affine> {
    match &index.kind {
        ExprKind::Name(name) if *name == variable => Some(Affine { coefficient: 1, offset: 0 }),
        ExprKind::Int(value) => Some(Affine { coefficient: 0, offset: *value }),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => {
            let inner = affine(operand, variable)?;
            scale(inner, -1)
        }
        ExprKind::Binary { operator, left, right } => {
            let (left, right) = (affine(left, variable)?, affine(right, variable)?);
            match operator {
                BinaryOperator::Add => sum(left, right),
                BinaryOperator::Subtract => sum(left, scale(right, -1)?),
                BinaryOperator::Multiply if left.coefficient == 0 => scale(right, left.offset),
                BinaryOperator::Multiply if right.coefficient == 0 => scale(left, right.offset),
                _ => None,
            }
        }
        _ => None,
    }
}

fn scale(value: Affine, factor: i64) -> Option<Affine> {
    Some(Affine { coefficient: value.coefficient.checked_mul(factor)?, offset: value.offset.checked_mul(factor)? })
}

fn sum(left: Affine, right: Affine) -> Option<Affine> {
    let coefficient = left.coefficient.checked_add(right.coefficient)?;
    Some(Affine { coefficient, offset: left.offset.checked_add(right.offset)? })
}

/// The parts of an index: `i, j` of `x[i, j]`.
pub fn index_parts(index: &Expr) -> &[Expr] {
    match &index.kind {
        ExprKind::Tuple(parts) => parts,
        _ => std::slice::from_ref(index),
    }
}

/// A subscript in a loop's body.
struct Access {
    root: Name,
    path: Option<String>,
    index: Affine,
    is_write: bool,
}

impl Emitter<'_> {
    /// Rows about range loops, their subscripts, and their form on whole arrays.
    pub fn subscripts(&mut self, project: &Project) {
        use Relation as R;
        let elementwise = [R::ElementwiseLoop, R::ElementwiseRisk, R::LoopContainer];
        let wanted = [&[R::RangeBounds, R::SubscriptRead, R::SubscriptWrite][..], &elementwise].concat();
        if !self.facts.wants_any(&wanted) {
            return;
        }
        let mut files: FxHashMap<FileId, vectorise::FileOfLoop<'_>> = FxHashMap::default();
        for range_loop in range_loops(project, self.host) {
            self.range_bounds(&range_loop);
            if self.facts.wants_any(&[R::SubscriptRead, R::SubscriptWrite]) {
                self.accesses(&range_loop);
            }
            if self.facts.wants_any(&elementwise) {
                let module = || project.module(project.module_of_file(range_loop.file));
                let file = files.entry(range_loop.file).or_insert_with(|| vectorise::FileOfLoop::of(module()));
                vectorise::add_rows(self, &range_loop, file);
            }
        }
    }

    fn range_bounds(&mut self, range_loop: &RangeLoop<'_>) {
        let texts = range_loop.bounds().map(|bound| bound.map(|bound| one_line(self.source(range_loop.span(bound)))));
        let [start, stop, step] = texts;
        let texts =
            [start.unwrap_or_else(|| "0".to_owned()), stop.unwrap_or_default(), step.unwrap_or_else(|| "1".to_owned())];
        let [start, stop, step] = texts.map(|text| self.facts.symbol(&text));
        let symbol = self.statement(range_loop.id);
        self.facts.add(Relation::RangeBounds, [symbol.into(), start.into(), stop.into(), step.into()]);
    }

    fn accesses(&mut self, range_loop: &RangeLoop<'_>) {
        let around = self.statement(range_loop.id);
        for inner in self.host.body_of(range_loop.id, Some(Arm::Body)) {
            let span = self.host.statement(inner).span;
            let mut accesses = Vec::new();
            each_statement(range_loop.body, &mut |statement| {
                if statement.range.in_file(range_loop.file) == span {
                    statement_accesses(statement, range_loop.target, &mut accesses);
                }
            });
            let statement = self.statement(inner);
            for access in accesses {
                let Some(variable) = self.find_variable(inner, access.root, access.path.as_deref()) else { continue };
                let variable = self.variable(variable);
                let relation = if access.is_write { Relation::SubscriptWrite } else { Relation::SubscriptRead };
                let Affine { coefficient, offset } = access.index;
                let row = [statement.into(), variable.into(), around.into(), coefficient.into(), offset.into()];
                self.facts.add(relation, row);
            }
        }
    }

    /// The variable that a name means in a statement.
    pub fn find_variable(&self, statement: StatementId, root: Name, path: Option<&str>) -> Option<VariableId> {
        let node = self.host.statement(statement);
        let known = self.host.uses_of(statement).chain(node.definitions.iter().copied());
        known.into_iter().find(|id| {
            let variable = self.host.variable(*id);
            variable.root == root && variable.path.map(|path| path.as_str()) == path
        })
    }
}

fn each_statement<'a>(body: &'a [Stmt], each: &mut impl FnMut(&'a Stmt)) {
    for statement in body {
        each(statement);
        match &statement.kind {
            StmtKind::If { body, orelse, .. }
            | StmtKind::While { body, orelse, .. }
            | StmtKind::For { body, orelse, .. } => {
                each_statement(body, each);
                each_statement(orelse, each);
            }
            StmtKind::With { body, .. } => each_statement(body, each),
            _ => {}
        }
    }
}

fn statement_accesses(statement: &Stmt, variable: Name, accesses: &mut Vec<Access>) {
    match &statement.kind {
        StmtKind::Assign { targets, value } => {
            expression_accesses(value, variable, false, accesses);
            targets.iter().for_each(|target| expression_accesses(target, variable, true, accesses));
        }
        StmtKind::AugmentedAssign { target, value, .. } => {
            expression_accesses(value, variable, false, accesses);
            expression_accesses(target, variable, false, accesses);
            expression_accesses(target, variable, true, accesses);
        }
        StmtKind::Expr(value) | StmtKind::Return(Some(value)) => expression_accesses(value, variable, false, accesses),
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => {
            expression_accesses(test, variable, false, accesses)
        }
        _ => {}
    }
}

fn expression_accesses(expression: &Expr, variable: Name, is_write: bool, accesses: &mut Vec<Access>) {
    match &expression.kind {
        ExprKind::Subscript { value, index } => {
            let container = crate::read_statements::base(value);
            if let Some((root, path)) = dotted(container)
                && let Some(last) = index_parts(index).last()
                && let Some(found) = affine(last, variable).filter(|found| found.coefficient != 0)
            {
                accesses.push(Access { root, path, index: found, is_write });
            }
            expression_accesses(value, variable, false, accesses);
            expression_accesses(index, variable, false, accesses);
        }
        ExprKind::Binary { left, right, .. } => {
            expression_accesses(left, variable, false, accesses);
            expression_accesses(right, variable, false, accesses);
        }
        ExprKind::Unary { operand, .. } => expression_accesses(operand, variable, false, accesses),
        ExprKind::Call(call) => {
            expression_accesses(&call.function, variable, false, accesses);
            call.arguments.iter().for_each(|argument| expression_accesses(&argument.value, variable, false, accesses));
        }
        ExprKind::Attribute { value, .. } => expression_accesses(value, variable, false, accesses),
        ExprKind::Compare { left, rest } => {
            expression_accesses(left, variable, false, accesses);
            rest.iter().for_each(|(_, operand)| expression_accesses(operand, variable, false, accesses));
        }
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            items.iter().for_each(|item| expression_accesses(item, variable, is_write, accesses));
        }
        _ => {}
    }
}

/// The root and the attributes of `a.b.c`.
pub fn dotted(expression: &Expr) -> Option<(Name, Option<String>)> {
    match &expression.kind {
        ExprKind::Name(name) => Some((*name, None)),
        ExprKind::Attribute { value, attribute, .. } => {
            let (root, path) = dotted(value)?;
            Some((root, Some(path.map_or_else(|| attribute.to_string(), |path| format!("{path}.{attribute}")))))
        }
        _ => None,
    }
}

/// The source text of an expression, on one line.
pub fn text(program: Program<'_>, span: Span) -> String {
    one_line(source(program, span))
}
