//! The manifest of a library pack: the file that makes a folder one.

use std::collections::BTreeMap;
use std::path::Path;

use harp_shape::Family;
use serde_saphyr::Location;

use super::error::{AnnotationError, Locator, Mistake};
use super::families::family;
use super::lower::qualified_name;
use super::raw::{RawManifest, Text, Texts};

pub use super::raw::{MANIFEST, SOURCES};

/// The folder of a pack with the pages that test it.
pub const TESTS: &str = "tests";

/// What the manifest of a library pack says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The library's name, as messages show it.
    pub name: String,
    /// Packages of which enough is known: their own sources are not read where an environment has them.
    pub follows: Vec<String>,
    /// Packages for which the pack stands only where an environment has no sources of theirs.
    pub only_where_missing: Vec<String>,
    /// The names of the packs without which it says too little, each with its place in the file.
    pub needs: Vec<(String, (usize, usize))>,
    /// Packages, and the sources of the pack in which their names stand, wherever the packages themselves define them.
    pub gathers: BTreeMap<String, Vec<String>>,
    /// Packages that are there wherever one of these programs runs.
    pub installed: Vec<String>,
    /// Packages whose version a project may tell, each with the other names that requirements have for it.
    pub versions: BTreeMap<String, Vec<String>>,
    /// Packages that compute with no tensors: what they give is data from outside, whatever they get.
    pub plain: Vec<String>,
    /// Classes with the kinds of their objects: none is of two kinds.
    pub kinds: BTreeMap<String, String>,
    /// The families of tensors that it declares.
    pub tensors: Vec<Family>,
}

impl Manifest {
    /// Reads a manifest; `sources` are the modules that the pack has sources of. All mistakes are returned.
    pub fn parse(path: &Path, text: &str, sources: &[&str]) -> Result<Manifest, Vec<AnnotationError>> {
        let locator = Locator { file: path, source: text };
        let raw: RawManifest = serde_saphyr::from_str(text).map_err(|error| vec![locator.yaml_error(&error)])?;
        let mut errors = Vec::new();
        let is_name = |name: &str| name.chars().any(char::is_alphanumeric) && name.chars().all(is_letter_of_names);
        let invalid = |name: &str| {
            let mistake = Mistake::new(format!("`{name}` is not a valid name of a library pack"));
            mistake.hint("letters, digits, `-`, `_` and `.`")
        };
        for name in [&raw.name].into_iter().chain(raw.needs.iter()).filter(|name| !is_name(&name.value)) {
            errors.push(locator.error(name.referenced, &name.value, invalid(&name.value)));
        }
        let mut kinds = BTreeMap::new();
        for (kind, classes) in &raw.kinds {
            for class in classes.iter() {
                if let Err(mistake) = qualified_name(&class.value) {
                    errors.push(locator.error(class.referenced, &class.value, mistake));
                } else if kinds.insert(class.value.clone(), kind.clone()).is_some() {
                    let mistake = Mistake::new(format!("objects of `{}` are of another kind, too", class.value));
                    errors.push(locator.error(class.referenced, &class.value, mistake));
                }
            }
        }
        for package in raw.follows.iter().chain(raw.installed.iter()).chain(raw.plain.iter()) {
            if let Err(mistake) = qualified_name(&package.value) {
                errors.push(locator.error(package.referenced, &package.value, mistake));
            }
        }
        for package in raw.only_where_missing.iter() {
            let mistake = match qualified_name(&package.value) {
                Err(mistake) => mistake,
                Ok(_) if !package.value.contains('.') => continue,
                Ok(_) => Mistake::new(format!("`{}` is a module, no package", package.value))
                    .hint("a package of which something is missing is missing as a whole"),
            };
            errors.push(locator.error(package.referenced, &package.value, mistake));
        }
        for package in raw.versions.keys().filter(|package| !is_key(package)) {
            let mistake = Mistake::new(format!("`{package}` is no package whose version a project may tell"));
            let mistake =
                mistake.hint("the name of a package that programs import, in small letters: `torch: pytorch`");
            errors.push(locator.error(Location::UNKNOWN, package, mistake));
        }
        let mut gathers = BTreeMap::new();
        for (package, modules) in &raw.gathers {
            for module in modules.iter() {
                let mistake = match qualified_name(package) {
                    Err(mistake) => mistake,
                    Ok(_) if sources.contains(&module.value.as_str()) => continue,
                    Ok(_) => Mistake::near("source", &module.value, sources)
                        .hint_where_none(&format!("the source of a module `m` is the file `{SOURCES}/m.py`")),
                };
                errors.push(locator.error(module.referenced, &module.value, mistake));
            }
            gathers.insert(package.clone(), modules.iter().map(|module| module.value.clone()).collect());
        }
        let follows = raw.follows.iter().map(|package| package.value.clone()).collect();
        let only_where_missing = raw.only_where_missing.iter().map(|package| package.value.clone()).collect();
        let plain = raw.plain.iter().map(|package| package.value.clone()).collect();
        let names = |names: &Texts| names.iter().map(|name| name.value.clone()).collect();
        let versions = raw.versions.iter().map(|(package, others)| (package.clone(), names(others))).collect();
        let installed = raw.installed.iter().map(|package| package.value.clone()).collect();
        let tensors = raw.tensors.iter().filter_map(|(class, raw)| family(class, raw, &locator, &mut errors)).collect();
        let place = |needed: &Text| {
            let mistake = locator.error(needed.referenced, &needed.value, Mistake::new(String::new()));
            mistake.range.unwrap_or_default()
        };
        let needs = raw.needs.iter().map(|needed| (needed.value.clone(), place(needed))).collect();
        let manifest = Manifest {
            name: raw.name.value,
            follows,
            only_where_missing,
            needs,
            gathers,
            installed,
            versions,
            plain,
            kinds,
            tensors,
        };
        if errors.is_empty() { Ok(manifest) } else { Err(errors) }
    }
}

/// Whether a name of a package can stand in a key of the configuration, behind `target-`.
fn is_key(package: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    package.starts_with(|first: char| first.is_ascii_lowercase()) && package.chars().all(is_letter)
}

fn is_letter_of_names(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')
}
