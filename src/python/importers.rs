//! Resolves imports backwards: which modules of a project others import.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Module, Stmt, StmtKind};
use crate::mentions::{Written, visit_written};
use crate::name::Name;
use crate::parse::parse_python_2;
use crate::project::{ImportTarget, ModuleId, Project};
use crate::statement_blocks::blocks_of;
use harp_corpus::Corpus;

/// Statements that are nested deeper are not looked into.
const DEEPEST: usize = 32;

impl Project {
    /// The modules that import statements of other modules name, wherever these stand, also those for type checkers alone: packages that
    /// import on demand list their modules so. What is imported by a name that the program makes is not among them.
    pub fn modules_that_others_import(&self) -> FxHashSet<ModuleId> {
        let mut found = FxHashSet::default();
        for (index, module) in (0..).zip(&self.modules) {
            let mut search = Search { project: self, from: ModuleId(index), found: &mut found };
            search.block(&module.body, 0);
        }
        found
    }

    /// Reads the files that those of Python 2 import, directly or through others, as Python 2, too, unless they have what only Python 3 has.
    pub(crate) fn read_imported_as_python_2(&mut self, corpus: &Corpus) {
        let is_python_2 = |(index, module): (u32, &Module)| module.python_2.is_some().then_some(ModuleId(index));
        let mut waiting: Vec<ModuleId> = (0..).zip(&self.modules).filter_map(is_python_2).collect();
        while let Some(from) = waiting.pop() {
            let mut found = FxHashSet::default();
            if let Some(module) = self.modules.get(from.0 as usize) {
                Search { project: self, from, found: &mut found }.block(&module.body, 0);
            }
            for imported in found {
                let index = imported.0 as usize;
                let (Some(module), Some(file)) = (self.modules.get_mut(index), corpus.files.get(index)) else {
                    continue;
                };
                if module.python_2.is_some() || file.cells.is_some() {
                    continue;
                }
                let parsed = parse_python_2(module.file, module.name, module.is_package, &file.text);
                if parsed.module.python_2.is_some() {
                    *module = parsed.module;
                    self.errors.retain(|(of, _)| *of != file.id);
                    self.errors.extend(parsed.errors.into_iter().map(|error| (file.id, error)));
                    waiting.push(imported);
                }
            }
        }
        self.errors.sort_by_key(|(file, error)| (*file, error.range));
    }

    /// The modules of the environment that functions and methods of a module import when they run.
    pub fn installed_modules_of_functions(&self, module: ModuleId) -> Vec<ModuleId> {
        let Some(tree) = self.module(module).filter(|_| self.has_environment()) else { return Vec::new() };
        let mut found = Vec::new();
        visit_written(&tree.body, &mut |written| {
            let Written::Function(function, _) = written else { return };
            for statement in &function.body {
                self.add_installed(module, statement, &mut found, 0);
            }
        });
        found
    }

    fn add_installed(&self, from: ModuleId, statement: &Stmt, found: &mut Vec<ModuleId>, depth: usize) {
        let mut add = |target: ImportTarget| {
            if let ImportTarget::Module(module) = target
                && module.0 as usize >= self.modules.len()
                && !found.contains(&module)
            {
                found.push(module);
            }
        };
        match &statement.kind {
            StmtKind::Import(modules) => {
                modules.iter().for_each(|import| add(self.resolve_import(from, import.module)));
            }
            StmtKind::ImportFrom(import) => add(self.resolve_import_from(from, import.level, import.module)),
            StmtKind::Function(_) | StmtKind::Class(_) => {}
            _ if depth < DEEPEST => {
                let nested = blocks_of(statement).into_iter().flatten();
                nested.for_each(|nested| self.add_installed(from, nested, found, depth + 1));
            }
            _ => {}
        }
    }

    /// The modules that import one, directly or through others, and the module itself.
    pub fn modules_that_reach(&self, target: ModuleId) -> FxHashSet<ModuleId> {
        let mut importers: FxHashMap<ModuleId, Vec<ModuleId>> = FxHashMap::default();
        for (index, module) in (0..).zip(&self.modules) {
            let (from, mut found) = (ModuleId(index), FxHashSet::default());
            Search { project: self, from, found: &mut found }.block(&module.body, 0);
            found.into_iter().for_each(|imported| importers.entry(imported).or_default().push(from));
        }
        let (mut reached, mut left) = (FxHashSet::from_iter([target]), vec![target]);
        while let Some(module) = left.pop() {
            let further = importers.get(&module).into_iter().flatten();
            left.extend(further.copied().filter(|importer| reached.insert(*importer)));
        }
        reached
    }
}

struct Search<'a> {
    project: &'a Project,
    from: ModuleId,
    found: &'a mut FxHashSet<ModuleId>,
}

impl Search<'_> {
    fn block(&mut self, body: &[Stmt], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for statement in body {
            match &statement.kind {
                StmtKind::Import(modules) => modules.iter().for_each(|import| self.dotted(import.module)),
                StmtKind::ImportFrom(import) => {
                    let source = self.project.resolve_import_from(self.from, import.level, import.module);
                    for name in &import.names {
                        if let Some(target) = self.project.submodule(source, name.name) {
                            self.add(target);
                        }
                    }
                    self.add(source);
                }
                StmtKind::Function(function) => self.block(&function.body, depth + 1),
                StmtKind::Class(class) => self.block(&class.body, depth + 1),
                _ => blocks_of(statement).into_iter().for_each(|block| self.block(block, depth + 1)),
            }
        }
    }

    /// `import a.b.c` imports `a` and `a.b`, too.
    fn dotted(&mut self, dotted: Name) {
        let text = dotted.as_str();
        let ends = text.match_indices('.').map(|(end, _)| end).chain([text.len()]);
        for end in ends.take(DEEPEST) {
            let target = self.project.resolve_import(self.from, Name::new(&text[..end]));
            self.add(target);
        }
    }

    fn add(&mut self, target: ImportTarget) {
        match target {
            ImportTarget::Module(id) if id != self.from => {
                self.found.insert(id);
            }
            _ => {}
        }
    }
}
