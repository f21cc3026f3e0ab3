//! Resolves the imports of files that were given by name to files beside them. Whoever checks one script has the
//! modules beside it checked with what the script hands them; of a folder that is given, everything is read anyway,
//! unless it is a part of a larger tree.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::ir::{Expr, ExprKind, Stmt, StmtKind};
use crate::name::Name;
use crate::project::parse_file;
use crate::{blocks_of, is_standard_library};
use harp_corpus::{Corpus, ImportedFiles, LoadOptions, Origin, SourceFile};

/// Statements that are nested deeper are not looked at for imports.
const DEEPEST: usize = 64;

/// An import as it is written.
#[derive(Debug)]
struct Import {
    /// The number of leading dots.
    level: u32,
    module: Option<Name>,
    /// What is taken from the module, which may be modules in it.
    names: Vec<Name>,
}

/// Adds to a corpus what its files that were given by name import, directly or through others, from the folders that Python would look into:
/// a file's own, the one around its outermost package, and the current one where the file lies below it. Modules of `libraries` and of Python's own
/// library are not looked for. Of a part of a larger tree, files in folders import, too, also from the folders of the options.
pub fn follow_imports(corpus: &mut Corpus, options: &LoadOptions, libraries: &[String]) {
    let imports = |file: &&SourceFile| file.origin == Origin::Name || options.is_part();
    if !corpus.files.iter().any(|file| imports(&file)) {
        return;
    }
    let named = corpus.files.iter().filter(imports);
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok();
    let mut imported = ImportedFiles::new(corpus, options);
    let mut waiting: Vec<Importer> = named.collect::<Vec<_>>().into_par_iter().map(Importer::new).collect();
    let mut next = 0;
    while !waiting.is_empty() {
        for importer in &waiting {
            importer.read_imports(&mut imported, (current.as_deref(), &options.import_roots), libraries);
        }
        waiting = imported.files()[next..].par_iter().map(Importer::new).collect();
        next = imported.files().len();
    }
    corpus.add_imported(imported);
}

/// A file with what it imports.
#[derive(Debug)]
struct Importer {
    folder: PathBuf,
    root: PathBuf,
    /// The git checkout around the file: what a project imports lies in it.
    checkout: Option<PathBuf>,
    packages: usize,
    imports: Vec<Import>,
}

impl Importer {
    fn new(file: &SourceFile) -> Importer {
        let mut imports = Vec::new();
        find_imports(&parse_file(file).module.body, 0, &mut imports);
        let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
        let checkout = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let checkout = checkout.map(Path::to_owned);
        Importer { folder, root: file.root.clone(), checkout, packages: file.packages.len(), imports }
    }

    /// Whether modules are looked for in a folder.
    fn may_use(&self, folder: &Path) -> bool {
        self.checkout.as_ref().is_none_or(|checkout| folder.starts_with(checkout))
    }

    fn read_imports(
        &self,
        imported: &mut ImportedFiles,
        (current, import_roots): (Option<&Path>, &[PathBuf]),
        libraries: &[String],
    ) {
        // Whoever imports a module has imported the packages around it.
        for folder in self.folder.ancestors().take(self.packages).filter(|folder| self.may_use(folder)) {
            imported.read(&self.root, &folder.join("__init__.py"));
        }
        for import in &self.imports {
            if import.level > 0 {
                let folder = self.folder.ancestors().nth(import.level as usize - 1);
                if let Some(folder) = folder.filter(|folder| self.may_use(folder)) {
                    let mut roots = [self.root.as_path()].into_iter().chain(import_roots.iter().map(PathBuf::as_path));
                    if let Some(root) = roots.find(|root| folder.starts_with(root)) {
                        import.read(imported, root, folder);
                    }
                }
            } else if let Some(top_level) = import.top_level() {
                let is_library = libraries.iter().any(|library| library == top_level);
                let is_standard = is_standard_library(top_level);
                let outermost = self.folder.ancestors().nth(self.packages);
                let around = current.into_iter().chain(import_roots.iter().map(PathBuf::as_path));
                let around = around.filter(|folder| self.folder.starts_with(folder));
                let further = outermost.into_iter().chain([self.root.as_path()]).chain(around);
                // A script's own folder goes before everything else.
                let own = (self.packages == 0 || !is_standard).then_some(self.folder.as_path());
                let folders = own.into_iter().chain(further.filter(|_| !is_standard)).filter(|_| !is_library);
                for folder in folders.filter(|folder| self.may_use(folder)) {
                    let root = if folder.starts_with(&self.root) { self.root.as_path() } else { folder };
                    if import.read(imported, root, folder) {
                        break;
                    }
                }
            }
        }
    }
}

impl Import {
    fn top_level(&self) -> Option<&'static str> {
        self.module.and_then(|module| module.as_str().split('.').next())
    }

    /// Reads the modules that an import means below a folder. Whether its first one is there.
    fn read(&self, imported: &mut ImportedFiles, root: &Path, folder: &Path) -> bool {
        let mut path = folder.to_owned();
        let mut is_there = false;
        for (index, part) in self.module.iter().flat_map(|module| module.as_str().split('.')).enumerate() {
            if part.is_empty() || part.contains(['/', '\\', '\0']) {
                return false;
            }
            path.push(part);
            let is_found = read_module(imported, root, &path);
            is_there |= index == 0 && is_found;
            // A folder without an `__init__.py` may be a package, too.
            if !is_found && !path.is_dir() {
                return is_there;
            }
        }
        if self.module.is_none() {
            imported.read(root, &path.join("__init__.py"));
        }
        let names = self.names.iter().filter(|name| !name.as_str().contains(['/', '\\', '\0']));
        let found = names.filter(|name| path.is_dir() && read_module(imported, root, &path.join(name.as_str())));
        is_there | (found.count() > 0)
    }
}

/// Reads a package or module by its path without ending.
fn read_module(imported: &mut ImportedFiles, root: &Path, path: &Path) -> bool {
    let mut module = path.as_os_str().to_owned();
    module.push(".py");
    imported.read(root, &path.join("__init__.py")) || imported.read(root, Path::new(&module))
}

fn find_imports(body: &[Stmt], depth: usize, found: &mut Vec<Import>) {
    if depth > DEEPEST {
        return;
    }
    for statement in body {
        match &statement.kind {
            StmtKind::Import(modules) => {
                found.extend(modules.iter().map(|it| Import { level: 0, module: Some(it.module), names: Vec::new() }));
            }
            StmtKind::ImportFrom(import) => {
                let names = import.names.iter().map(|it| it.name).collect();
                found.push(Import { level: import.level, module: import.module, names });
            }
            // What is imported for annotations alone hands on no values.
            StmtKind::If { test, orelse, .. } if is_type_checking(test) => find_imports(orelse, depth + 1, found),
            StmtKind::Function(function) => find_imports(&function.body, depth + 1, found),
            StmtKind::Class(class) => find_imports(&class.body, depth + 1, found),
            _ => blocks_of(statement).into_iter().for_each(|block| find_imports(block, depth + 1, found)),
        }
    }
}

fn is_type_checking(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Name(name) => name.as_str() == "TYPE_CHECKING",
        ExprKind::Attribute { attribute, .. } => attribute.as_str() == "TYPE_CHECKING",
        _ => false,
    }
}
