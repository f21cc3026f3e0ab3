//! All files of a corpus, parsed, and which file an import means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::installed_modules::{Described, Foreign};
use crate::ir::{Module, Range, Stmt, StmtKind};
use crate::library_modules;
use crate::module_paths::Places;
use crate::name::Name;
use crate::parse::left_out;
use crate::search_path_folders::{AddedFolder, added_folders};
use crate::stdlib_names::is_standard_library;
use crate::{ParsedModule, SyntaxError, parse_module, parse_notebook};
use harp_corpus::{Corpus, FileId, LibrarySources, SourceFile, parsed_ranges};
use harp_limits::{Ceilings, note_memory};

/// A module of the project, by its index; equal to the index of its file in the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub u32);

/// A folder without an `__init__.py` that is imported like a package, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespaceId(pub u32);

/// What an import means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportTarget {
    /// A file of the project.
    Module(ModuleId),
    /// A folder of the project without an `__init__.py`. Where an installed library has the same name, Python takes the library.
    Package(NamespaceId),
    /// Not in the project.
    External(Name),
}

/// A parsed corpus.
#[derive(Debug)]
pub struct Project {
    /// `ModuleId(n)` is the module at index `n`, from the corpus's file `FileId(n)`.
    pub modules: Vec<Module>,
    /// In the order of files and positions, at most one a line.
    pub errors: Vec<(FileId, SyntaxError)>,
    places: Places,
    /// Where each module lies, and where its absolute imports are looked up.
    homes: Vec<Home>,
    by_name: FxHashMap<Name, ModuleId>,
    /// The folders from which any module may be imported: the roots, and the folders around top-level packages.
    search_path: Arc<[PathBuf]>,
    /// The libraries that are known without their sources.
    libraries: FxHashSet<String>,
    /// Files that import a library of their own name, as a package's `gpytorch.py` for models of GPyTorch does.
    namesakes: FxHashSet<ModuleId>,
    /// Libraries that no file of the project stands for, whatever its name is.
    apart: FxHashSet<String>,
    /// The modules of the environment.
    foreign: Option<Foreign>,
    /// The modules of library packs.
    packs: Arc<LibrarySources>,
}

#[derive(Debug)]
struct Home {
    folder: PathBuf,
    root: PathBuf,
    bases: Arc<Bases>,
}

/// The folders in which a file's absolute imports are looked up.
#[derive(Debug)]
struct Bases {
    /// The file's own folder, where the file is started as a program.
    own: Option<PathBuf>,
    /// In order; the first that has the module wins. Last come folders that are packages themselves, from which people
    /// nevertheless start programs. Modules of the standard library are not looked for here.
    others: Vec<PathBuf>,
}

/// Files with so much text are parsed at once, before anyone looks at how much memory their trees take: at worst a quarter of a GiB.
const TEXT_AT_ONCE: usize = 1 << 20;
/// The part of the process's memory that the trees may take with the texts.
const PART_OF_MEMORY: [u64; 2] = [1, 2];

/// Parses files in parallel, as long as there is memory for their trees. The largest come last: no few of them keep the others out.
fn parse_files(files: &[SourceFile], ceilings: Ceilings) -> Vec<ParsedModule> {
    let mut waiting: Vec<&SourceFile> = files.iter().collect();
    waiting.sort_by_key(|file| file.text.len());
    let mut parsed: Vec<ParsedModule> = Vec::with_capacity(files.len());
    while parsed.len() < files.len() {
        let rest = &waiting[parsed.len()..];
        if !parsed.is_empty() && ceilings.is_used_up(PART_OF_MEMORY) {
            parsed.extend(rest.iter().map(|file| leave_out(file)));
            break;
        }
        let mut text = 0;
        let fits = |file: &&&SourceFile| {
            text += file.text.len();
            text <= TEXT_AT_ONCE
        };
        let count = rest.iter().take_while(fits).count().max(1);
        parsed.par_extend(rest[..count].par_iter().map(|file| parse_file(file)));
    }
    parsed.sort_by_key(|parsed| parsed.module.file);
    parsed
}

impl Project {
    /// Parses all files, in parallel.
    pub fn build(corpus: &Corpus) -> Project {
        Project::with_described(corpus, Described::default(), Ceilings::default())
    }

    /// The same; of the corpus's environment, what is known without sources is not read.
    pub fn with_described(corpus: &Corpus, described: Described, ceilings: Ceilings) -> Project {
        let parsed = parse_files(&corpus.files, ceilings);
        let mut modules = Vec::with_capacity(parsed.len());
        let mut errors = Vec::new();
        for parsed in parsed {
            let file = parsed.module.file;
            errors.extend(parsed.errors.into_iter().map(|error| (file, error)));
            modules.push(parsed.module);
        }
        let places = Places::new(corpus);
        let search_path: Arc<[PathBuf]> = search_path(corpus, &places).into();
        let added = added_folders(corpus, &modules, &places);
        let homes = homes(corpus, &modules, &places, (&search_path, &added));
        let mut by_name = FxHashMap::default();
        for (index, module) in (0..).zip(&modules) {
            by_name.entry(module.name).or_insert(ModuleId(index));
        }
        let libraries = described.libraries.iter().cloned().collect();
        let packs = Arc::clone(&corpus.libraries);
        let foreign = corpus.environment.as_ref().map(|it| Foreign::new(Arc::clone(it), described, Arc::clone(&packs)));
        let namesakes = namesakes(&modules);
        let apart = FxHashSet::default();
        let mut project = Project {
            modules,
            errors,
            places,
            homes,
            by_name,
            search_path,
            libraries,
            namesakes,
            apart,
            foreign,
            packs,
        };
        project.read_imported_as_python_2(corpus);
        project
    }

    /// Keeps the project's files from standing for these libraries: who imports one gets the library.
    pub fn keep_apart(&mut self, libraries: impl IntoIterator<Item = String>) {
        self.apart.extend(libraries);
    }

    /// The module of that number. Numbers come from this project.
    pub fn module(&self, id: ModuleId) -> Option<&Module> {
        let own = self.modules.get(id.0 as usize);
        let installed = || self.foreign.as_ref().and_then(|foreign| foreign.module(id));
        own.or_else(installed).or_else(|| library_modules::module(&self.packs, id))
    }

    /// The name by which programs import a module: that below the folder of its outermost package. `None` where its own folder is no package
    /// and lies within others, as then it depends on where a program is started.
    pub fn imported_name(&self, id: ModuleId) -> Option<&str> {
        let name = self.module(id)?.name.as_str();
        if self.modules.get(id.0 as usize).is_none() {
            return Some(name);
        }
        let is_package = |dotted: &str| {
            self.by_name.get(&Name::new(dotted)).and_then(|id| self.module(*id)).is_some_and(|it| it.is_package)
        };
        let mut start = name.rfind('.').map_or(0, |dot| dot + 1);
        let last = start;
        while start > 0 && is_package(&name[..start - 1]) {
            start = name[..start - 1].rfind('.').map_or(0, |dot| dot + 1);
        }
        let is_known = start < last || start == 0 || self.module(id).is_some_and(|it| it.is_package);
        is_known.then(|| &name[start..])
    }

    /// The packages around a module that are part of the project, or of the environment as the module is, the outermost first.
    pub fn packages_around(&self, id: ModuleId) -> Vec<ModuleId> {
        let Some(home) = self.homes.get(id.0 as usize) else { return self.installed_packages_around(id) };
        let around = home.folder.ancestors().take_while(|folder| self.places.is_package(folder));
        let mut packages: Vec<ModuleId> = around
            .filter_map(|folder| match self.places.folder_target(folder) {
                Some(ImportTarget::Module(package)) if package != id => Some(package),
                _ => None,
            })
            .collect();
        packages.reverse();
        packages
    }

    /// The same of a module of the environment. A package that is described is not among them.
    fn installed_packages_around(&self, id: ModuleId) -> Vec<ModuleId> {
        let Some(module) = self.module(id) else { return Vec::new() };
        let dotted = module.name.as_str();
        let around = dotted.match_indices('.').map(|(dot, _)| &dotted[..dot]);
        around.filter_map(|package| self.foreign_module(package)).filter(|package| *package != id).collect()
    }

    /// A module of the environment by its full dotted name.
    pub fn foreign_module(&self, dotted: &str) -> Option<ModuleId> {
        self.foreign.as_ref().and_then(|foreign| foreign.find(dotted))
    }

    /// Whether an environment was given.
    pub fn has_environment(&self) -> bool {
        self.foreign.is_some()
    }

    /// Whether the source of a module of the environment mentions a word.
    pub fn foreign_mentions(&self, dotted: &str, word: &str) -> bool {
        self.foreign.as_ref().is_some_and(|foreign| foreign.mentions(dotted, word))
    }

    /// The module of a library pack, such as that of Python's own library, that defines a qualified name, and the name in it.
    pub fn standard_definition(&self, qualified: &str) -> Option<(ModuleId, Name)> {
        library_modules::find(&self.packs, qualified)
    }

    /// The names that sources of library packs define in a module, as far as programs see them.
    pub fn names_of_sources(&self, module: &str) -> Vec<Name> {
        library_modules::names_in(&self.packs, module)
    }

    /// The module of a file of the corpus.
    pub fn module_of_file(&self, file: FileId) -> ModuleId {
        ModuleId(file.0)
    }

    /// The name under which a folder without an `__init__.py` is imported.
    pub fn namespace_name(&self, id: NamespaceId) -> Name {
        self.places.namespace_name(id)
    }

    /// The module that has this full dotted name, or that is found under it from one of the roots. Of several modules of the
    /// same name it is the first in the order of files; `resolve_import` knows which one an importer means.
    pub fn find_module(&self, dotted: Name) -> Option<ModuleId> {
        if self.apart.contains(first_part(dotted.as_str())) {
            return None;
        }
        let found = self.by_name.get(&dotted).copied();
        found.or_else(|| self.search_path.iter().find_map(|base| self.places.module(base, dotted.as_str())))
    }

    /// What `import dotted` means in the module `from`.
    pub fn resolve_import(&self, from: ModuleId, dotted: Name) -> ImportTarget {
        match self.own_import(from, dotted) {
            // An installed library goes before a folder of that name without `__init__.py`.
            target @ (ImportTarget::Package(_) | ImportTarget::External(_)) => {
                self.foreign_module(dotted.as_str()).map_or(target, ImportTarget::Module)
            }
            target => target,
        }
    }

    /// The same among the project's own files.
    fn own_import(&self, from: ModuleId, dotted: Name) -> ImportTarget {
        let external = ImportTarget::External(dotted);
        let Some(home) = self.homes.get(from.0 as usize) else { return external };
        let text = dotted.as_str();
        let top_level = first_part(text);
        if self.apart.contains(top_level) {
            return external;
        }
        let is_own = || self.module(from).is_some_and(|module| first_part(module.name.as_str()) == top_level);
        let others: &[PathBuf] = if is_standard_library(top_level) && !is_own() { &[] } else { &home.bases.others };
        // A package's own adapter for a library, such as `backend/torch/`, does not stand for it, nor a copy that lies elsewhere.
        let is_library = self.libraries.contains(top_level) || ADAPTED.contains(&top_level);
        let is_known = is_library || self.packs.sources_of(top_level).next().is_some();
        let is_elsewhere = |base: &Path| !base.ends_with("src") && !home.folder.starts_with(base);
        let hides = |base: &&PathBuf| !(is_library && self.places.is_package(base) || is_known && is_elsewhere(base));
        let around = self.folder_around(from, home, top_level);
        let folders = || around.iter().copied().chain(home.bases.own.iter().chain(others)).filter(hides);
        // A folder without `__init__.py` counts only where no folder has a module of that name.
        let is_meant = |id: ModuleId| !self.namesakes.contains(&id);
        if let Some(base) = folders().find(|base| self.places.module(base, top_level).is_some_and(is_meant)) {
            return self.places.target(base, text).unwrap_or(external);
        }
        let is_target = |target: &ImportTarget| !matches!(target, ImportTarget::Module(id) if !is_meant(*id));
        folders().find_map(|base| self.places.target(base, text).filter(is_target)).unwrap_or(external)
    }

    /// The folder around a file's own, where the file is no program and imports by the name of its folder: who imports `a/b.py` as `a.b` does so
    /// from there, and a second `a` within the first is not what `a.c` means to it.
    fn folder_around<'a>(&self, from: ModuleId, home: &'a Home, top_level: &str) -> Option<&'a PathBuf> {
        let parent = home.folder.parent().filter(|parent| parent.starts_with(&home.root))?;
        let is_program = self.module(from).is_none_or(|module| module.has_main_guard);
        let is_own_name = !is_program && home.folder.file_name().is_some_and(|name| name == top_level);
        home.bases.others.iter().find(|base| is_own_name && base.as_path() == parent)
    }

    /// What `from <level dots><module> import …` takes its names from.
    pub fn resolve_import_from(&self, from: ModuleId, level: u32, module: Option<Name>) -> ImportTarget {
        if level == 0 {
            return self.resolve_import(from, module.unwrap_or_else(|| Name::new("")));
        }
        self.relative_target(from, level, module).unwrap_or_else(|| {
            let name = self.resolve_relative(from, level, module).unwrap_or_else(|| {
                let dots = ".".repeat(level.min(100) as usize);
                Name::new(&format!("{dots}{}", module.map_or("", Name::as_str)))
            });
            let foreign = self.homes.get(from.0 as usize).is_none().then(|| self.foreign_module(name.as_str()));
            foreign.flatten().map_or(ImportTarget::External(name), ImportTarget::Module)
        })
    }

    fn relative_target(&self, from: ModuleId, level: u32, module: Option<Name>) -> Option<ImportTarget> {
        let home = self.homes.get(from.0 as usize)?;
        let folder = home.folder.ancestors().nth(level as usize - 1)?;
        // Beyond the root only packages are climbed, and their files are not in the project.
        if !folder.starts_with(&home.root) {
            return None;
        }
        match module {
            Some(module) => self.places.target(folder, module.as_str()),
            None => self.places.folder_target(folder),
        }
    }

    /// The dotted name that a relative import means: `..b` in the module `p.q.m` is `p.b`. `None` beyond the outermost package.
    pub fn resolve_relative(&self, from: ModuleId, level: u32, module: Option<Name>) -> Option<Name> {
        if level == 0 {
            return module;
        }
        let importer = self.module(from)?;
        let mut parts: Vec<&str> = importer.name.as_str().split('.').collect();
        let dropped = level as usize - usize::from(importer.is_package);
        if dropped > parts.len() {
            return None;
        }
        parts.truncate(parts.len() - dropped);
        if let Some(module) = module {
            parts.push(module.as_str());
        }
        if parts.is_empty() { None } else { Some(Name::new(&parts.join("."))) }
    }

    /// The module or folder `name` in a package, as in `from package import name`.
    pub fn submodule(&self, package: ImportTarget, name: Name) -> Option<ImportTarget> {
        match package {
            ImportTarget::Module(id) if self.module(id)?.is_package => {
                let Some(home) = self.homes.get(id.0 as usize) else {
                    let dotted = format!("{}.{name}", self.module(id)?.name);
                    return self.foreign_module(&dotted).map(ImportTarget::Module);
                };
                self.places.target(&home.folder, name.as_str())
            }
            ImportTarget::Package(id) => self.places.target(self.places.namespace_folder(id)?, name.as_str()),
            ImportTarget::Module(_) | ImportTarget::External(_) => None,
        }
    }
}

pub(super) fn parse_file(file: &SourceFile) -> ParsedModule {
    let name = Name::new(&dotted_name(file));
    let parsed = match &file.cells {
        Some(cells) => {
            let ranges: Vec<Range> = parsed_ranges(cells).map(|(start, end)| Range { start, end }).collect();
            parse_notebook(file.id, name, &file.text, &ranges)
        }
        None => parse_module(file.id, name, is_package(file), &file.text),
    };
    note_memory();
    parsed
}

/// A file that is not parsed because there is no memory for its tree.
fn leave_out(file: &SourceFile) -> ParsedModule {
    left_out(file.id, Name::new(&dotted_name(file)), is_package(file), "memory ran out before this file was parsed")
}

/// The files, packages aside, that import what has their own name: they mean another module by it, and so do the files around them.
fn namesakes(modules: &[Module]) -> FxHashSet<ModuleId> {
    let is_namesake = |module: &Module| {
        let own = module.name.as_str().rsplit('.').next().unwrap_or_default();
        !module.is_package && imports_top_level(&module.body, own)
    };
    (0..).zip(modules).filter(|(_, module)| is_namesake(module)).map(|(index, _)| ModuleId(index)).collect()
}

/// Whether statements that run when a module is imported import a module or package of this name.
fn imports_top_level(body: &[Stmt], name: &str) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Import(imports) => imports.iter().any(|import| first_part(import.module.as_str()) == name),
        StmtKind::ImportFrom(import) if import.level == 0 => {
            import.module.is_some_and(|module| first_part(module.as_str()) == name)
        }
        StmtKind::If { body, orelse, .. } => imports_top_level(body, name) || imports_top_level(orelse, name),
        StmtKind::Try { body, .. } => imports_top_level(body, name),
        _ => false,
    })
}

fn is_package(file: &SourceFile) -> bool {
    file.path.file_name().is_some_and(|name| name == "__init__.py")
}

/// The packages around the file and its own name; outside of packages, its path from the root.
fn dotted_name(file: &SourceFile) -> String {
    let mut parts: Vec<String> = file.packages.clone();
    if parts.is_empty() {
        let folder = file.path.parent().and_then(|folder| folder.strip_prefix(&file.root).ok());
        let components = folder.into_iter().flat_map(Path::components);
        parts.extend(components.map(|component| component.as_os_str().to_string_lossy().into_owned()));
    }
    if !is_package(file) || parts.is_empty() {
        parts.extend(file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    parts.join(".")
}

/// The folder around the outermost package around a file.
fn package_parent(file: &SourceFile) -> &Path {
    let folder = file.path.parent().unwrap_or(Path::new(""));
    folder.ancestors().nth(file.packages.len()).unwrap_or(folder)
}

/// The folders in which all files look, and those that the program adds for the files of a root.
type SearchPath<'a> = (&'a [PathBuf], &'a [AddedFolder]);

fn search_path(corpus: &Corpus, places: &Places) -> Vec<PathBuf> {
    let roots = corpus.roots.iter().filter(|root| !places.is_package(root)).map(PathBuf::as_path);
    let parents = corpus.files.iter().filter(|file| !file.packages.is_empty()).map(package_parent);
    without_duplicates(roots.chain(parents).collect())
}

fn homes(corpus: &Corpus, modules: &[Module], places: &Places, search_path: SearchPath<'_>) -> Vec<Home> {
    // The files of a folder look their imports up in the same places.
    let mut known: FxHashMap<(PathBuf, PathBuf, bool), Arc<Bases>> = FxHashMap::default();
    let home = |(file, module): (&SourceFile, &Module)| {
        let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
        let is_script = file.packages.is_empty() || module.has_main_guard || file.cells.is_some();
        let key = (folder.clone(), file.root.clone(), is_script);
        let bases = known.entry(key).or_insert_with(|| Arc::new(bases(file, is_script, places, search_path)));
        Home { folder, root: file.root.clone(), bases: Arc::clone(bases) }
    };
    corpus.files.iter().zip(modules).map(home).collect()
}

fn bases(file: &SourceFile, is_script: bool, places: &Places, (search_path, added): SearchPath<'_>) -> Bases {
    let folder = file.path.parent().unwrap_or(Path::new(""));
    let mut others: Vec<&Path> = vec![package_parent(file)];
    // Programs are started from any folder between the file and the root.
    let (doubtful, between): (Vec<&Path>, Vec<&Path>) = folder
        .ancestors()
        .take_while(|folder| folder.starts_with(&file.root))
        .partition(|folder| places.is_package(folder));
    let sources: Vec<PathBuf> = between.iter().map(|folder| folder.join("src")).collect();
    for (folder, source) in between.iter().zip(&sources) {
        others.push(folder);
        if places.is_folder(source) && !places.is_package(source) {
            others.push(source);
        }
    }
    others.extend(search_path.iter().map(PathBuf::as_path));
    others.extend(doubtful);
    // What the program adds may be a package: its modules are looked for there where they are nowhere else.
    others.extend(added.iter().filter(|added| added.root == file.root).map(|added| added.folder.as_path()));
    let own = is_script.then(|| folder.to_owned());
    Bases { own, others: without_duplicates(others) }
}

fn without_duplicates(folders: Vec<&Path>) -> Vec<PathBuf> {
    let mut seen = FxHashSet::default();
    folders.into_iter().filter(|&folder| seen.insert(folder)).map(Path::to_owned).collect()
}

/// Frameworks whose names folders of adapters have, and which are not annotated.
const ADAPTED: [&str; 14] = [
    "cupy",
    "dask",
    "flax",
    "jax",
    "jaxlib",
    "mlx",
    "mxnet",
    "onnx",
    "onnxruntime",
    "openvino",
    "paddle",
    "tensorflow",
    "tensorrt",
    "theano",
];

fn first_part(dotted: &str) -> &str {
    dotted.split('.').next().unwrap_or(dotted)
}
