//! Interpreter state, caches: what was looked up or found out about the text of the program and its libraries. It does
//! not change while the program runs.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::api::library_model::FunctionHandler;
use crate::calls::identity_decorators::GivenBack;
use crate::entries::modules_from_factories::ClassPlace;
use crate::hints::FunctionHints;
use crate::modules::unparsed_parts::{Broken, places_left_out};
use crate::state::compiled_patterns::Expressions;
use crate::state::lookup_cache::Lookups;
use harp_annotations::CallForms;
use harp_corpus::FileId;
use harp_python::DeferredImports;
use harp_python::name::Name;
use harp_python::project::{ModuleId, Project};

/// What was looked up or found out about the text of the program and its libraries. It does not change while the program runs.
pub struct Caches<'p> {
    /// What waits of the imports of installed modules,
    pub deferred: FxHashMap<ModuleId, Rc<DeferredImports>>,
    /// and the names that are being looked for.
    pub resolving: Vec<(ModuleId, Name)>,
    /// Files with parts that the parser could make no sense of, or that go beyond what is followed.
    pub broken: FxHashMap<FileId, Broken>,
    /// Where these parts begin.
    pub left_out: FxHashMap<FileId, Vec<u32>>,
    /// Functions, by file and place, with a decorator of which nothing is known.
    pub unknown_decorators: FxHashSet<(FileId, u32)>,
    /// Functions with a decorator that is taken to leave their parameters as they are, and may change them.
    pub taken_decorators: FxHashSet<(FileId, u32)>,
    /// The classes of modules that functions returned, each with the function after which it was run.
    pub returned: FxHashMap<ClassPlace, ClassPlace>,
    /// What functions did with classes and functions that they were given.
    pub(crate) given_back: GivenBack,
    /// Whether the bodies of generator functions can stop at each of their `yield`s, by the start of their definition.
    pub stoppable: FxHashMap<(FileId, u32), bool>,
    /// The patterns of `re` that were compiled.
    pub expressions: Expressions,
    /// What the annotations of functions say of sizes, by the start of their definition.
    pub hints: FxHashMap<(FileId, u32), Option<Rc<FunctionHints>>>,
    /// The forms in which APIs may be called, where they were looked up.
    pub call_forms: FxHashMap<Name, Option<Rc<CallForms>>>,
    /// Handlers that were looked up, by qualified name.
    pub function_handlers: FxHashMap<Name, Option<FunctionHandler>>,
    /// Names that were looked up.
    pub lookups: Lookups<'p>,
}

impl<'p> Caches<'p> {
    /// The same before anything ran.
    pub(crate) fn new(project: &Project) -> Self {
        Caches {
            deferred: Default::default(),
            resolving: Vec::new(),
            broken: Broken::files(project),
            left_out: places_left_out(project),
            unknown_decorators: FxHashSet::default(),
            taken_decorators: FxHashSet::default(),
            returned: FxHashMap::default(),
            given_back: Default::default(),
            stoppable: FxHashMap::default(),
            expressions: Expressions::default(),
            hints: FxHashMap::default(),
            call_forms: FxHashMap::default(),
            function_handlers: FxHashMap::default(),
            lookups: Default::default(),
        }
    }
}
