//! The modules of library packs that are there as sources, parsed when something asks for them.

use crate::ir::{Expr, ExprKind, Module, Stmt, StmtKind};
use crate::name::Name;
use crate::parse_module;
use crate::project::ModuleId;
use harp_corpus::{FileId, LibrarySources};

/// The module of a number that [`find`] gave.
pub(super) fn module(sources: &LibrarySources, id: ModuleId) -> Option<&Module> {
    let source = sources.source(FileId(id.0))?;
    source.read_as(|| parse_module(FileId(id.0), Name::new(source.module()), false, source.text()).module)
}

/// Whether sources define what a qualified name stands for.
pub fn defines(sources: &LibrarySources, qualified: &str) -> bool {
    find(sources, qualified).is_some()
}

/// The names that a source defines for programs.
pub fn defined_names(source: &str) -> Vec<Name> {
    let module = parse_module(FileId(0), Name::new(""), false, source).module;
    let named = |statement: &Stmt| match &statement.kind {
        StmtKind::Function(function) => vec![function.name],
        StmtKind::Class(class) => vec![class.name],
        StmtKind::Assign { targets, .. } => {
            let name = |target: &Expr| if let ExprKind::Name(name) = target.kind { Some(name) } else { None };
            targets.iter().filter_map(name).collect()
        }
        _ => Vec::new(),
    };
    module.body.iter().flat_map(named).filter(|name| !name.as_str().starts_with('_')).collect()
}

/// The module that defines what a qualified name such as `itertools.takewhile` stands for.
pub(super) fn find(sources: &LibrarySources, qualified: &str) -> Option<(ModuleId, Name)> {
    let (owner, name) = qualified.rsplit_once('.')?;
    let defines = |statement: &Stmt| match &statement.kind {
        StmtKind::Function(function) => function.name.as_str() == name,
        StmtKind::Class(class) => class.name.as_str() == name,
        StmtKind::Assign { targets, .. } => {
            targets.iter().any(|target| matches!(&target.kind, ExprKind::Name(known) if known.as_str() == name))
        }
        _ => false,
    };
    if name.starts_with('_') {
        return None;
    }
    let counting = sources.sources_of(owner).filter(|file| !sources.hides(*file, qualified));
    let mut modules = counting.map(|file| ModuleId(file.0));
    let id = modules.find(|id| module(sources, *id).is_some_and(|module| module.body.iter().any(defines)))?;
    Some((id, Name::new(name)))
}
