//! All annotations by qualified name: the built-in entries and a user's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::builtin::Tables;
use super::error::{AnnotationError, Locator, Mistake};
use super::lower::{lower_entry, name_with_parameter, qualified_name, version};
use super::raw::{RawEntry, RawFile};
use super::spec::{ApiKind, ApiSpec, Behaviour, ClassSpec, ConstantSpec, Entry};
use super::versions::{Absence, Lifetime, Target};
use crate::call_forms::{CallForms, parse_form};
use harp_shape::{Families, Family};

/// The library knowledge of an analysis. Built-in entries are decoded when they are first asked for.
#[derive(Debug, Default)]
pub struct Library {
    builtin: &'static Tables,
    /// A user's entries; they hide built-in ones of the same name.
    entries: Vec<Entry>,
    index: BTreeMap<Box<str>, usize>,
    /// Whether somebody asked for them.
    asked: Vec<AtomicBool>,
    stated: Vec<Stated>,
    modules: Vec<Box<str>>,
    /// Modules that are read where an environment has their sources.
    sources: Vec<Box<str>>,
    /// Packages of which a user's packs say enough.
    followed: Vec<Box<str>>,
    module_aliases: Vec<(Box<str>, Box<str>)>,
    /// When APIs of a user's files came and went.
    lifetimes: BTreeMap<Box<str>, Lifetime>,
    /// The forms in which the APIs of a user's files may be called.
    calls: BTreeMap<Box<str>, CallForms>,
    /// The transfer functions that there are; where none are told, every name will do.
    transfers: Vec<&'static str>,
    /// Those that packs declare; a user's come after the built-in ones.
    families: Families,
    /// The kinds of objects by class, as a user's packs tell them.
    kinds: BTreeMap<Box<str>, Box<str>>,
    /// Packages that are there in any case, as a user's packs tell it.
    installed: Vec<Box<str>>,
    /// Packages that compute with no tensors, as a user's packs tell it.
    plain: Vec<Box<str>>,
    /// The versions that the project runs with, by library; of a library that is not here every version is possible.
    targets: BTreeMap<Box<str>, Target>,
}

/// What kind of value an object is. No object is of two kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind<'l> {
    /// A tensor of a family.
    Tensor(Family),
    /// The sizes of a tensor, a tuple.
    Sizes,
    /// A module with parameters.
    Module,
    /// One that a manifest names.
    Named(&'l str),
}

/// Something of which a user's file speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The file.
    pub file: PathBuf,
    /// The name of an API, or of a module.
    pub name: Box<str>,
    /// The entry that describes it; what has none changes how other entries are read.
    entry: Option<usize>,
}

/// How far base classes and module aliases are followed.
const DEEPEST_CHAIN: usize = 16;

impl Library {
    /// The built-in entries alone.
    pub fn of(builtin: &'static Tables) -> Library {
        Library { builtin, families: builtin.families(), ..Library::default() }
    }

    /// The built-in entries and those of a user's files, each with its text. All mistakes in all files are returned. `transfers` are the
    /// transfer functions that entries may name.
    pub fn with_user_files(
        builtin: &'static Tables,
        files: &[(PathBuf, String)],
        transfers: impl IntoIterator<Item = &'static str>,
    ) -> Result<Library, Vec<AnnotationError>> {
        let mut library = Library { transfers: transfers.into_iter().collect(), ..Library::of(builtin) };
        let mut errors = Vec::new();
        for (path, source) in files {
            library.add_file(path, source, &mut errors);
        }
        if errors.is_empty() { Ok(library) } else { Err(errors) }
    }

    /// Tells the versions that the project runs with.
    #[must_use]
    pub fn with_targets(mut self, targets: impl IntoIterator<Item = (Box<str>, Target)>) -> Library {
        self.targets.extend(targets);
        self
    }

    /// Tells packages that packs of the user's follow: their own sources are not read.
    #[must_use]
    pub fn with_followed<'a>(mut self, packages: impl IntoIterator<Item = &'a str>) -> Library {
        self.followed.extend(packages.into_iter().map(Box::from));
        self
    }

    /// Tells families of tensors that packs of the user's declare; one of a class that is declared already takes its place.
    #[must_use]
    pub fn with_families(mut self, families: impl IntoIterator<Item = Family>) -> Library {
        let own: Vec<Family> = families.into_iter().collect();
        let kept = self.families.iter().filter(|known| own.iter().all(|family| family.class() != known.class()));
        self.families = Families::new(kept.chain(own.iter().copied()).collect::<Vec<_>>());
        self
    }

    /// Tells the kinds of objects, by class, and the packages that are there in any case, as packs of the user's have them.
    #[must_use]
    pub fn with_kinds_and_installed<'a>(
        mut self,
        kinds: impl IntoIterator<Item = (&'a str, &'a str)>,
        installed: impl IntoIterator<Item = &'a str>,
    ) -> Library {
        self.kinds.extend(kinds.into_iter().map(|(class, kind)| (class.into(), kind.into())));
        self.installed.extend(installed.into_iter().map(Box::from));
        self
    }

    /// What kind of value the objects of a library's class are. No object is of two kinds: that of a family of tensors, that of modules, or one
    /// that a manifest tells.
    pub fn kind_of_objects(&self, class: &str) -> Option<ObjectKind<'_>> {
        let is_of = |family: &Family| {
            let rules = family.rules();
            *rules.class == *class || rules.parameters.iter().any(|known| **known == *class)
        };
        if let Some(family) = self.families.iter().find(is_of) {
            return Some(ObjectKind::Tensor(family));
        }
        if self.families.iter().any(|family| family.rules().sizes.as_deref() == Some(class)) {
            return Some(ObjectKind::Sizes);
        }
        let own = self.kinds.get(class).map(|kind| &**kind);
        match own.or_else(|| self.builtin.kind(class)) {
            Some(kind) => Some(ObjectKind::Named(kind)),
            None => self.class(class).filter(|spec| spec.is_module).map(|_| ObjectKind::Module),
        }
    }

    /// Tells the packages that compute with no tensors, as packs of the user's have them.
    #[must_use]
    pub fn with_plain<'a>(mut self, plain: impl IntoIterator<Item = &'a str>) -> Library {
        self.plain.extend(plain.into_iter().map(Box::from));
        self
    }

    /// Whether a name is of a package that computes with no tensors.
    pub fn is_plain(&self, name: &str) -> bool {
        let is_of =
            |package: &str| name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.plain.iter().any(|package| is_of(package)) || self.builtin.plain.iter().any(|package| is_of(package))
    }

    /// Whether a package is there wherever one of the analysed programs runs.
    pub fn is_installed(&self, package: &str) -> bool {
        self.installed.iter().any(|known| **known == *package) || self.builtin.installed.contains(&package)
    }

    /// Whether the functions of a package take tensors or arrays.
    pub fn is_of_tensors(&self, package: &str) -> bool {
        let top_level = |module: &str| module.split('.').next() == Some(package);
        let declares = |family: Family| {
            let rules = family.rules();
            !rules.is_picture && rules.of.iter().any(|module| top_level(module))
        };
        self.builtin.of_tensors.contains(&package) || self.families.iter().any(declares)
    }

    /// Whether a method of a class or of its bases is called with the class in place of an object.
    pub fn is_class_method(&self, class: &str, name: &str) -> bool {
        self.is_class_method_within(class, name, DEEPEST_CHAIN)
    }

    fn is_class_method_within(&self, class: &str, name: &str, depth: usize) -> bool {
        let (Some(spec), Some(depth)) = (self.class(class), depth.checked_sub(1)) else { return false };
        spec.class_methods.iter().any(|known| **known == *name)
            || spec.bases.iter().any(|base| self.is_class_method_within(base, name, depth))
    }

    /// The families of tensors that packs declare.
    pub fn families(&self) -> &Families {
        &self.families
    }

    /// Whether the project says with which versions of any library it runs.
    pub fn has_targets(&self) -> bool {
        !self.targets.is_empty()
    }

    /// The versions with which the project runs of the library that `name` belongs to, where it states them.
    pub fn target(&self, name: &str) -> Option<&Target> {
        if self.targets.is_empty() {
            return None;
        }
        self.targets.get(name.split('.').next().unwrap_or(name))
    }

    /// Why no version that the project runs with has an API; `None` where one has it. `spec` is its description.
    pub fn absence(&self, name: &str, spec: Option<&ApiSpec>) -> Option<Absence> {
        let target = self.target(name)?;
        if let Some(absence) = spec.and_then(|spec| target.lacks(&spec.lifetime)) {
            return Some(absence);
        }
        self.outside_lifetime(name, target)
    }

    /// Why no version that the project runs with has a keyword of an API; `None` where one has it.
    pub fn keyword_absence(&self, api: &str, keyword: &str) -> Option<Absence> {
        let target = self.target(api)?;
        self.outside_lifetime(&format!("{api}({keyword})"), target)
    }

    /// Compares what the files say under `versions` of an API, or of `api(parameter)`, with a target.
    fn outside_lifetime(&self, key: &str, target: &Target) -> Option<Absence> {
        if let Some(lifetime) = self.lifetimes.get(key) {
            return target.lacks(lifetime);
        }
        let (since, until) = self.builtin.lifetime(key)?;
        let text = |text: &str| (!text.is_empty()).then(|| Box::from(text));
        target.lacks(&Lifetime { since: text(since), until: text(until) })
    }

    /// Whether the newest version no longer has an API.
    pub fn is_removed(&self, name: &str) -> bool {
        match self.lifetimes.get(name) {
            Some(lifetime) => lifetime.until.is_some(),
            None => self.builtin.lifetime(name).is_some_and(|(_, until)| !until.is_empty()),
        }
    }

    /// The version since which a library no longer has a name, where the project may run with that version or a newer one: it is bound to no
    /// older one.
    pub fn gone_since(&self, name: &str) -> Option<String> {
        let lifetime = match self.lifetimes.get(name) {
            Some(lifetime) => lifetime.clone(),
            None => {
                let (since, until) = self.builtin.lifetime(name)?;
                let text = |text: &str| (!text.is_empty()).then(|| Box::from(text));
                Lifetime { since: text(since), until: text(until) }
            }
        };
        let until = lifetime.until.as_deref()?.to_owned();
        match self.target(name) {
            Some(target) if target.ends() && !matches!(target.lacks(&lifetime), Some(Absence::Removed(_))) => None,
            _ => Some(until),
        }
    }

    /// The forms in which an API may be called, where a file tells them; they are those of the newest version, and say nothing to a
    /// project that is bound to older ones.
    pub fn call_forms(&self, name: &str) -> Option<CallForms> {
        if self.target(name).is_some_and(Target::ends) {
            return None;
        }
        match self.calls.get(name) {
            Some(forms) => Some(forms.clone()),
            None if self.index.contains_key(name) => None,
            None => self.builtin.call_forms(name),
        }
    }

    /// Adds the entries of one file.
    pub fn add_file(&mut self, path: &Path, source: &str, errors: &mut Vec<AnnotationError>) {
        let locator = Locator { file: path, source };
        let mut file: RawFile = match serde_saphyr::from_str(source) {
            Ok(file) => file,
            Err(error) => {
                errors.push(locator.yaml_error(&error));
                return;
            }
        };
        let described = (!file.is_of_versions_alone()).then(|| file.library.clone());
        file.distribute();
        let names = described.iter().chain(file.modules.iter());
        for name in names {
            match qualified_name(&name.value) {
                Ok(name) => self.modules.push(name),
                Err(mistake) => errors.push(locator.error(name.referenced, &name.value, mistake)),
            }
        }
        for name in file.sources.iter() {
            match qualified_name(&name.value) {
                Ok(name) => {
                    self.state(path, &name, None);
                    self.sources.push(name);
                }
                Err(mistake) => errors.push(locator.error(name.referenced, &name.value, mistake)),
            }
        }
        for (alias, target) in &file.module_aliases {
            self.state(path, alias, None);
            match qualified_name(&target.value) {
                Ok(target) => self.module_aliases.push((alias.as_str().into(), target)),
                Err(mistake) => errors.push(locator.error(target.referenced, &target.value, mistake)),
            }
        }
        for (number, changes) in &file.versions {
            if let Err(mistake) = version(number) {
                errors.push(locator.error(changes.referenced, "", mistake));
            }
            let added = changes.value.added.iter().map(|name| (name, true));
            for (name, is_new) in added.chain(changes.value.removed.iter().map(|name| (name, false))) {
                match name_with_parameter(&name.value) {
                    Ok(qualified) => {
                        self.state(path, qualified.split('(').next().unwrap_or(&qualified), None);
                        let lifetime = self.lifetimes.entry(qualified).or_default();
                        let bound = if is_new { &mut lifetime.since } else { &mut lifetime.until };
                        *bound = Some(number.as_str().into());
                    }
                    Err(mistake) => errors.push(locator.error(name.referenced, &name.value, mistake)),
                }
            }
        }
        for (name, written) in &file.calls {
            let mut known = CallForms::default();
            for (keyword, parameter) in &file.keywords {
                known.keywords.push((keyword.as_str().into(), parameter.value.as_str().into()));
            }
            for form in written.iter() {
                match parse_form(&form.value) {
                    Ok(form) => known.forms.push(form),
                    Err(mistake) => errors.push(locator.error(form.referenced, &form.value, mistake)),
                }
            }
            self.state(path, name, None);
            self.calls.insert(name.as_str().into(), known);
        }
        for raw in &file.apis {
            check_transfers(&raw.value, &self.transfers, &locator, errors);
            let Some(entry) = lower_entry(raw, &locator, errors) else { continue };
            let first = self.entries.len();
            self.entries.extend(entry.names().iter().map(|name| entry.clone().under(name)));
            let named = entry.names().iter().enumerate().map(|(number, name)| (first + number, name));
            for (number, name) in named.chain(entry.aliases().iter().map(|alias| (first, alias))) {
                self.state(path, name, Some(number));
                if self.index.insert(name.clone(), number).is_some() {
                    let mistake = Mistake::new(format!("`{name}` is described twice"))
                        .hint("one entry a name; remove one of them");
                    errors.push(locator.error(raw.referenced, "", mistake));
                }
            }
        }
    }

    fn state(&mut self, file: &Path, name: &str, entry: Option<usize>) {
        self.asked.resize_with(self.entries.len(), AtomicBool::default);
        self.stated.push(Stated { file: file.to_owned(), name: name.into(), entry });
    }

    /// What the user's files speak of, in their order.
    pub fn stated(&self) -> &[Stated] {
        &self.stated
    }

    /// What a user's files leave to sources in Python, by the name that has to be defined there: for a member of a class that of the class.
    pub fn left_to_sources(&self) -> impl Iterator<Item = (&Stated, String)> {
        let is_left = |spec: &ApiSpec| matches!(spec.behaviour, Behaviour::Source);
        self.stated.iter().filter_map(move |stated| {
            let entry = self.entries.get(stated.entry?)?;
            let name = match entry {
                Entry::Api(spec) if is_left(spec) => spec.qualified_name.to_string(),
                Entry::Class(spec) if is_left(&spec.constructor) || spec.call.as_ref().is_some_and(is_left) => {
                    spec.qualified_name.to_string()
                }
                _ => return None,
            };
            Some((stated, name))
        })
    }

    /// Whether the analysis read what a user's file states.
    pub fn has_read(&self, stated: &Stated) -> bool {
        let asked = |number| self.asked.get(number).is_some_and(|asked: &AtomicBool| asked.load(Ordering::Relaxed));
        stated.entry.is_none_or(asked)
    }

    /// The entry of a qualified name, through aliases of entries and of modules.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        if let Some(entry) = self.exact(name) {
            return Some(entry);
        }
        let mut name = self.renamed(name)?;
        for _ in 0..DEEPEST_CHAIN {
            if let Some(entry) = self.exact(&name) {
                return Some(entry);
            }
            name = self.renamed(&name)?;
        }
        None
    }

    fn exact(&self, name: &str) -> Option<&Entry> {
        match self.index.get(name) {
            Some(number) => {
                if let Some(asked) = self.asked.get(*number) {
                    asked.store(true, Ordering::Relaxed);
                }
                self.entries.get(*number)
            }
            None => self.builtin.entry(name),
        }
    }

    /// A function, or a method by its class's qualified name.
    pub fn function(&self, name: &str) -> Option<&ApiSpec> {
        match self.entry(name)? {
            Entry::Api(spec) if spec.kind == ApiKind::Function => Some(spec),
            _ => None,
        }
    }

    /// A class, by any of its names.
    pub fn class(&self, name: &str) -> Option<&ClassSpec> {
        match self.entry(name)? {
            Entry::Class(spec) => Some(spec),
            _ => None,
        }
    }

    /// A constant, by any of its names.
    pub fn constant(&self, name: &str) -> Option<&ConstantSpec> {
        match self.entry(name)? {
            Entry::Constant(spec) => Some(spec),
            _ => None,
        }
    }

    /// A method of a class or of its bases. The first parameter of a method with an entry of its own is the receiver; one that
    /// stands in its class's entry ([`ClassSpec::method`]) has no receiver among its parameters.
    pub fn method(&self, class: &str, name: &str) -> Option<&ApiSpec> {
        self.member(class, name, ApiKind::Function, DEEPEST_CHAIN)
    }

    /// A property of a class or of its bases. Its only parameter is the receiver.
    pub fn property(&self, class: &str, name: &str) -> Option<&ApiSpec> {
        self.member(class, name, ApiKind::Property, DEEPEST_CHAIN)
    }

    fn member(&self, class: &str, name: &str, kind: ApiKind, depth: usize) -> Option<&ApiSpec> {
        let spec = self.class(class);
        if let Some(method) = spec.and_then(|spec| spec.method(name)).filter(|method| method.kind == kind) {
            return Some(method);
        }
        let class = spec.map_or(class, |spec| &spec.qualified_name);
        if let Some(Entry::Api(api)) = self.entry(&format!("{class}.{name}"))
            && api.kind == kind
        {
            return Some(api);
        }
        let depth = depth.checked_sub(1)?;
        spec?.bases.iter().find_map(|base| self.member(base, name, kind, depth))
    }

    /// Whether `name` is a known module.
    pub fn module(&self, name: &str) -> bool {
        let known =
            |module: &str| module == name || module.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        self.modules.iter().any(|module| known(module))
            || self.builtin.modules.iter().copied().any(known)
            || self.aliases().any(|(pattern, _)| match_module(pattern, name) == Some(""))
    }

    /// The packages of which something is annotated, and those that packs follow without.
    pub fn packages(&self) -> Vec<String> {
        let own = self.modules.iter().chain(&self.followed).map(|module| &**module);
        let builtin = self.builtin.modules.iter().chain(self.builtin.follows).copied();
        let top_level = |module: &str| module.split('.').next().unwrap_or(module).to_owned();
        let mut packages: Vec<String> = own.chain(builtin).map(top_level).collect();
        packages.sort();
        packages.dedup();
        packages
    }

    /// The modules of annotated packages that are read where an environment has their sources, each with those below it.
    pub fn sources(&self) -> Vec<String> {
        let own = self.sources.iter().map(|module| &**module);
        own.chain(self.builtin.sources.iter().copied()).map(str::to_owned).collect()
    }

    fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.module_aliases.iter().map(|(alias, target)| (&**alias, &**target));
        own.chain(self.builtin.module_aliases.iter().chain(self.builtin.module_patterns).copied())
    }

    /// The names that a name stands for, one after the other, where its module or one that it lies in is an alias.
    pub fn other_names(&self, name: &str) -> impl Iterator<Item = String> {
        std::iter::successors(self.renamed(name), |name| self.renamed(name)).take(DEEPEST_CHAIN)
    }

    /// The name with the alias of its module replaced; of several that fit, the longest decides.
    fn renamed(&self, name: &str) -> Option<String> {
        let builtin = self.builtin.aliases_that_may_fit(name);
        let aliases = self.module_aliases.iter().map(|(alias, target)| (&**alias, &**target)).chain(builtin);
        let fitting = aliases.filter_map(|(pattern, target)| match match_module(pattern, name)? {
            "" => None,
            rest => Some((rest, target)),
        });
        let (rest, target) = fitting.min_by_key(|(rest, _)| rest.len())?;
        Some(format!("{target}.{rest}"))
    }

    /// The names that a module defines, as far as there are annotations, for `from module import *`.
    pub fn members(&self, module: &str) -> Vec<&str> {
        let prefix = format!("{module}.");
        let own = self.index.keys().map(|name| &**name);
        let builtin = self.builtin.index.iter().map(|(name, _)| *name);
        let mut members: Vec<&str> = own
            .chain(builtin)
            .filter_map(|name| name.strip_prefix(prefix.as_str()))
            .filter(|member| !member.contains('.') && !member.starts_with('_'))
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The names that a user's files describe, aliases too.
    pub fn own_names(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(|name| &**name)
    }

    /// The names under which entries are found, aliases too. Methods in the description of their class have none.
    pub fn entry_names(&self) -> impl Iterator<Item = &str> {
        self.own_names().chain(self.builtin.index.iter().map(|(name, _)| *name))
    }

    /// Every entry under each of its names, without aliases; a user's first.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let builtin = self.builtin.index.iter().enumerate().filter_map(|(position, (name, _))| -> Option<&Entry> {
            self.builtin.decoded(position).filter(|entry| entry.names().iter().any(|known| **known == **name))
        });
        self.entries.iter().chain(builtin)
    }
}

/// Reports names of transfer functions that do not exist.
fn check_transfers(entry: &RawEntry, known: &[&str], locator: &Locator<'_>, errors: &mut Vec<AnnotationError>) {
    if let Some(text) = &entry.transfer
        && !known.is_empty()
        && !known.contains(&text.value.as_str())
    {
        let near = Mistake::near("transfer function", &text.value, known)
            .hint_where_none("`cargo test --test it annotations -- --nocapture` prints them all");
        errors.push(locator.error(text.referenced, &text.value, near));
    }
    for nested in entry.call.as_deref().into_iter().chain(entry.methods.values()) {
        check_transfers(&nested.value, known, locator, errors);
    }
}

/// What follows the module in `name`, where the module matches `pattern`, in which `*` stands for one component.
fn match_module<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    // Every name that a program mentions is compared with every pattern, so this looks at each byte once.
    let mut rest = name.as_bytes();
    for byte in pattern.bytes() {
        if byte == b'*' {
            rest = &rest[rest.iter().position(|byte| *byte == b'.').unwrap_or(rest.len())..];
        } else {
            rest = rest.strip_prefix(&[byte])?;
        }
    }
    match rest {
        [] => Some(""),
        [b'.', ..] => name.get(name.len() - rest.len() + 1..),
        _ => None,
    }
}
