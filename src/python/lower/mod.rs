//! From the parser's tree to Harp's own (`ir`), with the names that each function binds.

mod expressions;
mod parameters;
mod patterns;
mod scope;
mod statements;
mod strings;

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHashMap;

use crate::ir::{Range, Stmt};
use crate::name::Name;
use crate::nesting::MAX_EXPRESSION_DEPTH;
use crate::parse::SyntaxError;
use harp_corpus::FileId;

use scope::{Scope, ScopeKind};

/// Statements nest at most this deep around an expression, and the scan of the nesting counts brackets twice at most.
const MAX_DEPTH: u32 = MAX_EXPRESSION_DEPTH + 400;

/// The result of lowering one file.
pub(super) struct LoweredModule {
    pub body: Vec<Stmt>,
    pub has_main_guard: bool,
    pub errors: Vec<SyntaxError>,
    /// Whether parts were left out because the parser's tree is too deep.
    pub exceeded_depth: bool,
}

/// Lowers the statements of one file. `prints` are the places of `print` statements, where it is one of Python 2.
pub(super) fn lower_module(
    file: FileId,
    text: &str,
    body: &[ast::Stmt],
    broken: &[SyntaxError],
    prints: Option<&[u32]>,
) -> LoweredModule {
    let mut lowering = Lowering {
        file,
        names: FxHashMap::default(),
        imported: FxHashMap::default(),
        scopes: vec![Scope::new(ScopeKind::Module, String::new())],
        depth: 0,
        closures: 0,
        broken: broken.iter().map(|error| error.range.start).collect(),
        broken_lines: broken_lines(text, broken),
        prints: prints.unwrap_or_default(),
        is_python_2: prints.is_some(),
        errors: Vec::new(),
        exceeded_depth: false,
    };
    let has_main_guard = body.iter().any(is_main_guard);
    lowering.note_imports(body);
    let body = lowering.body(body);
    LoweredModule { body, has_main_guard, errors: lowering.errors, exceeded_depth: lowering.exceeded_depth }
}

struct Lowering<'a> {
    file: FileId,
    /// Names already interned, so that the process-wide table is asked once for each name of a file.
    names: FxHashMap<&'a str, Name>,
    /// What imports call otherwise, by the name that they give it; `None` where two give the same name to different things.
    imported: FxHashMap<Name, Option<Name>>,
    scopes: Vec<Scope>,
    depth: u32,
    /// How many lambdas and generator expressions there were.
    closures: u32,
    /// Where the parser found syntax errors.
    broken: Vec<u32>,
    /// The lines with syntax errors, in order.
    broken_lines: Vec<Range>,
    /// Where `print` statements of Python 2 begin, in order.
    prints: &'a [u32],
    is_python_2: bool,
    errors: Vec<SyntaxError>,
    exceeded_depth: bool,
}

impl<'a> Lowering<'a> {
    fn name(&mut self, text: &'a str) -> Name {
        *self.names.entry(text).or_insert_with(|| Name::new(text))
    }

    fn identifier(&mut self, identifier: &'a ast::Identifier) -> Name {
        self.name(identifier.as_str())
    }

    /// Notes the names that imports outside of functions give.
    fn note_imports(&mut self, body: &'a [ast::Stmt]) {
        let mut waiting: Vec<&'a ast::Stmt> = body.iter().collect();
        while let Some(statement) = waiting.pop() {
            match statement {
                ast::Stmt::Import(ast::StmtImport { names, .. })
                | ast::Stmt::ImportFrom(ast::StmtImportFrom { names, .. }) => {
                    names.iter().for_each(|alias| self.note_import(alias));
                }
                ast::Stmt::If(node) => {
                    waiting.extend(&node.body);
                    waiting.extend(node.elif_else_clauses.iter().flat_map(|clause| &clause.body));
                }
                ast::Stmt::With(node) => waiting.extend(&node.body),
                ast::Stmt::Try(node) => {
                    waiting.extend(node.body.iter().chain(&node.orelse).chain(&node.finalbody));
                    waiting.extend(node.handlers.iter().flat_map(|ast::ExceptHandler::ExceptHandler(it)| &it.body));
                }
                _ => {}
            }
        }
    }

    fn note_import(&mut self, alias: &'a ast::Alias) {
        let own = alias.name.as_str().rsplit('.').next().unwrap_or_default();
        let own = self.name(own);
        let given = alias.asname.as_ref().map_or(own, |given| self.name(given.as_str()));
        self.imported
            .entry(given)
            .and_modify(|known| *known = known.filter(|known| *known == own))
            .or_insert(Some(own));
    }

    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::new(ScopeKind::Module, String::new()));
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn bind(&mut self, name: Name) {
        self.scope().bind(name);
    }

    /// Runs `lower` one level deeper, or yields `otherwise` where that is too deep.
    fn deeper<T>(&mut self, range: Range, otherwise: T, lower: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            if !self.exceeded_depth {
                let range = Range { start: range.start, end: range.start };
                self.errors.push(SyntaxError::limit(range, "nested too deeply"));
            }
            self.exceeded_depth = true;
            return otherwise;
        }
        self.depth += 1;
        let lowered = lower(self);
        self.depth -= 1;
        lowered
    }
}

/// The lines with errors.
fn broken_lines(text: &str, errors: &[SyntaxError]) -> Vec<Range> {
    let mut lines: Vec<Range> = Vec::new();
    for error in errors {
        let place = error.range.start as usize;
        let (Some(before), Some(behind)) = (text.get(..place), text.get(place..)) else { continue };
        let start = before.rfind('\n').map_or(0, |newline| newline + 1) as u32;
        let end = behind.find('\n').map_or(text.len(), |newline| place + newline) as u32;
        lines.push(Range { start, end });
    }
    lines.sort();
    lines.dedup();
    lines
}

fn range_of(node: &impl Ranged) -> Range {
    convert_range(node.range())
}

fn convert_range(range: TextRange) -> Range {
    Range { start: range.start().to_u32(), end: range.end().to_u32() }
}

/// The body of `if True:`, where nothing else could run.
fn always_run(statement: &ast::Stmt) -> Option<&[ast::Stmt]> {
    let ast::Stmt::If(statement) = statement else { return None };
    let is_true = match &*statement.test {
        ast::Expr::BooleanLiteral(test) => test.value,
        ast::Expr::NumberLiteral(test) => matches!(&test.value, ast::Number::Int(number) if number.as_u8() != Some(0)),
        _ => false,
    };
    (is_true && statement.elif_else_clauses.is_empty()).then_some(&statement.body)
}

/// Whether the statement is `if __name__ == "__main__":`, possibly with further conditions, or keeps that comparison.
fn is_main_guard(statement: &ast::Stmt) -> bool {
    if let Some(body) = always_run(statement) {
        return body.iter().any(is_main_guard);
    }
    match statement {
        ast::Stmt::If(statement) => asks_for_main(&statement.test),
        ast::Stmt::Assign(statement) => asks_for_main(&statement.value),
        ast::Stmt::Expr(statement) => asks_for_main(&statement.value),
        _ => false,
    }
}

fn asks_for_main(test: &ast::Expr) -> bool {
    match test {
        ast::Expr::BoolOp(operation) if operation.op == ast::BoolOp::And => operation.values.iter().any(asks_for_main),
        ast::Expr::If(conditional) => asks_for_main(&conditional.test),
        ast::Expr::Call(call) => call.arguments.args.iter().any(asks_for_main),
        ast::Expr::BinOp(operation) => asks_for_main(&operation.left) || asks_for_main(&operation.right),
        test => compares_name_with_main(test),
    }
}

fn compares_name_with_main(test: &ast::Expr) -> bool {
    let ast::Expr::Compare(compare) = test else { return false };
    let ([ast::CmpOp::Eq], [right]) = (&*compare.ops, &*compare.comparators) else { return false };
    let is_name = |side: &ast::Expr| matches!(side, ast::Expr::Name(name) if name.id.as_str() == "__name__");
    let is_main = |side: &ast::Expr| matches!(side, ast::Expr::StringLiteral(text) if text.value == *"__main__");
    (is_name(&compare.left) && is_main(right)) || (is_main(&compare.left) && is_name(right))
}
