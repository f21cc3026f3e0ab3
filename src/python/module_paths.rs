//! The folders and modules of a project by path, to resolve imports.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::name::Name;
use crate::project::{ImportTarget, ModuleId, NamespaceId};
use harp_corpus::Corpus;

/// Which modules and folders there are. Nothing here looks at the disk.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Modules by their path without `.py` or `/__init__.py`.
    modules: FxHashMap<PathBuf, ModuleId>,
    packages: FxHashMap<PathBuf, ModuleId>,
    /// Folders with modules somewhere below them.
    folders: FxHashMap<PathBuf, NamespaceId>,
    namespaces: Vec<(PathBuf, Name)>,
}

impl Places {
    pub fn new(corpus: &Corpus) -> Places {
        let mut places = Places::default();
        for (index, file) in (0..).zip(&corpus.files) {
            let Some(folder) = file.path.parent().filter(|_| file.cells.is_none()) else { continue };
            if file.path.file_name().is_some_and(|name| name == "__init__.py") {
                places.packages.insert(folder.to_owned(), ModuleId(index));
            } else {
                places.modules.insert(file.path.with_extension(""), ModuleId(index));
            }
            places.add_folders(folder, &file.root);
        }
        places
    }

    fn add_folders(&mut self, folder: &Path, root: &Path) {
        for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
            if self.folders.contains_key(folder) {
                return;
            }
            let id = NamespaceId(u32::try_from(self.namespaces.len()).unwrap_or(u32::MAX));
            let below = folder.strip_prefix(root).unwrap_or(folder);
            let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            self.namespaces.push((folder.to_owned(), Name::new(&parts.join("."))));
            self.folders.insert(folder.to_owned(), id);
        }
    }

    pub fn is_package(&self, folder: &Path) -> bool {
        self.packages.contains_key(folder)
    }

    pub fn is_folder(&self, folder: &Path) -> bool {
        self.folders.contains_key(folder)
    }

    pub fn namespace_name(&self, id: NamespaceId) -> Name {
        self.namespaces.get(id.0 as usize).map_or_else(|| Name::new(""), |namespace| namespace.1)
    }

    pub fn namespace_folder(&self, id: NamespaceId) -> Option<&Path> {
        self.namespaces.get(id.0 as usize).map(|namespace| namespace.0.as_path())
    }

    /// The module with a dotted name below `base`.
    pub fn module(&self, base: &Path, dotted: &str) -> Option<ModuleId> {
        let path = below(base, dotted)?;
        // A package wins over a module of the same name, as in Python.
        self.packages.get(&path).or_else(|| self.modules.get(&path)).copied()
    }

    /// The module, or else the folder without an `__init__.py`, with a dotted name below `base`.
    pub fn target(&self, base: &Path, dotted: &str) -> Option<ImportTarget> {
        let module = self.module(base, dotted).map(ImportTarget::Module);
        module.or_else(|| self.folders.get(&below(base, dotted)?).copied().map(ImportTarget::Package))
    }

    /// What a folder itself is.
    pub fn folder_target(&self, folder: &Path) -> Option<ImportTarget> {
        let package = self.packages.get(folder).copied().map(ImportTarget::Module);
        package.or_else(|| self.folders.get(folder).copied().map(ImportTarget::Package))
    }
}

fn below(base: &Path, dotted: &str) -> Option<PathBuf> {
    let mut path = base.to_owned();
    for part in dotted.split('.') {
        // An empty part would be the folder itself, and a separator would lead elsewhere.
        if part.is_empty() || part.contains(['/', '\\']) {
            return None;
        }
        path.push(part);
    }
    Some(path)
}
