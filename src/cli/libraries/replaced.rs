//! What a user's annotation files and library packs replace of Harp's own. New names in a library replace nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use harp_annotations::{Library, ObjectKind, Stated};
use harp_corpus::LibrarySource;
use harp_interp::api::registry;
use harp_libraries::ALL;
use harp_python::{defined_names, defines, is_standard_library};

use super::Declared;
use super::files::Files;

/// A name that Harp knows and a file of a user describes.
#[derive(Clone, Debug)]
pub(crate) struct ReplacedName {
    pub file: PathBuf,
    /// Which of the paths that were given leads to the file.
    pub given: usize,
    /// The name of an API, or of a module.
    pub name: String,
    /// Whether it says what the values of a library are, which may decide every operation on them.
    pub is_of_values: bool,
    /// What a file of annotations states; a source in Python is read in any case.
    stated: Option<Stated>,
}

impl ReplacedName {
    /// Whether the analysis read what stands in place of the name.
    pub fn is_read(&self, library: &Library) -> bool {
        self.stated.as_ref().is_none_or(|stated| library.has_read(stated))
    }
}

/// The packages of which Harp knows something.
static PACKAGES: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| harp_builtin::library().packages().into_iter().collect());

/// Whether the first part of a dotted name is a library of which Harp knows something, or Python's own.
pub(crate) fn is_library(top_level: &str) -> bool {
    PACKAGES.contains(top_level) || is_standard_library(top_level)
}

/// Whether Harp brings along what a qualified name stands for.
pub(crate) fn is_known(name: &str) -> bool {
    // Some handlers take methods of any class.
    if !is_library(name.split('.').next().unwrap_or(name)) {
        return false;
    }
    let library = harp_builtin::library();
    let is_method = || name.rsplit_once('.').is_some_and(|(class, method)| library.method(class, method).is_some());
    library.entry(name).is_some()
        || library.module(name)
        || is_method()
        || defines(&harp_builtin::sources(), name)
        || registry::function(ALL, name).is_some()
        || registry::method(ALL, name).is_some()
        || registry::instance_call(ALL, name).is_some()
        || registry::constructor(ALL, name).is_some()
        || registry::constant(ALL, name).is_some()
}

/// The names, in the order of files.
pub(super) fn names(
    files: &Files,
    library: &Library,
    sources: &[LibrarySource],
    gathered: &BTreeMap<String, Vec<String>>,
) -> Vec<ReplacedName> {
    let mut found = of_annotations(files, library);
    for pack in &files.packs {
        for (path, text) in &pack.sources {
            let Some(source) = sources.iter().find(|source| source.path() == path) else { continue };
            let names = of_source(source.module(), text, gathered).into_iter();
            found.extend(names.map(|name| ReplacedName {
                file: path.clone(),
                given: pack.given,
                name,
                is_of_values: false,
                stated: None,
            }));
        }
    }
    found
}

fn of_annotations(files: &Files, library: &Library) -> Vec<ReplacedName> {
    let given_by: BTreeMap<&Path, usize> =
        files.yaml.iter().map(|(path, _)| path.as_path()).zip(files.yaml_given.iter().copied()).collect();
    let is_replaced = |name: &str| match name.split_once('*') {
        None => is_known(name),
        // An alias of modules, such as `torch.nn.modules.*`.
        Some((start, _)) => match start.split_once('.') {
            Some((package, _)) => is_library(package),
            None => PACKAGES.iter().any(|known| known.starts_with(start)),
        },
    };
    let replaced = library.stated().iter().filter(|stated| is_replaced(&stated.name));
    let name = |stated: &Stated| {
        let given = given_by.get(stated.file.as_path()).copied()?;
        let name = stated.name.to_string();
        let stated = Some(stated.clone());
        Some(ReplacedName { file: stated.as_ref()?.file.clone(), given, name, is_of_values: false, stated })
    };
    replaced.filter_map(name).collect()
}

/// The classes and modules of which a manifest says other things than Harp: a family of tensors is declared anew, functions that make tensors of
/// one family make those of another, or objects are of another kind.
pub(super) fn of_values(declared: &Declared) -> Vec<ReplacedName> {
    let library = harp_builtin::library();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for family in &declared.families {
        let known = library.families().of_class(family.class());
        if known.is_some_and(|known| known != *family) {
            names.insert(family.class());
        }
        let takes = |module: &&str| {
            let maker = library.families().made_by(module);
            is_known(module) && maker.is_none_or(|maker| maker.class() != family.class())
        };
        names.extend(family.rules().of.iter().map(|module| &**module).filter(takes));
    }
    for (class, kind) in &declared.kinds {
        if library.kind_of_objects(class).is_some_and(|known| known != ObjectKind::Named(kind)) {
            names.insert(class);
        }
    }
    let replaced = |name: &str| ReplacedName {
        file: declared.manifest.clone(),
        given: declared.given,
        name: name.to_owned(),
        is_of_values: true,
        stated: None,
    };
    names.into_iter().map(replaced).collect()
}

/// The names that the source of a module defines in place of what Harp knows, and those that it hides as Harp's own source of the module is not
/// read any more.
fn of_source(module: &str, text: &str, gathered: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let owners = gathered.iter().filter(|(_, sources)| sources.iter().any(|source| source == module));
    let owners: Vec<&str> = owners.map(|(owner, _)| owner.as_str()).chain([module]).collect();
    let defined = defined_names(text);
    let public = owners.iter().flat_map(|owner| defined.iter().map(move |name| format!("{owner}.{name}")));
    let mut names: BTreeSet<String> = public.filter(|name| is_known(name)).collect();
    let builtin = harp_builtin::sources();
    if let Some(hidden) = builtin.module(module).and_then(|id| builtin.source(id)) {
        names.extend(defined_names(hidden.text()).into_iter().map(|name| format!("{module}.{name}")));
    }
    names
}
