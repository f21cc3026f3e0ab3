//! Parses the sources of library packs when something asks for their modules.

use crate::ir::{ExprKind, Module, Stmt, StmtKind};
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
    names_bound_by(&module, "").into_iter().filter(is_public).collect()
}

/// The names that sources define in a module for programs, sorted by source.
pub(super) fn names_in(sources: &LibrarySources, owner: &str) -> Vec<Name> {
    let modules = sources.sources_of(owner).filter_map(|file| module(sources, ModuleId(file.0)));
    let named = modules.flat_map(|module| names_bound_by(module, owner));
    named.filter(|name| is_public(name) && !sources_hide(sources, owner, *name)).collect()
}

fn sources_hide(sources: &LibrarySources, owner: &str, name: Name) -> bool {
    find(sources, &format!("{owner}.{name}")).is_none()
}

fn is_public(name: &Name) -> bool {
    !name.as_str().starts_with('_')
}

/// The names that the top of a module binds: by a definition, an assignment, or an import from another source of the same package.
fn names_bound_by(module: &Module, owner: &str) -> Vec<Name> {
    let mut names = Vec::new();
    for statement in &module.body {
        each_bound(statement, owner, &mut |name| names.push(name));
    }
    names
}

fn each_bound(statement: &Stmt, owner: &str, see: &mut impl FnMut(Name)) {
    match &statement.kind {
        StmtKind::Function(function) => see(function.name),
        StmtKind::Class(class) => see(class.name),
        StmtKind::Assign { targets, .. } => {
            for target in targets {
                if let ExprKind::Name(name) = target.kind {
                    see(name);
                }
            }
        }
        // What is imported from elsewhere is the source's own business.
        StmtKind::ImportFrom(import) if import.module.is_some_and(|from| is_of_package(from.as_str(), owner)) => {
            import.names.iter().for_each(|imported| see(imported.alias.unwrap_or(imported.name)));
        }
        _ => {}
    }
}

fn is_of_package(module: &str, owner: &str) -> bool {
    !owner.is_empty() && module.split('.').next() == owner.split('.').next()
}

/// The module that defines what a qualified name such as `itertools.takewhile` stands for. A private name is found in the module itself alone:
/// sources of a pack use one another's.
pub(super) fn find(sources: &LibrarySources, qualified: &str) -> Option<(ModuleId, Name)> {
    let (owner, name) = qualified.rsplit_once('.')?;
    let name = Name::new(name);
    let own = sources.module(owner).filter(|_| !is_public(&name));
    let counting = sources.sources_of(owner).filter(|file| is_public(&name) || own == Some(*file));
    let counting = counting.filter(|file| !sources.hides(*file, qualified));
    let mut modules = counting.map(|file| ModuleId(file.0));
    let binds = |module: &Module| {
        let mut is_bound = false;
        module.body.iter().for_each(|statement| each_bound(statement, owner, &mut |bound| is_bound |= bound == name));
        is_bound
    };
    let id = modules.find(|id| module(sources, *id).is_some_and(binds))?;
    Some((id, name))
}
