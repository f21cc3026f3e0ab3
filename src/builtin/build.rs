//! Checks the form of the built-in library packs and turns them into tables (see `Tables` of the annotations); their sources in Python are baked in.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

// The form of annotation files, shared with the library so that there is one definition of it.
#[path = "../annotations/raw.rs"]
#[allow(dead_code)]
mod raw;
#[path = "../annotations/slots.rs"]
mod slots;

use raw::{MANIFEST, RawEntry, RawFile, RawManifest, SOURCES, Texts};

/// What the library sees of the tables.
const TABLES: &str = "
/// The entries of `api_annotations/`.
pub static ANNOTATIONS: Tables = Tables {
    index: &INDEX,
    slots: &SLOTS,
    entries: &ENTRIES,
    decoded: &DECODED,
    modules: &MODULES,
    sources: &SOURCES,
    follows: &FOLLOWS,
    module_aliases: &MODULE_ALIASES,
    module_patterns: &MODULE_PATTERNS,
    versions: &VERSIONS,
    calls: &CALLS,
    families: &FAMILIES,
    kinds: &KINDS,
    installed: &INSTALLED,
    targets: &TARGETS,
    plain: &PLAIN,
    of_tensors: &OF_TENSORS,
};
";

const FOLDER: &str = "../../api_annotations";

/// Parameter lists, and other keywords with the parameters that they stand for.
type Forms = (Vec<String>, Vec<(String, String)>);

#[derive(Default)]
struct Tables {
    /// Every name with the number of its entry.
    index: BTreeMap<String, usize>,
    entries: Vec<String>,
    modules: Vec<String>,
    sources: Vec<String>,
    follows: Vec<String>,
    /// Packages for which the built-in packs stand only where an environment has no sources of theirs.
    only_where_missing: Vec<String>,
    /// The names of the packs.
    packs: Vec<String>,
    /// The files of sources in Python, by module.
    python: BTreeMap<String, PathBuf>,
    /// Packages, and the sources in which their names stand.
    gathered: BTreeMap<String, Vec<String>>,
    module_aliases: BTreeMap<String, String>,
    /// The version that added a name, and the one that removed it; empty where none is told.
    versions: BTreeMap<String, (String, String)>,
    /// The forms in which an API may be called, and the other keywords of their parameters.
    calls: BTreeMap<String, Forms>,
    /// Families of tensors as JSON, by class.
    families: BTreeMap<String, String>,
    /// The kinds of objects, by class.
    kinds: BTreeMap<String, String>,
    installed: Vec<String>,
    /// Packages whose version a project may tell, with the other names that requirements have for them.
    targets: BTreeMap<String, Vec<String>>,
    plain: Vec<String>,
    /// By pack: whether it declares tensors, the packs that it needs, and the packages that it is about.
    computing: BTreeMap<String, Computing>,
}

/// What tells whether the packages of a pack compute with tensors.
#[derive(Default)]
struct Computing {
    has_tensors: bool,
    needs: Vec<String>,
    packages: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FOLDER}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../annotations/raw.rs");
    println!("cargo::rerun-if-changed=../annotations/slots.rs");
    let mut files = Vec::new();
    collect(Path::new(FOLDER), &mut files)?;
    files.sort();
    let mut tables = Tables::default();
    for file in &files {
        let is_manifest = file.file_name().is_some_and(|name| name == MANIFEST);
        if let Err(error) = if is_manifest { tables.add_pack(file) } else { tables.add(file) } {
            // The message has lines of its own; Cargo shows each line of this form.
            for line in format!("{}: {error}", file.display()).lines() {
                println!("cargo::error={line}");
            }
        }
    }
    let output = PathBuf::from(env::var("OUT_DIR")?).join("annotations.rs");
    fs::write(output, tables.source()?)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for child in fs::read_dir(folder)? {
        let path = child?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}

impl Tables {
    /// Adds what a manifest says, and the sources beside it.
    fn add_pack(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let manifest: RawManifest = serde_saphyr::from_str(&fs::read_to_string(path)?)?;
        self.follows.extend(manifest.follows.iter().map(|package| package.value.clone()));
        self.only_where_missing.extend(manifest.only_where_missing.iter().map(|package| package.value.clone()));
        for (class, family) in &manifest.tensors {
            if self.families.insert(class.clone(), serde_json::to_string(&family.value)?).is_some() {
                return Err(format!("`{class}` is declared by another pack, too").into());
            }
        }
        for (kind, classes) in &manifest.kinds {
            for class in classes.iter() {
                if self.kinds.insert(class.value.clone(), kind.clone()).is_some() {
                    return Err(format!("objects of `{}` are of another kind, too", class.value).into());
                }
            }
        }
        self.installed.extend(manifest.installed.iter().map(|package| package.value.clone()));
        for (package, others) in &manifest.versions {
            let others = others.iter().map(|name| name.value.clone()).collect();
            if self.targets.insert(package.clone(), others).is_some() {
                return Err(format!("the version of `{package}` is told for another pack, too").into());
            }
        }
        self.plain.extend(manifest.plain.iter().map(|package| package.value.clone()));
        self.computing.insert(manifest.name.value.clone(), Computing::of(&manifest));
        self.packs.push(manifest.name.value);
        let folder = path.with_file_name(SOURCES);
        let mut own = Vec::new();
        for source in if folder.is_dir() { fs::read_dir(&folder)?.collect() } else { Vec::new() } {
            let source = source?.path();
            let module = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(other) = self.python.insert(module.clone(), fs::canonicalize(&source)?) {
                return Err(format!("{} is a source of `{module}`, too", other.display()).into());
            }
            own.push(module);
        }
        for (package, modules) in manifest.gathers {
            let modules: Vec<String> = modules.iter().map(|module| module.value.clone()).collect();
            if let Some(missing) = modules.iter().find(|module| !own.contains(module)) {
                return Err(format!("there is no source `{SOURCES}/{missing}.py`").into());
            }
            if self.gathered.insert(package.clone(), modules).is_some() {
                return Err(format!("the names of `{package}` are gathered by another pack, too").into());
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let mut file: RawFile = serde_saphyr::from_str(&fs::read_to_string(path)?)?;
        let is_of_versions_alone = file.is_of_versions_alone();
        file.distribute();
        let keywords: Vec<(String, String)> =
            file.keywords.iter().map(|(keyword, parameter)| (keyword.clone(), parameter.value.clone())).collect();
        for (name, forms) in file.calls {
            let forms = forms.iter().map(|form| form.value.clone()).collect();
            self.calls.insert(name, (forms, keywords.clone()));
        }
        if !is_of_versions_alone {
            self.modules.push(file.library.value);
        }
        self.modules.extend(file.modules.iter().map(|module| module.value.clone()));
        self.sources.extend(file.sources.iter().map(|module| module.value.clone()));
        self.module_aliases.extend(file.module_aliases.into_iter().map(|(alias, target)| (alias, target.value)));
        for (version, changes) in file.versions {
            for name in changes.value.added.iter() {
                self.versions.entry(name.value.clone()).or_default().0.clone_from(&version);
            }
            for name in changes.value.removed.iter() {
                self.versions.entry(name.value.clone()).or_default().1.clone_from(&version);
            }
        }
        for entry in file.apis {
            let number = self.entries.len();
            for name in names(&entry.value) {
                if self.index.insert(name.clone(), number).is_some() {
                    return Err(format!("line {}: `{name}` is described twice", entry.referenced.line()).into());
                }
            }
            self.entries.push(serde_json::to_string(&entry.value)?);
        }
        Ok(())
    }

    /// The positions of the names in the index, plus 1, in a table that is half empty; 0 stands for nothing.
    fn slots(&self) -> Vec<u16> {
        let mut slots = vec![0; (2 * self.index.len()).next_power_of_two()];
        for (position, name) in self.index.keys().enumerate() {
            let mut slot = slots::first_slot(name, slots.len());
            while slots[slot] != 0 {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = u16::try_from(position + 1).expect("more names than positions of 16 bits");
        }
        slots
    }

    /// The packages of the packs that declare tensors, and of those that need such a pack, themselves or by what they need.
    fn of_tensors(&self) -> BTreeSet<&str> {
        let mut packs: BTreeSet<&str> = BTreeSet::new();
        loop {
            let is_new = |(name, pack): &(&String, &Computing)| {
                !packs.contains(name.as_str())
                    && (pack.has_tensors || pack.needs.iter().any(|needed| packs.contains(needed.as_str())))
            };
            let found: Vec<&str> = self.computing.iter().filter(is_new).map(|(name, _)| name.as_str()).collect();
            if found.is_empty() {
                break;
            }
            packs.extend(found);
        }
        let packages = packs.iter().filter_map(|name| self.computing.get(*name)).flat_map(|pack| &pack.packages);
        packages.map(|package| package.split('.').next().unwrap_or(package)).collect()
    }

    fn source(mut self) -> Result<String, std::fmt::Error> {
        self.modules.sort();
        self.modules.dedup();
        self.sources.sort();
        let mut source = String::new();
        writeln!(
            source,
            "static INDEX: [(&str, u32); {}] = {:?};",
            self.index.len(),
            self.index.iter().collect::<Vec<_>>()
        )?;
        let slots = self.slots();
        writeln!(source, "static SLOTS: [u16; {}] = {slots:?};", slots.len())?;
        writeln!(source, "static ENTRIES: [&str; {}] = {:?};", self.entries.len(), self.entries)?;
        writeln!(source, "static MODULES: [&str; {}] = {:?};", self.modules.len(), self.modules)?;
        writeln!(source, "static SOURCES: [&str; {}] = {:?};", self.sources.len(), self.sources)?;
        writeln!(source, "static FOLLOWS: [&str; {}] = {:?};", self.follows.len(), self.follows)?;
        source.push_str("/// Packages for which the packs stand only where an environment has no sources of theirs.\n");
        let missing = &self.only_where_missing;
        writeln!(source, "pub static ONLY_WHERE_MISSING: [&str; {}] = {missing:?};", missing.len())?;
        source.push_str("/// The names of the packs.\n");
        writeln!(source, "pub static PACKS: [&str; {}] = {:?};", self.packs.len(), self.packs)?;
        source.push_str("/// The sources in Python, by module.\n");
        writeln!(source, "pub static PYTHON: [(&str, &str); {}] = [", self.python.len())?;
        for (module, path) in &self.python {
            writeln!(source, "({module:?}, include_str!({path:?})),")?;
        }
        source.push_str("];\n");
        writeln!(source, "static GATHERED: [(&str, &[&str]); {}] = [", self.gathered.len())?;
        for (package, modules) in &self.gathered {
            writeln!(source, "({package:?}, &{modules:?}),")?;
        }
        source.push_str("];\n");
        let (patterns, aliases): (Vec<_>, Vec<_>) =
            self.module_aliases.iter().partition(|(alias, _)| alias.contains('*'));
        writeln!(source, "static MODULE_ALIASES: [(&str, &str); {}] = {aliases:?};", aliases.len())?;
        writeln!(source, "static MODULE_PATTERNS: [(&str, &str); {}] = {patterns:?};", patterns.len())?;
        let versions: Vec<_> = self.versions.iter().map(|(name, (since, until))| (name, since, until)).collect();
        writeln!(source, "static VERSIONS: [(&str, &str, &str); {}] = {versions:?};", versions.len())?;
        writeln!(source, "static CALLS: [Forms; {}] = [", self.calls.len())?;
        for (name, (forms, keywords)) in &self.calls {
            writeln!(source, "({name:?}, &{forms:?}, &{keywords:?}),")?;
        }
        source.push_str("];\n");
        let families: Vec<_> = self.families.iter().collect();
        writeln!(source, "static FAMILIES: [(&str, &str); {}] = {families:?};", families.len())?;
        let kinds: Vec<_> = self.kinds.iter().collect();
        writeln!(source, "static KINDS: [(&str, &str); {}] = {kinds:?};", kinds.len())?;
        writeln!(source, "static INSTALLED: [&str; {}] = {:?};", self.installed.len(), self.installed)?;
        let targets: Vec<_> = self.targets.iter().collect();
        writeln!(source, "static TARGETS: [(&str, &[&str]); {}] = [", targets.len())?;
        for (package, others) in targets {
            writeln!(source, "({package:?}, &{others:?}),")?;
        }
        source.push_str("];\n");
        writeln!(source, "static PLAIN: [&str; {}] = {:?};", self.plain.len(), self.plain)?;
        let of_tensors = self.of_tensors();
        writeln!(source, "static OF_TENSORS: [&str; {}] = {:?};", of_tensors.len(), Vec::from_iter(&of_tensors))?;
        writeln!(source, "static DECODED: [Decoded; {0}] = [const {{ Decoded::new() }}; {0}];", self.index.len())?;
        source.push_str(TABLES);
        Ok(source)
    }
}

impl Computing {
    fn of(manifest: &RawManifest) -> Computing {
        let families = manifest.tensors.values().map(|family| &family.value).filter(|family| !family.is_picture);
        let made = families.clone().flat_map(|family| family.of.iter());
        let packages = made.chain(manifest.follows.iter()).map(|package| package.value.clone());
        Computing {
            has_tensors: families.count() > 0,
            needs: manifest.needs.iter().map(|needed| needed.value.clone()).collect(),
            packages: packages.chain([manifest.name.value.clone()]).collect(),
        }
    }
}

fn names(entry: &RawEntry) -> Vec<&String> {
    let lists = [&entry.function, &entry.method, &entry.property, &entry.constant, &entry.class];
    let listed = lists.into_iter().flat_map(Texts::iter).chain(entry.aliases.iter());
    listed.map(|text| &text.value).collect()
}
