//! Resolves the absolute imports of a project's files: which file each name means, as a file of the project may stand
//! where programs name a library.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{ImportFrom, Stmt, StmtKind};
use crate::name::Name;
use crate::project::{ImportTarget, ModuleId, Project};
use crate::statement_blocks::blocks_of;

/// Statements that are nested deeper are not looked into.
const DEEPEST: usize = 32;

/// An absolute import of a module, wherever it stands.
#[derive(Clone, Debug)]
pub struct ImportedName {
    /// The importing file.
    pub from: ModuleId,
    /// The module's name as the file says it.
    pub dotted: Name,
    /// The file of the project that it means; `None` where the module lies outside.
    pub target: Option<ModuleId>,
    /// The names that are taken from the module; `None` where the file gets the module itself, or all of its names.
    pub taken: Option<Vec<Name>>,
}

/// The imports of all files of a project.
#[derive(Debug, Default)]
pub struct Imports {
    /// In the order of files and statements.
    pub names: Vec<ImportedName>,
    /// By file, the files that import it, also by relative names.
    importers: FxHashMap<ModuleId, Vec<ModuleId>>,
}

impl Imports {
    /// The files that import one of these, directly or through others, and these themselves.
    pub fn reaching(&self, files: impl IntoIterator<Item = ModuleId>) -> FxHashSet<ModuleId> {
        let mut left: Vec<ModuleId> = files.into_iter().collect();
        let mut reached: FxHashSet<ModuleId> = left.iter().copied().collect();
        while let Some(module) = left.pop() {
            let further = self.importers.get(&module).into_iter().flatten();
            left.extend(further.copied().filter(|importer| reached.insert(*importer)));
        }
        reached
    }
}

impl Project {
    /// The imports of all files. What a program imports by a name that it makes is not among them.
    pub fn imports(&self) -> Imports {
        let mut imports = Imports::default();
        for (index, module) in (0..).zip(&self.modules) {
            let mut search = Search { project: self, from: ModuleId(index), imports: &mut imports };
            search.block(&module.body, 0);
        }
        imports
    }
}

struct Search<'a> {
    project: &'a Project,
    from: ModuleId,
    imports: &'a mut Imports,
}

impl Search<'_> {
    fn block(&mut self, body: &[Stmt], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for statement in body {
            match &statement.kind {
                StmtKind::Import(modules) => modules.iter().for_each(|import| self.modules(import.module, None)),
                StmtKind::ImportFrom(import) => self.import_from(import),
                StmtKind::Function(function) => self.block(&function.body, depth + 1),
                StmtKind::Class(class) => self.block(&class.body, depth + 1),
                _ => blocks_of(statement).into_iter().for_each(|block| self.block(block, depth + 1)),
            }
        }
    }

    fn import_from(&mut self, import: &ImportFrom) {
        let source = self.project.resolve_import_from(self.from, import.level, import.module);
        let taken = (!import.is_star).then(|| import.names.iter().map(|name| name.name).collect::<Vec<_>>());
        let absolute = import.module.filter(|_| import.level == 0);
        match absolute {
            Some(dotted) => self.modules(dotted, taken),
            None => self.edge(source),
        }
        for name in &import.names {
            let Some(target) = self.project.submodule(source, name.name) else { continue };
            self.edge(target);
            if let Some(dotted) = absolute {
                self.name(Name::new(&format!("{dotted}.{}", name.name)), target, None);
            }
        }
    }

    /// `import a.b.c` imports `a` and `a.b`, too, and `from a.b import c` takes `b` from `a`.
    fn modules(&mut self, dotted: Name, taken: Option<Vec<Name>>) {
        let text = dotted.as_str();
        let is_whole = taken.is_none();
        for (end, _) in text.match_indices('.').take(DEEPEST) {
            let next = text[end + 1..].split('.').next().unwrap_or_default();
            let target = self.project.resolve_import(self.from, Name::new(&text[..end]));
            self.name(Name::new(&text[..end]), target, (!is_whole).then(|| vec![Name::new(next)]));
        }
        let target = self.project.resolve_import(self.from, dotted);
        self.name(dotted, target, taken);
    }

    fn name(&mut self, dotted: Name, target: ImportTarget, taken: Option<Vec<Name>>) {
        self.edge(target);
        let target = own(self.project, target);
        self.imports.names.push(ImportedName { from: self.from, dotted, target, taken });
    }

    fn edge(&mut self, target: ImportTarget) {
        if let Some(module) = own(self.project, target).filter(|module| *module != self.from) {
            let importers = self.imports.importers.entry(module).or_default();
            if importers.last() != Some(&self.from) {
                importers.push(self.from);
            }
        }
    }
}

/// A file of the project itself, and not of an environment.
fn own(project: &Project, target: ImportTarget) -> Option<ModuleId> {
    match target {
        ImportTarget::Module(module) if (module.0 as usize) < project.modules.len() => Some(module),
        _ => None,
    }
}
