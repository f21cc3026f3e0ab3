//! What library packs say in Python: sources that are read in place of a library's own, like those of an installed package.

use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::{FileId, ShownPath, SourceFile};

/// The sources of a user's packs over the built-in ones. Their files have the last numbers that there are: no corpus and no environment has so many
/// files.
#[derive(Debug, Default)]
pub struct LibrarySources {
    /// Sorted by module.
    sources: Vec<LibrarySource>,
    /// Packages, and the sources in which their names stand, wherever the packages themselves define them.
    gathered: BTreeMap<String, Vec<String>>,
    /// Names that annotations over the sources below describe, so that what these define under them does not count.
    described: BTreeSet<String>,
    /// Packages of which an environment has the real sources: those here do not count.
    left_out: BTreeSet<String>,
    /// The sources that are hidden by one of the same module here, and are there otherwise.
    below: Option<Arc<LibrarySources>>,
    /// The number of the first source's file.
    first: u32,
}

/// The source of a module.
#[derive(Debug)]
pub struct LibrarySource {
    module: String,
    path: PathBuf,
    text: Cow<'static, str>,
    file: OnceLock<SourceFile>,
    read: Reading,
}

/// What a room above made of a source; it is made once, for all who share the sources.
#[derive(Default)]
pub struct Reading(OnceLock<Box<dyn Any + Send + Sync>>);

impl std::fmt::Debug for Reading {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Reading")
    }
}

impl LibrarySource {
    /// The source of a module that is shown under a path.
    pub fn new(
        module: impl Into<String>,
        path: impl Into<PathBuf>,
        text: impl Into<Cow<'static, str>>,
    ) -> LibrarySource {
        let (file, read) = (OnceLock::new(), Reading::default());
        LibrarySource { module: module.into(), path: path.into(), text: text.into(), file, read }
    }

    /// The dotted name of the module.
    pub fn module(&self) -> &str {
        &self.module
    }

    /// The path under which it is shown.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What `make` makes of the source, which must give the same type for every source.
    pub fn read_as<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.read.0.get_or_init(|| Box::new(make())).downcast_ref()
    }
}

impl LibrarySources {
    /// Sources, and packages with the sources in which their names stand, over others. Of two sources of a module the first counts.
    pub fn over(
        below: Option<Arc<LibrarySources>>,
        mut sources: Vec<LibrarySource>,
        gathered: BTreeMap<String, Vec<String>>,
    ) -> LibrarySources {
        sources.sort_by(|left, right| left.module.cmp(&right.module));
        sources.dedup_by(|later, earlier| later.module == earlier.module);
        let end = below.as_ref().map_or(u32::MAX, |below| below.first);
        let first = end.saturating_sub(u32::try_from(sources.len()).unwrap_or(u32::MAX));
        LibrarySources { sources, gathered, described: BTreeSet::new(), left_out: BTreeSet::new(), below, first }
    }

    /// Tells the names that annotations describe: what the sources below define under them does not count.
    #[must_use]
    pub fn with_described(mut self, names: impl IntoIterator<Item = String>) -> LibrarySources {
        self.described.extend(names);
        self
    }

    /// The same without the sources of some packages, which are read from an environment. Files keep their numbers.
    #[must_use]
    pub fn without(self: &Arc<Self>, packages: impl IntoIterator<Item = String>) -> LibrarySources {
        let copy = |source: &LibrarySource| {
            LibrarySource::new(source.module.clone(), source.path.clone(), source.text.clone())
        };
        // The built-in ones are shared; those of a user's packs over them are few.
        let mut sources = match &self.below {
            None => LibrarySources::over(Some(Arc::clone(self)), Vec::new(), BTreeMap::new()),
            Some(below) => {
                let own = self.sources.iter().map(copy).collect();
                LibrarySources::over(Some(Arc::clone(below)), own, self.gathered.clone())
            }
        };
        sources.described.clone_from(&self.described);
        sources.left_out.extend(packages);
        sources
    }

    /// Whether a module is of a package whose sources here do not count.
    fn leaves_out(&self, module: &str) -> bool {
        !self.left_out.is_empty() && self.left_out.contains(module.split('.').next().unwrap_or(module))
    }

    /// Whether a source does not count for a name, as an annotation over it describes the name.
    pub fn hides(&self, id: FileId, qualified: &str) -> bool {
        self.described.contains(qualified) && !self.is_own(id)
    }

    /// The source of a module.
    pub fn module(&self, name: &str) -> Option<FileId> {
        if self.leaves_out(name) {
            return None;
        }
        match self.sources.binary_search_by(|source| source.module.as_str().cmp(name)) {
            Ok(index) => Some(FileId(self.first + u32::try_from(index).ok()?)),
            Err(_) => self.below.as_ref()?.module(name),
        }
    }

    /// The source with a file of that number.
    pub fn source(&self, id: FileId) -> Option<&LibrarySource> {
        let own = id.0.checked_sub(self.first).and_then(|index| self.sources.get(index as usize));
        own.or_else(|| self.below.as_ref()?.source(id))
    }

    /// Whether a file is a source that lies over others: one of a user's pack.
    pub fn is_own(&self, id: FileId) -> bool {
        self.below.is_some() && id.0 >= self.first && id.0 - self.first < self.sources.len() as u32
    }

    /// The file of that number.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        let source = self.source(id)?;
        Some(source.file.get_or_init(|| {
            let (path, shown) = (source.path.clone(), ShownPath::of(&source.path));
            let mut file = SourceFile::new(path, PathBuf::new(), shown, source.text.clone().into_owned(), None);
            file.id = id;
            file
        }))
    }

    /// The sources in which a name of a module or package may stand.
    pub fn sources_of(&self, owner: &str) -> impl Iterator<Item = FileId> {
        let own = self.module(owner);
        // A module that has a source of its own is not asked for in those of the package that it lies in.
        let gathered = match self.gathered.contains_key(owner) || own.is_none() || self.is_gathered_below(owner) {
            true => self.gathered_of(owner).unwrap_or_default(),
            false => &[],
        };
        let own = own.filter(|_| !gathered.iter().any(|source| source == owner));
        own.into_iter().chain(gathered.iter().filter_map(|source| self.module(source)))
    }

    fn is_gathered_below(&self, package: &str) -> bool {
        self.below.as_ref().is_some_and(|below| below.gathered.contains_key(package))
    }

    /// The sources in which the names of the innermost package stand that a module is or lies in.
    fn gathered_of(&self, owner: &str) -> Option<&[String]> {
        if self.leaves_out(owner) {
            return None;
        }
        let mut package = owner;
        loop {
            let below = || self.below.as_deref()?.gathered.get(package);
            if let Some(sources) = self.gathered.get(package).or_else(below) {
                return Some(sources);
            }
            package = package.rsplit_once('.')?.0;
        }
    }

    /// The name under which programs know what a source defines; `None` for files that are none of the sources.
    pub fn public_name(&self, file: FileId, name: &str) -> Option<String> {
        let module = self.source(file)?.module.as_str();
        let all = self.gathered.iter().chain(self.below.iter().flat_map(|below| &below.gathered));
        let mut all = all.filter(|(_, sources)| sources.iter().any(|source| source == module));
        let owner = all.next().map_or(module, |(package, _)| package);
        Some(format!("{owner}.{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builtin() -> Arc<LibrarySources> {
        let sources = ["itertools", "vision._families", "vision.extraction"]
            .map(|module| LibrarySource::new(module, format!("python/{module}.py"), "x = 1\n"));
        let gathered = BTreeMap::from([("vision".to_owned(), vec!["vision._families".to_owned()])]);
        Arc::new(LibrarySources::over(None, sources.into(), gathered))
    }

    #[test]
    fn a_source_is_found_by_its_module_and_its_number() {
        let sources = builtin();
        let file = sources.module("itertools").and_then(|id| sources.file(id)).expect("a source");
        assert_eq!((file.display_path.as_str(), file.text.as_str()), ("python/itertools.py", "x = 1\n"));
        assert_eq!(sources.public_name(file.id, "chain").as_deref(), Some("itertools.chain"));
        assert_eq!((sources.module("vision"), sources.public_name(FileId(0), "x")), (None, None));
    }

    #[test]
    fn the_names_of_a_package_stand_in_the_sources_that_gather_them() {
        let sources = builtin();
        let modules = |owner: &str| -> Vec<&str> {
            sources.sources_of(owner).map(|id| sources.source(id).expect("a source").module()).collect()
        };
        assert_eq!(modules("vision.resnet"), ["vision._families"]);
        // A module with a source of its own has no names of the package around it.
        assert_eq!(modules("vision.extraction"), ["vision.extraction"]);
        let family = sources.module("vision._families").expect("a source");
        assert_eq!(sources.public_name(family, "resnet").as_deref(), Some("vision.resnet"));
    }

    #[test]
    fn a_package_that_is_left_out_has_no_sources_and_others_keep_their_numbers() {
        let own = vec![LibrarySource::new("acme.waves", "waves.py", ""), LibrarySource::new("other", "other.py", "")];
        let gathered = BTreeMap::from([("acme".to_owned(), vec!["acme.waves".to_owned()])]);
        let all = Arc::new(LibrarySources::over(Some(builtin()), own, gathered));
        let rest = all.without(["acme".to_owned()]);
        assert_eq!(rest.module("acme.waves"), None);
        assert_eq!(rest.sources_of("acme").count(), 0);
        assert_eq!((rest.module("other"), all.sources_of("acme").count()), (all.module("other"), 1));
    }

    #[test]
    fn a_source_hides_one_of_the_same_module_below() {
        let own = ["acme", "itertools"].map(|module| LibrarySource::new(module, format!("own/{module}.py"), "y = 1\n"));
        let sources = LibrarySources::over(Some(builtin()), own.into(), BTreeMap::new());
        let path = |module: &str| sources.module(module).and_then(|id| sources.file(id)).map(|it| &*it.display_path);
        assert_eq!(path("itertools"), Some("own/itertools.py"));
        assert_eq!(path("vision.extraction"), Some("python/vision.extraction.py"));
        assert_eq!(sources.sources_of("vision.resnet").count(), 1);
    }

    #[test]
    fn what_is_made_of_a_source_is_made_once() {
        let source = LibrarySource::new("a", "a.py", "");
        assert_eq!(source.read_as(|| 1), Some(&1));
        assert_eq!(source.read_as(|| 2), Some(&1));
    }
}
