//! Resolves `from module import *` to the names that it brings.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{BinaryOperator, Expr, ExprKind, ImportFrom, Pattern, Stmt, StmtKind};
use crate::name::Name;
use crate::project::{ImportTarget, ModuleId, Project};
use crate::{Written, visit_written};
use harp_limits::tick;

/// The names that `from module import *` brings, in the order of the text and without duplicates: those in `__all__` where that
/// can be read, else every name that the module's top level binds and that does not start with an underscore.
pub fn exports(project: &Project, module: ModuleId) -> Vec<Name> {
    exports_within(project, module, &mut Walk::default())
}

/// What a module mentions that binds names in it by other ways than statements: the last ones give it the members of an enumeration, and replace
/// it by another object. Without blanks, as they are looked for.
const OTHER_WAYS: [&str; 7] = ["import*", "globals()", "vars()", "locals()", "exec(", "global_enum", "sys.modules["];

/// Whether a text mentions one of them, however it is spaced and continued.
fn has_other_ways(text: &str) -> bool {
    let dense: String = text.chars().filter(|char| !char.is_whitespace() && *char != '\\').collect();
    OTHER_WAYS.iter().any(|other| dense.contains(other))
}

/// The names to which a module may give values outside of its functions; `None` where it has statements whose names are not known.
pub fn names_bound_in(project: &Project, id: ModuleId, text: &str) -> Option<FxHashSet<Name>> {
    let module = project.module(id)?;
    if has_other_ways(text) {
        return None;
    }
    let mut walk = Walk::default();
    let mut bindings = Bindings { project, module: id, names: Vec::new(), all: None, walk: &mut walk };
    bindings.body(&module.body);
    let mut names: FxHashSet<Name> = bindings.names.into_iter().collect();
    visit_written(&module.body, &mut |written| match written {
        Written::Function(function, _) => names.extend(&function.globals),
        Written::Class(class) => names.extend(&class.globals),
        Written::Call(_) | Written::Lambda(_) => {}
    });
    names.extend(text.match_indices(":=").filter_map(|(at, _)| name_before(&text[..at])));
    Some(names)
}

/// The name at the end of a text, as it stands before `:=`.
fn name_before(text: &str) -> Option<Name> {
    let text = text.trim_end();
    let before = text.trim_end_matches(|last: char| last.is_alphanumeric() || last == '_');
    let name = &text[before.len()..];
    (!name.is_empty()).then(|| Name::new(name))
}

/// After so many modules, those that import each other in a circle are not followed anew from each of them.
const MOST_FOLLOWED: usize = 1_000;
/// Star imports of modules within star imports. Each takes some kilobytes of the stack.
const DEEPEST_CHAIN: usize = 10_000;

/// What is known on the way through star imports.
#[derive(Default)]
struct Walk {
    /// The modules whose own star imports are being followed: modules may import each other.
    visiting: FxHashSet<ModuleId>,
    /// What modules export that need not be followed again.
    known: FxHashMap<ModuleId, Vec<Name>>,
    /// How often a module was met that is being followed already.
    circles: usize,
    followed: usize,
}

fn exports_within(project: &Project, id: ModuleId, walk: &mut Walk) -> Vec<Name> {
    let Some(module) = project.module(id) else { return Vec::new() };
    if let Some(known) = walk.known.get(&id) {
        return known.clone();
    }
    if walk.visiting.len() >= DEEPEST_CHAIN || !walk.visiting.insert(id) {
        walk.circles += 1;
        return Vec::new();
    }
    tick();
    walk.followed += 1;
    let circles = walk.circles;
    let mut bindings = Bindings { project, module: id, names: Vec::new(), all: None, walk };
    bindings.body(&module.body);
    let Bindings { names, all, walk, .. } = bindings;
    let names = exported(names, all);
    walk.visiting.remove(&id);
    // What a module in a circle exports depends on where the circle was entered.
    if walk.circles == circles || walk.followed > MOST_FOLLOWED {
        walk.known.insert(id, names.clone());
    }
    names
}

/// What `import *` brings of the names that a module binds.
fn exported(names: Vec<Name>, all: Option<All>) -> Vec<Name> {
    let is_public = |name: &Name| !name.as_str().starts_with('_');
    let names = match all {
        Some(All { names, is_complete: true }) => names,
        Some(All { names: listed, .. }) => listed.into_iter().chain(names.into_iter().filter(is_public)).collect(),
        None => names.into_iter().filter(is_public).collect(),
    };
    let mut seen = FxHashSet::default();
    names.into_iter().filter(|&name| seen.insert(name)).collect()
}

/// What is known of `__all__`.
struct All {
    names: Vec<Name>,
    /// Whether every part of it was a literal.
    is_complete: bool,
}

struct Bindings<'a> {
    project: &'a Project,
    module: ModuleId,
    names: Vec<Name>,
    all: Option<All>,
    walk: &'a mut Walk,
}

impl Bindings<'_> {
    fn body(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Function(function) => self.names.push(function.name),
            StmtKind::Class(class) => self.names.push(class.name),
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.assign(target, Some(value)));
            }
            StmtKind::AnnotatedAssign { target, value: Some(value), .. } => self.assign(target, Some(value)),
            StmtKind::AugmentedAssign { target, value, .. } if is_all(target) => self.extend_all(value),
            StmtKind::Expr(expression) => self.call_on_all(expression),
            StmtKind::Import(modules) => {
                for imported in modules {
                    let top_level = imported.module.as_str().split('.').next().unwrap_or_default();
                    self.names.push(imported.alias.unwrap_or_else(|| Name::new(top_level)));
                }
            }
            StmtKind::ImportFrom(import) if import.is_star => self.star_import(import),
            StmtKind::ImportFrom(import) => {
                self.names.extend(import.names.iter().map(|imported| imported.alias.unwrap_or(imported.name)));
            }
            _ => self.block(statement),
        }
    }

    fn block(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::If { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
                self.body(body);
                self.body(orelse);
            }
            StmtKind::For { target, body, orelse, .. } => {
                self.assign(target, None);
                self.body(body);
                self.body(orelse);
            }
            StmtKind::With { items, body } => {
                items.iter().filter_map(|item| item.target.as_ref()).for_each(|target| self.assign(target, None));
                self.body(body);
            }
            StmtKind::Try { body, handlers, orelse, finally } => {
                self.body(body);
                handlers.iter().for_each(|handler| {
                    self.names.extend(handler.name);
                    self.body(&handler.body);
                });
                self.body(orelse);
                self.body(finally);
            }
            StmtKind::Match { cases, .. } => {
                for case in cases {
                    self.capture(&case.pattern);
                    self.body(&case.body);
                }
            }
            _ => {}
        }
    }

    fn capture(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Capture(name) | Pattern::Star(name) => self.names.extend(name),
            Pattern::Value(_) | Pattern::Singleton(_) => {}
            Pattern::Sequence(parts) | Pattern::Or(parts) => parts.iter().for_each(|part| self.capture(part)),
            Pattern::Mapping { entries, rest } => {
                entries.iter().for_each(|(_, part)| self.capture(part));
                self.names.extend(rest);
            }
            Pattern::Class { positional, keywords, .. } => {
                let parts = positional.iter().chain(keywords.iter().map(|(_, part)| part));
                parts.for_each(|part| self.capture(part));
            }
            Pattern::As { pattern, name } => {
                self.capture(pattern);
                self.names.push(*name);
            }
        }
    }

    fn assign(&mut self, target: &Expr, value: Option<&Expr>) {
        match &target.kind {
            ExprKind::Name(_) if is_all(target) => {
                self.all = Some(All { names: Vec::new(), is_complete: true });
                if let Some(value) = value {
                    self.extend_all(value);
                }
            }
            ExprKind::Name(name) => self.names.push(*name),
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                items.iter().for_each(|item| self.assign(item, None));
            }
            ExprKind::Starred(inner) => self.assign(inner, None),
            _ => {}
        }
    }

    fn star_import(&mut self, import: &ImportFrom) {
        let target = self.project.resolve_import_from(self.module, import.level, import.module);
        if let ImportTarget::Module(module) = target {
            self.names.extend(exports_within(self.project, module, self.walk));
        }
    }

    /// `__all__.extend([…])` and `__all__.append("…")`.
    fn call_on_all(&mut self, expression: &Expr) {
        let ExprKind::Call(call) = &expression.kind else { return };
        let ExprKind::Attribute { value, attribute, .. } = &call.function.kind else { return };
        let [argument] = call.arguments.as_slice() else { return };
        if !is_all(value) {
            return;
        }
        match attribute.as_str() {
            "extend" => self.extend_all(&argument.value),
            "append" => self.append_to_all(&argument.value),
            _ => {}
        }
    }

    fn extend_all(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::List(items) | ExprKind::Tuple(items) | ExprKind::Set(items) => {
                items.iter().for_each(|item| self.append_to_all(item));
            }
            ExprKind::Binary { operator: BinaryOperator::Add, left, right } => {
                self.extend_all(left);
                self.extend_all(right);
            }
            // `__all__ = __all__ + […]` keeps what was there only by chance of order; it is treated as unknown.
            _ => self.all_is_incomplete(),
        }
    }

    fn append_to_all(&mut self, item: &Expr) {
        match (&item.kind, &mut self.all) {
            (ExprKind::Str(text), Some(all)) => all.names.push(Name::new(text)),
            _ => self.all_is_incomplete(),
        }
    }

    fn all_is_incomplete(&mut self) {
        let all = self.all.get_or_insert(All { names: Vec::new(), is_complete: false });
        all.is_complete = false;
    }
}

fn is_all(target: &Expr) -> bool {
    matches!(&target.kind, ExprKind::Name(name) if name.as_str() == "__all__")
}
