//! Finds in the syntax tree of an installed package the imports that can wait until a name of theirs is asked for.
//!
//! Large packages replace themselves in `sys.modules` by an object that imports on demand, and say under `if TYPE_CHECKING` what it gives:
//! type checkers read that, and so does this. Their other imports have no effect that anyone waits for, so they wait, too. So does what a
//! package imports of another one. Imports within other packages do not: models register themselves when they are imported.

use rustc_hash::FxHashMap;

use crate::ir::{Expr, ExprKind, ImportFrom, ImportedModule, Stmt, StmtKind};
use crate::name::Name;
use crate::project::{ModuleId, Project};

/// Statements nest no deeper than this where imports are looked for.
const DEEPEST: usize = 4;

/// A name that an import binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeferredName {
    /// The module by its dotted name,
    pub module: Name,
    /// and the name in it; none where the module itself is bound.
    pub name: Option<Name>,
}

/// What the imports of a module bind that wait.
#[derive(Debug, Default)]
pub struct DeferredImports {
    /// What each name that is bound stands for.
    pub names: FxHashMap<Name, DeferredName>,
    /// The modules of which all is imported.
    pub stars: Vec<Name>,
}

impl DeferredImports {
    /// Whether the module has no import that waits.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.stars.is_empty()
    }

    /// The modules of which all is imported, those first that are named like the beginning of `name`: `bert` for `BertModel`. A guess of
    /// where a name is saves reading hundreds of modules, and costs nothing where it is wrong.
    pub fn stars_for(&self, name: Name) -> Vec<Name> {
        let wanted = name.as_str().to_lowercase();
        let likeness = |module: &Name| {
            let last = module.as_str().rsplit('.').next().unwrap_or_default().replace('_', "");
            if wanted.starts_with(&last) { last.len() } else { 0 }
        };
        let mut sorted = self.stars.clone();
        sorted.sort_by_key(|module| std::cmp::Reverse(likeness(module)));
        sorted
    }
}

/// The statements of `if TYPE_CHECKING:`, where the other arm replaces the module.
pub fn stated_imports(statement: &Stmt) -> Option<&[Stmt]> {
    let StmtKind::If { test, body, orelse } = &statement.kind else { return None };
    (is_for_type_checkers(test) && orelse.iter().any(replaces_module)).then_some(body.as_slice())
}

fn is_for_type_checkers(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Boolean { values, .. } => values.iter().any(is_for_type_checkers),
        _ => test.last_name().is_some_and(|name| name.as_str() == "TYPE_CHECKING"),
    }
}

/// `sys.modules[…] = …`
fn replaces_module(statement: &Stmt) -> bool {
    let StmtKind::Assign { targets, .. } = &statement.kind else { return false };
    targets.iter().any(|target| {
        let ExprKind::Subscript { value, .. } = &target.kind else { return false };
        matches!(&value.kind, ExprKind::Attribute { attribute, .. } if attribute.as_str() == "modules")
    })
}

impl Project {
    /// What waits of the imports of a module of the environment.
    pub fn deferred_imports(&self, id: ModuleId) -> DeferredImports {
        let mut found = DeferredImports::default();
        let Some(module) = self.module(id) else { return found };
        let top_level = first_part(module.name);
        let search = Search { project: self, module: id, top_level, is_lazy: self.is_lazy_package(top_level) };
        for statement in &module.body {
            match stated_imports(statement) {
                Some(stated) => search.stated(stated, &mut found, 0),
                None => search.waiting(statement, &mut found, 0),
            }
        }
        found
    }

    /// Whether the outermost package replaces itself by an object that imports on demand.
    fn is_lazy_package(&self, top_level: &str) -> bool {
        let root = self.foreign_module(top_level).and_then(|root| self.module(root));
        root.is_some_and(|root| root.body.iter().any(|statement| stated_imports(statement).is_some()))
    }
}

struct Search<'a> {
    project: &'a Project,
    module: ModuleId,
    top_level: &'a str,
    is_lazy: bool,
}

impl Search<'_> {
    /// Everything that is imported under `if TYPE_CHECKING`. What stands for something that is not installed is in the handlers of a `try`,
    /// and comes last.
    fn stated(&self, statements: &[Stmt], found: &mut DeferredImports, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for statement in statements {
            match &statement.kind {
                StmtKind::ImportFrom(import) => self.import_from(import, found),
                StmtKind::Import(modules) => modules.iter().for_each(|module| self.import(module, found)),
                StmtKind::Try { body, handlers, orelse, .. } => {
                    self.stated(body, found, depth + 1);
                    self.stated(orelse, found, depth + 1);
                    for handler in handlers {
                        self.stated(&handler.body, found, depth + 1);
                    }
                }
                StmtKind::If { body, orelse, .. } => {
                    self.stated(body, found, depth + 1);
                    self.stated(orelse, found, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// The imports of a statement of the module that can wait. Where there is another arm, the import is executed where it stands.
    fn waiting(&self, statement: &Stmt, found: &mut DeferredImports, depth: usize) {
        match &statement.kind {
            StmtKind::ImportFrom(import) if !import.is_star && self.can_wait(self.source(import)) => {
                self.import_from(import, found);
            }
            StmtKind::Import(modules) => {
                for module in modules.iter().filter(|module| self.can_wait(Some(module.module))) {
                    self.import(module, found);
                }
            }
            StmtKind::If { body, orelse, .. } if orelse.is_empty() && depth < DEEPEST => {
                body.iter().for_each(|statement| self.waiting(statement, found, depth + 1));
            }
            StmtKind::Try { body, .. } if depth < DEEPEST => {
                body.iter().for_each(|statement| self.waiting(statement, found, depth + 1));
            }
            _ => {}
        }
    }

    fn can_wait(&self, source: Option<Name>) -> bool {
        let Some(source) = source else { return false };
        let is_within = first_part(source) == self.top_level;
        (self.is_lazy || !is_within) && self.project.foreign_module(first_part(source)).is_some()
    }

    fn source(&self, import: &ImportFrom) -> Option<Name> {
        self.project.resolve_relative(self.module, import.level, import.module)
    }

    fn import_from(&self, import: &ImportFrom, found: &mut DeferredImports) {
        let Some(module) = self.source(import) else { return };
        if import.is_star && !found.stars.contains(&module) {
            found.stars.push(module);
        }
        for name in &import.names {
            let bound = name.alias.unwrap_or(name.name);
            found.names.entry(bound).or_insert(DeferredName { module, name: Some(name.name) });
        }
    }

    fn import(&self, import: &ImportedModule, found: &mut DeferredImports) {
        let outermost = Name::new(first_part(import.module));
        let (bound, module) = match import.alias {
            Some(alias) => (alias, import.module),
            None => (outermost, outermost),
        };
        found.names.entry(bound).or_insert(DeferredName { module, name: None });
    }
}

fn first_part(name: Name) -> &'static str {
    name.as_str().split('.').next().unwrap_or_default()
}
