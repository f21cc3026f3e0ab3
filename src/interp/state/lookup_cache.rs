//! Interpreter state, caches: what was looked up in the library before. Annotations do not change while a program is
//! analysed, so an answer stays right.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::api::registry;
use crate::judge::bound_elsewhere::{BoundElsewhere, LocalNames};
use crate::judge::named_classes::NamedClasses;
use crate::judge::surroundings::Surroundings;
use crate::state::interpreter::Interpreter;
use crate::values::builtin_names;
use crate::values::value::Value;
use harp_annotations::{ApiKind, ApiSpec, ClassSpec, Entry, Library};
use harp_corpus::FileId;
use harp_operations::{self, Transfer};
use harp_python::name::Name;
use harp_python::names_bound_in;
use harp_shape::Family;

/// An API with its description, or a keyword of it.
type ApiOrKeyword = (Name, Option<*const ApiSpec>, Option<Name>);

/// Answers by class, or by class and member.
#[derive(Default)]
pub struct Lookups<'p> {
    entries: RefCell<FxHashMap<Name, Option<&'p Entry>>>,
    without_length: RefCell<FxHashMap<Name, bool>>,
    ancestors: RefCell<FxHashMap<Name, Rc<[Name]>>>,
    qualified: RefCell<FxHashMap<(Name, Name), Name>>,
    methods: RefCell<FxHashMap<(Name, Name), Option<&'p ApiSpec>>>,
    listed_methods: RefCell<FxHashMap<(Name, Name), bool>>,
    properties: RefCell<FxHashMap<(Name, Name), Option<&'p ApiSpec>>>,
    method_handlers: RefCell<FxHashMap<Name, Option<crate::api::library_model::MethodHandler>>>,
    call_handlers: RefCell<FxHashMap<Name, Option<crate::api::library_model::MethodHandler>>>,
    /// What names of a library stand for that are functions and classes of it, whatever the program did before.
    plain: RefCell<FxHashMap<Name, Name>>,
    transfers: RefCell<FxHashMap<*const ApiSpec, Option<Transfer>>>,
    parameters: RefCell<FxHashMap<*const ApiSpec, Rc<[Name]>>>,
    functions: RefCell<FxHashMap<Name, bool>>,
    removed: RefCell<FxHashMap<Name, bool>>,
    absent: RefCell<FxHashMap<ApiOrKeyword, bool>>,
    builtins: RefCell<FxHashMap<Name, Option<Value>>>,
    /// The names that the modules of files bind, where all are known.
    bound: RefCell<FxHashMap<FileId, Option<Rc<FxHashSet<Name>>>>>,
    /// What all files say of names that modules get from elsewhere.
    pub(crate) elsewhere: OnceCell<BoundElsewhere<'p>>,
    /// Which classes the texts of all files name.
    pub(crate) named_classes: OnceCell<NamedClasses<'p>>,
    /// The variables of the functions of files.
    pub(crate) locals: RefCell<FxHashMap<FileId, Option<Rc<LocalNames>>>>,
    /// Which names some text gives back to a library that has them no more.
    pub(crate) put_back: RefCell<FxHashMap<Name, bool>>,
    /// Which attributes some text sets.
    pub(crate) set_somewhere: RefCell<FxHashMap<Name, bool>>,
    /// What files say of where they run.
    pub(crate) surroundings: RefCell<FxHashMap<FileId, Option<Rc<Surroundings>>>>,
    /// Whether files work with the arrays of a framework that is not annotated, and not with those of PyTorch.
    other_arrays: RefCell<FxHashMap<FileId, bool>>,
    /// Of which families APIs make tensors.
    families: RefCell<FxHashMap<Name, Option<Family>>>,
    /// Which classes stand in sources of packs.
    classes_in_sources: RefCell<FxHashMap<Name, bool>>,
    /// Of which families the program mentions a word that says of which types their tensors may be.
    mentioned_families: RefCell<FxHashMap<Family, bool>>,
    /// The libraries of which families the program imports.
    used_families: RefCell<FxHashMap<Family, bool>>,
    /// Which families are assumed in files.
    assumed_families: RefCell<FxHashMap<FileId, Family>>,
    /// Which modules files import, by the starts of their lines.
    imported: RefCell<FxHashMap<FileId, Rc<[Box<str>]>>>,
    /// Owner and member of a qualified name.
    parts: RefCell<FxHashMap<Name, (Name, Name)>>,
}

impl Lookups<'_> {
    pub(crate) fn plain(&self, used: Name) -> Option<Name> {
        self.plain.borrow().get(&used).copied()
    }

    pub(crate) fn note_plain(&self, used: Name, meant: Name) {
        self.plain.borrow_mut().insert(used, meant);
    }
}

pub(crate) fn remembered<K: Copy + Eq + std::hash::Hash, V: Clone>(
    known: &RefCell<FxHashMap<K, V>>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    if let Some(value) = known.borrow().get(&key) {
        return value.clone();
    }
    let value = find();
    known.borrow_mut().insert(key, value.clone());
    value
}

/// Frameworks with arrays of their own whose methods are called as those of PyTorch and do other things.
const OTHER_FRAMEWORKS: [&str; 5] = ["chainer", "megengine", "mindspore", "mxnet", "oneflow"];

impl<'p> Interpreter<'p> {
    /// Whether a file works with the arrays of a framework that is not annotated, and not with those of PyTorch.
    pub(crate) fn has_other_arrays(&self, file: FileId) -> bool {
        remembered(&self.caches.lookups.other_arrays, file, || {
            let Some(text) = self.corpus.file(file).map(|file| &file.text) else { return false };
            let is_known = |name: &str| self.families().made_by(name).is_some();
            let mut others = OTHER_FRAMEWORKS.iter().filter(|name| !is_known(name));
            let usual = || self.families().usual().rules().of.iter().any(|package| self.file_imports(file, package));
            others.any(|name| text.contains(name) && self.file_imports(file, name)) && !usual()
        })
    }

    /// Whether a line of a file begins with an import of a package, or of a module in it.
    pub(crate) fn file_imports(&self, file: FileId, package: &str) -> bool {
        let imported = remembered(&self.caches.lookups.imported, file, || self.modules_at_line_starts(file));
        let is_of =
            |module: &str| module.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        imported.iter().any(|module| is_of(module))
    }

    /// The modules of each line that begins with an import: conditional ones, too, and those of code that is not read.
    fn modules_at_line_starts(&self, file: FileId) -> Rc<[Box<str>]> {
        let Some(text) = self.corpus.file(file).map(|file| &file.text) else { return Rc::default() };
        let mut modules: Vec<Box<str>> = Vec::new();
        for (at, _) in text.match_indices("import ") {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let first_word = |text: &str| text.split_whitespace().next().map(Box::from);
            match text[line..at].trim_start() {
                "" => {
                    let rest = text[at + "import ".len()..].split(['\n', ';', '#']).next().unwrap_or_default();
                    modules.extend(rest.split(',').filter_map(first_word));
                }
                before => modules.extend(before.strip_prefix("from ").and_then(first_word)),
            }
        }
        modules.sort_unstable();
        modules.dedup();
        Rc::from(modules)
    }

    /// What `make` finds to be the family of which an API makes tensors.
    pub(crate) fn remembered_family(&self, api: Name, make: impl FnOnce() -> Option<Family>) -> Option<Family> {
        remembered(&self.caches.lookups.families, api, make)
    }

    /// Whether `make` finds that a class stands in a source of a pack.
    pub(crate) fn remembered_class_in_source(&self, class: Name, make: impl FnOnce() -> bool) -> bool {
        remembered(&self.caches.lookups.classes_in_sources, class, make)
    }

    /// Whether `make` finds that the program mentions a word of a family.
    pub(crate) fn remembered_mention(&self, family: Family, make: impl FnOnce() -> bool) -> bool {
        remembered(&self.caches.lookups.mentioned_families, family, make)
    }

    /// Whether any file of the program imports a library of a family.
    pub(crate) fn is_in_use(&self, family: Family) -> bool {
        let packages = || family.rules().of.iter().map(|module| module.split('.').next().unwrap_or(module));
        remembered(&self.caches.lookups.used_families, family, || {
            let files = &self.corpus.files;
            files.iter().any(|file| packages().any(|package| self.file_imports(file.id, package)))
        })
    }

    /// What `make` finds to be the family that is assumed in a file.
    pub(crate) fn remembered_assumption(&self, file: FileId, make: impl FnOnce() -> Family) -> Family {
        remembered(&self.caches.lookups.assumed_families, file, make)
    }

    /// The annotation of a qualified name.
    pub fn library_entry(&self, name: Name) -> Option<&'p Entry> {
        let library: &'p Library = self.library;
        remembered(&self.caches.lookups.entries, name, || library.entry(name.as_str()))
    }

    /// The annotation of a function, or of a method by its class's qualified name.
    pub fn library_function(&self, name: Name) -> Option<&'p ApiSpec> {
        match self.library_entry(name)? {
            Entry::Api(spec) if spec.kind == ApiKind::Function => Some(spec),
            _ => None,
        }
    }

    pub fn library_class(&self, name: Name) -> Option<&'p ClassSpec> {
        match self.library_entry(name)? {
            Entry::Class(spec) => Some(spec),
            _ => None,
        }
    }

    /// Whether a class of a library is known to have neither a length nor a truth of its own, so that its instances are true.
    pub(crate) fn has_no_length(&self, class: Name) -> bool {
        remembered(&self.caches.lookups.without_length, class, || {
            let bases = self.ancestors(class);
            let has = |base: &Name, method: &str| {
                registry::method(self.models, &format!("{base}.{method}")).is_some()
                    || self.library.method(base.as_str(), method).is_some()
            };
            bases.iter().all(|base| self.library_class(*base).is_some())
                && !["__bool__", "__len__"].iter().any(|method| bases.iter().any(|base| has(base, method)))
        })
    }

    /// The library classes that a library class is or derives from, nearest first.
    pub fn ancestors(&self, class: Name) -> Rc<[Name]> {
        remembered(&self.caches.lookups.ancestors, class, || {
            let mut found = Vec::new();
            crate::api::dispatch::ancestors(self.library, class, &mut found);
            Rc::from(found)
        })
    }

    /// `owner.member`
    pub fn qualified(&self, owner: Name, member: Name) -> Name {
        remembered(&self.caches.lookups.qualified, (owner, member), || Name::new(&format!("{owner}.{member}")))
    }

    /// What stands before the last dot of a qualified name, and what behind it.
    pub fn owner_and_member(&self, api: Name) -> (Name, Name) {
        remembered(&self.caches.lookups.parts, api, || {
            let (owner, member) = api.as_str().rsplit_once('.').unwrap_or((api.as_str(), ""));
            (Name::new(owner), Name::new(member))
        })
    }

    /// Whether the module of the running code may give a name a value somewhere.
    pub(crate) fn may_be_defined(&self, name: Name) -> bool {
        self.file_may_define(self.file(), name)
    }

    /// Whether the module of a file may give a name a value somewhere.
    pub(crate) fn file_may_define(&self, file: FileId, name: Name) -> bool {
        let bound = remembered(&self.caches.lookups.bound, file, || {
            let text = self.corpus.file(file).map_or("", |file| &file.text);
            names_bound_in(self.project, self.project.module_of_file(file), text).map(Rc::new)
        });
        // In a class, `global __name` declares `_Class__name`.
        let private = name.as_str().strip_prefix('_').and_then(|rest| Some(&rest[rest.find("__")?..])).map(Name::new);
        bound.is_none_or(|bound| bound.contains(&name) || private.is_some_and(|name| bound.contains(&name)))
    }

    /// The value of a built-in name.
    pub fn builtin(&self, name: Name) -> Option<Value> {
        remembered(&self.caches.lookups.builtins, name, || builtin_names::lookup(name))
    }

    /// Whether a name is that of a function that the project's version of its library has.
    pub fn is_function(&self, name: Name) -> bool {
        let library = self.library;
        remembered(&self.caches.lookups.functions, name, || {
            let of_class = || name.as_str().rsplit_once('.').is_some_and(|(class, _)| library.class(class).is_some());
            matches!(library.entry(name.as_str()), Some(Entry::Api(_)))
                && !of_class()
                && library.absence(name.as_str(), None).is_none()
        })
    }

    /// Whether the newest version of its library no longer has an API.
    pub fn is_removed(&self, api: Name) -> bool {
        remembered(&self.caches.lookups.removed, api, || self.library.is_removed(api.as_str()))
    }

    /// Whether the project's version of a library lacks an API, or a keyword of it.
    pub(crate) fn is_absent(&self, api: Name, spec: Option<&ApiSpec>, keyword: Option<Name>) -> bool {
        let key = (api, spec.map(std::ptr::from_ref), keyword);
        remembered(&self.caches.lookups.absent, key, || match keyword {
            None => self.library.absence(api.as_str(), spec).is_some(),
            Some(keyword) => self.library.keyword_absence(api.as_str(), keyword.as_str()).is_some(),
        })
    }

    /// The names of an API's parameters, in their order.
    pub fn parameter_names(&self, spec: &'p ApiSpec) -> Rc<[Name]> {
        remembered(&self.caches.lookups.parameters, std::ptr::from_ref(spec), || {
            spec.parameters.iter().map(|parameter| Name::new(&parameter.name)).collect()
        })
    }

    /// The annotation of a method of a library class or of its bases.
    pub fn annotated_method(&self, class: Name, member: Name) -> Option<&'p ApiSpec> {
        let library: &'p Library = self.library;
        remembered(&self.caches.lookups.methods, (class, member), || library.method(class.as_str(), member.as_str()))
    }

    /// Whether a method is described in the entry of a library class or of one of its bases, where it has no receiver among its parameters.
    pub(crate) fn is_listed_with_class(&self, class: Name, member: Name) -> bool {
        remembered(&self.caches.lookups.listed_methods, (class, member), || {
            let has_it = |class: &Name| self.library.class(class.as_str())?.method(member.as_str());
            self.ancestors(class).iter().any(|class| has_it(class).is_some())
        })
    }

    /// The annotation of a property of a library class or of its bases.
    pub fn annotated_property(&self, class: Name, member: Name) -> Option<&'p ApiSpec> {
        let library: &'p Library = self.library;
        remembered(&self.caches.lookups.properties, (class, member), || {
            library.property(class.as_str(), member.as_str())
        })
    }

    /// The handler of a method by qualified name.
    pub fn method_handler(&self, api: Name) -> Option<crate::api::library_model::MethodHandler> {
        remembered(&self.caches.lookups.method_handlers, api, || {
            registry::method(self.models, api.as_str()).or_else(|| {
                let (class, method) = api.as_str().rsplit_once('.')?;
                let is_dataset = self.library.class(class).is_some_and(|spec| spec.dataset.is_some());
                if is_dataset { self.models.method_of_data_sets(method) } else { None }
            })
        })
    }

    /// The transfer function that an annotation names.
    pub(crate) fn transfer_of(&self, spec: &'p ApiSpec, name: &str) -> Option<Transfer> {
        remembered(&self.caches.lookups.transfers, std::ptr::from_ref(spec), || harp_operations::lookup(name))
    }

    /// The name under which handlers and transfer functions know an API: the one used, unless it is that of an aliased module. A library that
    /// describes its functions by another's makes tensors of its own family with them.
    pub(crate) fn canonical(&self, entry: &Entry, used: Name) -> Name {
        let names = entry.names();
        if names.iter().any(|name| &**name == used.as_str()) {
            return used;
        }
        // One entry may describe many: the alias stands for one of them.
        let is_of_entry = |name: &String| names.iter().any(|known| **known == **name);
        let renamed = self.library.other_names(used.as_str()).find(is_of_entry);
        let renamed = renamed.or_else(|| names.first().map(|name| name.to_string()));
        let Some(meant) = renamed.map(|name| Name::new(&name)) else { return used };
        let own = self.family_of_api(used);
        if own.is_some() && own != self.family_of_api(meant) { used } else { meant }
    }

    /// The handler of a call of an instance of a library class.
    pub fn call_handler(&self, class: Name) -> Option<crate::api::library_model::MethodHandler> {
        remembered(&self.caches.lookups.call_handlers, class, || registry::instance_call(self.models, class.as_str()))
    }
}
