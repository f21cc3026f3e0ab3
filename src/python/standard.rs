//! The modules of Python's own library that are there as sources, parsed when something asks for them.

use std::sync::OnceLock;

use crate::ir::{Module, Stmt, StmtKind};
use crate::name::Name;
use crate::parse_module;
use crate::project::ModuleId;
use harp_corpus::FileId;
use harp_corpus::standard;

/// The module of a number that [`find`] gave.
pub(super) fn module(id: ModuleId) -> Option<&'static Module> {
    static MODULES: [OnceLock<Module>; standard::COUNT] = [const { OnceLock::new() }; standard::COUNT];
    let file = standard::file(FileId(id.0))?;
    let slot = MODULES.get(standard::index(file.id)?)?;
    let name = || file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Some(slot.get_or_init(|| parse_module(file.id, Name::new(&name()), false, &file.text).module))
}

/// The module that defines what a qualified name such as `itertools.takewhile` stands for.
pub(super) fn find(qualified: &str) -> Option<(ModuleId, Name)> {
    let (owner, name) = qualified.rsplit_once('.')?;
    let defines = |statement: &Stmt| match &statement.kind {
        StmtKind::Function(function) => function.name.as_str() == name,
        StmtKind::Class(class) => class.name.as_str() == name,
        StmtKind::Assign { targets, .. } => targets
            .iter()
            .any(|target| matches!(&target.kind, crate::ir::ExprKind::Name(known) if known.as_str() == name)),
        _ => false,
    };
    if name.starts_with('_') {
        return None;
    }
    let mut sources = standard::sources_of(owner).map(|file| ModuleId(file.0));
    let id = sources.find(|id| module(*id).is_some_and(|module| module.body.iter().any(defines)))?;
    Some((id, Name::new(name)))
}
